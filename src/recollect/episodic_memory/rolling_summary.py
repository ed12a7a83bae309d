"""How things stood before a window: what was so, what was decided, what was open.

The summary consists of sentences of facts that hold. Of several about the same thing only the newest
is kept, and statements about one subject are joined into one sentence.

A caller that may see everything and filters nothing gets it from the chapters, which cover the whole
log cheaply. Chapters do not record whose words they keep. So any other summary is built from the
visible episodes alone, and looks back over a bounded number of them.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

import regex

from recollect.derive import chapters
from recollect.graph import chapters as rules
from recollect.graph import gist, thread_summary
from recollect.graph.episode_filters import EpisodeTree, tree_test
from recollect.graph.summary import clause, sentence
from recollect.graph.thread_summary import SummaryFact, weight
from recollect.graph.types import Access, Graph, Json
from recollect.limits import SUMMARY_MESSAGES_MAX, WINDOW_LOOK_BACK_EPISODES
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.chapters import WindowLeftRow

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
    """A fact with its sentence analysed: subject, predicate, and the thing it is about.

    *thing* holds the stems of that thing's name, *head* the stem of its last word.
    """

    fact: SummaryFact
    kind: Kind
    subject: str | None
    rest: str
    thing: frozenset[str] = frozenset()
    head: str | None = None
    against: bool = False


def read(fact: SummaryFact) -> Point:
    """Analyse a fact."""
    text = " ".join(fact.fact.split())
    if quoted := _QUOTED.match(text):  # a verbatim quote, which has no subject to join it by
        return _read(Point(fact, "state", None, text), text[quoted.end() :])
    found = _SUBJECT.match(text)
    if found is None or not _is_subject(found[1]):
        return Point(fact, "state", None, text)
    rest = text[found.end() :]
    return _read(Point(fact, "state", found[1], rest), rest)


def _read(point: Point, said: str) -> Point:
    """The point with its kind and its thing, as far as the predicate reveals them."""
    for kind, form in _READ.items():
        cue = form.match(said)
        if cue:
            return _about(point._replace(kind=kind), said[cue.end() :])
    return point


def _is_subject(words: str) -> bool:
    return words.split()[0].casefold() not in _NO_SUBJECT and not words.endswith(("'s", "\u2019s"))


def _about(point: Point, behind: str) -> Point:
    """The point with the object of its verb."""
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


def current(facts: list[SummaryFact]) -> list[Point]:
    """The points that no newer one has superseded, in the given order, newest last."""
    kept: list[Point] = []
    for point in map(read, reversed(facts)):
        if not any(_overtakes(newer, point) for newer in kept):
            kept.append(point)
    return kept[::-1]


def _overtakes(new: Point, old: Point) -> bool:
    """Whether *new* resolves or continues a wish, decision or open point of the same subject."""
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


_TOGETHER_MAX = 3
_JOINED_CHARS_MAX = 90
_APART = (",", ";", ":", '"', "\u201c", " and ", "?", "!")
_AUXILIARIES = frozenset(
    """
    is are was were has have had will would can could may might must should does did do
    """.split()  # noqa: SIM905 - a list of one word per line hides the words
)
_LABELS = {"decided": "Decided: ", "open": "Open: "}


def tell(facts: Sequence[SummaryFact], room: int) -> str:
    """The facts that hold as prose of at most *room* characters, oldest first.

    Decisions and open points are placed first, newest first, then the rest by weight.
    """
    holding = [fact for fact in facts if fact.invalid_at is None]
    ranked = sorted(_once(current(holding)), key=_place)
    chosen: list[Point] = []
    text = ""
    for point in ranked:
        longer = _composed([*chosen, point])
        if len(longer) <= room:
            chosen, text = [*chosen, point], longer
    if not text and ranked:
        return _composed(ranked[:1])[: room - 1].rsplit(" ", 1)[0] + "\u2026"
    return text


def _once(points: Iterable[Point]) -> list[Point]:
    """Points without duplicates, however they are worded."""
    return list({point.fact.gist: point for point in points}.values())


def _place(point: Point) -> tuple[bool, float, int]:
    """The order in which points are given room."""
    urgent = point.kind in _LABELS
    return not urgent, 0.0 if urgent else -weight(point.fact), -point.fact.number


def _composed(points: Iterable[Point]) -> str:
    ordered = sorted(points, key=lambda point: point.fact.number)
    parts = [_prose([point for point in ordered if point.kind not in _LABELS])]
    for kind, label in _LABELS.items():
        said = _prose([point for point in ordered if point.kind == kind])
        parts.append(f"{label}{said}" if said else "")
    return " ".join(filter(None, parts))


def _prose(points: Sequence[Point]) -> str:
    """Sentences that each join the statements about one subject, as long as they stay readable."""
    groups: dict[tuple[str, str | None, int], list[Point]] = {}
    for point in points:
        whose, subject = point.fact.place.partition("/")[0], point.subject
        alone = subject is None or not _joins(point.rest)
        place = point.fact.number if alone else -_full(groups, whose, subject)
        groups.setdefault((whose, subject, place), []).append(point)
    return " ".join(map(_sentence, groups.values()))


def _full(
    groups: dict[tuple[str, str | None, int], list[Point]], whose: str, subject: str | None
) -> int:
    """The index of the first sentence about a subject that has room for more."""
    number = 0
    while len(groups.get((whose, subject, -number), ())) >= _TOGETHER_MAX:
        number += 1
    return number


def _joins(rest: str) -> bool:
    return len(rest) <= _JOINED_CHARS_MAX and not any(mark in rest for mark in _APART)


def _verb_once(told: list[str]) -> list[str]:
    """Say a verb shared by several predicates once: likes tea, jazz."""
    verbs = {text.split(" ", 1)[0] for text in told}
    if len(verbs) > 1 or verbs & _AUXILIARIES or any(" " not in text for text in told):
        return told
    return [told[0], *(text.split(" ", 1)[1] for text in told[1:])]


def _sentence(group: Sequence[Point]) -> str:
    if len(group) == 1:
        return sentence(group[0].fact.fact)
    told = _verb_once([clause(point.rest) for point in group])
    return sentence(f"{group[0].subject} {', '.join(told[:-1])} and {told[-1]}")


_EPISODES_PER_READ = 256


def summary(
    tx: Transaction,
    access: Access,
    graph: Graph,
    before: int,
    tree: EpisodeTree | None,
    room: int,
) -> tuple[str, ...]:
    """A summary of the visible episodes before a log position that satisfy *tree*.

    Empty, or one text of at most *room* characters.
    """
    if room <= 0:
        return ()
    whole = 0
    if access.visibility is None and tree is None:
        whole = min(chapters.made(tx, graph.id) or 0, rules.before(before))
    _, after = rules.extent(whole)
    left = _left(tx, access, graph, (after, before), tree, WINDOW_LOOK_BACK_EPISODES)
    facts = _facts(tx, access, graph, whole, left)
    if not facts and whole:
        left = _left(tx, access, graph, (0, before), tree, SUMMARY_MESSAGES_MAX)
    if facts:
        text = tell(facts, room)
    else:
        text = thread_summary.summarize((), chapters.messages(tx, left), room)
    return (text,) if text else ()


def _facts(
    tx: Transaction, access: Access, graph: Graph, whole: int, left: Sequence[int]
) -> list[SummaryFact]:
    """The facts worth showing: those of whole chapters, and of the episodes after them."""
    said = chapters.said(tx, left)
    if whole:
        said += chapters.kept(tx, graph.id, rules.making_up(whole))
    once = {fact.number: fact for fact in said}.values()
    return thread_summary.keep_seen(once, lambda some: seeing.ids(tx, access, "fact", some))


def _left(
    tx: Transaction,
    access: Access,
    graph: Graph,
    between: tuple[int, int],
    tree: EpisodeTree | None,
    most: int,
) -> list[int]:
    """The row ids of visible episodes between two log positions that satisfy *tree*.

    Only the newest *most* episodes are considered.
    """
    after, before = between
    passes = None if tree is None else tree_test(tree)
    chosen: list[int] = []
    while most > 0:
        limit = min(most, _EPISODES_PER_READ)
        found = tx.chapters.window_left(graph_id=graph.id, after=after, before=before, limit=limit)
        seen = seeing.carriers(access, found)
        chosen += [row.id for row in seen if passes is None or passes(_Left(row))]
        if len(found) < limit:
            break
        most, before = most - len(seen), found[-1].seq
    return chosen


class _Left:
    """An episode before the window as filters see it, loaded lazily."""

    def __init__(self, row: WindowLeftRow) -> None:
        self._row = row

    @property
    def uuid(self) -> str:
        """The episode's uuid."""
        return str(self._row.uuid)

    @property
    def role(self) -> str | None:
        """The speaker's role."""
        return self._text("role")

    @property
    def speaker(self) -> str | None:
        """Who speaks."""
        return self._text("speaker")

    @property
    def producer(self) -> str | None:
        """The author, as the client names them."""
        return self._text("producer")

    @property
    def addressee(self) -> str | None:
        """The recipient."""
        return self._text("addressee")

    @property
    def metadata(self) -> Json | None:
        """The episode's own metadata."""
        found: Json | None = rows.from_json(self._row.metadata)
        return found

    @property
    def created_at(self) -> datetime:
        """When it happened."""
        return rows.moment(self._row.created_at)

    def _text(self, column: str) -> str | None:
        found: str | None = getattr(self._row, column)
        return found
