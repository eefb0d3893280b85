"""Shared fixtures: an offline environment, tiers by requirements, the real corpora next to the project, a local Spark.

The default tests need only the extra `test`. Other tests are in tiers, each with a marker (TIERS): they run if their
requirements are installed. The end of a run lists what was left out, and how to install it. With CI=true everything
runs, and a skip is a failure unless it is one of EXPECTED_SKIPS.
"""

import atexit
import gc
import importlib
import math
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Before anything imports evaluate, datasets or gradio: they read these once.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
# argparse speaks English, and looks for no files of another language.
os.environ["LANGUAGE"] = "C"
# The programs that tests start would compile the package each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Each worker has a core, for which threads of torch would wait; Java does without the compiler that is for long runs.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
if not os.access(Path.home(), os.W_OK):
    # datasets, evaluate and pythainlp keep files in the home folder.
    for name in ("HF_HOME", "PYTHAINLP_DATA"):
        os.environ.setdefault(name, str(Path(tempfile.gettempdir(), f"segscores-tests-{name}")))

# evaluate's cache files and copied modules of each process are away from the user's.
_CACHE = tempfile.TemporaryDirectory(prefix="segscores-tests-")
atexit.register(_CACHE.cleanup)
for name in ("HF_METRICS_CACHE", "HF_MODULES_CACHE"):
    os.environ[name] = str(Path(_CACHE.name, name))

#: Fixtures that call the subcommand `score` on files, for the tests of any folder.
pytest_plugins = ["tests.command_runs"]

ROOT = Path(__file__).resolve().parent.parent

CI = os.environ.get("CI", "").lower() in ("1", "true")

