"""Programs that use the demo: `gradio_client`, plain HTTP and MCP; and what it starts without."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from segscores.apps.demo.answers import export
from segscores.apps.demo.tabs import TABS

from ...docs.pages import PAGES, blocks_of, run_program
from ...naive import naive_scores
from ...optional import AppError, Client, ClientSession, httpx, streamable_http_client
from .answers import ALIGNMENT, DIFFICULTY, SCORE, SENTENCES, compare_values
from .conftest import ROOT, serving

#: The parameters without a default of every endpoint, and some of the others.
REQUIRED = {
    "score": ["references", "predictions"],
    "compare": ["references", "systems"],
    "sweep": ["references", "boundary_scores"],
    "difficulty": ["references", "predictions", "committee"],
    "alignment": ["references", "predictions"],
}
OPTIONAL = {
    "score": ["text_format", "scores", "word_boundary", "ignored_tokens", "confidence", "window_size"],
    "compare": ["scores", "baseline", "margin", "n_trials"],
    "sweep": ["ratio", "label_scheme"],
    "difficulty": ["zero_division"],
    "alignment": ["sources", "targets"],
}


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


def scores_of(record: Any) -> dict[str, float]:
    """The scores of the only prediction of a record."""
    (prediction,) = record["predictions"]
    return dict(prediction["scores"])


#: A tab, and its fields.
CALLS: list[tuple[str, dict[str, str]]] = [
    ("score", {"reference": "ð ə # d . ɔ g", "prediction": "ð , ə d ɔ g", "text_format": "units", "scores": "token",
               "word_boundary": "#", "ignored_tokens": ". ,"}),
    ("score", {**SCORE, "form": "txt"}),
    ("compare", compare_values(scores="token", baseline="new")),
    # Four gaps in two utterances; the whole curve begins at an infinite threshold, which JSON has not.
    *(("threshold", {"reference": "a bc\nde f", "scores": "0.9 0.1\n0.2 0.8", **more})
      for more in ({}, {"ratio": "0.25"}, {"ratio": "0.5", "form": "txt"})),
    ("difficulty", DIFFICULTY),
    ("alignment", ALIGNMENT),
    ("alignment", ALIGNMENT | SENTENCES),
]  # fmt: skip


@pytest.mark.parametrize(("tab", "values"), CALLS)
def test_an_endpoint_answers_what_its_tab_exports(client: Client, tab: str, values: dict[str, str]) -> None:
    texts = {box.name: box.argument for box in TABS[tab].boxes if not box.is_named}
    arguments: dict[str, Any] = {
        texts.get(name, name): text for name, text in values.items() if tab != "compare" or "prediction" not in name
    }
    if tab == "compare":
        arguments["systems"] = {values[f"{name}.name"]: values[name] for name in values if f"{name}.name" in values}
    fields = {name: text for name, text in values.items() if name != "form"}
    expected = export(tab, values.get("form", "json"), fields)
    if "form" not in values:
        expected = json.loads(expected)
        for prediction in expected.get("predictions", ()):
            prediction.pop("path", None)
    assert client.predict(**arguments, api_name=f"/{TABS[tab].task}") == expected


@pytest.mark.parametrize(
    ("tab", "values", "text"),
    [("score", {"reference": "the dog is\na b", "prediction": "thedog is\na b"}, "the+dog|is\na|b\n"),
     ("threshold", CALLS[5][1] | {"ratio": "0.25"}, "a bc\ndef\n"), ("threshold", CALLS[5][1], "a bc\nde f\n")],
)  # fmt: skip
def test_the_text_of_a_tab_is_the_segmentation(tab: str, values: dict[str, str], text: str) -> None:
    assert export(tab, "txt", values) == text


def test_a_client_is_told_what_the_metric_says(client: Client) -> None:
    with pytest.raises(AppError, match="λ: expected a share from 0 to 1, received '2'"):
        client.predict("a bc", "0.9 0.1", "2", api_name="/sweep")
    with pytest.raises(
        AppError, match="systems: expected an object with the texts of two to 10 systems by name, received"
    ):
        client.predict("a bc", {"one": 5}, api_name="/compare")
    with pytest.raises(AppError, match="Waiting for the reference and two predictions"):
        client.predict("a bc", {"one": "a bc"}, api_name="/compare")


def test_arguments_by_name_may_be_left_out(address: str) -> None:
    path, sides = "/gradio_api/call/v2/score", {"predictions": "thedog is", "references": "the dog is"}
    scores = scores_of(call_by_http(address, path, sides))
    assert scores == pytest.approx(naive_scores([["the", "dog", "is"]], [["thedog", "is"]]))
    chosen = scores_of(call_by_http(address, path, {**sides, "scores": "token"}))
    assert list(chosen) == ["token_precision", "token_recall", "token_fscore"]
    # What was left out does not stay from the call before.
    assert len(scores_of(call_by_http(address, path, sides))) == 13


def with_mcp(address: str, use: Any) -> Any:
    """Return what `use` returns of a session of the MCP client library."""

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
    assert set(tools) == set(REQUIRED)
    for name, tool in tools.items():
        assert "Returns: " in tool.description
        assert tool.inputSchema.get("required", []) == REQUIRED[name]
        properties = tool.inputSchema["properties"]
        assert {*OPTIONAL.get(name, []), *REQUIRED[name]} <= {*properties}
        assert {properties[argument]["type"] for argument in properties} <= {"string", "object"}
        assert all(len(each["description"]) > 10 for each in properties.values())
    assert "agreement" in tools["score"].inputSchema["properties"]["scores"]["description"]


def test_the_list_of_endpoints_describes_them_and_their_arguments(address: str) -> None:
    endpoints = httpx.get(f"{address}/gradio_api/info", timeout=180).json()["named_endpoints"]
    assert {name.removeprefix("/") for name in endpoints} == set(REQUIRED)
    for endpoint in endpoints.values():
        assert len(endpoint["description"]) > 10
        assert all(len(each["python_type"]["description"]) > 10 for each in endpoint["parameters"])


def test_mcp_calls_a_tool_and_tells_what_is_wrong(address: str) -> None:
    arguments = {"references": "John likes Mary", "predictions": "John likesMary", "scores": "token"}
    result = with_mcp(address, lambda session: session.call_tool("score", arguments))
    assert not result.isError
    assert "'token_precision': 0.5, 'token_recall': 0.3333333333333333" in result.content[0].text
    result = with_mcp(address, lambda session: session.call_tool("score", arguments | {"predictions": "b"}))
    assert result.isError
    assert "the units differ at offset 0" in result.content[0].text


#: A demo that is served where some packages are absent, and where the documentation is built.
WITHOUT = """
import pathlib, sys
sys.modules |= dict.fromkeys({absent!r})
sys.path.insert(0, {root!r})
from segscores.apps.demo.serve import serve
serve(pathlib.Path({site!r}))
"""


@pytest.fixture(scope="module")
def poor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A demo without the packages that it can do without: its address, and its log."""
    folder = tmp_path_factory.mktemp("poor")
    site = folder / "site"
    (site / "how-to").mkdir(parents=True)
    for name in ("index", "how-to/install"):
        (site / f"{name}.html").write_text(f"the page {name}")
    (folder / "secret.html").write_text("not of the site")
    program = WITHOUT.format(absent=("mcp", "transformers", "torch"), root=str(ROOT), site=str(site))
    settings = {"GRADIO_TEMP_DIR": str(folder / "uploads"), "HF_HOME": str(folder / "home")}
    with serving(folder, "-c", program, **settings) as served:
        yield served


