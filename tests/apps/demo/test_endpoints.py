"""Programs that use the demo: `gradio_client`, plain HTTP and MCP; and what it starts without."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from dataclasses import replace
from inspect import getdoc
from pathlib import Path
from typing import Any

import pytest

from segscores.scoring.measures.registry import GROUPS

from ...docs.pages import PAGES, blocks_of, run_program
from ...naive import naive_scores
from ...naive_groups import TEXT_GROUPS
from ...optional import AppError, Client, ClientSession, httpx, optional, streamable_http_client
from .conftest import ROOT, serving

#: The parameters of every endpoint, with their types as JSON has them; those after "?" may be left out.
_TEXTS = "references:string predictions:string"
_PARAMETERS = {
    "score": f"{_TEXTS} form?enum scores?array word_boundary?string ignored_tokens?string confidence?oneOf",
    "compare": "references:string systems:object baseline?string form?enum scores?array confidence?number "
    "n_resamples?integer word_boundary?string ignored_tokens?string",
    "differences": f"{_TEXTS} first?integer",
    "sweep": "references:string boundary_scores:array ratios?oneOf",
    "segment": "references:string boundary_scores:array ratio:number",
    "difficulty": f"{_TEXTS} committee:array",
    "alignment": f"{_TEXTS} sources?string targets?string",
    "groups": "",
}
ENDPOINTS = {
    name: {parameter: (kind, sign == "?") for parameter, sign, kind in re.findall(r"(\w+)([:?])(\w+)", text)}
    for name, text in _PARAMETERS.items()
}

#: The score groups that need nothing but two texts.
GROUPS_OF_TEXTS = [
    name for name in TEXT_GROUPS if name not in ("dictionary", "oov", "unit_error") and not GROUPS[name].needs_documents
]


@pytest.fixture(scope="module")
def client(address: str) -> Client:
    return Client(address, verbose=False)


def call_by_http(address: str, path: str, body: object) -> Any:
    """An endpoint's answer by plain HTTP."""
    joined = httpx.post(f"{address}{path}", json=body, timeout=180)
    assert joined.status_code == 200, joined.text
    answer = httpx.get(f"{address}{path}/{joined.json()['event_id']}", timeout=180).text
    event, data = (line.partition(":")[2].strip() for line in answer.strip().split("\n")[-2:])
    assert event == "complete", answer
    return json.loads(data)[0]


def test_score_takes_a_boundary_token_and_tokens_to_leave_out(client: Client) -> None:
    arguments = {"form": "units", "scores": ["token"], "word_boundary": "#", "ignored_tokens": ". ,"}
    result = client.predict("ð ə # d . ɔ g", "ð , ə d ɔ g", **arguments, api_name="/score")
    assert result["counts"]["units"] == 5
    assert (result["counts"]["token_reference"], result["counts"]["token_predicted"]) == (2, 1)


def test_differences_are_marked(client: Client) -> None:
    lines = client.predict("the dog is\na b", "thedog is\na b", api_name="/differences")
    assert lines == ["the+dog|is", "a|b"]
    assert client.predict("the dog is\na b", "the d og is\nab", 1, api_name="/differences") == ["the|d−og|is"]


def test_sweep_gives_what_the_definitions_give_at_each_share(client: Client) -> None:
    # Four gaps in two utterances; at a share of 1/4, 1/2 and 1 the best one, two and four of them are boundaries.
    references, numbers = [["a", "bc"], ["de", "f"]], [[0.9, 0.1], [0.2, 0.8]]
    cut = {0.25: [["a", "bc"], ["def"]], 0.5: [["a", "bc"], ["de", "f"]], 1.0: [["a", "b", "c"], ["d", "e", "f"]]}
    curve = client.predict("a bc\nde f", numbers, list(cut), api_name="/sweep")
    assert curve["ratio"] == list(cut)
    for index, predictions in enumerate(cut.values()):
        expected = naive_scores(references, predictions)
        for key in ("token_precision", "token_recall", "token_fscore", "token_tnr", "boundary_noedge_recall"):
            assert curve[key][index] == pytest.approx(expected[key], abs=1e-12)
    # By default from a share of 0 on, whose threshold is infinite, which JSON has not.
    from_none = client.predict("a bc", [[0.9, 0.1]], api_name="/sweep")
    assert (from_none["ratio"][0], from_none["threshold"][0]) == (0.0, None)
    assert client.predict("abc\ndef", numbers, 0.5, api_name="/segment") == ["a bc", "de f"]
    assert client.predict("abc\ndef", numbers, 0, api_name="/segment") == ["abc", "def"]


