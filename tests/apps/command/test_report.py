"""`segscores report`: what the page tells, what its script does in a browser, and how it is searched."""

import base64
import hashlib
import html
import math
import os
import random
import re
import shlex
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import segscores
from segscores.statistics.system_comparison import compare

from ...command_runs import write_files
from ...optional import Axe, Locator, expect
from ..demo.conftest import NARROW, WIDE, browser, visiting

__all__ = ["browser"]

REFERENCE = ["the dog is on the boat", "a cat", "", "on the boat", "dogs bark", "is it"] * 6
PREDICTION = ["thedog is on the boat", "a c at", "", "o nthe boat", "dogs bark", "is it"] * 6
OTHER = ["thedog is onthe boat", "ac at", "", "on the boat", "dogs bark", "isit"] * 6
# Word types of one line alone: without any, type scores have no interval.
REFERENCE[-1], PREDICTION[-1], OTHER[-1] = "is that", "is that", "isthat"

#: Words that would do harm as markup, in a script or in the text around them.
HOSTILE = [
    "<script>alert(1)</script>", "</script><script>hacked=1</script>", "<!--", "-->", "]]>", "<img/src=x/onerror=alert(1)>",
    '"onmouseover="alert(1)', "'><b>", "&lt;&amp;&#60;", "</li></ol></section></bdi>", "`${alert(1)}`",
    "\\u003cscript\\u003e", "javascript:alert(1)", "é\u0301狗", "\u0301a", "\u202eabc", "\x01\x1b[2J", "𠮷",
]  # fmt: skip

FILES = {"reference": REFERENCE, "prediction": PREDICTION, "other": OTHER}


@pytest.fixture
def report(printed):
    """Writes the page `r.html`, and gives it."""

    def run(line: str) -> str:
        printed(f"report {line} -o r.html")
        return Path("r.html").read_text(encoding="utf-8")

    return run


def tables_of(page: str) -> list[list[list[str]]]:
    """The texts of the cells of each row of each table; what is small in a cell is a text of its own."""

    def texts(row: str) -> list[str]:
        cells = [part for cell in re.split("<t[hd]\\b", row)[1:] for part in re.split("<small", cell)]
        return [html.unescape(re.sub("<[^>]*>", "", f"<{cell}")) for cell in cells]

    tables = [table.partition("</table>")[0] for table in page.split("<table")[1:]]
    return [[texts(row) for row in re.split("<tr\\b", table)[1:]] for table in tables]


def table(page: str, first: str) -> list[list[str]]:
    """The rows of the first table that has a column of this name, without its head."""
    return next(rows[1:] for rows in tables_of(page) if first in rows[0])


def numbers_of(page: str) -> list[int]:
    """The numbers of the utterances of the first prediction, worst first."""
    first = page.partition("</template>")[0]
    return list(map(int, re.findall(r"<span class=place>(\d+)</span>", first)))


#: Words that are whole utterances have no boundary without edges.
WHOLE = [f"{first}{second}" for first in "abcd" for second in "abcd"]
EQUAL = {"reference": WHOLE, "prediction": WHOLE, "other": WHOLE, "known": ["aa", "bb"]}
JOINED = {"prediction": ["".join(line.split()) for line in REFERENCE]}
TABLE = {"t.jsonl": '{"gold": "a b", "one": "ab", "two": "a b"}\n' * 2}
ALIGNED = {"reference": ["the dog barks", "is on"], "prediction": ["the dog bark", "ison"]}
PIECES = {f"{side}{part}": ["a b", "ab"] for side in "rp" for part in (1, 2)}
PAIR, THREE = "reference prediction", "reference prediction other"
LOWER = ["lower is better", "best near 0", "Word error rate: reference 0.0000 · significantly worse: prediction"]

