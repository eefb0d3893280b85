"""The code blocks of the README and of the documentation: helpers that find, run and update them.

Conventions
-----------
The blocks of a page run in order, in one temporary folder that holds a copy of `examples/`, as a reader would run them:

- ```` ```python ```` with prompts (`>>>`) is a doctest; the blocks of a page share their names;
- ```` ```python ```` without prompts is a program: it runs as a file of its own;
- ```` ```console ```` has a command line after each `$`; standard output and standard error follow, as a terminal shows them.

`...` on a line of its own, or within a line, stands for any text. An HTML comment before a block says what it needs:
`<!-- needs: torch, transformers -->` names modules, `<!-- needs: demo -->` a running demo, and `slow` the tier of tests.

`python -m tests.docs.pages [PAGE …]` writes the
generated parts of the pages (`docs/extensions/generated.py`), runs the pages, and writes what they really print into them.
"""

import doctest
import importlib
import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from segscores import __version__
from segscores.apps.command.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: The demo needs gradio, which opens event loops as it is imported; its tests run it in a process of its own. Each integration
#: needs its framework.
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "segscores").rglob("*.py")
    if path.parent.name not in ("demo", "integrations")
)
FLAGS = doctest.ELLIPSIS | doctest.REPORT_NDIFF

_VERSION = re.compile(r"(?<=\|v:)[\w.]+")

#: A number with so many decimals that the last of them depend on the processor: numpy chooses its functions by it.
_ALL_DIGITS = re.compile(r"\d+\.\d{13,}")

_BLOCK = re.compile(
    r"(?:^<!-- needs: (?P<needs>[^\n]*?) -->\n)?^```(?P<language>[\w{}-]+)\n(?P<code>.*?)^```$", re.M | re.S
)

# A command may go on after a backslash at the end of a line.
_COMMAND = re.compile(r"^\$ ((?:[^\n]*\\\n)*[^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", re.M)

# A line of the package's own: quoted words and others without a character of the shell, then where the streams go, and what reads
# the output.
_OWN = re.compile(
    r"""segscores\ (?P<arguments> (?: '[^']*' | "[^"$`\\]*" | [^|<>*?;&$`~\\'"] )*? )
    (?: \ (?P<sign> >>?)\ (?P<file> \S+) )?  (?: \ 2> (?P<errors> \ /dev/null | &1 ) )?
    (?: (?P<status> ;\ echo\ "status\ \$\?" ) | \ \| (?P<reader> .+) )?""",
    re.VERBOSE,
)


def module_of(path: Path) -> ModuleType:
    """A program as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generator() -> ModuleType:
    """The module that makes the generated parts of the pages; it stands among the site's files."""
    return module_of(ROOT / "docs" / "extensions" / "generated.py")


@dataclass
class Block:
    """A fenced block of a page: its language, its text, where it stands, and what it needs."""

    language: str
    code: str
    start: int
    line: int
    needs: tuple[str, ...] = ()

    @property
    def is_doctest(self) -> bool:
        return self.language == "python" and self.code.startswith(">>> ")

    @property
    def is_program(self) -> bool:
        return self.language == "python" and not self.is_doctest


@dataclass
class Outcome:
    """The outcome of a page: how many examples ran, and a text for each that printed something else than the page says."""

    examples: int = 0
    failures: list[str] = field(default_factory=list)
    #: The page's text with what the examples printed.
    text: str = ""


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            match["language"],
            match["code"],
            match.start("code"),
            text.count("\n", 0, match.start("code")) + 1,
            tuple(re.split(r",\s*", match["needs"])) if match["needs"] else (),
        )
        for match in _BLOCK.finditer(text)
    ]


