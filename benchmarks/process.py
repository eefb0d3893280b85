"""Run one command; print how long it took and how much memory it held at most, as JSON.

A program of its own, and a small one: Linux counts into the peak memory of a process what the process that started it
held at that moment. So the benchmark, which holds a corpus, starts this, and this starts the command.
Use: python -I -S process.py COMMAND [ARGUMENT ...], with the command's whole path. Its output is thrown away.
"""

import os
import sys
import time


def main() -> int:
    """Run the command of the command line."""
    command = sys.argv[1:]
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f'{{"seconds": {seconds!r}, "peak_bytes": {peak}}}')
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
