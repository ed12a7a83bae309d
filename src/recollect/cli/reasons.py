"""Why a fact is known, in words: what stands behind it, what ended it, and what it ended."""

from rich.console import Console
from rich.text import Text

from recollect.cli.common import safe
from recollect.cli.telling import console, day, id_line, span
from recollect.library.results import Closed, Doubt, Ending, Episode, Evidence, Fact, Why

_AROUND_CHARS = 200  # of an episode that are shown before and after the words of a fact
_UNKNOWN = "at no known time"
_JUDGES = {
    "table": "on the word of the table of relations",
    "episode": "on the word of the episode itself",
    "hand": "set by hand",
}
_READERS = {"model": "a language model", "agent": "an agent"}


def why(found: Why) -> None:
    """A fact, the words behind it, what ended it and what it ended."""
    place = console()
    _fact(place, found.fact)
    for one in found.evidence:
        place.print()
        _evidence(place, one)
    if not found.evidence:
        place.print("\nNo episode stands behind it: it was written by hand.")
    if found.reopened_at is not None:
        place.print(
            f"\nreopened {day(found.reopened_at)}, by hand: what had ended it was taken back"
        )
    for ending in found.endings:
        place.print()
        _ending(place, ending)
    for doubt in found.doubts:
        place.print()
        _doubt(place, doubt)
    for closed in found.closed:
        place.print()
        _closed(place, closed)


def _fact(place: Console, fact: Fact) -> None:
    place.print(Text(safe(fact.text), style="bold"))
    id_line(place, fact.uuid)
    place.print(f"true     {span(fact.valid_at, fact.invalid_at) or _UNKNOWN}")
    if fact.event_at is not None:
        place.print(f"happens  {day(fact.event_at)}")
    place.print(f"believed {span(fact.learned_at, fact.given_up_at)}")


def _evidence(place: Console, one: Evidence) -> None:
    episode = one.episode
    where = f" in {safe(episode.thread)}" if episode.thread else ""
    place.print(f"{one.role:<8} {day(episode.created_at)}, {episode.kind}{_by(episode)}{where}")
    id_line(place, episode.uuid)
    place.print(_marked(one, plain=place.no_color or not place.is_terminal))


def _by(episode: Episode) -> str:
    who = episode.name or episode.role
    return f" by {safe(who)}" if who else ""


def _marked(one: Evidence, *, plain: bool) -> Text:
    """The words of an episode around those of the fact, which stand out, by signs if need be."""
    content = one.episode.content
    start, end = one.span or (0, 0)
    first, last = max(0, start - _AROUND_CHARS), min(len(content), end + _AROUND_CHARS)
    text = Text("…" if first else "").append(safe(content[first:start]))
    if one.span is not None:
        words = safe(content[start:end])
        text.append(f"»{words}«" if plain else words, style="" if plain else "bold black on yellow")
    return text.append(safe(content[end:last])).append("…" if last < len(content) else "")


def _ending(place: Console, one: Ending) -> None:
    by = f' by "{safe(one.by_fact.text)}"' if one.by_fact is not None else ""
    place.print(Text(f"ended    {day(one.ended_at) or _UNKNOWN}{by}{_brought(one)}, {_word(one)}"))
    place.print(f"learned  {day(one.learned_at) or _UNKNOWN}")
    _ids(place, one.by_fact, one.by_episode)


def _doubt(place: Console, one: Doubt) -> None:
    place.print(Text(f'in doubt by "{safe(one.by_fact.text)}"{_brought(one)}, {_word(one)}'))
    _ids(place, one.by_fact, one.by_episode)


def _closed(place: Console, one: Closed) -> None:
    when = day(one.ended_at) or _UNKNOWN
    place.print(Text(f'ends     "{safe(one.fact.text)}" {when}{_brought(one)}, {_word(one)}'))
    _ids(place, one.fact, one.by_episode)


def _ids(place: Console, fact: Fact | None, episode: Episode | None) -> None:
    if fact is not None:
        id_line(place, fact.uuid, "fact")
    if episode is not None:
        id_line(place, episode.uuid, "episode")


def _brought(one: Ending | Closed | Doubt) -> str:
    """The episode that brought an end or a doubt: what it is, when it was said and by whom."""
    episode = one.by_episode
    if episode is None:
        return ""
    return f" ({episode.kind} of {day(episode.created_at)}{_by(episode)})"


def _word(one: Ending | Closed | Doubt) -> str:
    """On whose word it ended or may have, and how sure that was."""
    if one.judge is None:
        return "on whose word is not known"
    sure = "" if one.sure is None else f", {one.sure:.0%} sure"
    return f"{_JUDGES.get(one.judge) or _reader(one.judge)}{sure}"


def _reader(judge: str) -> str:
    if judge.startswith("judge."):
        return f"on the word of the judge ({safe(judge)})"
    kind, _, version = judge.partition(":")
    if kind in _READERS and version:
        return f"on the word of {_READERS[kind]} ({safe(version)})"
    return f"on the word of the reader {safe(judge)}"
