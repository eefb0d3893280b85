"""Attacks on the demo: refused with a line that says why; nothing executed, nothing read, and the demo goes on.

After every test the demo still answers, and its log has no traceback: what is refused is told to whoever sent it.
"""

from __future__ import annotations

import bz2
import gzip
import html
import io
import json
import os
import re
import shlex
import socket
import ssl
import struct
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pyarrow as pa
import pytest
from pyarrow import parquet

from segscores.command.main import main

from ..naive import naive_scores
from ..optional import Page, expect, httpx
from .conftest import App, OpenPage
from .visitor import below, box, click, column, open_tab, packed, panel_of, unfold

#: Not used by plain HTTP; to make one for each request takes longer than most of these.
CONTEXT = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

#: Requests of 30 MB, and 1 GB of an upload, sent in pieces of this size.
PIECE, LONG, UPLOAD = 1 << 16, 30_000_000, 1 << 30
JSON = {"content-type": "application/json"}
FORM = {"content-type": "multipart/form-data; boundary=xx"}
FILE_HEAD = (
    b'--xx\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
)

#: Arguments that every endpoint takes, by position.
GOOD: dict[str, list[Any]] = {
    "score": ["a b", "a b", "words", ["token"], "", "", None],
    "compare": ["a b\nc", {"x": "a b\nc", "y": "ab\nc"}, "", "words", ["token"], 0.95, 10, "", ""],
    "differences": ["a b", "a b", 3],
    "sweep": ["a bc", [[0.1, 0.2]], [0.5]],
    "segment": ["a bc", [[0.1, 0.2]], 0.5],
    "difficulty": ["a b", "a b", ["a b"]],
    "alignment": ["[0]:[0]", "[0]:[0]", "a", "b"],
}
#: What gradio would fetch.
FILE = {"path": "https://example.com/", "meta": {"_type": "gradio.FileData"}}
#: Where None says that an argument is left out.
MAY_BE_NONE = {("score", 6), ("sweep", 2)}

#: Each would set `hacked` if it were markup rather than text.
MARKUP = (
    "<img src=x onerror=window.hacked=1>",
    '"><svg/onload=window.hacked=1>',
    "<script>window.hacked=1</script>",
    "'-(window.hacked=1)-'",
    "${window.hacked=1}{{window.hacked=1}}",
    "[x](javascript:window.hacked=1)",
)


@pytest.fixture(autouse=True)
def _goes_on(app: App) -> Iterator[None]:
    written = app.log.stat().st_size
    yield
    assert get(f"{app.address}/gradio_api/app_id").status_code == 200
    with app.log.open("rb") as log:
        log.seek(written)
        said = log.read().decode()
    assert "Traceback" not in said, said


@pytest.fixture(scope="module")
def events(address: str) -> dict[str, int]:
    """By the name of a tab the number of the event of its button; and that of the report of Score."""
    config = get(f"{address}/config", timeout=180).json()
    tabs = ("Score", "Threshold", "Difficulty", "Learn", "Alignment")
    scripts = {tab: f"sent('{tab.lower()}'" for tab in tabs} | {"report": "reportable('score'"}
    return {
        name: next(e["id"] for e in config["dependencies"] if script in str(e["js"]))
        for name, script in scripts.items()
    }


def get(url: str, **options: Any) -> httpx.Response:
    return httpx.get(url, verify=CONTEXT, **{"timeout": 60, **options})


def post(address: str, path: str, **content: Any) -> httpx.Response:
    return httpx.post(address + path, timeout=180, verify=CONTEXT, **content)


def told(response: httpx.Response) -> str:
    """What a refused request is told."""
    assert response.status_code in {400, 404, 413, 422}, response.text[:300]
    return str(response.json()["error"]) if response.text.startswith("{") else response.text


def send(address: str, name: str, data: list[Any] | bytes) -> httpx.Response:
    """A call of an endpoint, as it is accepted or refused."""
    content = {"content": data, "headers": JSON} if isinstance(data, bytes) else {"json": {"data": data}}
    return post(address, f"/gradio_api/call/{name}", **content)


def outcome(address: str, name: str, data: list[Any] | bytes) -> tuple[str, Any]:
    """What comes of a call: "complete" and the answer, or "error" and what the caller is told."""
    sent = send(address, name, data)
    if sent.status_code != 200:
        return "error", told(sent)
    said = get(f"{address}/gradio_api/call/{name}/{sent.json()['event_id']}", timeout=180).text
    event, content = (line.partition(":")[2].strip() for line in said.strip().split("\n")[-2:])
    return (event, json.loads(content)[0]) if event == "complete" else (event, json.loads(content)["error"])


def answer(address: str, name: str, data: list[Any]) -> Any:
    event, content = outcome(address, name, data)
    assert event == "complete", content
    return content


def refusal(address: str, name: str, data: list[Any] | bytes) -> str:
    """What a caller is told."""
    event, content = outcome(address, name, data)
    assert event == "error", str(content)[:300]
    assert content, "an error without a word"
    return str(content)


