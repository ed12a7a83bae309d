"""Random histories on the real embedded store agree with a plain model after every step."""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from recollect.derive import readings
from recollect.errors import AlreadyExists, NotFound
from recollect.graph import checks
from recollect.graph.found import FoundEntity, FoundFact
from recollect.graph.terms import hashed, terms
from recollect.graph.types import Access, Episode, Graph, Job, Json, NewEpisode
from recollect.ingest import intake, pipeline, queue, rebuild
from recollect.ingest.intake import Receipt
from recollect.ingest.queue import Claim
from recollect.ingest.worker import Worker
from recollect.limits import JOB_BACKOFF_MAX_S
from recollect.records import episodes, graphs, knowledge, threads, users
from recollect.records.graphs import GraphDetails
from recollect.records.pages import PageRequest
from recollect.records.users import UserDetails
from recollect.search.segment import Segment
from recollect.search.segments import Segments
from recollect.store import rows
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, new_project, read_back
from tests.property import invariants, strategies
from tests.property.effort import examples
from tests.property.model import ModelEpisode, ModelFact, ModelGraph, ModelProject
from tests.property.reader import VECTOR, ScriptedReader
from tests.support import here
from tests.support.stores import open_store, raw

T = TypeVar("T")
PROJECTS = (0, 1)
TRIES = 2
BACKOFF_S = 1.0
TOGETHER = 3
EVERYTHING = 1_000
TOPICS = ("Rho", "Sigma", "Tau")  # without numbers, which tell their facts apart
CACHE_BYTES = 700_000  # room for two or three segments of small graphs

projects = st.sampled_from(PROJECTS)
picks = st.integers(0, 1_000)
nouns = st.sampled_from(["user", "thread", "graph"])
first_names = st.sampled_from([None, "Jane", "Joan"])


def _said(content: str, *, ignored: bool = False) -> NewEpisode:
    return NewEpisode(kind="message", content=content, role="user", speaker="Jane", ignored=ignored)


FIRST_WORDS = [_said("alpha beta"), _said("gamma", ignored=True)]


class Broken(Exception):
    """What a worker of these histories stumbles over."""