def test_difficulty_is_the_share_of_the_committee_that_misses_a_word(client: Client) -> None:
    """The example of the metric's card: the two hard words with half of the committee, the last one found by all."""
    committee = ["the dog barks", "thedog barks"]
    result = client.predict("the dog barks", "the dogbarks", committee, api_name="/difficulty")
    assert result["difficulties"] == [[0.5, 0.5, 0.0]]
    # One of two words as hard as each other is found, and of the punished weight 0.5 + 0.5 + 1 a quarter.
    assert (result["scores"]["reward_recall"], result["scores"]["punishment_recall"]) == (0.5, 0.25)
    assert result["scores"]["balanced_recall"] == pytest.approx(1 / 3)


@pytest.mark.browser
def test_the_committee_may_have_blank_utterances_and_words_of_hyphens() -> None:
    """One of two members misses the words of the last utterance."""
    reference = "\n---\na b\n"
    found = optional("segscores.apps.demo.api").difficulty(reference, reference, [reference, "\n---\nab\n"])
    assert found["difficulties"] == [[], [0.0], [0.5, 0.5]]


def test_alignment_counts_bisegments_and_pairs(client: Client) -> None:
    """One of two bisegments is right; of three pairs of segments two are predicted, both right."""
    scores = client.predict("[0]:[0]\n[1]:[1,2]", "[0]:[0]\n[1]:[2]", api_name="/alignment")
    assert scores["alignment_fscore"] == 0.5
    assert (scores["sentence_precision"], scores["sentence_recall"]) == (1.0, pytest.approx(2 / 3))
    assert not any(key.startswith("word") for key in scores)
    texts = {"sources": "a\nb", "targets": "c\nd\ne"}
    with_texts = client.predict("[0]:[0]\n[1]:[1,2]", "[0]:[0]\n[1]:[2]", **texts, api_name="/alignment")
    assert with_texts["word_recall"] == pytest.approx(2 / 3)


def test_groups_say_what_each_score_is(client: Client) -> None:
    groups = client.predict(api_name="/groups")
    assert list(groups) == GROUPS_OF_TEXTS
    assert all(group[part] for group in groups.values() for part in ("title", "definition", "formula", "source"))
    assert groups["token"]["keys"] == ["token_precision", "token_recall", "token_fscore"]


def test_a_client_is_told_what_the_metric_says(client: Client) -> None:
    with pytest.raises(AppError, match="ratio: expected a number from 0 to 1, received True"):
        client.predict("a bc", [[0.9, 0.1]], True, api_name="/segment")
    with pytest.raises(AppError, match="ratios: expected a list of up to 1,000 shares, received 3"):
        client.predict("a bc", [[0.9, 0.1]], 3, api_name="/sweep")


def test_arguments_by_name_may_be_left_out(address: str) -> None:
    path, sides = "/gradio_api/call/v2/score", {"predictions": "thedog is", "references": "the dog is"}
    result = call_by_http(address, path, sides)
    assert result["scores"] == pytest.approx(naive_scores([["the", "dog", "is"]], [["thedog", "is"]]))
    assert result["read_as"] == "words separated by spaces"
    chosen = call_by_http(address, path, {**sides, "scores": ["token"]})
    assert list(chosen["scores"]) == ["token_precision", "token_recall", "token_fscore"]
    # What was left out does not stay from the call before.
    assert len(call_by_http(address, path, sides)["scores"]) == 13