#: Files, a command line, what its page says, and a command line whose page says nothing of this.
SENTENCES = [
    (EQUAL, PAIR, ["95 %, by the jackknife over lines<"], f"{PAIR} --interval-method percentile"),
    (EQUAL, f"{PAIR} --interval-method percentile --scores token", ["95 %, by resampling lines<"], f"{PAIR} --scores token"),
    (EQUAL, f"{PAIR} --interval-method percentile", ["95 %, by resampling lines; for type scores, the jackknife<"], PAIR),
    (EQUAL, f"{PAIR} --clusters every:3", ["95 %, by the jackknife over clusters of lines<"], PAIR),
    (EQUAL, f"{PAIR} --vocabulary known", ["Reference words in the vocabulary and out of it."], PAIR),
    (EQUAL, f"{PAIR} --vocabulary known --worst oov_recall --utterances 3", ["those with the worst OOV recall first"],
     f"{PAIR} --utterances 3"),
    (EQUAL, f"{THREE} --scores boundary_noedge,token --primary boundary_noedge_fscore", ["no system is best · undefined: "],
     THREE),
    ({}, f"{THREE} --trials 9", ["No difference can be significant at 0.05: 9 trials"], f"{THREE} --trials 99"),
    ({}, THREE, ["More often right in prediction"], PAIR),
    ({}, f"{PAIR} --baselines", ["What the scores could be"], PAIR),
    ({}, f"{PAIR} --baselines --second-reference other", ["; another annotator."], f"{PAIR} --baselines"),
    (JOINED, "reference prediction reference --scores word_error,rates,token --primary word_error_rate", LOWER, PAIR),
    (ALIGNED, f"{PAIR} --text-format words --on-mismatch align --confidence none", ["2 lines, 5 words"], ""),
    # Lines of several files are numbered from 1, and columns have the name of their table.
    (PIECES, "r? p? --confidence none", ['min="1" max="4"'], ""),
    (TABLE, "t.jsonl --columns gold,one,two --confidence none", ["t.jsonl, column one", "t.jsonl, column two"], ""),
]  # fmt: skip


@pytest.mark.parametrize(("files", "line", "said", "other_line"), SENTENCES)
def test_a_sentence_goes_with_its_options(report, files, line, said, other_line):
    write_files(files)
    page, other_page = (re.sub("</?(strong|bdi)[^>]*>", "", report(each)) for each in (line, other_line or line))
    words = " ".join(re.sub("<[^>]*>", " ", page).split())
    assert [sentence for sentence in said if sentence not in page + words] == []
    assert other_line == "" or [sentence for sentence in said if sentence in other_page] == []


def test_a_score_has_its_numbers_and_counts_are_whole(report):
    write_files({"one": ["the dog is on the boat"] * 2, "two": ["thedog is on the boat"] * 2})
    line = "one two --scores token,word_error --confidence none"
    rows = {row[0]: row[2:4] for row in table(report(line), "Score")}
    assert (rows["Word precision"], rows["Word F-score"]) == (["0.8000", "8 / 10"], ["0.7273", "16 / 22"])
    assert rows["Word deletions"][1] == "2"
    assert "<small>matched 8, predicted 10, reference 12</small>" in report(line)
    means = {row[0]: row[2:4] for row in table(report(f"{line} --average macro"), "Score")}
    assert means["Word precision"] == ["0.8000", ""]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("key", "rows"),
    [
        ("token_recall", ["one 2 1.0000 0.5000", "two 2 0.3333 1.0000", "all 4 0.6000 0.8000"]),
        # No line of the data set "one" has a boundary between words in the reference.
        ("boundary_noedge_recall", ["one 2 – –", "two 2 0.0000 1.0000", "all 4 0.0000 1.0000"]),
    ],
)
def test_files_of_a_pattern_are_data_sets_with_a_row_each(report, key, rows):
    Path("one").mkdir()
    Path("two").mkdir()
    write_files({"one/r": ["ab", "cd"], "one/p": ["ab", "cd"], "one/q": ["a b", "cd"]})
    write_files({"two/r": ["ab", "c d"], "two/p": ["ab", "cd"], "two/q": ["ab", "c d"]})
    page = report(f"'*/r' p='*/p' q='*/q' --scores {key}")
    (table,) = [rows for rows in tables_of(page) if rows[0][0].strip() == "data set"]
    assert [" ".join(cell.split()[0] for cell in row) for row in table[1:]] == rows
    assert "Data sets" not in report(f"one/r one/p --scores {key} --confidence none")


