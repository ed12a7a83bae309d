"""The kinds of things that a search can find."""

from typing import Literal

from recollect.graph.types import Entity, Episode, Fact, Observation, ThreadSummary

Kind = Literal["fact", "entity", "episode", "observation", "thread_summary"]
Item = Fact | Entity | Episode | Observation | ThreadSummary
