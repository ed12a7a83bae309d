"""The number of examples per property.

A quick run draws the same examples every time, so that more of them would say little more about a change;
`make test-long` (`EXPLORE=1`) looks for new examples, and takes longer.
"""

import os

EXPLORING = bool(os.environ.get("EXPLORE"))


def examples(many: int) -> int:
    """All of them in a long run, a third in a quick one."""
    return many if EXPLORING else max(many // 3, 5)
