"""The script of `segscores completion`, run in the shell as its completion runs it."""

import shutil
import subprocess

import pytest


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sc"], {"score"}),
        (["co"], {"compare", "correlate", "conform", "completion"}),
        (["score", "r.txt", "p.txt", "--per-u"], {"--per-utterance"}),
        (["score", "r.txt", "p.txt", "--format", "la"], {"latex"}),
    ],
)
def test_bash_completes_subcommands_options_and_values(words, expected, printed, folder):
    printed("completion bash -o completion.sh")
    line = " ".join(f"'{word}'" for word in ["segscores", *words])
    script = (
        f"source completion.sh; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
        "$(complete -p segscores | sed 's/.*-F \\([^ ]*\\) .*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert set(done.stdout.split()) == expected


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
def test_other_shells_have_a_script_with_every_subcommand(shell, printed):
    script = printed(f"completion {shell}")
    assert all(name in script for name in ("score", "compare", "groups"))