class Histories(RuleBasedStateMachine):
    """Users, threads, graphs and episodes of two projects come, change and go; workers work."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="recollect-history-"))
        self.runner = asyncio.Runner()
        self.clock = StillClock()
        self.store: Store = self._open()
        self.access: list[Access] = []
        self.model = [ModelProject(), ModelProject()]

    def _open(self) -> Store:
        return open_store(self.folder, readers=1, clock=self.clock)

    def run(self, call: Awaitable[T]) -> T:
        """Await on this machine's own loop."""

        async def wait() -> T:
            return await call

        return self.runner.run(wait())

    def write(self, unit: Callable[..., T], *args: Any, **more: Any) -> T:
        """One unit, a second after the last one."""
        self.clock.advance(1)
        return self.run(self.store.write(unit, *args, **more))

    def read(self, unit: Callable[..., T], *args: Any, **more: Any) -> T:
        """One look."""
        return self.run(self.store.read(unit, *args, **more))

    def teardown(self) -> None:
        """Close, look at the file once more, and clean up."""
        try:
            self.run(self.store.close())
            invariants.check(self.folder)
            invariants.check_file(self.folder)
        finally:
            self.runner.close()
            shutil.rmtree(self.folder)

    @initialize()
    def two_projects(self) -> None:
        """Nothing of one may ever show in the other."""
        self.access = [
            self.run(new_project(self.store, "first")),
            self.run(new_project(self.store, "second")),
        ]
        self.segments = Segments(self.store, bytes_max=CACHE_BYTES)
        self.learned = count(1)
        for p in PROJECTS:
            self.create_user(p=p, user_id="a", first_name="Jane")
            self.create_thread(p=p, thread_id="a", user_id="a")
            self.create_graph(p=p, graph_id="a")
            self.add_messages(p=p, pick=0, sent=FIRST_WORDS)
            self.add_data(p=p, pick=0, of_user=False, sent=[_said("alpha")])

    # Users.

    def create_user(self, p: int, user_id: str, first_name: str | None) -> None:
        """A free id makes a user, a taken one an error."""
        model, details = self.model[p], UserDetails(first_name=first_name)
        if user_id in model.users:
            with pytest.raises(AlreadyExists):
                self.write(users.create, self.access[p], user_id, details)
            return
        made = self.write(users.create, self.access[p], user_id, details)
        model.users[user_id] = ModelGraph(made.graph_uuid)
        model.first_names[user_id] = first_name

    def update_user(self, p: int, user_id: str, first_name: str | None) -> None:
        """Replaces what is said, when there is such a user."""
        details = UserDetails(first_name=first_name)
        if user_id not in self.model[p].users:
            with pytest.raises(NotFound):
                self.write(users.update, self.access[p], user_id, details)
            return
        self.write(users.update, self.access[p], user_id, details)
        self.model[p].first_names[user_id] = first_name
        self.model[p].users[user_id].bent = True

    def delete_user(self, p: int, user_id: str) -> None:
        """A user takes everything along."""
        if user_id not in self.model[p].users:
            with pytest.raises(NotFound):
                self.write(users.delete, self.access[p], user_id)
            return
        self.write(users.delete, self.access[p], user_id)
        self.model[p].delete_user(user_id)

    # Threads.

    def create_thread(self, p: int, thread_id: str, user_id: str) -> None:
        """Needs a user and a free id."""
        model = self.model[p]
        if user_id not in model.users:
            expected: type[Exception] | None = NotFound
        else:
            expected = AlreadyExists if thread_id in model.threads else None
        if expected is not None:
            with pytest.raises(expected):
                self.write(threads.create, self.access[p], thread_id, user_id)
            return
        self.write(threads.create, self.access[p], thread_id, user_id)
        model.threads[thread_id] = user_id
        model.thread_metadata[thread_id] = {}

    def update_thread(self, p: int, thread_id: str, change: Json) -> None:
        """Metadata merges."""
        if thread_id not in self.model[p].threads:
            with pytest.raises(NotFound):
                self.write(threads.update, self.access[p], thread_id, metadata=change, rating=None)
            return
        self.write(threads.update, self.access[p], thread_id, metadata=change, rating=None)
        self.model[p].merge_thread(thread_id, change)

    def delete_thread(self, p: int, thread_id: str, keep_graph: bool) -> None:
        """Both ways to delete one."""
        delete = threads.delete_keeping_graph if keep_graph else threads.delete
        if thread_id not in self.model[p].threads:
            with pytest.raises(NotFound):
                self.write(delete, self.access[p], thread_id)
            return
        self.write(delete, self.access[p], thread_id)
        self.model[p].delete_thread(thread_id, keep_graph=keep_graph)

    @rule(p=projects, what=nouns, name=strategies.names, user_id=strategies.names)
    def create(self, p: int, what: str, name: str, user_id: str) -> None:
        """Something new, or something that is there already."""
        if what == "user":
            self.create_user(p, name, None)
        elif what == "thread":
            self.create_thread(p, name, user_id)
        else:
            self.create_graph(p, name)

    @rule(p=projects, name=strategies.names, change=strategies.changes, first=first_names)
    def update(self, p: int, name: str, change: Json, first: str | None) -> None:
        """A user and a thread of that name, where there are such."""
        self.update_user(p, name, first)
        self.update_thread(p, name, change)

    @rule(p=projects, what=nouns, name=strategies.names, keep_graph=st.booleans())
    def delete(self, p: int, what: str, name: str, keep_graph: bool) -> None:
        """Something that is there, or something that is not."""
        if what == "user":
            self.delete_user(p, name)
        elif what == "thread":
            self.delete_thread(p, name, keep_graph)
        else:
            self.delete_graph(p, name)

    # Standalone graphs.

    def create_graph(self, p: int, graph_id: str) -> None:
        """A free id makes a graph, a taken one an error; users' graphs do not count."""
        if graph_id in self.model[p].graphs:
            with pytest.raises(AlreadyExists):
                self.write(graphs.create, self.access[p], graph_id, GraphDetails())
            return
        made = self.write(graphs.create, self.access[p], graph_id, GraphDetails())
        self.model[p].graphs[graph_id] = ModelGraph(made.uuid)

    def delete_graph(self, p: int, graph_id: str) -> None:
        """A graph takes everything along."""
        if graph_id not in self.model[p].graphs:
            with pytest.raises(NotFound):
                self.write(graphs.delete, self.access[p], graph_id)
            return
        self.write(graphs.delete, self.access[p], graph_id)
        del self.model[p].graphs[graph_id]

    # The log.

    def _note(
        self,
        p: int,
        graph: ModelGraph,
        receipt: Receipt,
        sent: list[NewEpisode],
        thread: str | None,
    ) -> None:
        known = self.read(read_back, self.access[p], receipt).episodes
        assert len(known) == len(sent)
        for stored, new in zip(known, sent, strict=True):
            graph.append(
                ModelEpisode(
                    uuid=stored.uuid,
                    seq=stored.seq,
                    new=new,
                    thread=thread,
                    metadata=new.metadata,
                    task=None if new.ignored else receipt.task_uuid,
                    state="ignored" if new.ignored else "pending",
                )
            )

    @rule(
        p=projects,
        pick=picks,
        sent=st.lists(strategies.messages(), min_size=1, max_size=4),
    )
    def add_messages(self, p: int, pick: int, sent: list[NewEpisode]) -> None:
        """Acknowledged messages are in the thread and in the graph of its user."""
        known = sorted(self.model[p].threads)
        if not known:
            with pytest.raises(NotFound):
                self.write(intake.add_messages, self.access[p], "a", sent)
            return
        thread_id = known[pick % len(known)]
        receipt = self.write(intake.add_messages, self.access[p], thread_id, sent)
        self._note(p, self.model[p].graph_of_thread(thread_id), receipt, sent, thread_id)

    @rule(
        p=projects,
        pick=picks,
        of_user=st.booleans(),
        sent=st.lists(strategies.data(), min_size=1, max_size=4),
    )
    def add_data(self, p: int, pick: int, of_user: bool, sent: list[NewEpisode]) -> None:
        """Acknowledged data is in the graph it was sent to."""
        known = self.model[p].users if of_user else self.model[p].graphs
        name = sorted(known)[pick % len(known)] if known else "a"
        ids = (name, None) if of_user else (None, name)
        if not known:
            with pytest.raises(NotFound):
                self.write(intake.add_episodes, self.access[p], *ids, sent)
            return
        receipt = self.write(intake.add_episodes, self.access[p], *ids, sent)
        self._note(p, known[name], receipt, sent, None)

    def _some_episode(self, p: int, pick: int) -> tuple[ModelGraph, ModelEpisode] | None:
        found = [(g, e) for g in self.model[p].all_graphs() for e in g.log]
        return found[pick % len(found)] if found else None

    @rule(p=projects, pick=picks)
    def delete_episode(self, p: int, pick: int) -> None:
        """One's own can be deleted; another project's cannot be reached."""
        found = self._some_episode(p, pick)
        if found is None:
            return
        graph, episode = found
        with pytest.raises(NotFound):
            self.write(episodes.delete, self.access[1 - p], episode.uuid)
        self.write(episodes.delete, self.access[p], episode.uuid)
        graph.forget([episode])

    @rule(p=projects, pick=picks, change=strategies.changes)
    def change_metadata(self, p: int, pick: int, change: Json) -> None:
        """Metadata merges; nothing else of an episode changes."""
        found = self._some_episode(p, pick)
        if found is None:
            return
        _, episode = found
        self.write(episodes.update_metadata, self.access[p], episode.uuid, change)
        episode.metadata = checks.merge(episode.metadata, change) or None

    # What is learned from the log.

    @rule(p=projects, pick=picks, draw=st.data())
    def read_again(self, p: int, pick: int, draw: st.DataObject) -> None:
        """An episode says one thing more than before, and others that came earlier bear it out."""
        found = self._some_episode(p, pick)
        if found is None or found[1].state != "done":
            return
        graph, episode = found
        self._settle(graph)
        earlier = [e.seq for e in graph.log if e.seq < episode.seq and e.state == "done"]
        cites = draw.draw(st.sets(st.sampled_from(earlier), max_size=2)) if earlier else set()
        ends = draw.draw(st.tuples(st.sampled_from(TOPICS), st.sampled_from(TOPICS)))
        fact = FoundFact(
            source=0,
            target=1,
            name="IS_ABOUT",
            predicate="IS_ABOUT",
            fact=f"F{next(self.learned)}",
            cites=tuple(sorted(cites)),
        )
        self.write(_read_more, episode.uuid, ends, fact)
        self.run(here.settle(self.store, self.read(_id, graph.uuid)))
        graph.facts, graph.entities = self.read(_learned, graph.uuid)
        said = {e.uuid for e in graph.log if e.seq in cites} | {episode.uuid}
        (told,) = [uuid for uuid in graph.facts if self.read(_sentence, uuid) == fact.fact]
        assert graph.facts[told].supports == said

    # Workers.

    @rule()
    def work_until_idle(self) -> None:
        """A worker that nothing troubles does all there is to do."""
        self.work(set(), 100)
        left = [e for project in self.model for g in project.all_graphs() for e in g.pending()]
        assert left == []

    @rule(
        fails=st.sets(st.sampled_from(strategies.WORDS), min_size=1, max_size=2),
        steps=st.integers(1, 6),
    )
    def work(self, fails: set[str], steps: int) -> None:
        """A worker that stumbles over some words; it retries, parks, and keeps the order."""
        ended: list[Job] = []

        async def process(store: Store, held: Claim, jobs: Sequence[Job]) -> None:
            if any(fails & set(job.episode.content.split()) for job in jobs):
                raise Broken
            await pipeline.process(store, held, jobs, extractor=ScriptedReader())
            ended.extend(jobs)

        worker = Worker(
            self.store,
            owner="w",
            attempts_max=TRIES,
            backoff_first_s=BACKOFF_S,
            process=process,
            together=TOGETHER,
        )
        for _ in range(steps):
            self.clock.advance(JOB_BACKOFF_MAX_S)  # the longest pause there is, also after deaths
            if not self.run(worker.step()):
                invariants.check_idle(self.folder)
                break
        done = {job.episode.uuid for job in ended}
        assert len(done) == len(ended), "a job was done twice"
        for project in self.model:
            for graph in project.all_graphs():
                self._follow(graph, [job.episode.uuid for job in ended])

    def _follow(self, graph: ModelGraph, ended: list[str]) -> None:
        """Take over what the worker did to a graph, checking that it kept the order."""
        own = [episode.uuid for episode in graph.log if episode.uuid in ended]
        assert own == [uuid for uuid in ended if uuid in set(own)], "jobs ran out of order"
        for episode in graph.log:
            if episode.uuid in ended:
                assert episode.state == "pending"
                episode.state = "done"
        stored = self.run(self.store.read(_job_states, graph.uuid))
        for episode in graph.pending():
            status, attempts = stored[episode.uuid]
            episode.failures = attempts
            if status == "parked":
                assert attempts >= TRIES
                episode.state = "parked"
                episode.was_parked = True
        self._take_over(graph)

    def _take_over(self, graph: ModelGraph) -> None:
        """Let the model know what was learned: more than before, and nothing less."""
        facts, entities = self.read(_learned, graph.uuid)
        for uuid, fact in graph.facts.items():
            assert facts[uuid].ends == fact.ends
            assert facts[uuid].supports >= fact.supports
        for uuid, heard in graph.entities.items():
            assert entities[uuid] >= heard
        graph.facts, graph.entities = facts, entities

    @rule(p=projects, pick=picks)
    def settle(self, p: int, pick: int) -> None:
        """The folder comes by; what was only deleted is as it was left."""
        found = self._some_episode(p, pick)
        if found is not None:
            self._settle(found[0])

    def _settle(self, graph: ModelGraph) -> None:
        self.run(here.settle(self.store, self.read(_id, graph.uuid)))
        facts, entities = self.read(_learned, graph.uuid)
        assert graph.bent or facts == graph.facts
        assert graph.bent or entities == graph.entities
        graph.facts, graph.entities, graph.bent = facts, entities, False

    @rule(p=projects, pick=picks)
    def rebuild_graph(self, p: int, pick: int) -> None:
        """All of it again from the log: the same, once it is settled."""
        self.work_until_idle()
        found = self._some_episode(p, pick)
        if found is None:
            return
        graph, _ = found
        self._settle(graph)
        (before,) = [s for s in self.read(rebuild.states) if s.id == self.read(_id, graph.uuid)]
        self.clock.advance(1)
        self.run(here.fold(self.store, before.id))
        (after,) = [s for s in self.read(rebuild.states) if s.id == before.id]
        assert after == before

    @rule(p=projects)
    def retry_parked(self, p: int) -> None:
        """Parked jobs are listed for their own project only, and can be put back."""
        listed = self.read(queue.parked, self.access[p], EVERYTHING)
        parked = {
            e.uuid: e for g in self.model[p].all_graphs() for e in g.log if e.state == "parked"
        }
        assert {job.episode_uuid for job in listed} == set(parked)
        if listed:
            with pytest.raises(NotFound):
                self.write(queue.retry, self.access[1 - p], listed[0].episode_uuid)
            self.write(queue.retry, self.access[p], listed[0].episode_uuid)
            parked[listed[0].episode_uuid].state = "pending"
            for graph in self.model[p].all_graphs():
                # Once it is read it is learned before what came later.
                graph.bent = graph.bent or parked[listed[0].episode_uuid] in graph.log

    @precondition(lambda self: self.access)
    @rule()
    def crash_while_holding(self) -> None:
        """A worker claims and vanishes; a later one takes over once the lease is freed."""
        self.write(queue.claim, "crashed")
        self.write(queue.free, "crashed")

    @rule()
    def restart(self) -> None:
        """Close and reopen the same folder."""
        self.run(self.store.close())
        self.store = self._open()
        self.segments = Segments(self.store, bytes_max=CACHE_BYTES)

    # What holds after every step.

    @invariant()
    def the_file_is_sound(self) -> None:
        """No orphan, no gap, no contradiction between any two tables."""
        invariants.check(self.folder)

    @precondition(lambda self: self.access)
    @invariant()
    def the_store_agrees_with_the_model(self) -> None:
        """Names, logs, order, metadata, counts: everything a caller could ask."""
        self.run(self._compare())

    async def _compare(self) -> None:
        waiting = parked = 0
        for p in PROJECTS:
            model, access = self.model[p], self.access[p]
            await self._compare_names(access, model)
            for user_id, graph in model.users.items():
                await self._compare_graph(
                    access, await self.store.read(graphs.of_user, access, user_id), graph
                )
            for graph_id, graph in model.graphs.items():
                await self._compare_graph(
                    access, await self.store.read(graphs.get, access, graph_id), graph
                )
            waiting += sum(len(graph.pending()) for graph in model.all_graphs())
            parked += sum(e.state == "parked" for g in model.all_graphs() for e in g.log)
        state = await self.store.read(queue.state)
        assert (state.pending, state.parked) == (waiting, parked)

    async def _compare_names(self, access: Access, model: ModelProject) -> None:
        page: dict[str, Any] = {"limit": EVERYTHING, "offset": 0}
        listed = await self.store.read(users.page, access, search="", order="id/asc", **page)
        assert listed.total == len(model.users)
        assert {user.user_id: user.first_name for user in listed.users} == model.first_names
        for user in listed.users:
            owned = [t for t, owner in model.threads.items() if owner == user.user_id]
            assert user.thread_count == len(owned)
        found = await self.store.read(threads.page, access, order="id/asc", **page)
        assert found.total == len(model.threads)
        assert {t.thread_id: t.user_id for t in found.threads} == model.threads
        assert {t.thread_id: t.metadata or {} for t in found.threads} == model.thread_metadata
        standing = await self.store.read(
            graphs.page, access, search="", order="graph_id/asc", **page
        )
        assert standing.total == len(model.graphs)
        assert {g.graph_id: g.uuid for g in standing.graphs} == {
            graph_id: graph.uuid for graph_id, graph in model.graphs.items()
        }
        for thread in found.threads:
            said = await self.store.read(episodes.messages, access, thread, **page)
            log = model.graph_of_thread(thread.thread_id).log
            wanted = [e.uuid for e in log if e.thread == thread.thread_id]
            assert [episode.uuid for episode in said] == wanted
            assert await self.store.read(episodes.message_count, access, thread) == len(wanted)

    async def _compare_graph(self, access: Access, graph: Graph, model: ModelGraph) -> None:
        assert graph.uuid == model.uuid
        stored = await self.store.read(episodes.last, access, graph, EVERYTHING)
        wanted = [e for e in model.log if not e.new.ignored]
        assert [episode.uuid for episode in reversed(stored)] == [e.uuid for e in wanted]
        for episode, expected in zip(reversed(stored), wanted, strict=True):
            _same(episode, expected)
        page = PageRequest(order="uuid/asc", limit=EVERYTHING)
        facts = (await self.store.read(knowledge.facts_page, access, graph, page)).items
        learned = {
            fact.uuid: ModelFact((fact.source_uuid, fact.target_uuid), set(fact.episodes))
            for fact in facts
            if not fact.name.startswith("HAS_")
        }
        assert learned == model.facts
        entities = (await self.store.read(knowledge.entities_page, access, graph, page)).items
        assert {e.uuid for e in entities if not e.is_user} == set(model.entities)

    @precondition(lambda self: self.access)
    @rule(p=projects, query=strategies.words)
    def search(self, p: int, query: str) -> None:
        """Exactly the processed, undeleted episodes with a wanted term are found."""
        model, access = self.model[p], self.access[p]
        wanted = set(terms(query))
        for user_id, known in model.users.items():
            self._search(access, self.read(graphs.of_user, access, user_id), known, query, wanted)
        for graph_id, known in model.graphs.items():
            self._search(access, self.read(graphs.get, access, graph_id), known, query, wanted)

    def _search(
        self, access: Access, graph: Graph, known: ModelGraph, query: str, wanted: set[str]
    ) -> None:
        segment = self.run(self.segments.of(access, graph))
        scores = segment.words["episode"].search(map(hashed, wanted), segment.visible("episode"))
        ids = rows.to_json(segment.row_ids("episode", np.flatnonzero(scores)))
        hits = self.read(lambda tx: [row.uuid for row in tx.episodes.by_ids(ids=ids)])
        assert sorted(hits) == sorted(known.expected_hits(wanted))
        fresh = self.run(Segments(self.store, bytes_max=0).of(access, graph))
        assert _content(segment, wanted) == _content(fresh, wanted)
        stranger = self.access[0] if access == self.access[1] else self.access[1]
        with pytest.raises(NotFound):
            self.run(self.segments.of(stranger, graph))


