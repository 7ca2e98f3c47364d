"""`python -m openlake.testing.bound_process serve …`: the command line of `openlake` in a process
that gets SIGTERM when the process that started it dies, so that no orphan is left, even by kill -9.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Ask the kernel for SIGTERM at the parent's death (prctl(2))."""
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        sys.exit("the process that started this one is gone")


def main() -> None:
    die_with_parent()
    from openlake.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
