"""The command `segscores`, as the console script calls it. Signals end it quietly while it imports, too."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading

# A copy of the constant in typing, which is slow to import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: SIGHUP comes from a terminal that is closed; Windows has none.
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

#: The status of an error.
_FAULT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return the exit status.

    Ctrl-C, SIGTERM and SIGHUP end the run, so that workers end and partial files go: Ctrl-C returns 130, the others exit with 128
    plus their number. A handler that the program has set stays. An exception that no code expects, as of a library, prints its
    traceback and returns 2: status 1 says that a score fails a check.
    """
    if "numpy" not in sys.modules:
        _start_quickly()
    received: list[int] = []  # the signals, in order
    replaced: dict[int, Any] = {}  # the handlers that stood before, by signal

    def end(number: int, _: object) -> None:
        """End the run at a signal."""
        received.append(number)
        # A second one would interrupt the removal of partial files.
        for handled in replaced:
            signal.signal(handled, signal.SIG_IGN)
        # Not KeyboardInterrupt: if it comes from the `exec` with which a dataclass is made, Python kills its own process.
        raise SystemExit(128 + number)

    try:
        # Only the main thread handles signals.
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                handler = signal.getsignal(number)
                if handler in (signal.SIG_DFL, signal.default_int_handler):
                    replaced[number] = handler
                    signal.signal(number, end)
        from .cli import run_command

        return run_command(arguments)
    except BaseException as error:
        if not received:
            return _status_of(error)
        # After a signal, any error is the end of the run: a module that is being imported may turn SystemExit into another one.
        first_signal, *_ = received
        if first_signal == signal.SIGINT:
            return 128 + signal.SIGINT
        sys.exit(128 + first_signal)
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


def _status_of(error: BaseException) -> int:
    """Print the traceback of an error that no code expects, and return its status; raise what ends a program on purpose.

    A panic of a library in Rust is no `Exception`.
    """
    if isinstance(error, (SystemExit, KeyboardInterrupt, GeneratorExit)):
        raise error
    import traceback
    from contextlib import suppress

    # A process that a graphical program starts may have no standard error.
    if sys.stderr is not None:
        with suppress(OSError):
            traceback.print_exception(error)
            print("segscores: error: this is a fault of segscores: please report it.", file=sys.stderr)
    return _FAULT


def _start_quickly() -> None:
    """Leave out what takes a third of the time of a small file, in a process of the command's own."""
    # numpy's BLAS would start a thread for each core, which no score needs.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports make 50,000 objects, most of modules, which stay. Python would look at all of them for unreachable ones, which takes
    # 15 ms, and again at the end, when the process returns all memory.
    gc.set_threshold(200_000)
    atexit.register(gc.freeze)


if __name__ == "__main__":
    sys.exit(main())