@pytest.mark.browser
def test_it_starts_quietly_if_packages_are_absent(poor: tuple[str, Path]) -> None:
    address, log = poor
    sides = {"references": "a b", "predictions": "a b"}
    assert scores_of(call_by_http(address, "/gradio_api/call/v2/score", sides))["token_fscore"] == 1.0
    assert httpx.post(f"{address}/gradio_api/mcp/", json={}, timeout=180).status_code in {404, 405}
    said = log.read_text()
    assert f"The demo is at {address}/\n" in said
    assert not any(word in said.lower() for word in ("warning", "error", "traceback", "not installed")), said


@pytest.mark.browser
def test_the_documentation_is_served_where_it_is_built(poor: tuple[str, Path]) -> None:
    address, _ = poor
    assert httpx.get(f"{address}/guide/").text == "the page index"
    assert httpx.get(f"{address}/guide/how-to/install.html").text == "the page how-to/install"
    assert httpx.get(f"{address}/guide/%2e%2e/secret.html").status_code == 404


def ended_start(folder: Path, port: str) -> tuple[int, str, str]:
    """The exit status, the output and the messages of a start that ends by itself."""
    done = subprocess.run(
        [sys.executable, ROOT / "app.py"], cwd=folder, env=os.environ | {"GRADIO_SERVER_PORT": port},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("port", ["x", "", "0", "65536", "-1", "7" * 5000])
def test_a_port_that_is_no_number_is_an_error_that_says_what_is_expected(tmp_path: Path, port: str) -> None:
    status, output, messages = ended_start(tmp_path, port)
    assert (status, output) == (1, "")
    assert re.fullmatch(rf"GRADIO_SERVER_PORT: expected a number .* received '?{port[:9]}.*\n", messages), messages


@pytest.mark.browser
def test_a_port_that_is_taken_is_an_error_that_says_what_to_set(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, output, messages = ended_start(tmp_path, port)
    assert (status, output) == (1, "")
    assert re.fullmatch(rf"Port {port} is taken.*GRADIO_SERVER_PORT.*\n", messages), messages


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
