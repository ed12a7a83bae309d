"""Speed of the way from an episode to the graph, on one core, with its floor beside it."""

import argparse
import asyncio
import gzip
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import psutil

from recollect.derive.knowledge import Neighbourhood, put_names
from recollect.extract.brief import Brief, Extracted
from recollect.governance import keys
from recollect.graph.types import Access, Graph, NewEpisode
from recollect.ingest import fold, intake
from recollect.limits import JOBS_PER_COMMIT_MAX
from recollect.models import embedder, parser
from recollect.models.judge import Pair
from recollect.records import graphs
from recollect.records.graphs import GraphDetails
from recollect.settings import Settings
from recollect.store import numbers
from recollect.store.protocol import Transaction
from recollect.store.sqlite import SqliteStore
from tests.support.here import HereExtractor, learn

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "locomo_dev.json.gz"
START = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


class Stopwatch:
    """CPU seconds by name; what runs inside another is taken out of the outer one."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.pairs = 0  # that a judge read
        self._inner = [0.0]

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        """Count what happens inside under *name*."""
        began = time.process_time()
        self._inner.append(0.0)
        try:
            yield
        finally:
            spent = time.process_time() - began
            own = spent - self._inner.pop()
            self._inner[-1] += spent
            self.seconds[name] = self.seconds.get(name, 0.0) + own

    def watch(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """*function*, timed."""

        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.time(name):
                return function(*args, **kwargs)

        return timed


def turns(count: int) -> list[NewEpisode]:
    """Turns of real conversations, in order and around again when they run out."""
    if not DATA.is_file():
        raise SystemExit(f"{DATA.name} is not there: this bench needs ../shared/data")
    talks = json.loads(gzip.decompress(DATA.read_bytes()))
    said = [
        (turn["speaker"], turn["text"])
        for talk in talks
        for name in sorted(
            (k for k in talk["conversation"] if k.startswith("session_") and k[8:].isdigit()),
            key=lambda k: int(k[8:]),
        )
        for turn in talk["conversation"][name]
    ]
    return [
        NewEpisode(
            kind="message",
            content=said[number % len(said)][1],
            speaker=said[number % len(said)][0],
            created_at=START + timedelta(minutes=number),
        )
        for number in range(count)
    ]


async def fill(store: SqliteStore, access: Access, episodes: Sequence[NewEpisode]) -> None:
    """Append episodes to the log."""
    for start in range(0, len(episodes), 20):
        part = episodes[start : start + 20]
        await store.write(intake.add_episodes, access, None, "g", part)


def floor(models: Path, texts: Sequence[str]) -> tuple[float, float]:
    """CPU seconds of the bare parser and of the bare embedder on the same texts."""
    nlp, vectors = parser.load(models), embedder.load(models)
    began = time.process_time()
    for _ in nlp.pipe(texts, batch_size=JOBS_PER_COMMIT_MAX):
        pass
    parsed = time.process_time()
    vectors.passages(texts)
    return parsed - began, time.process_time() - parsed


@contextmanager
def instrumented(using: HereExtractor, watch: Stopwatch) -> Iterator[list[str]]:
    """Take the time of each step meanwhile; gives the texts that were embedded."""
    inside: Any = using.embedded
    texts: list[str] = []
    pipe, passages = inside._prose._nlp.pipe, inside._embedder.passages

    def parsed(*args: Any, **kwargs: Any) -> Iterator[Any]:
        with watch.time("parse"):
            return iter(list(pipe(*args, **kwargs)))

    def embedded(found: Sequence[str]) -> Any:
        texts.extend(found)
        with watch.time("embed"):
            return passages(found)

    judge = inside.judge

    def judged(pairs: Sequence[Pair]) -> Any:
        watch.pairs += len(pairs)
        with watch.time("judge"):
            return judge(pairs)

    with ExitStack() as stack:
        for target, name, stand_in in (
            (inside._prose._nlp, "pipe", parsed),
            (inside._embedder, "passages", embedded),
            (inside, "read", watch.watch("rules", inside.read)),
            (inside, "judge", judged),
            (fold, "reconcile", watch.watch("reconcile", fold.reconcile)),
            (Neighbourhood, "apply", watch.watch("write", Neighbourhood.apply)),
        ):
            stack.enter_context(mock.patch.object(target, name, stand_in))
        yield texts


async def path_of_an_episode(models: Path, count: int) -> None:
    """Episodes per second of one worker, as it ships and without the judge, and where the time goes."""
    episodes = turns(count)
    parse_s, embed_s = floor(models, [episode.content for episode in episodes])
    for judges in (True, False):
        watch, total, elapsed, embedded = await read(episodes, judges=judges)
        _, same_s = floor(models, embedded)
        print(f"## {count} turns, {'with' if judges else 'without'} the judge\n")
        print(f"{count / total:.1f} per CPU second, {count / elapsed:.1f} per second", end="")
        print(f", {watch.pairs / count:.2f} pairs judged per turn (goal >= 25 per CPU second)\n")
        steps = dict(watch.seconds)
        steps["everything else"] = total - sum(steps.values())
        steps["whole"] = total
        steps["floor: parser and embedder on the turns"] = parse_s + embed_s
        steps["floor: parser on the turns, embedder on turns and facts"] = parse_s + same_s
        print("| step | ms per episode |")
        print("|---|---|")
        for name, seconds in steps.items():
            print(f"| {name} | {seconds / count * 1000:.2f} |")
        print(f"\nratio to the first floor {total / (parse_s + embed_s):.2f}, ", end="")
        print(f"to the second {total / (parse_s + same_s):.2f} (goal <= 1.5 without the judge)\n")


async def read(
    episodes: Sequence[NewEpisode], *, judges: bool
) -> tuple[Stopwatch, float, float, list[str]]:
    """Let a new store learn: the time of each step, CPU seconds, seconds, and what was embedded."""
    using, watch = HereExtractor(), Stopwatch()
    await using.judge([Pair("Ann lives in Rome.", "Ann moved to Oslo.")])  # loads it
    with tempfile.TemporaryDirectory() as folder:
        store, access, _ = await new_store(Path(folder))
        await fill(store, access, episodes)
        with instrumented(using, watch) as embedded:
            began, wall = time.process_time(), time.perf_counter()
            await learn(store, using, using if judges else None)
            total, elapsed = time.process_time() - began, time.perf_counter() - wall
        await store.close()
    return watch, total, elapsed, embedded


def stuff(tx: Transaction, graph_id: int, speakers: Sequence[str], facts: int) -> None:
    """A graph of many facts about the speakers and about things nobody will mention."""
    people = [_entity(tx, graph_id, name, "person") for name in speakers]
    things = [_entity(tx, graph_id, f"thing {n}", "object") for n in range(facts // 10)]
    relations = ("LIKES", "OWNS", "VISITED", "TALKED_ABOUT", "WANTS_TO", "MADE")
    for number in range(facts):
        tx.facts.insert(
            side="",
            **numbers.of_graph(graph_id),
            uuid=tx.new_id(),
            graph_id=graph_id,
            source_id=people[number % len(people)],
            target_id=things[number % len(things)],
            name=relations[number % len(relations)],
            fact=f"{speakers[number % len(people)]} did thing {number}",
            attributes=None,
            rating=None,
            created_at=0,
            expired_at=None,
            valid_at=0,
            invalid_at=None,
            predicate=relations[number % len(relations)],
            gist=f"thing {number}",
            negated=False,
            ends=False,
            slot=None,
            confidence=1.0,
            extractor="bench",
            event_at=None,
        )


def _entity(tx: Transaction, graph_id: int, name: str, kind: str) -> int:
    number = tx.entities.insert(
        side="",
        **numbers.of_graph(graph_id),
        uuid=tx.new_id(),
        graph_id=graph_id,
        name=name,
        labels='["Entity"]',
        summary="",
        attributes=None,
        is_user=False,
        is_assistant=False,
        kind=kind,
        names=json.dumps([name]),
        now=0,
    )
    put_names(tx, graph_id, number, [name])
    return number


class Remembering(HereExtractor):
    """Reads every text once; what is measured is what comes after reading."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[str, Extracted] = {}

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says, from memory when it was read before."""
        for reading in readings:
            if reading.content not in self._seen:
                self._seen[reading.content] = self.embedded.read([reading])[0]
        return [self._seen[reading.content] for reading in readings]


async def cost_after_reading(using: HereExtractor, facts: int, sample: int) -> float:
    """CPU milliseconds per episode for lookup, reconciliation and writing."""
    episodes = turns(sample)
    speakers = sorted({episode.speaker for episode in episodes if episode.speaker})
    with tempfile.TemporaryDirectory() as folder:
        store, access, graph = await new_store(Path(folder))
        await store.write(stuff, graph.id, speakers, facts)
        await fill(store, access, episodes)
        began = time.process_time()
        await learn(store, using)
        spent = time.process_time() - began
        await store.close()
    return spent / sample * 1000


async def growth(small: int, large: int, sample: int, rounds: int) -> None:
    """What an episode costs in a small graph and in a large one."""
    using = Remembering()
    await cost_after_reading(using, small, sample)  # everything is read now
    pairs = [
        (
            await cost_after_reading(using, small, sample),
            await cost_after_reading(using, large, sample),
        )
        for _ in range(rounds)
    ]
    ratio = statistics.median(many / few for few, many in pairs)
    few, many = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(
        f"after reading: {few:.2f} ms per episode in a graph of {small} facts, {many:.2f} ms in one "
        f"of {large}: ratio {ratio:.2f} (goal <= 1.3)"
    )


async def memory(count: int) -> None:
    """Whether a worker grows with what it has read."""
    using, me = HereExtractor(), psutil.Process()
    marks = []
    with tempfile.TemporaryDirectory() as folder:
        store, access, _ = await new_store(Path(folder))
        episodes = turns(count)
        for start in range(0, count, count // 5):
            await fill(store, access, episodes[start : start + count // 5])
            await learn(store, using)
            marks.append(me.memory_info().rss / 1e6)
        await store.close()
    told = ", ".join(f"{mark:.0f}" for mark in marks)
    print(
        f"MB after each fifth of {count} episodes: {told} (last to first {marks[-1] / marks[0]:.2f})"
    )


async def new_store(folder: Path) -> tuple[SqliteStore, Access, Graph]:
    """An empty store with one graph."""
    store = SqliteStore.open(folder)
    project = await store.write(keys.create_project, "bench")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    return store, access, await store.write(graphs.create, access, "g", GraphDetails())


async def measure(*, quick: bool) -> None:
    """All of it."""
    await path_of_an_episode(Settings().models, 200 if quick else 1_000)
    await growth(1_000, 50_000, 100 if quick else 400, 1 if quick else 3)
    await memory(500 if quick else 10_000)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="a small run, to see that it runs")
    asyncio.run(measure(quick=options.parse_args().quick))