# The same examples in every run: a test that found a new one by chance would fail whoever happens to run it. And a test does not
# fail because the machine is busy.
settings.register_profile(
    "default", deadline=None, derandomize=True, max_examples=20, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@dataclass(frozen=True)
class Tier:
    """Tests that need more than the extra `test`.

    Attributes:
        modules: the packages that they need.
        programs: the commands of which they need one, if there are any.
        get: how to get these.
        fixtures: what uses one of these fixtures belongs to the tier.
    """

    modules: tuple[str, ...]
    programs: tuple[str, ...]
    get: str
    fixtures: frozenset[str]

    def is_here(self) -> bool:
        has_program = not self.programs or any(map(_program, self.programs))
        return has_program and all(map(find_spec, self.modules))


def _program(name: str) -> str | None:
    home = os.environ.get("JAVA_HOME") if name == "java" else None
    return (shutil.which(name, path=f"{home}/bin") if home else None) or shutil.which(name)


#: The commands of Chromium. The one without windows takes half of the processor's time.
CHROMIUM = ("chromium-headless-shell", "chromium")
TIERS = {
    "browser": Tier(
        ("playwright", "axe_playwright_python", "gradio"),
        CHROMIUM,
        "need Chromium (apt-get install chromium-headless-shell) and the extra dev (pip install -e '.[dev]')",
        frozenset({"address", "browser"}),
    ),
    "spark": Tier(
        ("pyspark",),
        ("java",),
        "need Java (apt-get install default-jre-headless) and the extra dev (pip install -e '.[dev]')",
        frozenset({"java", "spark"}),
    ),
    "torch": Tier(
        ("torch", "transformers", "accelerate"), (), "need the extra dev (pip install -e '.[dev]')", frozenset()
    ),
    "frameworks": Tier(
        ("torchmetrics", "lightning", "lm_eval", "inspect_ai"),
        (),
        "need the extra frameworks (pip install -e '.[frameworks]')",
        frozenset(),
    ),
}
#: Cases among others are of the tier torch if their name says so.
_TORCH_CASE = re.compile("torch|tensor")
#: Tests of several modules that one worker runs: they share a session of Spark, the definitions that `conform` compares, or the
#: code of the package as it is parsed.
TOGETHER = {
    "spark": r"test_spark|-Spark\]",
    "conform": r"test_conformity|\[segscores\.analysis\.conformity\]|\[conform\]|other-scorers\.md",
    "code": r"test_architecture|test_shapes",
}
_SLOW = "slow: run with --slow"
_NO_CORPORA = "the corpora of ../shared/data are not here: their licences keep them out of the project"
#: Why a test may skip in CI: the reason's pattern → why it cannot be helped.
EXPECTED_SKIPS = {
    re.escape(_NO_CORPORA): "they are texts of others; tests/data has official figures of text that pip brings",
    "Windows|POSIX|Linux": "systems differ; CI runs on Linux",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --slow and --cases."""
    parser.addoption("--slow", action="store_true", help="run the tests of the tier slow too; CI=true implies it")
    parser.addoption("--cases", type=int, metavar="N", help="run at most N cases of each parametrised test")


def pytest_configure(config: pytest.Config) -> None:
    """In CI, make an error of each warning that the filters of pyproject.toml do not allow; the last one that matches decides."""
    if CI:
        for line in ("error", *config.getini("filterwarnings")):
            config.addinivalue_line("filterwarnings", line)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A worker for each core; none for a single file or test, which would wait for the workers to start."""
    names_files = any(".py" in argument for argument in config.args)
    return (
        0 if names_files else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each worker whole modules, whose fixtures are then made once, but for TOGETHER."""
    from xdist.scheduler import LoadScopeScheduling

    class ByModule(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            shared = (name for name, pattern in TOGETHER.items() if re.search(pattern, nodeid))
            return next(shared, nodeid.partition("::")[0])

    return ByModule(config, log) if config.getoption("dist") == "loadscope" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Keep the garbage collector from the modules and tests, which stay: it would go through them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its tier, and leave out those of tiers that cannot run here."""
    here = {name: tier.is_here() for name, tier in TIERS.items()}
    with_slow = CI or config.getoption("--slow") or "slow" in config.getoption("markexpr")
    for item in items:
        case = item.name.partition("[")[2]
        for name, tier in TIERS.items():
            if tier.fixtures & set(getattr(item, "fixturenames", ())) or (name == "torch" and _TORCH_CASE.search(case)):
                item.add_marker(name)
            if item.get_closest_marker(name) and not here[name]:
                item.add_marker(pytest.mark.skip(reason=f"{name}: {tier.get}"))
        if item.get_closest_marker("slow") and not with_slow:
            item.add_marker(pytest.mark.skip(reason=_SLOW))
    most_cases = config.getoption("--cases")
    if most_cases is not None:
        chosen = _some_cases(items, most_cases)
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]


def _some_cases(items: Sequence[pytest.Item], most_cases: int) -> set[pytest.Item]:
    """Return at most so many cases of each test, with equal steps between them: of seven cases and at most three, 0, 3 and 6."""
    cases_of_tests = defaultdict(list)
    for item in items:
        cases_of_tests[item.nodeid.partition("[")[0]].append(item)
    chosen: set[pytest.Item] = set()
    for cases in cases_of_tests.values():
        step = math.ceil(len(cases) / most_cases)
        chosen.update(cases[::step])
    return chosen


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    return report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else str(report.longrepr)


def _fail_if_skipped(report: Any) -> Any:
    if CI and report.skipped and not hasattr(report, "wasxfail"):
        reason = _reason(report)
        if not any(re.search(pattern, reason) for pattern in EXPECTED_SKIPS):
            report.outcome = "failed"
            report.longrepr = f"skipped, where CI=true: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """In CI, make a failure of a skip that is not expected."""
    return _fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """The same for a module that skips as a whole."""
    return _fail_if_skipped((yield))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what was left out, a line for each cause."""
    causes = Counter(map(_reason, terminalreporter.stats.get("skipped", [])))
    if causes:
        terminalreporter.section("left out")
        for reason, count in causes.most_common():
            tier, _, rest = reason.partition(": ")
            tests = "1 test" if count == 1 else f"{count} tests"
            is_tier = tier in {*TIERS, "slow"}
            terminalreporter.line(f"{tier}: {tests}, {rest}" if is_tier else f"{tests}: {reason}")


_NUMBERS = count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for a test, which stays if the test fails.

    pytest's own fixture lists all folders for a free number, which is slow with thousands of tests.
    """
    failures_before = request.session.testsfailed
    folder = tmp_path_factory.getbasetemp() / f"test-{next(_NUMBERS)}"
    folder.mkdir()
    yield folder
    if request.session.testsfailed == failures_before:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora with the official scorers' results."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(_NO_CORPORA)
    return folder


@pytest.fixture(scope="session")
def example() -> Callable[[str], ModuleType]:
    """A program of examples/ as a module. They are scripts, which import each other from their folder."""

    def load(name: str) -> ModuleType:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(ROOT / "examples")
            return importlib.import_module(name)

    return load


@pytest.fixture(scope="session")
def java() -> None:
    """Mark tests that use this as of the tier spark."""


@pytest.fixture
def session_of_spark(request: pytest.FixtureRequest) -> None:
    """A session for those cases of a test that are of the tier spark."""
    if request.node.get_closest_marker("spark"):
        request.getfixturevalue("spark")


@pytest.fixture(scope="session")
def spark(java: None) -> Iterator[Any]:
    """A session of Spark on two cores of this machine."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        # pyspark warns about newer versions of pandas, and leaves sockets to the garbage collector.
        warnings.simplefilter("ignore")
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONWARNINGS", "ignore")
        from pyspark.sql import SparkSession

        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.log.level", "OFF")
            .config("spark.driver.memory", "1g")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate()
        )
        yield session
        session.stop()