def show(address: str, event: int, data: list[Any]) -> str:
    """What an event of the page answers, or is told, as one text."""
    session = uuid4().hex
    call = json.dumps({"data": data, "fn_index": event, "session_hash": session})
    joined = post(address, "/gradio_api/queue/join", content=call, headers=JSON)
    if joined.status_code != 200:
        return told(joined)
    with httpx.stream(
        "GET", f"{address}/gradio_api/queue/data?session_hash={session}", timeout=180, verify=CONTEXT
    ) as lines:
        for line in lines.iter_lines():
            message = json.loads(line.removeprefix("data:")) if line.startswith("data:") else {}
            if message.get("msg") == "process_completed":
                output = message["output"]
                return "\n".join(map(str, output["data"])) if message["success"] else str(output["error"])
    raise AssertionError("the page was not answered")


def upload(address: str, name: str, content: bytes) -> dict[str, Any]:
    """An uploaded file, as the page passes it on."""
    sent = post(address, "/gradio_api/upload", files={"files": (name, content, "text/plain")})
    assert sent.status_code == 200, sent.text
    return {"path": sent.json()[0], "meta": {"_type": "gradio.FileData"}}


def inputs(reference: str = "", prediction: str = "", file: object = None, **settings: object) -> list[object]:
    """What the tab Score is computed from."""
    values = {"form": "words", "boundary": "", "ignored": "", "scores": ["token"], "intervals": False}
    values |= {"order": "as in the text", "errors_only": False, "search": "", "line": ""}
    return [reference, file, None, prediction, None, None, *(values | settings).values()]


def score_file(address: str, events: dict[str, int], file: object) -> str:
    return show(address, events["Score"], inputs(prediction="the dog", file=file))


# Markup.


def expect_no_effect(page: Page) -> None:
    # What is loaded later would run later.
    page.wait_for_timeout(200)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src='x'], svg[onload], a[href^='javascript:']").count() == 0
    expect(page).to_have_title("Segmentation scores")


def watch(page: Page) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))


@pytest.mark.parametrize("markup", MARKUP)
def test_markup_in_the_boxes_stays_text(page: Page, markup: str) -> None:
    watch(page)
    panel = panel_of(page)
    # As a word that both sides have, as words that differ, and as what can't be compared.
    for reference, prediction in ((markup, markup), (markup, markup.replace(" ", "")), (markup, "b"), ("b", markup)):
        box(panel, "Reference").fill(reference)
        box(panel, "Prediction").fill(prediction)
        click(panel, "Score")
        if "b" in {reference, prediction}:
            expect(panel.locator(".note.problem:visible").first).to_contain_text("the units differ")
        else:
            expect(panel.locator(".results:visible").filter(has_text=markup[:4]).first).to_be_visible()
        expect_no_effect(page)
    click(panel, "Copy a link")
    expect(box(panel, "Link")).to_be_visible()
    page.reload()
    expect(box(panel_of(page), "Prediction")).to_have_value(markup)
    expect_no_effect(page)


@pytest.mark.parametrize(
    ("tab", "boxes", "button"),
    [
        ("Threshold", ("Reference", "Boundary scores"), "Show"),
        ("Difficulty", ("Reference", "Prediction", "Committee", "Difficulties"), "Score"),
        ("Alignment", ("Reference", "Prediction", "Source segments", "Target segments"), "Score"),
    ],
)
def test_markup_in_the_boxes_of_every_tab_stays_text(page: Page, tab: str, boxes: tuple[str, ...], button: str) -> None:
    watch(page)
    panel = open_tab(page, tab)
    before = {label: box(panel, label).input_value() for label in boxes}
    for label in boxes:
        for markup in MARKUP[:3]:
            box(panel, label).fill(markup)
            click(panel, button)
            expect(panel.locator(".note:visible").first).to_be_visible()
            expect_no_effect(page)
        box(panel, label).fill(before[label])


def test_markup_that_is_scored_in_the_other_tabs_stays_text(page: Page) -> None:
    """Where the texts are right, so that the words are drawn."""
    watch(page)
    panel = open_tab(page, "Difficulty")
    for label in ("Reference", "Prediction", "Committee"):
        box(panel, label).fill("\n".join(MARKUP))
    click(panel, "Score")
    expect(panel.locator(".results", has_text="onerror").first).to_be_visible()
    panel = open_tab(page, "Threshold")
    box(panel, "Reference").fill(MARKUP[0])
    box(panel, "Boundary scores").fill(" ".join(["0.5"] * (len(MARKUP[0].replace(" ", "")) - 1)))
    click(panel, "Show")
    expect(panel.locator(".results", has_text="onerror").first).to_be_visible()
    panel = open_tab(page, "Alignment")
    for label in ("Source segments", "Target segments"):
        box(panel, label).fill("\n".join(MARKUP[:4]))
    click(panel, "Score")
    expect_no_effect(page)


@pytest.mark.parametrize("field", ["Word boundary", "Ignored tokens"])
def test_markup_in_the_tokens_of_units_text_stays_text(page: Page, field: str) -> None:
    watch(page)
    panel = panel_of(page)
    unfold(panel, "Options")
    panel.get_by_role("radio", name="units").check()
    for markup in ("<svg/onload=window.hacked=1>", "'-(window.hacked=1)-'"):
        box(panel, field).fill(markup)
        box(panel, "Reference").fill(f"a {markup} b")
        box(panel, "Prediction").fill("a b")
        click(panel, "Score")
        expect(below(panel, "Prediction")).to_contain_text("1 word,")
        expect(below(panel, "Prediction")).to_contain_text(markup)
        expect_no_effect(page)