def test_another_score_may_order_them(printed):
    line = "report reference prediction --scores token,word_error --worst word_error_rate -o r.html"
    told, page = printed(line), Path("r.html").read_text(encoding="utf-8")
    assert told == f"r.html: 36 lines, {-(-len(page.encode()) // 1000)} kB\n"
    assert "<b class=off>at</b>" in page[page.index("<span class=place>") :].partition("</li>")[0]
    assert "worst word error rate first" in page


def test_systems_and_their_differences_equal_lists(report):
    write_files({"third": REFERENCE})
    page = report("reference prediction other third")
    expected = compare(REFERENCE, {"prediction": PREDICTION, "other": OTHER, "third": REFERENCE}, text_format="words")
    by, ranks = expected.primary, expected.ranks()
    assert f"|trials:{expected.trials}-0|ref:" in page
    rows = table(page, "System")
    scores = [expected.scores[row[0]][by] for row in rows]
    assert scores == sorted(scores, reverse=True)
    for name, score, ends, rank, *compared in (row[: 4 + min(3, len(row) - 4)] for row in rows):
        assert score == f"{expected.scores[name][by]:.4f}{'★ best' if name == 'third' else ''}"
        assert ends.strip() == "{:.4f} to {:.4f}".format(*expected.intervals[name][by])
        assert rank == "–".join(str(end) for end in dict.fromkeys(ranks[name]))
        if name == "prediction":
            assert compared[0] == "baseline"
            continue
        wanted = expected.differences[name][by]
        assert compared[0] == f"{wanted.difference:+.4f}".replace("-", "−")
        interval, p_value, verdict = re.split(", p = |\n", compared[1])
        assert interval == f"{wanted.low:+.4f} to {wanted.high:+.4f}".replace("-", "−")
        assert float(p_value) == pytest.approx(wanted.p_corrected, abs=5.1e-4)
        told = "better" if wanted.difference > 0 else "worse"
        assert verdict == (told if wanted.p_corrected <= 0.05 else "not distinguishable")
    assert [len(row) for row in table(page, "score")] == [1 + 3 + 2 * 4] * 13
    # The primary score is the first column, with two further columns behind it.
    keys = [by, *(key for key in expected.keys if key != by)]
    (head,) = [rows[0] for rows in tables_of(page) if "System" in rows[0]]
    headings = {row[1]: row[0] for row in table(page, "Score")}
    assert [name for name in head[1:] if name not in ("Ranks", "Against prediction")] == [headings[key] for key in keys]
    # The axis of a column is from the lowest to the highest end of its intervals.
    places = []
    for name in (row[0] for row in rows):
        for key in keys:
            values = [value for each in expected.scores for value in expected.intervals[each][key]]
            least, greatest = np.nanmin(values), np.nanmax(values)
            low, high = expected.intervals[name][key]
            wanted = [(low - least), (high - low), (expected.scores[name][key] - least)]
            places += [100 * value / (greatest - least) for value in wanted if not math.isnan(low)]
    drawn = page[page.index("sortable systems") :].partition("</table>")[0]
    assert [float(share) for share in re.findall(r"(?:left|width):([-\d.]+)%", drawn)] == pytest.approx(
        places, abs=0.006
    )


def test_equal_counts_without_a_width_stand_in_the_middle_of_the_axis(report):
    write_files({"prediction": REFERENCE, "other": REFERENCE})
    page = report("reference prediction other --scores exact,word_error")
    *_, last_row = page[page.index("sortable systems") :].partition("</table>")[0].split("<tr>")
    places = re.findall(r'style="(left:[-\d.]+%(?:;width:[-\d.]+%)?)"', last_row)
    # The insertions, deletions and substitutions of both systems are 0, with intervals from 0 to 0.
    assert places[-6:] == ["left:50.00%;width:0.00%", "left:50.00%"] * 3


