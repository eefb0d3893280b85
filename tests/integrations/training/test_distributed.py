"""Every rank gets the sum of all tallies: with torch.distributed alone, under accelerate, and in one process."""

import json
import subprocess
import sys
from typing import Any

import pytest

from segscores.integrations.training.distributed import gather_tally
from segscores.scoring.corpus_tally import CorpusTally
from segscores.scoring.tallies import tally

from ...corpora import Corpus, random_corpus_pair, words_text
from ...naive import naive_counts, naive_scores
from ...processes import run_together

RANKS = 2
#: Far above what a run takes; a rank that waits for another in vain ends by it.
SECONDS = 120

PAIR = random_corpus_pair(60, seed=7)

#: What a rank runs: it joins the group in the way named, gathers every case in turn, and writes what it got.
RANK = """
import json, sys
from datetime import timedelta
from pathlib import Path

import torch.distributed
from segscores.scoring.corpus_tally import CorpusTally
from segscores.scoring.tallies import tally
from segscores.integrations.training.distributed import gather_tally

way, rank, ranks, seconds = sys.argv[1], *map(int, sys.argv[2:5])
folder = Path(sys.argv[5])
joining = {
    "init_method": (folder / "store").as_uri(),
    "rank": rank,
    "world_size": ranks,
    "timeout": timedelta(seconds=seconds // 2),
}
if way == "accelerate":
    from accelerate import PartialState
    from accelerate.utils import gather_object

    state = PartialState(cpu=True, **joining)
    assert (state.process_index, state.num_processes) == (rank, ranks)
else:
    torch.distributed.init_process_group("gloo", **joining)

found = {}
for name, shards in json.loads((folder / "cases.json").read_text()).items():
    shard = shards[rank]
    part = shard if isinstance(shard, str) else tally(shard["references"], shard["predictions"], **shard["options"])
    try:
        totals = [gather_tally(part)]
        if way == "accelerate":
            totals.append(sum(gather_object([part])))
        found[name] = [total.to_dict() | {"scores": total.scores()} for total in totals]
    except (TypeError, ValueError) as error:
        found[name] = f"{type(error).__name__}: {error}"
(folder / f"{rank}.json").write_text(json.dumps(found))
torch.distributed.barrier()
torch.distributed.destroy_process_group()
"""


def shard(references: list[Any], predictions: list[Any] | None = None, **options: Any) -> dict[str, Any]:
    predictions = references if predictions is None else predictions
    return {"references": references, "predictions": predictions, "options": {"text_format": "words"} | options}


def shard_of(pair: tuple[Corpus, Corpus], rank: int) -> dict[str, Any]:
    return shard(*(words_text(corpus[rank::RANKS]) for corpus in pair))


#: What each rank tallies, and gathers.
ADDING = {
    "shares": [shard_of(PAIR, rank) for rank in range(RANKS)],
    "all on the first": [shard(*map(words_text, PAIR)), shard([])],
    "all on the last": [shard([]), shard(*map(words_text, PAIR))],
}
START = {"text_format": "units", "label_scheme": "start"}
OTHERS = {"nothing": [shard([]), shard([])], "labels": [shard([[1, 0]], [[1, 1]], **START), shard([[]], **START)]}
REFUSED = {
    "options": [shard(["a b"]), shard(["a b"], zero_division=1.0)],
    "options, and nothing on a rank": [shard(["a b"]), shard([], scores="token")],
    "forms": [shard(["a b"]), shard([["a", "b"]])],
    "no tally": [shard(["a b"]), "token_recall"],
}
MESSAGES = {
    "options": "ValueError: rank 1 against the ranks before: tallies with different options do not add up: zero_division is "
    "0.0 in one and 1.0 in the other; ",
    "options, and nothing on a rank": "ValueError: rank 1 against the ranks before: tallies with different options do not add "
    "up: scores is ['boundary_all', 'boundary_noedge', 'token', 'type', 'tnr'] in one and ['token'] in the other; ",
    "forms": "TypeError: rank 1 against the ranks before: mixed forms: one tally is of text and the other of words; ",
    "no tally": "TypeError: rank 1: received 'token_recall' (str); expected a CorpusTally, ",
}
# What is refused comes first, so that the others show that a group is whole after it.
CASES = REFUSED | ADDING | OTHERS


@pytest.fixture(scope="module", params=["torch.distributed", "torch-accelerate"])
def found(request, tmp_path_factory) -> list[dict[str, Any]]:
    """Return what each rank got for each case: the dicts of its totals with their scores, or an error."""
    way = request.param.removeprefix("torch-")
    folder = tmp_path_factory.mktemp(way)
    (folder / "cases.json").write_text(json.dumps(CASES))
    # One thread each, as the ranks share the machine; and what a launcher tells: accelerate looks there.
    told = {
        "OMP_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
        "WORLD_SIZE": str(RANKS),
        "LOCAL_WORLD_SIZE": str(RANKS),
    }
    told |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
    commands = [[sys.executable, "-c", RANK, *map(str, (way, rank, RANKS, SECONDS, folder))] for rank in range(RANKS)]
    run_together(commands, [told | {"RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(RANKS)], SECONDS)
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(RANKS)]


@pytest.mark.parametrize("name", ADDING)
def test_every_rank_has_the_scores_of_one_process(found, name):
    for rank in range(RANKS):
        for total in found[rank][name]:
            assert total.pop("scores") == naive_scores(*PAIR)
            assert CorpusTally.from_dict(total) == tally(*map(words_text, PAIR), text_format="words")
            assert CorpusTally.from_dict(total).counts() == naive_counts(*PAIR)


def test_ranks_without_utterances_have_undefined_scores_and_one_of_blank_labels_adds_its_utterance(found):
    for outcomes in found:
        for total in outcomes["nothing"]:
            assert set(total["scores"].values()) == {0.0}
        for total in outcomes["labels"]:
            assert (total["counts"]["utterances"], total["counts"]["units"]) == (2, 2)
            assert (total["scores"]["token_recall"], total["scores"]["boundary_all_recall"]) == (0.0, 1.0)


@pytest.mark.parametrize("name", REFUSED)
def test_every_rank_raises_the_error_on_tallies_that_do_not_fit(found, name):
    for rank in range(RANKS):
        assert found[rank][name].startswith(MESSAGES[name])


def test_a_single_process_keeps_its_tally_and_rejects_another_value():
    part = tally(["a b"], ["ab"], text_format="words")
    assert gather_tally(part) is part
    message = r"rank 0: received \{'token_recall': 1\.0\} \(dict\); expected a CorpusTally, "
    with pytest.raises(TypeError, match=message):
        gather_tally({"token_recall": 1.0})


def test_gathering_imports_no_torch(tmp_path):
    script = (
        "import sys\n"
        "from segscores.scoring.tallies import tally\n"
        "from segscores.integrations.training.distributed import gather_tally\n"
        "print(gather_tally(tally(['a'], ['a'])).counts()['utterances'], 'torch' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stdout == "1 False\n", run.stderr