@pytest.mark.parametrize("name", ["<img src=x onerror=window.hacked=1>.txt", '"><svg onload=window.hacked=1>.txt'])
def test_markup_in_the_name_of_a_file_stays_text(page: Page, name: str) -> None:
    watch(page)
    panel = panel_of(page)
    file = {"name": name, "mimeType": "text/plain", "buffer": b"\xff\xfea"}
    column(panel, "Reference").locator("input[type=file]").set_input_files(file)
    expect(panel.get_by_text("expected UTF-8")).to_be_visible()
    expect_no_effect(page)


def test_markup_in_a_link_stays_text(open_page: OpenPage) -> None:
    fields = {"reference": MARKUP[0], "prediction": MARKUP[1], "form": MARKUP[0], "word_boundary": MARKUP[0]}
    page = open_page(hash=packed({"tab": "score", "fields": {**fields, "scores": ["token"]}}), ready=".problem")
    watch(page)
    expect(box(panel_of(page), "Reference")).to_have_value(MARKUP[0])
    expect(page.locator(".notice")).to_contain_text("were ignored: form")
    expect(page.locator(".problem")).to_contain_text(
        f"word boundary: expected a token without whitespace, received {MARKUP[0]!r}"
    )
    expect_no_effect(page)


# Length.


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/gradio_api/queue/join", {"data": ["a", None, None, None, "words", "", "", ["token"], False], "fn_index": 0}),
        ("/gradio_api/call/score", {"data": ["a", "a", "words", ["token"], "", "", None]}),
        ("/gradio_api/call/v2/score", {"references": "a", "predictions": "a"}),
        ("/gradio_api/mcp/", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ],
    ids=["join", "call", "call by name", "mcp"],
)
@pytest.mark.parametrize("chunked", [False, True], ids=["length given", "no length"])
def test_a_long_request_is_refused(address: str, path: str, body: dict[str, Any], chunked: bool) -> None:
    content = json.dumps({**body, "session_hash": "a"}).encode() + b" " * LONG
    pieces = (content[start : start + PIECE] for start in range(0, len(content), PIECE))
    response = post(address, path, content=pieces if chunked else content, headers=JSON)
    assert response.status_code == 413
    assert "the page takes 25,000,000 bytes" in told(response)


def test_a_long_text_is_refused(address: str) -> None:
    """Shorter than a request may be."""
    said = refusal(address, "score", ["a" * 6_000_000, "a", "words", ["token"], "", "", None])
    assert said == "references: 6,000,000 characters; this page takes 5,000,000. Use the command for more."


def stream(address: str, path: str, headers: dict[str, str], pieces: Iterator[bytes]) -> tuple[str, int]:
    """Send a request until an answer comes: the answer, and how many bytes were sent before it."""
    parts = urlsplit(address)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    sent = 0
    with socket.create_connection((parts.hostname, parts.port), timeout=180) as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n{lines}\r\n".encode())
        connection.setblocking(False)
        # Something that is not read at once fills the buffers; a refusal comes in between.
        for piece in pieces:
            waiting = memoryview(piece)
            while waiting:
                try:
                    return rest_of(connection, connection.recv(65536)), sent
                except BlockingIOError:
                    pass
                try:
                    count = connection.send(waiting)
                    waiting, sent = waiting[count:], sent + count
                except BlockingIOError:
                    time.sleep(0.001)
        return rest_of(connection, b""), sent


def rest_of(connection: socket.socket, answer: bytes) -> str:
    """An answer whose head and body may come in several pieces."""
    connection.settimeout(30)
    while not (length := re.search(rb"content-length: (\d+)\r\n.*?\r\n\r\n(.*)", answer, re.DOTALL)) or len(
        length[2]
    ) < int(length[1]):
        piece = connection.recv(65536)
        if not piece:
            break
        answer += piece
    return answer.decode()


def chunks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield b"%x\r\n%b\r\n" % (len(piece), piece)