class Checker(doctest.OutputChecker):
    """Compares output, except for the version in a signature, which a release writes (.ci/release), and for last digits."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        want = _VERSION.sub(__version__, want)
        return super().check_output(_rounded(want), _rounded(got), optionflags)


def _rounded(text: str) -> str:
    """Round the numbers with all their digits to twelve digits."""
    return _ALL_DIGITS.sub(lambda match: f"{float(match[0]):.12g}", text)


def failures_of(module: str) -> int:
    """Run the examples in the docstrings of a module, and return the number of those that fail."""
    runner = doctest.DocTestRunner(Checker())
    for test in doctest.DocTestFinder().find(importlib.import_module(module)):
        runner.run(test)
    return runner.failures


@contextmanager
def folder_of_examples() -> Iterator[Path]:
    """A temporary working folder that holds a copy of `examples/`."""
    with tempfile.TemporaryDirectory(prefix="segscores-docs-") as name:
        shutil.copytree(ROOT / "examples", Path(name, "examples"))
        before = Path.cwd()
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def run_page(page: Path, blocks: list[Block] | None = None) -> Outcome:
    """Run the blocks of a page that are doctests or commands, in one folder."""
    text = page.read_text(encoding="utf-8")
    outcome, printed = Outcome(), []
    names: dict[str, object] = {}
    with folder_of_examples() as folder:
        for block in blocks_of(page) if blocks is None else blocks:
            if block.is_doctest:
                printed.append((block, _run_doctest(block, names, page, outcome)))
            elif block.language == "console":
                printed.append((block, _run_commands(block, folder, page, outcome)))
    for block, code in reversed(printed):
        text = text[: block.start] + code + text[block.start + len(block.code) :]
    outcome.text = text
    return outcome


def run_program(block: Block, page: Path) -> None:
    """Run a block without prompts as a file of its own; it must end well."""
    with folder_of_examples() as folder:
        Path("program.py").write_text(block.code, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, "program.py"], cwd=folder, env=_environment(), capture_output=True, text=True, check=False
        )
    assert run.returncode == 0, f"{page.name}, line {block.line}: {run.stderr}"


class _Recorder(doctest.DocTestRunner):
    """A runner that keeps what each example printed."""

    def __init__(self) -> None:
        super().__init__(Checker(), optionflags=FLAGS, verbose=False)
        self.got: list[str] = []

    def report_start(self, out: object, test: object, example: object) -> None:
        self.got.append("")

    def report_success(self, out: object, test: object, example: doctest.Example, got: str) -> None:
        self.got[-1] = example.want

    def report_failure(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self.got[-1] = got
        super().report_failure(out, test, example, got)  # type: ignore[arg-type]

    def report_unexpected_exception(
        self, out: object, test: doctest.DocTest, example: doctest.Example, info: object
    ) -> None:
        kind, value, _ = info  # type: ignore[misc]
        self.got[-1] = f"Traceback (most recent call last):\n...\n{kind.__name__}: {value}\n"
        super().report_unexpected_exception(out, test, example, info)  # type: ignore[arg-type]


def _run_doctest(block: Block, names: dict[str, object], page: Path, outcome: Outcome) -> str:
    test = doctest.DocTestParser().get_doctest(block.code, names, page.name, str(page), block.line - 1)
    runner, said = _Recorder(), []
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    outcome.examples += len(test.examples)
    if runner.summarize(verbose=False).failed:
        outcome.failures.append("".join(said))
    lines = []
    for example, got in zip(test.examples, runner.got, strict=True):
        source = example.source.rstrip("\n").split("\n")
        lines += [f">>> {source[0]}", *(f"... {line}".rstrip() for line in source[1:])]
        lines += got.rstrip("\n").split("\n") if got else []
    return "\n".join(lines) + "\n"


def _environment() -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    return os.environ | {
        # The date of records.
        "SOURCE_DATE_EPOCH": "0",
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "PYTHONIOENCODING": "utf-8",
        # Warnings and tables come in the order in which a terminal shows them.
        "PYTHONUNBUFFERED": "1",
        "NO_COLOR": "1",
    }


def _shown(command: str, folder: Path) -> str:
    """Return what a terminal shows of a command; a line of the package's own that needs no shell runs in this process."""
    own = _OWN.fullmatch(command)
    if own is None:
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        run = subprocess.run(["bash", "-c", command], cwd=folder, env=_environment(), text=True, check=False, **streams)
        return str(run.stdout)
    terminal, pipe = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    output = pipe if own["reader"] else terminal
    errors = terminal
    with ExitStack() as stack:
        if own["file"]:
            mode = "a" if own["sign"] == ">>" else "w"
            output = stack.enter_context(Path(own["file"]).open(mode, encoding="utf-8"))
        if own["errors"] == "&1":
            errors = output
        elif own["errors"]:
            errors = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
        with patch.dict(os.environ, _environment()), redirect_stdout(output), redirect_stderr(errors):
            try:
                status = main(shlex.split(own["arguments"]))
            except SystemExit as ended:
                status = int(ended.code or 0)
    shown = terminal.buffer.getvalue().decode()
    if own["reader"]:
        reader, piped = ["bash", "-c", own["reader"]], pipe.buffer.getvalue()
        shown += subprocess.run(reader, cwd=folder, input=piped, stdout=subprocess.PIPE, check=False).stdout.decode()
    return f"{shown}status {status}\n" if own["status"] else shown


def _run_commands(block: Block, folder: Path, page: Path, outcome: Outcome) -> str:
    lines: list[str] = []
    for command, expected in _COMMAND.findall(block.code):
        shown = _shown(command, folder)
        outcome.examples += 1
        same = Checker().check_output(expected, shown, FLAGS)
        if not same:
            outcome.failures.append(f"{page.name}: {command}\nexpected:\n{expected}\ngot:\n{shown}")
        lines += [f"$ {command}", *(expected if same else shown).splitlines()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "llms.txt").write_text(generator().llms_txt(), encoding="utf-8")
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        before = page.read_text(encoding="utf-8")
        page.write_text(generator().fill(before), encoding="utf-8")
        found = run_page(page)
        page.write_text(found.text, encoding="utf-8")
        print(f"{page.relative_to(ROOT)}: {'up to date' if found.text == before else 'changed'}")
