"""Hypothesis profiles, without a deadline per example: the machines that run these tests are shared.

Quick runs draw the same examples every time, so that a failure is due to the change under test;
`make test-long` looks for new examples.
"""

from hypothesis import settings

from tests.property.effort import EXPLORING

settings.register_profile("the same each time", deadline=None, derandomize=True)
settings.register_profile("exploring", deadline=None)
settings.load_profile("exploring" if EXPLORING else "the same each time")