def gigabyte(piece: bytes = b"a" * PIECE) -> Iterator[bytes]:
    yield FILE_HEAD
    for _ in range(UPLOAD // len(piece)):
        yield piece


def test_a_long_upload_is_refused_before_it_is_read(address: str) -> None:
    said, sent = stream(address, "/gradio_api/upload", {**FORM, "content-length": str(UPLOAD)}, gigabyte())
    assert said.startswith("HTTP/1.1 413")
    assert "longer than the maximum allowed size: the page takes 25,000,000 bytes" in said
    assert sent < 20_000_000


def test_a_long_upload_that_does_not_say_so_is_refused_early(app: App) -> None:
    pieces = chunks(gigabyte())
    said, sent = stream(app.address, "/gradio_api/upload", {**FORM, "transfer-encoding": "chunked"}, pieces)
    assert said.startswith("HTTP/1.1 413")
    assert "exceeded maximum allowed size" in said
    assert sent < 60_000_000
    assert sum(path.stat().st_size for path in app.uploads.rglob("*") if path.is_file()) < 50_000_000


def test_many_files_in_an_upload_are_refused_early(address: str) -> None:
    file = FILE_HEAD + b"a" * 1_000_000 + b"\r\n"
    pieces = chunks(file for _ in range(1000))
    said, sent = stream(address, "/gradio_api/upload", {**FORM, "transfer-encoding": "chunked"}, pieces)
    assert said.startswith("HTTP/1.1 413")
    assert sent < 100_000_000


def test_a_file_that_is_too_long_is_refused(address: str) -> None:
    response = post(address, "/gradio_api/upload", files={"files": ("a.txt", b"a" * 11_000_000)})
    assert response.status_code == 413
    assert "maximum allowed size of 10000000 bytes" in told(response)


# Files.


@pytest.mark.parametrize(
    "file",
    [
        {"path": "/etc/passwd"},
        {"path": "../../../../etc/passwd"},
        {"path": "/etc"},
        {"path": ""},
        {"path": "/proc/self/environ"},
        {"path": "file:///etc/passwd"},
        {"path": "http://127.0.0.1:1/a.txt"},
        {"path": "http://127.0.0.1:1/a.txt", "url": "http://127.0.0.1:1/a.txt"},
        {"path": "a.txt", "url": "http://127.0.0.1:1/a.txt"},
        {"url": "http://127.0.0.1:1/a.txt"},
        {"path": "a\0b.txt"},
        {"path": "a" * 10_000},
        {"path": ["/etc/passwd"]},
        {"path": None},
        {"path": 5},
        *("/etc/passwd", ["/etc/passwd"], 5, True, {}, [], "", [{"path": "/etc/passwd"}]),
    ],
    ids=repr,
)
def test_a_path_is_no_file(address: str, events: dict[str, int], file: object) -> None:
    for given in (file, file | {"meta": {"_type": "gradio.FileData"}}) if isinstance(file, dict) else (file,):
        assert score_file(address, events, given) == "There is no such file here. Open it, or open it again."


def test_the_files_of_the_demo_itself_are_no_files(app: App, events: dict[str, int]) -> None:
    uploaded = Path(upload(app.address, "a.txt", b"the dog")["path"])
    secret = app.uploads / "secret.txt"
    secret.write_text("secret")
    climbing = uploaded.parent / ".." / ".." / ".." / "secret.txt"
    link = uploaded.parent / "link.txt"
    link.symlink_to(secret)
    for path in (secret, climbing, link, uploaded.parent, uploaded.parent.parent):
        said = score_file(app.address, events, {"path": str(path), "meta": {"_type": "gradio.FileData"}})
        assert "There is no such file here" in said


@pytest.mark.parametrize("meta", [{}, {"meta": None}, {"meta": {}}, {"meta": {"_type": "x"}}], ids=str)
def test_a_file_that_does_not_say_so_is_none(address: str, events: dict[str, int], meta: dict[str, Any]) -> None:
    file = {"path": upload(address, "a.txt", b"the dog")["path"]}
    assert score_file(address, events, file | meta) == "There is no such file here. Open it, or open it again."


def zip_bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"0" * 100_000_000)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (zip_bomb, "packed with zip; expected gzip, zstd, bz2 or text"),
        (lambda: bz2.compress(b"0" * 100_000_000), "more than the 5,000,000 characters that this page takes"),
        (lambda: pa.compress(b"0" * 100_000_000, "zstd", asbytes=True), "more than the 5,000,000 characters"),
        (lambda: gzip.compress(b"0" * 100_000_000), "more than the 5,000,000 characters that this page takes"),
        (lambda: "the dog".encode("utf-16"), "the file is UTF-16; expected UTF-8"),
        (lambda: b"the\0dog", "there is a NUL character (U+0000)"),
        (lambda: b"\xed\xa0\x80", "is not valid UTF-8"),
    ],
    ids=["zip bomb", "bz2", "zstd", "gzip", "UTF-16", "NUL", "surrogate"],
)
def test_a_file_that_is_no_text_is_refused(address: str, events: dict[str, int], make: Any, problem: str) -> None:
    said = score_file(address, events, upload(address, "a.txt", make()))
    assert problem in said.replace("&#39;", "'")
    # Where the server keeps it is nobody's business.
    assert "/" not in said.partition("a.txt")[0].rpartition(">")[2]