def with_mcp(address: str, use: Any) -> Any:
    """What `use` returns of a session of the MCP client library."""

    async def run() -> Any:
        async with (
            streamable_http_client(f"{address}/gradio_api/mcp/") as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            return await use(session)

    return asyncio.run(run())


def test_mcp_lists_every_endpoint_with_its_types_and_its_arguments_described(address: str) -> None:
    listed = with_mcp(address, lambda session: session.list_tools())
    tools = {tool.name: tool for tool in listed.tools}
    assert set(tools) == set(ENDPOINTS)
    for name, parameters in ENDPOINTS.items():
        _, _, returns = getdoc(getattr(optional("segscores.apps.demo.api"), name)).partition("Returns:")
        assert tools[name].description.endswith(f"Returns: {' '.join(returns.split())}")
        schema = tools[name].inputSchema
        kinds = {argument: each.get("type") or next(iter(each)) for argument, each in schema["properties"].items()}
        assert kinds == {argument: kind for argument, (kind, _) in parameters.items()}
        assert all(len(each["description"]) > 10 for each in schema["properties"].values())
        assert schema.get("required", []) == [
            argument for argument, (_, optional) in parameters.items() if not optional
        ]


def test_what_endpoints_and_arguments_are_is_in_the_list_of_endpoints(address: str) -> None:
    endpoints = httpx.get(f"{address}/gradio_api/info", timeout=180).json()["named_endpoints"]
    assert {name.removeprefix("/") for name in endpoints} == set(ENDPOINTS)
    for endpoint in endpoints.values():
        assert len(endpoint["description"]) > 10
        assert all(len(each["python_type"]["description"]) > 10 for each in endpoint["parameters"])


def test_mcp_calls_a_tool_and_tells_what_is_wrong(address: str) -> None:
    arguments = {"references": "John likes Mary", "predictions": "John likesMary", "scores": ["token"]}
    result = with_mcp(address, lambda session: session.call_tool("score", arguments))
    assert not result.isError
    assert "'token_precision': 0.5, 'token_recall': 0.3333333333333333" in result.content[0].text
    result = with_mcp(address, lambda session: session.call_tool("score", arguments | {"predictions": "b"}))
    assert result.isError
    assert "the units differ at offset 0" in result.content[0].text


WITHOUT = """
import runpy, sys
sys.modules |= dict.fromkeys({absent!r})
sys.path.insert(0, {root!r})
sys.argv = [{app!r}]
runpy.run_path({app!r}, run_name="__main__")
"""


@pytest.mark.browser
@pytest.mark.parametrize("absent", [("mcp",), ("transformers", "torch")], ids="-".join)
def test_it_starts_quietly_without(tmp_path: Path, absent: tuple[str, ...]) -> None:
    program = WITHOUT.format(absent=absent, root=str(ROOT), app=str(ROOT / "app.py"))
    settings = {"GRADIO_TEMP_DIR": str(tmp_path / "uploads"), "HF_HOME": str(tmp_path / "home")}
    with serving(tmp_path, "-c", program, **settings) as (address, log):
        sides = {"references": "a b", "predictions": "a b"}
        assert call_by_http(address, "/gradio_api/call/v2/score", sides)["scores"]["token_fscore"] == 1.0
        mcp = httpx.post(f"{address}/gradio_api/mcp/", json={}, timeout=180)
        assert (mcp.status_code in {404, 405}) == ("mcp" in absent)
    said = log.read_text()
    assert f"The demo is at {address}/\n" in said
    assert not any(word in said.lower() for word in ("warning", "error", "traceback", "not installed")), said


@pytest.mark.browser
def test_a_port_that_is_taken_is_an_error_that_says_what_to_set(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, ROOT / "app.py"], cwd=tmp_path, env=os.environ | {"GRADIO_SERVER_PORT": port},
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(rf"Port {port} is taken.*GRADIO_SERVER_PORT.*\n", done.stderr), done.stderr


@pytest.mark.browser
def test_the_documentation_is_served_where_it_is_built(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "how-to").mkdir(parents=True)
    for name in ("index", "how-to/install"):
        (site / f"{name}.html").write_text(f"the page {name}")
    (tmp_path / "secret.html").write_text("not of the site")
    program = "import pathlib, sys\nfrom segscores.apps.demo.serve import serve\nserve(pathlib.Path(sys.argv[1]))"
    with serving(tmp_path, "-c", program, site, PYTHONPATH=str(ROOT)) as (address, _):
        assert httpx.get(f"{address}/guide/").text == "the page index"
        assert httpx.get(f"{address}/guide/how-to/install.html").text == "the page how-to/install"
        assert httpx.get(f"{address}/guide/%2e%2e/secret.html").status_code == 404


def test_head_answers_for_the_page(address: str) -> None:
    head, page = (ask(address, headers={"Accept-Encoding": "identity"}, timeout=180) for ask in (httpx.head, httpx.get))
    assert (head.status_code, head.text) == (200, "")
    assert {**head.headers, "date": ""} == {**page.headers, "date": ""}


def test_programs_of_the_documentation_that_call_the_demo_end_well(address: str) -> None:
    programs = [(page, block) for page in PAGES for block in blocks_of(page) if "demo" in block.needs]
    assert programs
    for page, block in programs:
        assert "http://127.0.0.1:7860" in block.code
        run_program(replace(block, code=block.code.replace("http://127.0.0.1:7860", address)), page)