def test_words_that_one_of_two_predictions_has_are_counted(report):
    write_files(
        {
            "reference": ["the dog", "a cat", "on", "is it"],
            "prediction": ["thedog", "a cat", "on", "isit"],
            "other": ["the dog", "acat", "on", "isit"],
        }
    )
    page = report("reference prediction other --confidence none")
    outcomes = "prediction and other both have 1, only prediction has 2, only other has 2, and neither has 2."
    assert outcomes in re.sub("<[^>]*>", "", page)
    assert table(page, "More often right in prediction") == [["a", "1", "1", "0", "−1"], ["cat", "1", "1", "0", "−1"]]


@pytest.mark.parametrize("options", ["", "--clusters every:3", "--average macro --confidence none"])
def test_the_signature_is_that_of_the_scores(report, found, options):
    without_intervals = options.endswith("--confidence none")
    asked = options.removesuffix("--confidence none") if without_intervals else f"{options} --confidence 0.95"
    signature = found(f"score reference prediction {asked}")["signature"]
    assert f">{signature}<" in report(f"reference prediction {options}")


def test_words_of_units_have_a_line_between_them(report):
    write_files({"reference": ["dh ax # d ao g"], "prediction": ["dh ax d ao g"]})
    page = report("reference prediction --text-format units --word-boundary '#' --confidence none")
    assert [row[:2] for row in table(page, "Reference")] == [["dh ax | d ao g", "dh ax d ao g"]]


def test_systems_whose_lower_score_is_better_stand_first(report):
    write_files(JOINED)
    page = report("reference prediction reference --scores word_error --primary word_error_rate")
    assert [row[0] for row in table(page, "System")] == ["reference", "prediction"]


def test_a_run_without_intervals_has_no_comparison(report):
    page = report("reference prediction other --confidence none")
    assert "|zero:0|ref:" in page
    # A single utterance has no interval.
    write_files({"reference": ["a b"], "prediction": ["ab"], "other": ["a b"]})
    single = report("reference prediction other")
    assert ["Word recall", "token_recall", "0.0000", "0 / 2", ""] in table(single, "Score")
    assert not re.search(r"Comparison|interval|\|ci:", page + single)


def test_tables_show_a_dash_for_an_undefined_score(report):
    # Words that are whole utterances have no boundary without edges; the other prediction has one, which is wrong.
    write_files({"reference": ["ab", "cd"], "prediction": ["ab", "cd"], "other": ["a b", "cd"]})
    one = table(report("reference prediction --scores boundary_noedge,token"), "Score")
    assert ["Boundary F-score (without edges)", "boundary_noedge_fscore", "–", "–", "0 / 0", ""] in one
    assert ["Word F-score", "token_fscore", "1.0000", "0.1581 to 1.0000", "4 / 4", ""] in one
    page = report("reference prediction other --scores boundary_noedge,token --primary boundary_noedge_fscore")
    other, prediction = table(page, "System")
    assert (other[:2], prediction[:2]) == (["other", "0.0000★ best"], ["prediction", "–"])
    assert ["Boundary recall (without edges)", "–", "–", "–"] in [row[:4] for row in table(page, "score")]
    assert " · undefined: <strong><bdi class=text>prediction</bdi></strong></p>" in page


def test_baselines_and_another_annotator_stand_beside_the_prediction(report):
    page = report("reference prediction --scores token --confidence none --baselines --second-reference other")
    (head, *rows), *_ = [rows for rows in tables_of(page) if "every gap" in rows[0]]
    every_gap = [" ".join(line.replace(" ", "")) for line in REFERENCE]
    no_gap = [line.replace(" ", "") for line in REFERENCE]
    sides = {"prediction": PREDICTION, "every gap": every_gap, "no gap": no_gap, "second reference": OTHER}
    columns = {name.strip(): [row[place].strip() for row in rows] for place, name in enumerate(head)}
    assert [name for name in columns if name in sides] == list(sides)
    for name, side in sides.items():
        scores = segscores.score(REFERENCE, side, text_format="words", scores="token")
        assert columns[name] == [f"{scores[key]:.4f}" for key in ("token_precision", "token_recall", "token_fscore")]