def table_of(kind: str) -> bytes:
    """A reference as a table."""
    table, file = pa.table({"reference": ["the dog"]}), io.BytesIO()
    if kind == "Parquet":
        parquet.write_table(table, file)
    else:
        with (pa.ipc.new_file if kind == "file" else pa.ipc.new_stream)(file, table.schema) as writer:
            writer.write_table(table)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "kind", "pack"),
    [
        ("my texts.parquet", "Parquet", bytes),
        ("t.PQ", "Parquet", bytes),
        ("t.txt", "Parquet", bytes),
        ("t.feather", "file", bytes),
        ("t.jsonl", "file", bytes),
        ("t.arrow", "stream", bytes),
        ("t", "stream", bytes),
        ("t.arrow.gz", "file", gzip.compress),
        ("t.parquet", "stream", bz2.compress),
        ("t.txt.ZST", "Parquet", lambda table: pa.compress(table, "zstd", asbytes=True)),
    ],
)
def test_a_table_is_not_read_and_the_command_that_reads_it_is_named(
    *,
    address: str,
    events: dict[str, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    kind: str,
    pack: Callable[[bytes], bytes],
) -> None:
    said = html.unescape(score_file(address, events, upload(address, name, pack(table_of(kind)))))
    found = re.search(
        r"is a table of Parquet or Arrow; this page reads text, CoNLL-U and JSON lines\."
        r"(?: (?:Unpack|Save) it as (.+?)\.)? The command reads it: (segmentation-scores score [^<]*)",
        said,
    )
    assert found, said
    # The visitor follows it.
    monkeypatch.chdir(tmp_path)
    Path(found[1] or name).write_bytes(table_of(kind))
    Path("mine.txt").write_text("the dog\n")
    assert main(shlex.split(found[2].replace("PREDICTION", "mine.txt"))[1:]) == 0
    assert re.search(r"token_fscore +1\.0000", capsys.readouterr().out)


#: The inputs of the tabs, without files.
BLANK: dict[str, list[object]] = {
    "Score": inputs("a b", "a b"),
    "report": inputs("a b", "a b"),
    "Threshold": ["a b", None, None, "0.1", None, 0.5],
    "Difficulty": ["a b", None, None, "a b", None, None, "a b", None, "", None],
    "Alignment": ["[0]:[0]", None, "[0]:[0]", None, "", None, "", None],
}


@pytest.mark.parametrize(
    ("tab", "at"),
    [
        *(("Score", 1), ("Score", 4), ("report", 1), ("report", 4), ("Threshold", 1), ("Threshold", 4)),
        *(("Difficulty", 1), ("Difficulty", 4), ("Difficulty", 7), ("Difficulty", 9)),
        *(("Alignment", 1), ("Alignment", 3), ("Alignment", 5), ("Alignment", 7)),
    ],
)
def test_a_table_or_a_path_is_read_in_no_box(address: str, events: dict[str, int], tab: str, at: int) -> None:
    tables = [upload(address, name, table_of(kind)) for name, kind in (("t.txt", "file"), ("t.parquet", "Parquet"))]
    path = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}
    for file in (*tables, path):
        said = show(address, events[tab], [*BLANK[tab][:at], file, *BLANK[tab][at + 1 :]])
        assert ("There is no such file here" if file is path else "is a table of Parquet or Arrow") in said


def test_the_name_of_a_file_leads_nowhere(app: App, events: dict[str, int]) -> None:
    for name in ("../../../a.txt", "/etc/a.txt", "..\\..\\a.txt", "a" * 300 + ".txt", "a\0b.txt", "ä\u202e.txt"):
        path = Path(upload(app.address, name, b"the dog")["path"])
        assert path.resolve().is_relative_to(app.uploads.resolve())
        assert path.parent.parent.parent.resolve() == app.uploads.resolve()


@pytest.mark.parametrize(
    ("headers", "body", "problem"),
    [
        (FORM, b"garbage", "Could not parse"),
        ({"content-type": "multipart/form-data"}, b"a", "Missing boundary"),
        ({"content-type": "text/plain"}, b"a", "Invalid content type"),
        (FORM, b'--xx\r\nContent-Disposition: form-data; name="files"\r\n\r\na\r\n--xx--\r\n',
         "expected a form with a file"),
        (FORM, b"--xx\r\nContent-Disposition: form-data\r\n\r\na\r\n--xx--\r\n", '"name" must be provided'),
        (FORM, b"--xx\r\nX: " + b"a" * 100_000 + b"\r\n\r\na\r\n--xx--\r\n", "maximum allowed size"),
    ],
    ids=["garbage", "no boundary", "text", "no file", "no name", "long header"],
)  # fmt: skip
def test_an_upload_that_is_none_is_refused(address: str, headers: dict[str, str], body: bytes, problem: str) -> None:
    response = post(address, "/gradio_api/upload", content=body, headers=headers)
    assert response.status_code in {400, 413}
    assert problem in response.json()["detail"] if response.text.startswith("{") else problem in response.text


def test_an_upload_that_breaks_off_is_no_trouble(address: str) -> None:
    parts = urlsplit(address)
    for _ in range(3):
        connection = socket.create_connection((parts.hostname, parts.port), timeout=180)
        head = f"POST /gradio_api/upload HTTP/1.1\r\nHost: {parts.netloc}\r\ncontent-length: 1000000\r\n"
        connection.sendall(f"{head}content-type: {FORM['content-type']}\r\n\r\n".encode() + FILE_HEAD + b"a" * 1000)
        # It ends at once, without a goodbye.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    time.sleep(0.3)


@pytest.mark.parametrize(
    "path",
    [
        *("/gradio_api/file=/etc/passwd", "/gradio_api/file=../../../etc/passwd"),
        *("/gradio_api/file=http://127.0.0.1:1/a", "/gradio_api/file=https://example.com/a"),
        *("/gradio_api/proxy=http://127.0.0.1:1/a", "/gradio_api/file/etc/passwd", "/gradio_api/vibe-code"),
        *("/static/..%2f..%2f..%2fetc/passwd", "/assets/..%2f..%2froutes.py"),
        *("/svelte/..%2f..%2froutes.py", "/monitoring"),
    ],
)
def test_nothing_else_is_read(address: str, path: str) -> None:
    response = get(address + path, timeout=180)
    assert response.status_code in {403, 404}
    assert "root:" not in response.text


