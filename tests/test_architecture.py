"""The house: which room of the package may import which, no circle, and how long the way of a score is."""

import ast
import sys
from collections.abc import Callable, Iterable
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

import segscores
from segscores.options.table import FORMATS, WORLDS
from segscores.reading.formats import registry as formats
from segscores.scoring.measures import registry as measures
from segscores.scoring.measures.registry import GROUPS

from .modules import MODULES, PACKAGE, ROOT, nodes_of

#: From the lowest floor to the highest. Rooms of one floor do not import each other. `scores` is the door, a module.
FLOORS = (
    *(
        {"options", "kernel"},
        {"reading"},
        {"scoring"},
        {"worlds"},
        {"results"},
        {"statistics"},
        {"analysis"},
        {"scores"},
    ),
    {"integrations", "apps"},
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
#: Packages that only these rooms import: they belong to the metric, the frameworks and the page.
FOREIGN = {"evaluate", "gradio", "matplotlib"}
ABOVE = {"integrations", "apps"}
PICTURES = "segscores.results.pictures"
#: The modules that import what a table names, with the modules in the table: the lazy names of the package and subcommands, which
#: are in no lower room, and the tables by which general code reaches the worlds.
IMPORT_BY_NAME: dict[str, tuple[str, ...]] = {
    "segscores.__init__": (),
    "segscores.apps.command.cli": (),
    "segscores.scoring.measures.registry": measures.MODULES,
    "segscores.reading.formats.registry": formats.MODULES,
    "segscores.reading.layers": (),  # a world is loaded where a request is of it, when every module is loaded
}


def called(node: ast.Call) -> str:
    """The last part of the name of the function that is called."""
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


@cache
def imports_of(module: str) -> tuple[set[str], set[str]]:
    """The modules of the package that a module imports, and the packages from elsewhere, wherever the import stands."""
    parts, own, foreign = module.split("."), set(), set()
    for node in nodes_of(module):
        if isinstance(node, ast.Call) and called(node) in {"import_module", "__import__"}:
            name = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
            if name.startswith("."):
                own.add(resolve_name(name, ".".join(parts[:-1])))
            elif name.startswith(f"{PACKAGE.name}."):
                own.add(name)
            elif name:
                foreign.add(name.split(".")[0])
            else:
                assert module in IMPORT_BY_NAME, f"{module} imports a module whose name only running it shows"
        if isinstance(node, ast.Import):
            foreign |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            foreign.add(str(node.module).split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*parts[: -node.level], *([node.module] if node.module else [])])
            for alias in node.names:
                own.add(f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base)
    return {name if name in MODULES else f"{name}.__init__" for name in own}, foreign


def by_name(module: str) -> set[str]:
    """The modules that a module imports by a table."""
    return {f"{PACKAGE.name}.{name}" for name in IMPORT_BY_NAME.get(module, ())}


def room_of(module: str) -> str:
    return module.split(".")[1]


def all_imports() -> dict[str, set[str]]:
    """The modules that each module imports, also by a table."""
    return {module: imports_of(module)[0] | by_name(module) for module in MODULES}


def test_every_room_has_a_floor_and_a_description() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert rooms | {"scores"} == set(FLOOR_OF)
    for room in rooms:
        assert ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))), room


@pytest.mark.parametrize("module", sorted(name for name in MODULES if room_of(name) in FLOOR_OF))
def test_imports_point_down(module: str) -> None:
    own, foreign = imports_of(module)
    room = room_of(module)
    # The package itself holds the version, and imports the rest lazily.
    upward = sorted(
        name for name in own if room_of(name) not in {room, "__init__"} and FLOOR_OF[room_of(name)] >= FLOOR_OF[room]
    )
    assert {room_of(name) for name in by_name(module)} <= {room, "worlds"}, (
        "tables name what is beside them, or of a world"
    )
    why = f"{module} may import the rooms below {room} alone: move what it needs down, or itself up"
    assert upward == [], why
    if room not in ABOVE:
        allowed = {"matplotlib"} if module == PICTURES else set()
        assert foreign & FOREIGN <= allowed


