"""A question made ready for one segment: its words, its meaning, its people and its time."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

import regex
from msgspec.structs import replace

from recollect.graph.terms import hashed, terms
from recollect.graph.types import Record
from recollect.limits import SEARCH_TERMS_MAX
from recollect.search.columns import Floats
from recollect.search.events import Event
from recollect.search.query import Query
from recollect.search.question import Resolved, longest
from recollect.search.segment import Segment
from recollect.search.shelves import Shelf
from recollect.search.tenses import tense_of
from recollect.search.times import TimeWindow, TimeWords, time_words

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours"})
_TOGETHER = regex.compile(r"\b(?:and|both|together)\b", regex.IGNORECASE)
_POSSESSIVE = regex.compile(r"['\u2019]s\b|[,!]")


class Asked(Record):
    """A question as the segment gets it.

    *people* are those it names who also speak in the graph, by their folded first names, in the
    order they are named. *together*: whether it is about what they share. *own*: whether it is
    about whoever asks, *past*: whether it is about what was. *event* is what happened at the time
    in question, if that is how it is told. *hashes* are the words searched for, *plain* all but
    names, *matter* those that are no name by the way they are written, *names* those that are and
    are not of somebody who talks here.
    """

    query: Query
    resolved: Resolved
    hashes: tuple[int, ...]
    vector: Floats | None
    plain: tuple[int, ...] = ()
    matter: tuple[int, ...] = ()
    names: tuple[int, ...] = ()
    people: tuple[str, ...] = ()
    together: bool = False
    own: bool = False
    past: bool = False
    windows: tuple[TimeWindow, ...] = ()
    event: Event | None = None


def known_to(segment: Segment, resolved: Resolved) -> tuple[set[str], Resolved]:
    """Who speaks in a segment, by their folded first names, and what of all that a question
    starts from is there; of names within names, the longest."""
    entities = partial(_there, segment.entities)
    named = [one for one in resolved.named if entities((one.entity_id,))]
    known = replace(
        resolved,
        named=longest(named),
        center=entities(resolved.center),
        near=entities(resolved.near),
        origin_entities=entities(resolved.origin_entities),
        origin_episodes=_there(segment.episodes, resolved.origin_episodes),
    )
    return set(segment.episodes.first_names), known


def _there(shelf: Shelf, ids: Sequence[int]) -> tuple[int, ...]:
    return tuple(one for one in ids if shelf.alive.array[shelf.known([one])].any())


def ask(
    speakers: Collection[str], query: Query, resolved: Resolved, embed: Callable[[str], Floats]
) -> Asked:
    """Get a question ready for a graph in which *speakers*, by their folded first names, talk.

    The names of those who talk are taken out of what is searched for, because a name is like
    every greeting that holds it, and so are words for a time, which others use of other things;
    both count by themselves. A question that is nothing else keeps them.
    """
    words = [(found[0].casefold(), found.span()) for found in _WORD.finditer(query.text)]
    people = tuple(dict.fromkeys(name for name, _ in words if name in speakers))
    time = asked_time(query)
    timeless = time.rest if time and time.windows else query.text
    nameless = without(
        timeless,
        [found.span() for found in _WORD.finditer(timeless) if found[0].casefold() in speakers],
    )
    text = nameless if terms(nameless) else query.text
    called = without(query.text, [(one.start, one.end) for one in resolved.named])
    matter = dict.fromkeys(terms(_uncapitalized(nameless)))
    return Asked(
        query=query,
        resolved=resolved,
        hashes=tuple(dict.fromkeys(hashed(term) for term in terms(text)))[:SEARCH_TERMS_MAX],
        plain=tuple(hashed(term) for term in terms(called))[:SEARCH_TERMS_MAX],
        matter=tuple(hashed(term) for term in matter)[:SEARCH_TERMS_MAX],
        names=tuple(hashed(term) for term in terms(nameless) if term not in matter),
        vector=embed(text),
        people=people,
        together=len(people) > 1 and _TOGETHER.search(query.text) is not None,
        own=any(word in _FIRST_PERSON for word, _ in words),
        past=tense_of(query.text) == "past",
        windows=time.windows if time else (),
        event=time.event if time else None,
    )


def _uncapitalized(text: str) -> str:
    """The words of *text* that are written like no name; the first one is always."""
    found = _WORD.findall(text)
    return " ".join([*found[:1], *(word for word in found[1:] if not word[0].isupper())])


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """*text* without the characters of *spans*, and without a possessive ending behind one."""
    kept: list[str] = []
    place = 0
    for start, end in sorted(spans):
        if end <= place:
            continue
        kept.append(text[place:start] if start > place else "")
        tail = _POSSESSIVE.match(text, end)
        place = tail.end() if tail else end
    kept.append(text[place:])
    return " ".join("".join(kept).split())


def asked_time(query: Query) -> TimeWords | None:
    """The time a question is about; a caller who filters by time has said it already."""
    chosen: Sequence[object] = (
        query.filters.valid_on,
        query.filters.known_on,
        query.filters.valid_at,
        query.filters.invalid_at,
        query.filters.created_at,
        query.filters.expired_at,
    )
    return None if any(chosen) else time_words(query.text, query.now, query.time_zone)