def _content(segment: Segment, wanted: set[str]) -> dict[str, Any]:
    """What a segment holds, by row ids, as slots depend on when things came."""
    held: dict[str, Any] = {"version": segment.version, "epoch": segment.epoch}
    for kind, words in segment.words.items():
        shelf, visible = segment.table(kind), segment.visible(kind)
        ids = segment.row_ids(kind, np.flatnonzero(shelf.alive.array))
        scores = words.search(map(hashed, wanted), visible)[shelf.alive.array].tolist()
        vectors = segment.vectors[kind].held(len(visible))[shelf.alive.array].tolist()
        created = shelf.created_at.array[shelf.alive.array].tolist()
        held[kind] = {
            number: (round(score, 9), created_at, vector)
            for number, score, created_at, vector in zip(ids, scores, created, vectors, strict=True)
        }
    facts, entities = segment.facts, segment.entities
    alive = np.flatnonzero(facts.alive.array)
    ends = (segment.row_ids("entity", end.array[alive]) for end in (facts.source, facts.target))
    times = (time.array[alive].tolist() for time in (facts.invalid_at, facts.expired_at))
    held["facts"] = set(zip(segment.row_ids("fact", alive), *ends, *times, strict=True))
    for name, links, shelf in (
        ("supports", segment.supports, facts),
        ("mentions", segment.mentions, entities),
    ):
        items, said = links.pairs(segment.episodes)
        there = shelf.alive.array[items]
        pairs = [shelf.ids.array[items[there]], segment.episodes.ids.array[said[there]]]
        held[name] = sorted(zip(*(part.tolist() for part in pairs), strict=True))
    return held