@pytest.mark.parametrize("name", sorted(name for name in MODULES if room_of(name) == "kernel"))
def test_the_kernel_knows_numpy_arrow_and_rapidfuzz_alone(name: str) -> None:
    own, foreign = imports_of(name)
    assert {room_of(module) for module in own} <= {"kernel"}, "options and messages belong to their callers"
    only_for_type_checkers = {"typing_extensions"}
    assert foreign - set(sys.stdlib_module_names) - only_for_type_checkers <= {"numpy", "pyarrow", "rapidfuzz"}


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {module: imported - {module, "segscores.__init__"} for module, imported in all_imports().items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"an import cycle: {' → '.join(error.args[1])}") from None


def test_few_arrows_connect_the_rooms() -> None:
    arrows = {(room_of(module), room_of(name)) for module, imported in all_imports().items() for name in imported}
    assert len({(a, b) for a, b in arrows if a != b and not {"__init__", "__main__"} & {a, b}}) <= 43


#: The modules of general code that name a world, each with what it takes to know it.
NAME_WORLDS = {
    "segscores.reading.formats.transcripts": "has remedies that score the times",
    "segscores.reading.form": "names the form of each column, which stored tallies and signatures have",
    "segscores.scoring.measures.tolerance": "says in a message where seconds are allowed",
}


def names_world(module: str) -> bool:
    return any(isinstance(node, ast.Constant) and node.value in WORLDS for node in nodes_of(module))


def test_no_room_imports_a_world() -> None:
    """Tables alone reach the worlds, and the package's own names."""
    found = {room_of(module) for module in MODULES for name in imports_of(module)[0] if room_of(name) == "worlds"}
    assert found <= {"worlds", "__init__"}, "ask a table, or `reading.world.world_of`"


def test_general_code_names_no_world() -> None:
    general = [name for name in MODULES if room_of(name) not in {"options", "worlds", "integrations", "apps"}]
    assert {name for name in general if names_world(name)} == set(NAME_WORLDS), "ask `reading.world.world_of`"


#: The words of general code that measures, scores, counts or formats are called too, each with what it stands for.
NAME_MEASURES_AND_FORMATS = {
    "segscores.kernel.segmentation": ("token", "a kind of units, which is no measure"),
    "segscores.reading.form": ("words times", "the names of forms in stored tallies, which are no formats"),
    "segscores.reading.sources.files": ("words sentence", "the format of a source by default, and a noun of messages"),
    "segscores.scoring.tally": ("units", "a column of every tally, which is no format"),
}
#: The rooms above, where names stand for a reason: what a program shows first, or what one analysis is of.
NAME_ELSEWHERE = {
    "analysis": "an analysis is of given measures: thresholds of boundaries, agreement, difficulty of words",
    "apps": "subcommands, tabs and reports show some scores first, and give examples in some formats",
    "integrations": "metrics and adapters have scores and formats of their own",
    "options": "the order of formats and their flags",
    "results": "headings and pictures of some scores",
    "statistics": "subsets by length, and the primary score",
}


#: Of measures, scores, counts and formats.
NAMES = set(FORMATS).union(*({group.name, *group.keys, *group.columns} for group in GROUPS.values()))


def names_in(module: str) -> set[str]:
    """The names that stand in a module as strings."""
    constants = [node.value for node in nodes_of(module) if isinstance(node, ast.Constant)]
    return {value for value in constants if isinstance(value, str)} & NAMES


def is_general(module: str) -> bool:
    """Return whether a module is neither a measure, nor a format or a world, nor the list of any of these."""
    own = ("scoring.measures.", "worlds.", "options.table", "options.keywords", "options.values", "reading.formats.")
    parts = module.removeprefix("segscores.")
    return parts == "reading.formats.registry" or not parts.startswith(own)


def test_general_code_names_no_measure_and_no_format() -> None:
    found = {name: names_in(name) for name in MODULES if is_general(name)}
    of_rooms = {name for name in found if room_of(name) in {"kernel", "reading", "scoring", "worlds"}}
    allowed = {name: set(names.split()) for name, (names, _) in NAME_MEASURES_AND_FORMATS.items()}
    assert {name: found[name] for name in of_rooms if found[name]} == allowed, (
        "ask the measure, the format or the option"
    )
    elsewhere = {room_of(name) for name in found.keys() - of_rooms if found[name]}
    assert elsewhere <= NAME_ELSEWHERE.keys(), "list the room with its reason"