def test_what_one_visitor_uploads_is_served_to_none(address: str, events: dict[str, int]) -> None:
    secret = uuid4().hex
    file = upload(address, "secret.txt", secret.encode())
    assert "the units differ" in score_file(address, events, file)
    for path in (f"/gradio_api/file={file['path']}", f"/gradio_api/file/{file['path']}", f"/file={file['path']}"):
        response = get(address + path, timeout=180)
        assert response.status_code == 404
        assert secret not in response.text


@pytest.mark.parametrize(
    "path",
    [
        *("/gradio_api/run/score", "/gradio_api/api/score", "/gradio_api/run/predict", "/gradio_api/component_server"),
        *("/gradio_api/process_recording", "/gradio_api/vibe-edit", "/gradio_api/run-history/connect", "/login", "/"),
    ],
)
def test_nothing_runs_past_the_queue(address: str, path: str) -> None:
    response = post(address, path, json={"data": GOOD["score"], "fn_index": 0, "session_hash": "a"})
    assert response.status_code == 404
    assert told(response) == "Unknown address: call the endpoints at /gradio_api/call/v2/NAME."


# Values.


@pytest.mark.parametrize(
    ("name", "index"), [(name, index) for name, data in GOOD.items() for index in range(len(data))]
)
def test_a_value_of_a_wrong_type_is_refused(address: str, name: str, index: int) -> None:
    def check(value: object) -> None:
        data = list(GOOD[name])
        data[index] = value
        said = refusal(address, name, json.dumps({"data": data}).encode())
        of_python = ("object is not", "has no attribute", "codec can't", "argument must be", "unhashable")
        assert not any(words in said for words in of_python), said

    values = [None, 5, 1.5, True, {}, {"a": 1}, [[1]], ["\0"], [None], "\0", "\ud800"]
    if (name, index) in MAY_BE_NONE:
        values.remove(None)
    if (name, index) == ("differences", 2):
        values.remove(5)
    if (name, index) == ("compare", 6):
        values.remove(5)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(check, values))
    assert answer(address, name, GOOD[name])


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        ("call/v2/score", {"references": "a", "predictions": "a", "nonsense": 1}, "score has no argument 'nonsense'"),
        ("call/v2/score", {"references": "a", "predictions": "a", "api_name": "x"}, "score has no argument 'api_name'"),
        ("call/v2/score", {"references": "a"}, "score needs the argument 'predictions'"),
        ("call/v2/score", {}, "score needs the argument 'references'"),
        ("call/v2/groups", {"oauth_token": "a"}, "groups has no argument 'oauth_token': the arguments are none."),
        ("call/v2/score", [], "Expected a JSON object"),
        ("call/v2/nothing", {}, "There is no endpoint 'nothing': the endpoints are score, "),
        ("call/guarded", {"data": []}, "There is no endpoint 'guarded'"),
        ("call/nothing", {"data": []}, "There is no endpoint 'nothing'"),
        ("call/score", {"data": ["a"]}, "score takes a list `data` of 7 arguments"),
        ("call/score", {"data": ["a"] * 8}, "score takes a list `data` of 7 arguments"),
        ("call/score", {"data": {"references": "a"}}, "score takes a list `data` of 7 arguments"),
        ("call/score", {}, "score takes a list `data` of 7 arguments"),
        ("call/score", {"data": [FILE, *GOOD["score"][1:]]}, "received a file"),
        ("call/v2/compare", {"references": "a", "systems": {"x": [FILE]}}, "received a file"),
        ("call/groups", {"data": [1]}, "groups takes a list `data` of 0 arguments"),
        ("queue/join", {"data": []}, "There is no event"),
        ("queue/join", {"data": [], "fn_index": 999}, "There is no event fn_index=999"),
        ("queue/join", {"data": [], "fn_index": -1}, "There is no event fn_index=-1"),
        ("queue/join", {"data": [], "fn_index": "0"}, "There is no event"),
        ("queue/join", {"data": [], "fn_index": True}, "There is no event"),
        ("queue/join", {"data": [], "fn_index": 0}, "Expected a list `data` of 15 inputs, received 0"),
        ("queue/join", {"data": [1] * 16, "fn_index": 0}, "Expected a list `data` of 15 inputs, received 16"),
        ("queue/join", {"data": "abcdefghi", "fn_index": 0}, "Expected a list `data` of 15 inputs, received none"),
    ],
)
def test_arguments_that_an_endpoint_does_not_have_are_refused(address: str, path: str, body: Any, problem: str) -> None:
    response = post(address, f"/gradio_api/{path}", json=body)
    assert response.status_code == 422
    assert problem in told(response)


