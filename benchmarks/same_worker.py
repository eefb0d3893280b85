"""The process of `same.py` that answers requests by the package of one checkout, through public names alone.

    python benchmarks/same_worker.py CHECKOUT MODULE:FUNCTION SURFACE

MODULE:FUNCTION is the entry point of the command, and SURFACE the file that lists the fields and methods of results. Each line of
standard input is a request, as `same_requests.py` makes it; each line of standard output is its answer, in which what differs
between two runs or folders (paths, dates, the version) is replaced by a word.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from importlib import import_module
from pathlib import Path
from typing import Any

#: Seconds of a processor that a request may take. The first request of the metric imports evaluate, which takes long.
TIME_LIMIT = 120
#: Methods of results that draw, or that change the result.
LEFT_OUT = ("plot", "update")
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)")
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def read_faces(surface: str) -> dict[str, list[str]]:
    """Read the fields, and methods that need no argument, of each class of results: `{"Decile": ["lower", "to_dict()", …]}`.

    A line of the section is `Decile.lower`, or `Decile.to_dict(option=None)`.
    """
    _, _, after = surface.partition("# Fields and methods of results\n")
    section, _, _ = after.partition("\n# ")
    faces: dict[str, list[str]] = {}
    for class_name, name, parameters in re.findall(r"^(\w+)\.(\w+)(\(.*\))?$", section, re.MULTILINE):
        # A parameter with a default, as in `(*, top=10)`, is not needed.
        needed = [each for each in parameters[1:-1].split(", ") if each not in ("", "*") and "=" not in each]
        if not needed and name not in LEFT_OUT and not name.startswith("_"):
            faces.setdefault(class_name, []).append(f"{name}()" if parameters else name)
    return faces


def split_every(size: int) -> Callable[[Sequence[str]], list[list[tuple[int, int]]]]:
    """Return a tokenizer whose tokens have `size` characters at most, without whitespace."""

    def tokenize(texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        pattern = re.compile(rf"\S{{1,{size}}}")
        return [[match.span() for match in pattern.finditer(text)] for text in texts]

    return tokenize


class Worker:
    """The package of a checkout, and the folder in which it answers.

    Attributes:
        segscores: the package.
        main: the command.
        faces: by the name of a class, its fields and methods without arguments.
        folder: the current folder, empty before each request.
        words: what is replaced in answers, with the words that replace it.
    """

    def __init__(self, checkout: Path, entry_point: str, surface: Path, folder: Path) -> None:
        self.segscores = import_module("segscores")
        loaded = Path(self.segscores.__file__ or "").resolve()
        if not loaded.is_relative_to(checkout):
            raise SystemExit(f"segscores was imported from {loaded}, expected it below {checkout}.")
        module, function = entry_point.split(":")
        self.main: Callable[[Sequence[str]], int] = getattr(import_module(module), function)
        self.faces = read_faces(surface.read_text(encoding="utf-8"))
        self.folder = folder
        self.words = {
            str(folder): "<folder>",
            str(checkout): "<checkout>",
            str(self.segscores.__version__): "<version>",
        }
        self.helpers: dict[str, Callable[..., Any]] = {
            "add_tallies": self.add_tallies,
            "train": self.train,
            "load_and_compute": self.load_and_compute,
        }

    def answer(self, request: Mapping[str, Any]) -> str:
        """Answer a request by a line of JSON, in a folder that has its files alone."""
        for path in self.folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        for name, content in request["files"].items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(content))
        signal.setitimer(signal.ITIMER_PROF, TIME_LIMIT)
        try:
            answers = [self.call(call) for call in request["calls"]]
            answers += [self.run(command, request["files"]) for command in request["commands"]]
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        line = json.dumps(answers)
        for text, word in self.words.items():
            line = line.replace(text, word)
        return ADDRESS.sub("<address>", DATE.sub("<date>", line))

    def call(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Call a public function, or one of `helpers`; return its result or error, and its warnings."""
        answer: dict[str, Any] = {}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                name = call["function"]
                function = self.helpers.get(name) or getattr(self.segscores, name)
                arguments = [self.decode(value) for value in call["arguments"]]
                result = function(*arguments, **{key: self.decode(value) for key, value in call["options"].items()})
                answer["result"] = self.plain(result, call["form"])
            except Exception as error:
                answer["error"] = self.plain_error(error)
        answer["warnings"] = [f"{warning.category.__name__}: {warning.message}" for warning in caught]
        return answer

    def run(self, command: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, Any]:
        """Run the command; return its status, what it prints, and the files that are not among the inputs."""
        buffers = {"output": io.BytesIO(), "errors": io.BytesIO()}
        streams = {name: io.TextIOWrapper(buffer, "utf-8") for name, buffer in buffers.items()}
        stdin = io.TextIOWrapper(io.BytesIO(command["stdin"].encode()), "utf-8")
        answer: dict[str, Any] = {}
        with warnings.catch_warnings(), replaced_stdin(stdin):
            # A new filter has Python forget which warnings it has shown.
            warnings.simplefilter("default")
            with contextlib.redirect_stdout(streams["output"]), contextlib.redirect_stderr(streams["errors"]):
                try:
                    answer["status"] = self.main(command["arguments"])
                except SystemExit as ended:
                    answer["status"] = ended.code
                except Exception as error:
                    answer["error"] = self.plain_error(error)
        for name, stream in streams.items():
            stream.flush()
            answer[name] = buffers[name].getvalue().decode("utf-8", "backslashreplace")
        # A later command of the request may read what this one prints.
        if command["output_file"]:
            (self.folder / command["output_file"]).write_text(answer["output"], encoding="utf-8")
        answer["files"] = self.written_files(inputs)
        return answer

    def written_files(self, inputs: Mapping[str, str]) -> dict[str, str]:
        """Return the files that are new or changed: text, or base64 of other data."""
        files: dict[str, str] = {}
        for path in sorted(self.folder.rglob("*")):
            name = str(path.relative_to(self.folder))
            if not path.is_file():
                continue
            content = base64.b64encode(path.read_bytes()).decode()
            if content == inputs.get(name):
                continue
            try:
                files[name] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                files[name] = content
        return files

    def decode(self, value: Any) -> Any:
        """Make a value of a request, in which `{"$": FORM, "value": …}` stands for what JSON has not."""
        if isinstance(value, list):
            return [self.decode(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "$" not in value:
            return {name: self.decode(each) for name, each in value.items()}
        decoders: dict[str, Callable[[Any], Any]] = {
            "array": lambda inner: import_module("numpy").array(inner),
            "arrow": lambda inner: import_module("pyarrow").array(inner),
            "bytes": lambda inner: inner.encode(),
            "intervals": lambda inner: self.segscores.Intervals(**inner),
            "iterator": iter,
            "path": Path,
            "rows": lambda inner: [tuple(row) for row in inner],
            "runs": lambda inner: self.segscores.runs(*inner),
            "set": set,
            # A path and the name of a column.
            "source": lambda inner: self.segscores.open_source(inner[0], column=inner[1]),
            "table": lambda inner: import_module("pyarrow").table(inner),
            "tokenized": lambda inner: self.segscores.tokenized(split_every(inner)),
            "tuple": tuple,
        }
        return decoders[value["$"]](self.decode(value["value"]))

    def plain(self, value: Any, form: str) -> Any:
        """Convert a result to values of JSON; results show their fields and methods, and render in `form`."""
        if value is None or type(value) in (bool, int, str):
            return value
        if isinstance(value, float):
            # All digits, also of nan, and the type, which may be one of numpy.
            return f"{type(value).__name__} {float(value)!r}"
        if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
            return {str(value.dtype): self.plain(value.tolist(), form)}
        if hasattr(value, "to_csv"):
            return value.to_csv()
        plain: dict[str, Any] = {}
        if isinstance(value, Mapping):
            plain |= {str(key): self.plain(each, form) for key, each in value.items()}
        elif isinstance(value, Set):
            # A set has no order.
            return sorted(map(repr, value))
        elif isinstance(value, (Sequence, Iterator)):
            return [self.plain(each, form) for each in value]
        names = self.faces.get(type(value).__name__, [])
        for name in names:
            plain[name] = self.field_of(value, name, form)
        if plain or isinstance(value, Mapping):
            return plain
        return repr(value)

    def field_of(self, value: Any, name: str, form: str) -> Any:
        """Return a field, or what a method returns, or its error."""
        try:
            if name == "render()":
                return value.render(form)
            field = getattr(value, name.removesuffix("()"))
            return self.plain(field() if name.endswith("()") else field, form)
        except Exception as error:
            return self.plain_error(error)

    def plain_error(self, error: Exception) -> dict[str, Any]:
        """Return the type and the message of an error, and the fields of a public one."""
        fields = {name: self.field_of(error, name, "table") for name in self.faces.get(type(error).__name__, [])}
        return {"type": type(error).__name__, "message": str(error), "notes": getattr(error, "__notes__", [])} | fields

    def add_tallies(self, pairs: Sequence[Sequence[Any]], **options: Any) -> Any:
        """Add the tallies of several pairs, each stored and read again."""
        tally_of = self.segscores.CorpusTally
        whole = tally_of.empty(**options)
        for references, predictions in pairs:
            whole += tally_of.from_json(self.segscores.tally(references, predictions, **options).to_json())
        return whole

    def train(self, logits: Any, labels: Any, **options: Any) -> Any:
        """Score the arrays of a Trainer."""
        return self.segscores.as_compute_metrics(**options)((logits, labels))

    def load_and_compute(self, configuration: str | None, arguments: Mapping[str, Any], **options: Any) -> Any:
        """Score by the metric of Hugging Face evaluate."""
        return self.segscores.load(configuration).compute(**arguments, **options)


@contextlib.contextmanager
def replaced_stdin(stdin: io.TextIOWrapper) -> Iterator[None]:
    """Have another standard input."""
    before = sys.stdin
    sys.stdin = stdin
    try:
        yield
    finally:
        sys.stdin = before


def end_request(*_: object) -> None:
    """Raise the error of a request that takes too long."""
    raise TimeoutError(f"no answer within {TIME_LIMIT} s")


def main() -> None:
    """Answer requests until standard input ends."""
    checkout = Path(sys.argv[1]).resolve()
    entry_point = sys.argv[2]
    surface = Path(sys.argv[3]).resolve()
    # Programs of this folder are named as packages that others import.
    sys.path.remove(str(Path(__file__).resolve().parent))
    requests = sys.stdin
    # Text that the package or a library prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGPROF, end_request)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        os.chdir(folder)
        worker = Worker(checkout, entry_point, surface, folder)
        for line in requests:
            print(worker.answer(json.loads(line)), file=answers, flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
