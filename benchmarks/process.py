"""Run one command, and print its duration and its peak memory as JSON.

This is a separate, small program, because Linux includes the memory of the starting process in the peak memory of a new
process. So the benchmark, which holds a corpus, starts this program, and this program starts the command.
Use: python -I -S process.py COMMAND [ARGUMENT ...], with the full path of the command. Its output is discarded.
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
