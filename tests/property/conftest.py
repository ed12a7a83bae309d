"""No deadline per example: the machines these run on are shared.

The quick runs draw the same examples every time, so that a check of somebody's change says something of
that change; `make test-long` looks for new ones.
"""

from hypothesis import settings

from tests.property.effort import EXPLORING

settings.register_profile("the same each time", deadline=None, derandomize=True)
settings.register_profile("exploring", deadline=None)
settings.load_profile("exploring" if EXPLORING else "the same each time")