def test_skipped_utterances_keep_the_numbers_of_the_others(report):
    write_files({"reference": ["x y", "a b", "", "c d e"], "prediction": ["x z", "ab", "z", "c de"]})
    page = report("reference prediction --on-error skip")
    assert numbers_of(page) == [2, 4]
    examples = [row[-1] for row in table(page, "Reference")]
    assert sorted(examples) == ["line 2: a b", "line 4: c d e"]
    assert "|skipped:2|" in page


def test_systems_that_skip_differently_have_their_own_scores(report, printed):
    write_files({"reference": ["x y", "a b", "c d", "e f"], "prediction": ["x y", "ab", "c d", "e g"],
           "other": ["x z", "a b", "c d", "e f"]})  # fmt: skip
    page = report("reference prediction other --on-error skip --scores token")
    assert "all scores: of the 2 utterances that no prediction skips (skipped: 1 of prediction, 1 of other)" in page
    assert page.count("The scores are of the 3 lines that this prediction does not skip.") == 2
    assert "|skipped:1+1|compared:2|ref:" in page
    common = {row[0]: row[1:3] for row in table(page, "score")}
    assert [cell[:6] for cell in common["Word recall"]] == ["0.5000", "1.0000"]
    sections = [rows for rows in tables_of(page) if rows[0][:2] == ["Score", "Value"]]
    recalls = [row for rows in sections for row in rows if row[0] == "Word recall"]
    assert [row[2] for row in recalls] == ["0.6667", "1.0000"]
    scored = printed("score reference prediction other --on-error skip --scores token_recall --confidence 0.95")
    assert [row[3].split(" to ") for row in recalls] == [ends.split(", ") for ends in re.findall(r"\[(.*?)\]", scored)]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
def test_names_that_look_alike_keep_their_own_scores(report):
    one, other = (os.fsdecode(name) for name in (b"p\xfe", b"p\xff"))
    write_files({one: PREDICTION, other: REFERENCE})
    rows = table(report(f"reference {one} {other} --scores token"), "System")
    assert [(row[0], row[1][:6] == "1.0000") for row in rows] == [("p\ufffd\u2032", True), ("p\ufffd", False)]


def test_the_policy_names_the_one_script(report):
    page = report("reference prediction")
    (script,) = re.findall("<script[^>]*>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r"<meta [^>]*content=\"(default-src[^\"]*)\"", page)
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    links = re.findall(r"<[^>]* (?:src|href|action|srcset)=[\"']?([^\"'> ]*)", page)
    (code,) = (link for link in links if not link.startswith(("#", "data:,")))
    assert code == "https://huggingface.co/spaces/transformersegmentation/segmentation_scores"


@pytest.mark.slow
def test_twenty_thousand_utterances_make_a_page_of_some_megabytes(report):
    chosen = random.Random(5)
    words = ["".join(chosen.choices("abcdefghij", k=chosen.randint(1, 7))) for _ in range(3000)]
    # Each line of 2,000 occurs ten times: drawing 20,000 takes longer than the report.
    reference = [[chosen.choice(words) for _ in range(chosen.randint(1, 16))] for _ in range(2000)]
    for name, share in (("reference", 0), ("prediction", 0.3), ("other", 0.4)):
        rows = ("".join(word + chosen.choices(["", " "], [share, 1])[0] for word in line) for line in reference)
        write_files({name: [row.strip() for row in rows] * 10})
    assert len(report("reference prediction other").encode()) < 5e6


@pytest.fixture
def open_report(browser):
    """Opens `r.html` as a new visitor. The test fails if the page asks for anything, or if anything goes wrong in it."""
    with visiting(browser) as visit:
        yield lambda scripts=True, **window: visit(
            Path("r.html").resolve().as_uri(), java_script_enabled=scripts, **window
        )


def column(table: Locator, index: int) -> list[str]:
    """The texts of a column's cells, in the rows that are to be seen."""
    cells: list[str] = table.locator("tbody tr:visible").evaluate_all(
        "(rows, index) => rows.map((row) => row.cells[index].firstChild.textContent)", index
    )
    return cells


