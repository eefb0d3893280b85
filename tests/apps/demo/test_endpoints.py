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
from pathlib import Path
from typing import Any

import pytest

from ...docs.pages import PAGES, blocks_of, run_program
from ...naive import naive_scores
from ...optional import AppError, Client, ClientSession, httpx, streamable_http_client
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


def test_score_takes_a_boundary_token_and_tokens_to_leave_out(client: Client) -> None:
    options = {"text_format": "units", "scores": "token", "word_boundary": "#", "ignored_tokens": ". ,"}
    record = client.predict("ð ə # d . ɔ g", "ð , ə d ɔ g", **options, api_name="/score")
    counts = record["predictions"][0]["counts"]
    assert (counts["units"], counts["token_reference"], counts["token_predicted"]) == (5, 2, 1)


def test_differences_are_marked(client: Client) -> None:
    text = client.predict("the dog is\na b", "thedog is\na b", form="txt", api_name="/score")
    assert text == "the+dog|is\na|b\n"


def test_sweep_gives_what_the_definitions_give_at_each_share(client: Client) -> None:
    # Four gaps in two utterances; at a share of 1/4, 1/2 and 1 the best one, two and four of them are boundaries.
    references, numbers = [["a", "bc"], ["de", "f"]], "0.9 0.1\n0.2 0.8"
    cut = {0.25: [["a", "bc"], ["def"]], 0.5: [["a", "bc"], ["de", "f"]], 1.0: [["a", "b", "c"], ["d", "e", "f"]]}
    for share, predictions in cut.items():
        at = client.predict("a bc\nde f", numbers, share, api_name="/sweep")["at"]
        expected = naive_scores(references, predictions)
        for key in ("token_precision", "token_recall", "token_fscore", "token_tnr", "boundary_noedge_recall"):
            assert at[key] == pytest.approx(expected[key], abs=1e-12)
        segmented = client.predict("abc\ndef", numbers, share, form="txt", api_name="/sweep")
        assert segmented.splitlines() == [" ".join(words) for words in predictions]
    # From a share of 0 on, whose threshold is infinite, which JSON has not.
    curve = client.predict("a bc", "0.9 0.1", api_name="/sweep")["curve"]
    assert (curve["ratio"][0], curve["threshold"][0]) == (0.0, None)


def test_difficulty_is_the_share_of_the_committee_that_misses_a_word(client: Client) -> None:
    """The example of the metric's card: the two hard words with half of the committee, the last one found by all."""
    record = client.predict("the dog barks", "the dogbarks", "the dog barks\n---\nthedog barks", api_name="/difficulty")
    scores = scores_of(record)
    # One of two words as hard as each other is found, and of the punished weight 0.5 + 0.5 + 1 a quarter.
    assert (scores["reward_recall"], scores["punishment_recall"]) == (0.5, 0.25)
    assert scores["balanced_recall"] == pytest.approx(1 / 3)


def test_alignment_counts_bisegments_and_pairs(client: Client) -> None:
    """One of two bisegments is right; of three pairs of segments two are predicted, both right."""
    scores = scores_of(client.predict("[0]:[0]\n[1]:[1,2]", "[0]:[0]\n[1]:[2]", api_name="/alignment"))
    assert scores["alignment_fscore"] == 0.5
    assert (scores["sentence_precision"], scores["sentence_recall"]) == (1.0, pytest.approx(2 / 3))
    assert not any(key.startswith("word") for key in scores)
    texts = {"sources": "a\nb", "targets": "c\nd\ne"}
    with_texts = client.predict("[0]:[0]\n[1]:[1,2]", "[0]:[0]\n[1]:[2]", **texts, api_name="/alignment")
    assert scores_of(with_texts)["word_recall"] == pytest.approx(2 / 3)


def test_a_client_is_told_what_the_metric_says(client: Client) -> None:
    with pytest.raises(AppError, match="λ: expected a share from 0 to 1, received '2'"):
        client.predict("a bc", "0.9 0.1", "2", api_name="/sweep")
    with pytest.raises(
        AppError, match="systems: expected an object with the texts of two to 10 systems by name, received"
    ):
        client.predict("a bc", {"one": 5}, api_name="/compare")
    with pytest.raises(AppError, match="Waiting for the reference and two predictions"):
        client.predict("a bc", {"one": "a bc"}, api_name="/compare")


def test_compare_has_the_systems_by_name(client: Client) -> None:
    systems = {"whole": "thedog is\na b", "right": "the dog is\na b"}
    record = client.predict("the dog is\na b", systems, scores="token", api_name="/compare")
    scores = {each["prediction"]: each["scores"]["token_fscore"] for each in record["predictions"]}
    assert scores == {"whole": pytest.approx(6 / 9), "right": 1.0}


def test_arguments_by_name_may_be_left_out(address: str) -> None:
    path, sides = "/gradio_api/call/v2/score", {"predictions": "thedog is", "references": "the dog is"}
    scores = scores_of(call_by_http(address, path, sides))
    assert scores == pytest.approx(naive_scores([["the", "dog", "is"]], [["thedog", "is"]]))
    chosen = scores_of(call_by_http(address, path, {**sides, "scores": "token"}))
    assert list(chosen) == ["token_precision", "token_recall", "token_fscore"]
    # What was left out does not stay from the call before.
    assert len(scores_of(call_by_http(address, path, sides))) == 13


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


WITHOUT = """
import runpy, sys
sys.modules |= dict.fromkeys({absent!r})
sys.path.insert(0, {root!r})
sys.argv = [{app!r}]
runpy.run_path({app!r}, run_name="__main__")
"""


@pytest.mark.browser
@pytest.mark.parametrize("absent", [("mcp",), ("transformers", "torch")], ids="-".join)
def test_it_starts_quietly_if_a_package_is_absent(tmp_path: Path, absent: tuple[str, ...]) -> None:
    program = WITHOUT.format(absent=absent, root=str(ROOT), app=str(ROOT / "app.py"))
    settings = {"GRADIO_TEMP_DIR": str(tmp_path / "uploads"), "HF_HOME": str(tmp_path / "home")}
    with serving(tmp_path, "-c", program, **settings) as (address, log):
        sides = {"references": "a b", "predictions": "a b"}
        assert scores_of(call_by_http(address, "/gradio_api/call/v2/score", sides))["token_fscore"] == 1.0
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