def _same(stored: Episode, expected: ModelEpisode) -> None:
    assert (stored.seq, stored.content) == (expected.seq, expected.new.content)
    assert (stored.kind, stored.speaker) == (expected.new.kind, expected.new.speaker)
    assert stored.metadata == expected.metadata
    assert stored.thread_id == expected.thread
    assert stored.task_uuid == expected.task
    assert (stored.processed_at is not None) == (expected.state == "done")


def _id(tx: Any, graph_uuid: str) -> int:
    number: int = (
        raw(tx).execute("SELECT id FROM graphs WHERE uuid = ?", (graph_uuid,)).fetchone()[0]
    )
    return number


def _read_more(tx: Any, uuid: str, ends: tuple[str, str], fact: FoundFact) -> None:
    """Keep another reading of an episode: the one it has, and a fact between two topics."""
    (row,) = raw(tx).execute("SELECT id FROM episodes WHERE uuid = ?", (uuid,)).fetchall()
    kept = readings.of_episode(tx, row["id"])
    first = len(kept.found.entities)
    more = tuple(FoundEntity(name=name, kind="topic") for name in dict.fromkeys(ends))
    fact = msgspec.structs.replace(fact, source=first, target=first + len(more) - 1)
    found = msgspec.structs.replace(
        kept.found, entities=kept.found.entities + more, facts=(*kept.found.facts, fact)
    )
    readings.replace(tx, row["id"], found, (*kept.fact_vectors, VECTOR))