@pytest.mark.parametrize("index", range(15))
def test_the_events_of_the_page_refuse_wrong_values(address: str, events: dict[str, int], index: int) -> None:
    good: list[Any] = inputs("a b", "a b")
    is_choice = index in {6, 11}
    for value in (None, 5, True, {}, {"a": 1}, [[1]], [None], "nonsense"):
        is_right = isinstance(value, str) if isinstance(good[index], str) and not is_choice else value is good[index]
        if index in {2, 5}:
            # The name of a column.
            is_right = value is None or isinstance(value, str)
        if isinstance(good[index], bool):
            is_right = isinstance(value, bool)
        if not is_right:
            said = show(address, events["Score"], [*good[:index], value, *good[index + 1 :]])
            assert ": expected" in said or "There is no such file here" in said


@pytest.mark.parametrize("value", [None, "0.5", True, [], "NaN", 2, -0.1], ids=repr)
def test_the_slider_stays_in_its_range(address: str, events: dict[str, int], value: object) -> None:
    said = show(address, events["Threshold"], ["a b", None, None, "0.1", None, value])
    assert "expected a number from 0 to 1" in said


NUMBERS = ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + "0" * 400, "1" + "0" * 5000]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number[:5]}… of {len(number)}")
def test_numbers_that_are_none_are_refused(address: str, events: dict[str, int], number: str) -> None:
    bodies = {
        "sweep": [f'["a bc", [[0.1, {number}]], [0.5]]', f'["a bc", [[0.1, 0.2]], [{number}]]'],
        "segment": [f'["a bc", [[0.1, {number}]], 0.5]', f'["a bc", [[0.1, 0.2]], {number}]'],
        "differences": [f'["a", "a", {number}]'],
    }
    for name, data in bodies.items():
        for written in data:
            said = refusal(address, name, f'{{"data": {written}}}'.encode())
            assert "expected" in said.lower(), said
    body = f'{{"data": ["a bc", null, null, "0.1 0.2", null, {number}], "fn_index": {events["Threshold"]}, "session_hash": "a"}}'
    joined = post(address, "/gradio_api/queue/join", content=body.encode(), headers=JSON)
    assert joined.status_code == 422
    if len(number) > 10:
        return
    # Typed, where a number is what Python takes for one.
    said = show(address, events["Threshold"], ["a bc", None, None, f"0.1 {number}", None, 0.5])
    assert "expected a finite number" in said
    said = show(
        address, events["Difficulty"], ["a bc", None, None, "a bc", None, None, "", None, f"0.1 {number}", None]
    )
    assert "expected" in said


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"data": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"data": ["a", "a", "words", ["token"], "", ' + b"[" * 500 + b"]" * 500 + b"]}",
        b'{"a": ' * 500 + b"1" + b"}" * 500,
    ],
    ids=["empty", "half", "no text", "deep", "deep argument", "deep object"],
)
@pytest.mark.parametrize("path", ["call/score", "call/v2/score", "queue/join", "cancel", "mcp/"])
def test_json_that_is_none_or_deep_is_refused(address: str, path: str, body: bytes) -> None:
    response = post(address, f"/gradio_api/{path}", content=body, headers=JSON)
    assert response.status_code == 422
    assert "Expected" in told(response)


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000], ids=["list", "object"])
def test_deep_json_in_a_text_is_no_object(address: str, events: dict[str, int], deep: str) -> None:
    text = f'{{"reference": "the dog"}}\n{{"reference": {deep}'
    problem = "line 2: expected a JSON object with a text or a list of words under"
    assert problem in score_file(address, events, upload(address, "a.jsonl", text.encode()))
    assert problem in show(address, events["Score"], inputs(text, "the dog\nis"))
    assert refusal(address, "score", [text, text, "words", ["token"], "", "", None])


# Size and time.