@pytest.mark.parametrize("scripts", [True, False])
def test_text_stays_text(open_report, report, scripts):
    reference = [" ".join(HOSTILE), *HOSTILE, ""]
    hostile = "<img src=x onerror=alert(1)>&lt;'\"<!--.txt"
    prediction = ["".join(HOSTILE), *(" ".join(word) for word in HOSTILE), ""]
    write_files({"reference": reference, hostile: prediction, "other": reference})
    report(f"reference {shlex.quote(hostile)} other --vocabulary reference")
    page = open_report(scripts=scripts)
    assert page.title() == f"{hostile}, other against reference – segmentation report"
    expect(page.locator("h2").nth(1)).to_have_text(hostile)
    assert page.locator("img, body script").count() == 0
    symbols: dict[int, int | str] = {code: 0x2400 + code for code in range(32)} | {0x202E: "[U+202E]", 0x9B: "[U+009B]"}
    visible = [word.translate(symbols) for word in HOSTILE]
    words = page.locator("#words-table-1 tbody th").all_text_contents()
    assert sorted(words) == sorted(visible)
    drawn = page.locator("section", has_text=hostile).last.locator("li:has(.place)").first
    assert page.evaluate("() => typeof hacked === 'undefined'") if scripts else True
    # The first line is the only one whose words are all run together.
    line = page.locator("section[aria-labelledby=prediction-1] .utterances > li", has=page.get_by_text("1", exact=True))
    segments = line.first.locator("b").all_text_contents()
    assert segments == ["◌" + word if word[0] == "\u0301" else word for word in visible]
    assert drawn.count() == 1


def test_lines_with_a_word_that_only_another_prediction_has_right_are_chosen(open_report, report):
    report("reference prediction other")
    page = open_report()
    viewer = page.locator(".viewer").first
    viewer.get_by_label("Words wrong here and right in").select_option("other")
    # Only "on" of "on the boat" and "the": "o nthe" is wrong in both words, and right in the other prediction.
    places = viewer.locator(".place")
    assert {(int(place) - 1) % 6 + 1 for place in places.all_text_contents()} == {4}
    viewer.get_by_label("Words wrong here and right in").select_option("any")
    expect(places).to_have_count(25)


def test_words_of_several_units_are_searched(open_report, report):
    write_files({"reference": ["dh ax # d ao g", "a # b # c d"], "prediction": ["dh ax d ao g", "a b # c # d"]})
    report("reference prediction --text-format units --word-boundary '#'")
    page = open_report()
    for query in ("dh ax | d ao", "dh ax d ao g"):
        page.locator(".viewer").get_by_role("searchbox").fill(query)
        expect(page.locator(".status")).to_have_text(f"1 to 1 of the 1 lines with “{query}”.")


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (NARROW, True)], ids=["desktop", "dark phone"])
def test_a_screen_reader_finds_its_way_and_only_tables_scroll(open_report, report, size, dark):
    name = "a_prediction_with_a_very_long_name_" * 6
    write_files({name: ["".join(line.split()) for line in REFERENCE], "words": ["the", "on", "boat", "is", "it"]})
    report(f"reference {name} other --vocabulary words --scores token,type,oov,word_error")
    page = open_report(size=size, dark=dark)
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []
    headings = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map((one) => Number(one.tagName[1]))")
    assert (headings[0], headings.count(1)) == (1, 1)
    assert all(after - before < 2 for before, after in pairwise(headings))
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        expect(page.get_by_role(landmark)).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    background = "rgb(17, 24, 39)" if dark else "rgb(255, 255, 255)"
    expect(page.locator("body")).to_have_css("background-color", background)
    page.get_by_role("button", name="Dark").press("Enter")
    expect(page.locator("body")).not_to_have_css("background-color", background)