def _sentence(tx: Any, uuid: str) -> str:
    found: str = raw(tx).execute("SELECT fact FROM facts WHERE uuid = ?", (uuid,)).fetchone()[0]
    return found


def _learned(tx: Any, graph_uuid: str) -> tuple[dict[str, ModelFact], dict[str, set[str]]]:
    """Facts with an episode behind them and entities besides the user, by uuid."""
    graph_id = _id(tx, graph_uuid)
    users_own = {row.uuid for row in tx.entities.who(graph_id=graph_id)}
    entities: dict[str, set[str]] = {
        row["uuid"]: set()
        for row in tx.digests.part("entities", graph_id=graph_id)
        if row["uuid"] not in users_own
    }
    for row in tx.digests.part("mentions", graph_id=graph_id):
        if row["entity"] in entities:
            entities[row["entity"]].add(row["episode"])
    facts = {
        row["uuid"]: ModelFact((row["source"], row["target"]), set())
        for row in tx.digests.part("facts", graph_id=graph_id)
        if not row["name"].startswith("HAS_")
    }
    for row in tx.digests.part("supports", graph_id=graph_id):
        facts[row["fact"]].supports.add(row["episode"])
    return facts, entities


def _job_states(tx: Any, graph_uuid: str) -> dict[str, tuple[str, int]]:
    found = raw(tx).execute(
        "SELECT e.uuid, j.status, j.attempts + j.lost AS attempts FROM jobs j JOIN episodes e ON e.id = j.id "
        "JOIN graphs g ON g.id = j.graph_id WHERE g.uuid = :uuid",
        {"uuid": graph_uuid},
    )
    return {row["uuid"]: (row["status"], row["attempts"]) for row in found}


_NO_HURRY = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "print_blob": True,
}

# The same histories each time: what chance finds belongs to the long run, where it is looked into.
TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=examples(40), stateful_step_count=40, derandomize=True, database=None, **_NO_HURRY
)


class ManyHistories(Histories):
    """The same, for longer."""


TestManyHistories = pytest.mark.long(ManyHistories.TestCase)
TestManyHistories.settings = settings(max_examples=300, stateful_step_count=80, **_NO_HURRY)
