"""Search through the product: which sessions and turns of LongMemEval answer a question."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.limits import MESSAGE_CHARS_MAX
from tests.eval import found, ranking
from tests.eval.chance import means
from tests.eval.common import Options, Table, data
from tests.eval.found import ABLATIONS, EPISODES, WAYS, Way
from tests.eval.learned import Memory, Message, Session, learned, prepare

SESSION_HEAD = ("any@5", "all@5", "R@5", "R@10", "nDCG@10")
GOALS = (99.0, 95.0, None, None, None)
TURN_HEAD = ("R@5", "R@10", "R@20", "nDCG@10", "MRR")
TURN_GOALS = (None, 93.0, None, None, None)
# As the data's README has them, on all of LongMemEval-S.
PUBLISHED = {
    "published, BM25 over all turns": (96.0, 84.6, None, None, None),
    "published, best without a language model": (98.6, 88.8, None, None, None),
}
TURNS = {"published, BM25 over all turns": (None, 81.9, None, None, None)}
NOTE = (
    "95 % intervals by bootstrap over questions; few questions make them wide. Published figures "
    "are for all questions of the set. A session ranks by its first turn found, of 50 at most."
)
_WIDE = tuple(replace(way, limit=50) for way in WAYS)  # so that ten sessions can be among them
_SHOWN = 300


@dataclass(frozen=True)
class History:
    """A question with the history it is asked of.

    *owners* has the id of each turn's session. *sessions* and *turns* are those that people marked.
    """

    memory: Memory
    question: str
    kind: str
    asked_at: datetime
    owners: tuple[str, ...]
    sessions: frozenset[str]
    turns: frozenset[int]


Pairs = list[tuple[History, list[int]]]
Rankings = dict[str, Pairs]


def moment(text: str) -> datetime:
    """ "2023/08/11 (Fri) 15:58" as a time."""
    return datetime.strptime(text, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)


def parts(text: str, longest: int = MESSAGE_CHARS_MAX) -> list[str]:
    """A long text as a client would cut it: behind a line, else behind a word, else anywhere."""
    found = []
    while len(text) > longest:
        cut = next(
            (at + 1 for mark in ("\n", " ") if (at := text.rfind(mark, longest // 2, longest)) > 0),
            longest,
        )
        found.append(text[:cut])
        text = text[cut:]
    return [part for part in (*found, text) if part.strip()]


def read(raw: Mapping[str, Any], sessions: Mapping[str, Any]) -> History:
    """One question of the data set, its sessions in the order of their dates."""
    dates = [moment(text) for text in raw["haystack_dates"]]
    order = sorted(range(len(dates)), key=lambda number: dates[number])
    owners: list[str] = []
    wanted: list[int] = []
    made = []
    for number in order:
        messages: list[Message] = []
        for turn in sessions[raw["session_keys"][number]]:
            for part in parts(turn["content"]):
                at = dates[number] + timedelta(seconds=len(messages))
                messages.append(Message(len(owners), part, turn["role"], at))
            if turn.get("has_answer"):
                wanted.append(len(owners))
            owners.append(raw["haystack_session_ids"][number])
        made.append(Session(tuple(messages)))
    return History(
        memory=Memory(raw["question_id"], tuple(made)),
        question=raw["question"],
        kind=raw["question_type"],
        asked_at=moment(raw["question_date"]),
        owners=tuple(owners),
        sessions=frozenset(raw["answer_session_ids"]),
        turns=frozenset(wanted),
    )


def histories() -> list[History]:
    """All questions that have an answer."""
    raw = data("longmemeval_s_dev.json.xz")
    return [
        read(item, raw["sessions"])
        for item in raw["questions"]
        if not item["question_id"].endswith("_abs")
    ]


def session_measures(ranked: Sequence[int], history: History) -> tuple[float, ...]:
    """any@5, all@5, R@5, R@10 and nDCG@10 of the sessions behind the turns found."""
    order = list(dict.fromkeys(history.owners[place] for place in ranked))
    first = ranking.recall_at(order, history.sessions, 5)
    tenth = ranking.recall_at(order, history.sessions, 10)
    gain = ranking.gain(order, history.sessions)
    return (float(first > 0), float(first == 1), first, tenth, gain)


async def _rankings(chosen: Sequence[History], ways: Sequence[Way], *, facts: bool) -> Rankings:
    """The turns found for each question, by way."""
    found_by: Rankings = {way.name: [] for way in ways}
    for history in chosen:
        async with learned("longmemeval", history.memory, facts=facts) as held:
            for way in ways:
                places = await found.ask(held, way, history.question, history.asked_at)
                found_by[way.name].append((history, places))
    return found_by


def _session_rows(pairs: Pairs) -> list[tuple[float, ...]]:
    return [session_measures(places, history) for history, places in pairs]


def _turn_rows(pairs: Pairs) -> list[tuple[float, ...]]:
    """Without the questions whose turns nobody marked."""
    return [ranking.measures(places, history.turns) for history, places in pairs if history.turns]


def _sessions(results: Rankings, how: str) -> Table:
    rows = [found.goal(GOALS), *(found.told(name, row) for name, row in PUBLISHED.items())]
    rows += [found.row(name, _session_rows(pairs)) for name, pairs in results.items()]
    title = f"LongMemEval dev through the product, sessions: {how}"
    return Table(title, ("searched", *SESSION_HEAD), tuple(rows), NOTE)


def _turns(results: Rankings, how: str) -> Table:
    rows = [found.goal(TURN_GOALS), *(found.told(name, row) for name, row in TURNS.items())]
    rows += [found.row(name, _turn_rows(pairs)) for name, pairs in results.items()]
    title = f"LongMemEval dev through the product, turns: {how}"
    return Table(title, ("searched", *TURN_HEAD), tuple(rows))


def _kinds(results: Rankings) -> Table:
    """The default search by kind of question; there are few of each."""
    pairs = results[EPISODES.name]
    rows = []
    for kind in dict.fromkeys(history.kind for history, _ in pairs):
        own = [pair for pair in pairs if pair[0].kind == kind]
        turns = [mean.value for mean in means(_turn_rows(own))]
        sessions = [mean.value for mean in means(_session_rows(own))]
        figures = (*sessions[:2], turns[1])
        rows.append((kind, str(len(own)), *(f"{100 * value:.1f}" for value in figures)))
    head = ("episodes", "questions", "any@5", "all@5", "turn R@10")
    return Table("LongMemEval dev by kind of question", head, tuple(rows))


def show_misses(chosen: Sequence[History], kind: str, *, facts: bool) -> None:
    """Print the questions of a kind whose marked turns are not all among the first ten."""
    pairs = asyncio.run(_rankings(chosen, [_WIDE[0]], facts=facts))[EPISODES.name]
    count = 0
    for history, places in pairs:
        if kind in (history.kind, "all") and (set(history.turns) - set(places[:10])):
            said: dict[int, str] = {}
            for session in history.memory.sessions:
                for item in session.messages:
                    line = f"[{item.at:%Y-%m-%d}] {item.role}: {' '.join(item.content.split())}"
                    said.setdefault(item.place, line[:_SHOWN])
            turns = [said[place] for place in range(len(history.owners))]
            print(f"\n{found.missed(history.question, history.turns, places, turns)}")
            count += 1
    print(f"\n{count} questions of {kind} lack a marked turn among the first ten")


def ablations(chosen: Sequence[History], *, facts: bool) -> Table:
    """What each part of the default search of episodes is worth here."""

    def rows() -> list[tuple[float, ...]]:
        pairs = asyncio.run(_rankings(chosen, [_WIDE[0]], facts=facts))[EPISODES.name]
        return [
            (*session_measures(places, history)[:2], ranking.measures(places, history.turns)[1])
            for history, places in pairs
            if history.turns
        ]

    base, others = rows(), {}
    for name, values in ABLATIONS.items():
        with found.changed(values):
            others[name] = rows()
    title = "LongMemEval dev, search of episodes with something left out"
    head = ("any@5", "all@5", "turn R@10")
    return found.compared(title, head, base, others, "Changes in points, with 95 % intervals.")


def tables(options: Options) -> list[Table]:
    """LongMemEval dev, each turn one episode. A sample is that many questions."""
    everything = histories()
    chosen = options.take(everything)
    prepare("longmemeval", [history.memory for history in chosen], facts=options.facts)
    if options.misses is not None:
        show_misses(chosen, options.misses, facts=options.facts)
        return []
    if options.ablate:
        return [ablations(chosen, facts=options.facts)]
    ways = [way for way in _WIDE if options.wants(way.name)]
    if not options.facts:
        ways = [way for way in ways if way.kind == "episode"]
    results = asyncio.run(_rankings(chosen, ways, facts=options.facts))
    how = f"{len(chosen)} of {len(everything)} questions"
    how += "" if options.facts else ", no facts read, vectors only"
    made = [_sessions(results, how), _turns(results, how)]
    return [*made, _kinds(results)] if EPISODES.name in results else made
