"""Search through the product: where the turns that answer LoCoMo's questions come."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from tests.eval import found, ranking
from tests.eval.common import Options, Table, data
from tests.eval.conversations import Conversation, Question, read
from tests.eval.found import ABLATIONS, EPISODES, WAYS, Way
from tests.eval.learned import Memory, Message, Session, learned, prepare
from tests.eval.locomo import ADVERSARIAL, CATEGORIES, beginning

HEAD = ("R@5", "R@10", "R@20", "nDCG@10", "MRR")
GOALS = (75.0, 85.0, 92.0, 65.0, None)
GOALS_BY_CATEGORY = {1: 60.0, 2: 82.0}  # R@10
# As the data's README has them, on the same questions.
BASELINES = {
    "BM25": (54.7, 61.9, 68.9, 48.6, 47.2),
    "BM25 over a window of neighbouring turns": (58.5, 67.7, 72.4, 52.4, 50.2),
    "MiniLM": (36.6, 47.6, 58.0, 31.9, 29.8),
    "MiniLM without speaker names": (49.5, 60.9, 72.8, 41.7, 38.3),
    "rank fusion of BM25 and MiniLM": (48.3, 58.2, 66.4, 41.7, 39.1),
    "score fusion: BM25 window, nameless MiniLM": (64.0, 73.5, 82.2, 55.0, 51.5),
}
FUSION_BY_CATEGORY = {1: 43.0, 2: 65.0, 3: 42.0, 4: 86.0}  # R@10
NOTE = (
    "95 % intervals by bootstrap over questions. Baselines are those of the data's README. Facts "
    "count as the episodes they came from, each once. The cross-encoder has all the time it wants."
)
Measured = dict[int, list[tuple[float, ...]]]  # rows by category


@dataclass(frozen=True)
class Talk:
    """A conversation, and the memory that it becomes."""

    conversation: Conversation
    memory: Memory


def remembered(name: str, conversation: Conversation) -> Talk:
    """A conversation as threads: one for each session, the first speaker being the user."""
    user = conversation.turns[0].speaker
    sessions: dict[int, list[Message]] = {}
    for turn in conversation.turns:
        role = "user" if turn.speaker == user else "norole"
        message = Message(turn.place, turn.text, role, turn.at, turn.speaker)
        sessions.setdefault(turn.session, []).append(message)
    threads = tuple(Session(tuple(messages)) for messages in sessions.values())
    return Talk(conversation, Memory(name, threads, user))


def talks(options: Options) -> list[Talk]:
    """The conversations of the data set, or the first turns of each."""
    made = [read(raw) for raw in data("locomo_dev.json.gz")]
    if options.sample is not None:
        made = [beginning(item, options.sample) for item in made]
    return [remembered(f"conversation-{number}", item) for number, item in enumerate(made)]


async def _each(
    chosen: Sequence[Talk],
    ways: Sequence[Way],
    take: Callable[[Way, Talk, Question, list[int]], None],
) -> None:
    """Ask every question in every way."""
    for talk in chosen:
        now = talk.conversation.turns[-1].at + timedelta(days=1)
        async with learned("locomo", talk.memory) as held:
            for way in ways:
                for question in talk.conversation.questions:
                    take(way, talk, question, await found.ask(held, way, question.text, now))


def measure(chosen: Sequence[Talk], ways: Sequence[Way]) -> dict[str, Measured]:
    """The measures of every question by way and category."""
    results: dict[str, Measured] = {way.name: {} for way in ways}

    def take(way: Way, talk: Talk, question: Question, places: list[int]) -> None:
        row = ranking.measures(places, question.wanted)
        results[way.name].setdefault(question.category, []).append(row)

    asyncio.run(_each(chosen, ways, take))
    return results


def answerable(measured: Measured) -> list[tuple[float, ...]]:
    """The rows of the four categories that have an answer."""
    return [row for category in CATEGORIES for row in measured.get(category, [])]


def _together(results: dict[str, Measured]) -> Table:
    rows = [found.goal(GOALS), *(found.told(name, row) for name, row in BASELINES.items())]
    rows += [found.row(name, answerable(measured)) for name, measured in results.items()]
    count = len(answerable(next(iter(results.values()))))
    title = f"LoCoMo dev through the product: {count} answerable questions"
    return Table(title, ("searched", *HEAD), tuple(rows), NOTE)


def _apart(results: dict[str, Measured], category: int, name: str) -> Table:
    rows = []
    if category in GOALS_BY_CATEGORY:
        rows.append(found.goal((None, GOALS_BY_CATEGORY[category], None, None, None)))
    if category in FUSION_BY_CATEGORY:
        known = (None, FUSION_BY_CATEGORY[category], None, None, None)
        rows.append(found.told(list(BASELINES)[-1], known))
    rows += [found.row(way, measured[category]) for way, measured in results.items()]
    count = len(next(iter(results.values()))[category])
    return Table(f"LoCoMo dev, {name}: {count} questions", ("searched", *HEAD), tuple(rows))


def ablations(chosen: Sequence[Talk]) -> Table:
    """What each part of the default search of episodes is worth."""

    def rows() -> list[tuple[float, ...]]:
        return answerable(measure(chosen, [EPISODES])[EPISODES.name])

    base, others = rows(), {}
    for name, values in ABLATIONS.items():
        with found.changed(values):
            others[name] = rows()
    title = "LoCoMo dev, search of episodes with something left out"
    return found.compared(title, HEAD, base, others, "Changes in points, with 95 % intervals.")


def show_misses(chosen: Sequence[Talk], category: str) -> None:
    """Print the questions of a category whose evidence is not all among the first ten."""
    numbers = {name: number for number, name in {**CATEGORIES, ADVERSARIAL: "adversarial"}.items()}
    count = 0

    def take(way: Way, talk: Talk, question: Question, places: list[int]) -> None:
        nonlocal count
        whole = ranking.recall_at(places, question.wanted, 10)
        if numbers.get(category) == question.category and whole < 1:
            turns = [f"[{turn.id}] {turn.speaker}: {turn.text}" for turn in talk.conversation.turns]
            print(f"\n{found.missed(question.text, question.wanted, places, turns)}")
            count += 1

    asyncio.run(_each(chosen, [Way("episodes", "episode", limit=50)], take))
    print(f"\n{count} questions of {category} lack evidence among the first ten")


def tables(options: Options) -> list[Table]:
    """LoCoMo dev, each turn one episode. A sample is that many turns of each conversation."""
    chosen = talks(options)
    prepare("locomo", [talk.memory for talk in chosen])
    if options.misses is not None:
        show_misses(chosen, options.misses)
        return []
    if options.ablate:
        return [ablations(chosen)]
    results = measure(chosen, [way for way in WAYS if options.wants(way.name)])
    names = {**CATEGORIES, ADVERSARIAL: "adversarial"}
    apart = [_apart(results, number, name) for number, name in names.items()]
    return [_together(results), *apart]