def test_errors_are_searched_chosen_by_class_and_sorted(open_report, report):
    write_files({"third": REFERENCE})
    report("reference prediction other third")
    page = open_report()
    errors = page.locator("#patterns-table-1")
    search = page.get_by_role("group", name="Search the errors of prediction")
    assert column(errors, 0) == ["cat", "on the", "the dog"]
    search.get_by_label("Search").fill("THE")
    assert column(errors, 0) == ["on the", "the dog"]
    expect(search.get_by_role("status")).to_have_text("2 of 3 rows")
    search.get_by_label("Class").select_option("under-segmented")
    assert column(errors, 0) == ["the dog"]
    words = page.locator("#words-table-1")
    head = words.get_by_role("columnheader", name="Words")
    for key, order in (("Enter", "descending"), ("Space", "ascending")):
        head.get_by_role("button").press(key)
        expect(head).to_have_attribute("aria-sort", order)
        counts = [int(count) for count in column(words, 2)]
        assert counts == sorted(counts, reverse=order == "descending")
    words.get_by_role("columnheader", name="Word", exact=True).get_by_role("button").click()
    assert column(words, 0) == sorted(column(words, 0))
    assert head.get_attribute("aria-sort") is None
    # What is undefined comes last.
    systems = page.locator(".systems")
    systems.locator("tbody tr:nth-child(2) td:nth-child(5)").evaluate("cell => cell.firstChild.data = '–'")
    for sign in (-1, 1):
        systems.get_by_role("columnheader").nth(4).get_by_role("button").click()
        *shown, last = column(systems, 4)
        numbers = [sign * float(number) for number in shown]
        assert (last, numbers) == ("–", sorted(numbers))


def test_utterances_are_searched_ordered_and_gone_to(open_report, report):
    report("reference prediction --utterances 30")
    page = open_report()
    viewer = page.locator(".viewer")
    places, status = viewer.locator(".place"), viewer.get_by_role("status")
    shown = numbers_of(Path("r.html").read_text(encoding="utf-8"))
    expect(status).to_have_text("1 to 25 of the 30 lines here.")
    assert places.all_text_contents() == [str(number) for number in shown[:25]]
    viewer.get_by_role("button", name="Next").press("Enter")
    expect(status).to_have_text("26 to 30 of the 30 lines here.")
    assert places.all_text_contents() == [str(number) for number in shown[25:]]
    viewer.get_by_role("button", name="Previous").press("Enter")
    viewer.get_by_label("Order").select_option("as in the text")
    assert places.all_text_contents() == [str(number) for number in sorted(shown)[:25]]
    # Words of either side, and what stands across a boundary.
    for query, lines in {"thedog": {1}, "nth": {1, 4}, "C AT": {2}, "there is no such": set()}.items():
        viewer.get_by_role("searchbox").fill(query)
        assert {(int(place) - 1) % 6 + 1 for place in places.all_text_contents()} == lines
    expect(status).to_have_text("No line with “there is no such”.")
    box = viewer.get_by_label("Go to line")
    box.fill("34")
    box.press("Enter")
    line = viewer.locator("li:focus")
    expect(line).to_contain_text("o−n+the|boat")
    expect(line.locator(".place")).to_have_text("34")
    expect(line).to_be_in_viewport()
    for wanted, message in {
        "33": "The report leaves out line 33: it has the 30 of 36 lines with the worst word F-score.",
        "37": "There is no line 37: expected one from 1 to 36.",
    }.items():
        box.fill(wanted)
        box.press("Enter")
        expect(status).to_have_text(message)
    page.locator("#patterns-table-1").get_by_role("link", name="line 8", exact=True).press("Enter")
    expect(viewer.locator("li:focus .place")).to_have_text("8")
    page.locator("#words-table-1").get_by_role("button", name="cat", exact=True).press("Enter")
    assert {(int(place) - 1) % 6 + 1 for place in places.all_text_contents()} == {2}


@pytest.mark.parametrize("scripts", [True, False], ids=["printed", "without a script"])
def test_where_nothing_can_be_pressed_no_control_is_shown(open_report, report, scripts):
    report("reference prediction other")
    page = open_report(scripts=scripts)
    page.emulate_media(media="print" if scripts else "screen")
    assert page.locator("form:visible, input:visible, select:visible").count() == 0
    assert page.locator(".utterances").first.locator("li:visible").count() == 25
    assert page.locator("#words-table-1 tbody tr:visible").count() > 0
    if scripts:
        # A sheet of A4 with margins of 1 cm: all scores of the systems are on it.
        page.set_viewport_size({"width": 718, "height": 1047})
        assert page.evaluate("document.querySelector('.systems').getBoundingClientRect().right <= innerWidth")
