"""How many examples a property is tried with.

A check of somebody's change draws the same ones each time, so that more of them say little more of that change;
`make test-long` (`EXPLORE=1`) looks for new ones, and takes its time.
"""

import os

EXPLORING = bool(os.environ.get("EXPLORE"))


def examples(many: int) -> int:
    """All of them for the long run, a third in the quick one."""
    return many if EXPLORING else max(many // 3, 5)
