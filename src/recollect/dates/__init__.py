"""Dates and times in running text, resolved against the moment it was said."""

from recollect.dates.resolver import find
from recollect.dates.when import Grain, Relation, Tense, When, split

__all__ = ["Grain", "Relation", "Tense", "When", "find", "split"]