def computed(process: int) -> float:
    """Seconds of processor time that a process has used, which do not depend on what else the machine does."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("score", [" " * 4_900_000, "a", "recognise", ["token"], "", "", None]),
        ("score", ["1" * 4_900_000, "a", "recognise", ["token"], "", "", None]),
        ("score", ["1" + "\t" * 4_900_000, "a", "recognise", ["token"], "", "", None]),
        ("score", ["1\t\t\t\t\t\t\t\t\n" * 400_000, "a", "recognise", ["token"], "", "", None]),
        ("score", ["1-" * 2_000_000, "a", "conllu", ["token"], "", "", None]),
        ("score", [";eword" * 800_000, "a", "recognise", ["token"], "", "", None]),
        ("score", ["\n" * 4_900_000 + "a", "a", "recognise", ["token"], "", "", None]),
        ("alignment", ["[" + " " * 100_000, "[0]:[0]", "", ""]),
        ("alignment", ["[1" + " " * 100_000, "[0]:[0]", "", ""]),
        ("alignment", ["[0]" + " " * 100_000 + "x", "[0]:[0]", "", ""]),
        ("alignment", ["[" + "1," * 500_000, "[0]:[0]", "", ""]),
        ("alignment", ["[" + "1 , " * 100_000, "[0]:[0]", "", ""]),
    ],
    ids=[
        *("spaces", "digits", "tabs", "columns", "ranges", "boundary tokens", "lines"),
        *("bracket", "bracket and digit", "behind a bracket", "numbers", "numbers and spaces"),
    ],
)
def test_no_pattern_takes_long_for_a_long_line(app: App, name: str, data: list[Any]) -> None:
    before = computed(app.pid)
    outcome(app.address, name, data)
    assert computed(app.pid) - before < 15


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("differences", ["a", "a", 10**9], "first: expected a number of utterances up to 2,000, received 1000000000"),
        ("differences", ["a", "a", -1], "first: expected a number of utterances up to 2,000, received -1"),
        ("sweep", ["a bc", [[0.1, 0.2]], [0.5] * 1_000_000], "ratios: expected up to 1,000 shares, received 1,000,000"),
        ("difficulty", ["a", "a", ["a"] * 10_000], "committee: expected up to 100 texts, received 10,000"),
        ("score", ["a", "a", "words", ["token"] * 100_000, "", "", None], "scores: expected a list of some of"),
        ("sweep", ["a", [[]] * 100_000, [0.5]], "expected one list for each reference"),
        ("alignment", ["[" + "1" * 5000 + "]:[0]", "[0]:[0]", "", ""], "expected"),
        ("alignment", ["[9999999999999999999]:[0]", "[0]:[0]", "", ""], "expected"),
        # It would be a pair of every source with every target.
        ("alignment", ["[{0}]:[{0}]".format(",".join(map(str, range(3000)))), "[0]:[0]", "", ""], "pairs"),
    ],
    ids=["first", "negative", "ratios", "committee", "groups", "lists", "digits", "segment", "bisegment"],
)
def test_what_would_be_too_much_is_refused(app: App, name: str, data: list[Any], problem: str) -> None:
    before = computed(app.pid)
    assert problem in refusal(app.address, name, data)
    assert computed(app.pid) - before < 15


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("a b", "a c"), "utterance 1: the units differ"),
        (("a\n" * 160_000, "a\n" * 160_000),
         "are resampled up to 937 times here, not 1,000. Use the command for more."),
        (("a" * 5_000_001, "a"),
         "reference: 5,000,001 characters; this page takes 5,000,000. Use the command for more."),
        (("<b>", "a\0"), "prediction: there is a NUL character"),
    ],
    ids=["units", "resamples", "long", "NUL"],
)  # fmt: skip
def test_a_report_has_the_limits_of_its_tab(
    app: App, events: dict[str, int], given: tuple[str, str], problem: str
) -> None:
    before = computed(app.pid)
    said = show(app.address, events["report"], inputs(*given, intervals=True))
    assert problem in said
    # No page comes with the problem.
    assert said.endswith("\n")
    assert computed(app.pid) - before < 15


@pytest.mark.parametrize(
    ("tab", "values", "problem"),
    [
        ("Difficulty", {6: "\n---\n".join(["a"] * 3000)}, "received 3,000"),
        ("Score", {0: "a\ud800", 3: "a\ud800"}, "half a surrogate pair (U+D800) at offset 1"),
    ],
    ids=["committee", "surrogate"],
)
def test_the_page_refuses(address: str, events: dict[str, int], tab: str, values: Any, problem: str) -> None:
    data = [values.get(at, value) for at, value in enumerate(BLANK[tab])]
    assert problem in show(address, events[tab], data)


def test_a_number_of_a_segment_is_no_size(address: str) -> None:
    scores = answer(address, "alignment", ["[2147483647]:[2147483647]", "[0]:[0]", "", ""])
    assert scores["alignment_fscore"] == 0.0


def test_an_endless_number_of_lines_is_scored(address: str) -> None:
    text = "a\n" * 1_000_000
    assert answer(address, "score", [text, text, "words", ["token"], "", "", None])["counts"]["utterances"] == 1_000_000


# Visitors.


def test_visitors_at_the_same_time_see_what_is_theirs(address: str, events: dict[str, int]) -> None:
    """Each types and uploads a text of its own; what comes back has its own words and scores, and no other's."""
    ready = threading.Barrier(4)

    def visit(number: int) -> None:
        ready.wait(300)
        for turn in range(6):
            own = f"w{number}x{turn}"
            cut = number % 2
            prediction = f"{own[:2]} {own[2:]} dog" if cut else f"{own}dog"
            words = prediction.split()
            expected = naive_scores([[own, "dog"]], [words])
            file = upload(address, "reference.txt", f"{own} dog".encode())
            shown = show(address, events["Score"], inputs(prediction=prediction, file=file, scores=["token", "tnr"]))
            assert f"{expected['token_recall']:.4f}" in shown
            assert own in shown
            others = [f"w{other}x{at}" for other in range(4) for at in range(6) if (other, at) != (number, turn)]
            assert not any(other in shown for other in others)
            result = answer(address, "score", [f"{own} dog", prediction, "words", ["token"], "", "", None])
            assert result["scores"] == {key: expected[key] for key in result["scores"]}

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(visit, range(4)))


def test_the_answers_of_another_visitor_are_not_given_away(address: str, events: dict[str, int]) -> None:
    session = uuid4().hex
    data = inputs("secret word", "secretword")
    joined = post(
        address, "/gradio_api/queue/join", json={"data": data, "fn_index": events["Score"], "session_hash": session}
    )
    assert joined.status_code == 200
    guessed = get(f"{address}/gradio_api/queue/data?session_hash=another", timeout=180)
    assert "secret" not in guessed.text
    mine = get(f"{address}/gradio_api/queue/data?session_hash={session}", timeout=180)
    assert "secret" in mine.text
