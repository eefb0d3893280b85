"""A language model on disk, of random weights, which continues a text with characters and spaces that the sentences have."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: With it the model writes spaces.
SEED = 22
SENTENCES = [
    json.loads(line)
    for line in (ROOT / "examples/language_models/sentences.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="session")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, set_seed

    folder = tmp_path_factory.mktemp("model")
    characters = ["<end>", " ", *sorted({character for row in SENTENCES for character in row["text"]})]
    tokenizer = Tokenizer(models.WordLevel({character: index for index, character in enumerate(characters)}, "<end>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.decoder = decoders.Fuse()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>").save_pretrained(folder)
    set_seed(SEED)
    sizes = {"vocab_size": len(characters), "n_positions": 256, "n_embd": 32, "n_layer": 1, "n_head": 2}
    GPT2LMHeadModel(GPT2Config(**sizes, initializer_range=1.0, bos_token_id=0, eos_token_id=0)).save_pretrained(folder)
    return folder
