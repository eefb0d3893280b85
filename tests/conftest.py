"""What tests share: an offline environment, the real corpora where they stand beside the project, and a local Spark."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

# Before anything imports evaluate, datasets or gradio: they read these once.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("default", deadline=None)
settings.load_profile("default")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora with the official scorers' results."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the corpora of ../shared/data are not here")
    return folder


@pytest.fixture(scope="session")
def example() -> Callable[[str], ModuleType]:
    """A program of examples/ as a module. They are scripts, which import each other from their folder."""

    def load(name: str) -> ModuleType:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(ROOT / "examples")
            return importlib.import_module(name)

    return load


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep evaluate's cache files and copied modules away from the user's."""
    home = tmp_path_factory.mktemp("huggingface")
    import datasets.config
    import evaluate.config

    evaluate.config.HF_METRICS_CACHE = str(home / "metrics")
    evaluate.config.HF_MODULES_CACHE = str(home / "modules")
    evaluate.config.EVALUATE_DYNAMIC_MODULES_NAME = "evaluate_modules"
    datasets.config.HF_MODULES_CACHE = str(home / "datasets_modules")


@pytest.fixture(scope="session")
def java() -> None:
    """What Spark needs: itself, and a Java runtime."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install '.[spark]'")
    if shutil.which("java", path=os.environ.get("JAVA_HOME", "") + "/bin") is None and shutil.which("java") is None:
        pytest.skip("there is no Java runtime: apt-get install default-jre-headless")


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
            .config("spark.sql.files.openCostInBytes", "0")
            .getOrCreate()
        )
        yield session
        session.stop()
