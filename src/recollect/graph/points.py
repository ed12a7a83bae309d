"""What a fact is to whoever wants to know how things stand: a decision, an open point, a wish, or
something that is so; and which of two about the same thing has been overtaken.

Read off the words of its sentence, in the third person or quoted with the speaker in front. Where
the words are of no known kind, the fact is something that is so, and nothing overtakes it here.
"""

from typing import Literal, NamedTuple

import regex

from recollect.graph import gist
from recollect.graph.thread_summary import Said

Kind = Literal["state", "wish", "open", "decided", "done"]

_NAMES = r"\p{Lu}[\p{L}\p{N}.\u2019'-]*(?:\s\p{Lu}[\p{L}\p{N}.\u2019'-]*){0,3}"
_SUBJECT = regex.compile(rf"({_NAMES}|[\p{{L}}\p{{N}}_.@-]+)\s(?=\p{{Ll}})")
_QUOTED = regex.compile(rf"(?:{_NAMES}|[\p{{L}}\p{{N}}_.@-]+): (?:I|[Ww]e)\s")
_NO_SUBJECT = frozenset(
    """
    a all an another any both each every few he her here his i if it its many my no nobody nothing
    one our she some somebody someone something that the their there these they this those we what
    when where who you your
    """.split()  # noqa: SIM905 - a list of one word per line hides the words
)
_LEAD = r"(?:(?:still|now|also|really|already|currently|just|only|finally|has|have|is|are)\s+)*"
_FORMS: dict[Kind, str] = {
    "open": r"(?:needs?|has|have|ought|had) (?:yet )?to(?: be)?|must|should|is waiting for|"
    r"is (?:still )?(?:not sure|unsure|undecided)(?: about)?|(?:has not|hasn't) (?:yet )?\p{L}+",
    "wish": r"wants?|wanted|would (?:really )?(?:like|love|prefer)|prefers?(?= (?:an?|the|to)\b)|hopes? for|wish(?:es)?|"
    r"(?:does|do|did)(?: not|n't) (?:really )?(?:want|need)|no longer wants?|"
    r"(?:looking|hoping) for|considering|(?:thinking|dreaming) (?:of|about)|considers?|"
    r"interested in|plans?|planning|intends?|needs?|leans? towards?",
    "decided": r"decid(?:es?|ed|ing)|agree[sd]?|chooses?|chose|chosen|opt(?:s|ed)|settle[sd]?|"
    r"pick(?:s|ed)|selected|went with|going with|approved|confirmed|"
    r"(?:will|going to) (?:get|buy|use|take|have|order|install|go with|choose|book)",
    "done": r"bought|ordered|got|purchased|installed|booked|hired|signed|sold|rented|leased",
}
_READ = {kind: regex.compile(rf"{_LEAD}(?:{form})\b") for kind, form in _FORMS.items()}
_AGAINST = regex.compile(r"\s*against\b|.*\bnot to\b")
_BEFORE_THING = frozenset(
    """
    a an the to on for with against about upon some any more another that in his her their its
    buy get use take have order install
    """.split()  # noqa: SIM905 - as above
)
_AFTER_THING = frozenset(
    """
    for in on at from to with instead because by about of that which who and or but as after
    before until next this today tomorrow rather since when while if
    """.split()  # noqa: SIM905 - as above
)
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}'\u2019-]*")


class Point(NamedTuple):
    """A fact with its sentence taken apart: who does it, the rest, and the thing that it is about,
    as stems, of which the last word of its name is the *head*."""

    fact: Said
    kind: Kind
    subject: str | None
    rest: str
    thing: frozenset[str] = frozenset()
    head: str | None = None
    against: bool = False


def read(fact: Said) -> Point:
    """A fact as a point."""
    text = " ".join(fact.fact.split())
    if quoted := _QUOTED.match(text):  # told as it was said, so it has no subject to join it by
        return _read(Point(fact, "state", None, text), text[quoted.end() :])
    found = _SUBJECT.match(text)
    if found is None or not _is_subject(found[1]):
        return Point(fact, "state", None, text)
    rest = text[found.end() :]
    return _read(Point(fact, "state", found[1], rest), rest)


def _read(point: Point, said: str) -> Point:
    """The point with its kind and its thing, as far as the words behind the subject tell."""
    for kind, form in _READ.items():
        cue = form.match(said)
        if cue:
            return _about(point._replace(kind=kind), said[cue.end() :])
    return point


def _is_subject(words: str) -> bool:
    return words.split()[0].casefold() not in _NO_SUBJECT and not words.endswith(("'s", "\u2019s"))


def _about(point: Point, behind: str) -> Point:
    """The point with the thing that stands behind its verb."""
    words = [found.group().casefold() for found in _WORD.finditer(behind)]
    while words and words[0] in _BEFORE_THING:
        words = words[1:]
    end = next((place for place, word in enumerate(words) if word in _AFTER_THING), len(words))
    thing = words[:end]
    if not thing:
        return point
    return point._replace(
        thing=gist.words(" ".join(thing)),
        head=gist.stem(thing[-1]),
        against=_AGAINST.match(behind) is not None,
    )


def current(facts: list[Said]) -> list[Point]:
    """The points that no newer one has overtaken, in the order given; the newest fact is the last."""
    kept: list[Point] = []
    for point in map(read, reversed(facts)):
        if not any(_overtakes(newer, point) for newer in kept):
            kept.append(point)
    return kept[::-1]


def _overtakes(new: Point, old: Point) -> bool:
    """Whether *new* says how a wish, a decision or an open point of the same one ended or goes on."""
    if old.kind in ("state", "done") or old.head is None or _whose(new) != _whose(old):
        return False
    if new.against and new.head in old.thing:
        return True
    if new.head == old.head and (old.kind, new.kind) in _FOLLOWS:
        return True
    told = gist.words(new.fact.fact)
    return old.kind == "open" and new.kind != "open" and old.thing <= told and gist.NOT not in told


def _whose(point: Point) -> str:
    return point.fact.place.partition("/")[0]


_FOLLOWS: frozenset[tuple[Kind, Kind]] = frozenset(
    {
        ("wish", "wish"),
        ("wish", "decided"),
        ("wish", "done"),
        ("decided", "decided"),
        ("open", "decided"),
        ("open", "done"),
    }
)