def test_no_module_is_long() -> None:
    lines = {name: path.read_text(encoding="utf-8").count("\n") for name, path in MODULES.items()}
    assert {name: count for name, count in lines.items() if count > 500} == {}, "divide it by subject"


@pytest.fixture
def two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files `r.txt` and `p.txt` in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("r.txt").write_text("the dog\n", encoding="utf-8")
    Path("p.txt").write_text("thedog\n", encoding="utf-8")


class Way(NamedTuple):
    """The functions of the package that a call runs, and how deep they call each other."""

    functions: int
    depth: int
    rooms: int = 6


def way_of(call: Callable[[], object]) -> Way:
    """The way of a call, as a reader would follow it; the call before it fills the caches."""
    functions, depths = set(), [0]

    def profile(frame: FrameType, event: str, _: object) -> None:
        depths.append(depths[-1] + {"call": 1, "return": -1}.get(event, 0))
        if event == "call" and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
            code = frame.f_code
            functions.add((code.co_filename, getattr(code, "co_qualname", code.co_name)))

    call()
    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    rooms = {Path(file).relative_to(PACKAGE).parts[0] for file, _ in functions}
    return Way(len(functions), max(depths), len(rooms))


@pytest.mark.parametrize(
    ("references", "predictions", "options", "most"),
    [
        pytest.param(["the dog"], ["thedog"], {"text_format": "words"}, Way(55, 9), id="words text"),
        pytest.param(["a WORD_BOUNDARY b"], ["a b"], {}, Way(58, 11), id="units text"),
        pytest.param([["the", "dog"]], [["thedog"]], {}, Way(75, 13), id="lists of words"),
        pytest.param([[1, 1]], [[1, 0]], {"label_scheme": "start"}, Way(71, 13), id="labels"),
        pytest.param(Path("r.txt"), Path("p.txt"), {"text_format": "words"}, Way(61, 10), id="two files"),
    ],
)
@pytest.mark.usefixtures("two_files")
def test_the_way_of_a_score_is_short(references: Any, predictions: Any, options: dict[str, Any], most: Way) -> None:
    way = way_of(lambda: segscores.score(references, predictions, scores="token", **options))
    assert way.functions <= most.functions
    assert way.depth <= most.depth
    assert way.rooms <= most.rooms


def test_the_root_has_two_scripts() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == {"app.py", "segmentation_scores.py"}


def hidden_names(nodes: Iterable[ast.AST]) -> list[str]:
    """The names that `:=` binds where another part of the expression decides whether they are bound at all."""
    names = []
    for node in nodes:
        if isinstance(node, ast.IfExp):
            unsure = [node.test, node.body, node.orelse]
        elif isinstance(node, ast.BoolOp):
            unsure = node.values[1:]
        elif isinstance(node, ast.Compare):
            unsure = node.comparators[1:]
        else:
            continue
        inner = [named for part in unsure for named in ast.walk(part) if isinstance(named, ast.NamedExpr)]
        names += [f"{named.target.id} in line {named.lineno}" for named in inner]
    return names


@pytest.mark.parametrize(
    "code",
    [
        "(x := f()) > 1 if a else x < 1",  # the mistake that let every bound of `--max` through
        "x if (x := f()) else a",
        "a or (x := f())",
        "a and b and [x for y in c if (x := y)]",
        "a < b < (x := f())",
    ],
)
def test_names_that_an_expression_hides_are_found(code: str) -> None:
    assert set(hidden_names(ast.walk(ast.parse(code)))) == {"x in line 1"}


@pytest.mark.parametrize("code", ["if (x := f()) and x > 1: pass", "[x for y in c if (x := y)]", "a < (x := f())"])
def test_names_that_are_always_bound_are_allowed(code: str) -> None:
    assert hidden_names(ast.walk(ast.parse(code))) == []


def test_no_expression_binds_a_name_in_one_of_its_branches() -> None:
    found = {module: hidden_names(nodes_of(module)) for module in MODULES}
    assert {module: names for module, names in found.items() if names} == {}, (
        "write an assignment before the expression"
    )
