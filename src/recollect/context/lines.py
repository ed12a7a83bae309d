"""What was found, told in one line each."""

from datetime import datetime

from recollect.context.defusing import Defuser
from recollect.graph.types import Entity, Episode, Fact, Observation, ThreadSummary
from recollect.limits import BLOCK_EPISODE_CHARS_MAX

Item = Fact | Entity | Episode | Observation | ThreadSummary

_UNKNOWN = "date unknown"
_PRESENT = "present"


def told(item: Item, safe: Defuser) -> str:
    """The line of *item* in a block, or nothing when there is nothing to say of it."""
    match item:
        case Fact():
            return f"  - {safe(item.fact)} ({fact_range(item)})"
        case Entity():
            summary = safe(item.summary)
            return f"  - {safe(item.name)}: {summary}" if summary else ""
        case Episode():
            return f"  - {episode_text(item, safe)} ({moment(item.created_at)})"
        case Observation():
            return f"  - {safe(item.summary)} ({observation_range(item)})"
        case ThreadSummary():
            return f"  - {safe(item.summary)} ({moment(item.covered_at or item.updated_at)})"


def fact_range(fact: Fact) -> str:
    """From when to when a fact holds; one that was withdrawn is never told as present."""
    return f"{moment(fact.valid_at)} - {_end(fact.invalid_at, ended=fact.expired_at is not None)}"


def observation_range(observation: Observation) -> str:
    """From when to when an observation was borne out."""
    return f"{moment(observation.start_at)} - {_end(observation.end_at, ended=False)}"


def _end(end: datetime | None, *, ended: bool) -> str:
    return moment(end) if end is not None or ended else _PRESENT


def moment(value: datetime | None) -> str:
    """A time in UTC as the clients know it from these blocks."""
    # Not strftime: it writes years before 1000 in another width on other systems.
    return _UNKNOWN if value is None else value.isoformat(sep=" ", timespec="seconds")[:19]


def episode_text(episode: Episode, safe: Defuser) -> str:
    """Who said what; of a long one the beginning, with a mark where it is cut."""
    said = cut(safe(episode.content))
    who = safe(episode.speaker or "")
    # A text of a log often begins with its speaker already.
    return f"{who}: {said}" if who and not said.startswith(f"{who}:") else said


def cut(text: str, chars_max: int = BLOCK_EPISODE_CHARS_MAX) -> str:
    """*text* up to the last whole word that fits, with a mark when something is left out."""
    if len(text) <= chars_max:
        return text
    kept = text[: max(chars_max - 2, 0)]
    at = kept.rfind(" ")
    kept = kept[:at] if at > chars_max // 2 else kept
    return f"{kept} …" if kept else ""
