"""A model of the memory in plain Python, which a store must agree with after every step."""

from dataclasses import dataclass, field

from recollect.graph.checks import merge
from recollect.graph.terms import terms
from recollect.graph.types import Json, NewEpisode


@dataclass
class ModelEpisode:
    """An accepted episode and its state."""

    uuid: str
    seq: int
    new: NewEpisode
    thread: str | None
    metadata: Json | None
    task: str | None
    state: str = "pending"
    failures: int = 0
    was_parked: bool = False  # an episode that was parked once stays findable by its words

    @property
    def findable(self) -> bool:
        """Whether a search may show it."""
        return self.state == "done" or self.was_parked

    @property
    def terms(self) -> set[str]:
        """The terms by which it can be found."""
        return set(terms(self.new.content))


@dataclass
class ModelFact:
    """A fact: the uuids of its two entities, and the episodes that support it."""

    ends: tuple[str, str]
    supports: set[str]


@dataclass
class ModelGraph:
    """One memory: the log in order, the highest number ever assigned, and what was learned.

    Entities, with the episodes that mention them, and facts are kept by uuid. *bent*: something came late
    or was renamed, so that another fold changes the graph.
    """

    uuid: str
    log: list[ModelEpisode] = field(default_factory=list)
    last_seq: int = 0
    bent: bool = False
    entities: dict[str, set[str]] = field(default_factory=dict)
    facts: dict[str, ModelFact] = field(default_factory=dict)

    def forget(self, gone: list[ModelEpisode]) -> None:
        """Remove episodes, and everything that only they supported."""
        uuids = {episode.uuid for episode in gone}
        self.log = [episode for episode in self.log if episode.uuid not in uuids]
        touched = {uuid for uuid, heard in self.entities.items() if heard & uuids}
        for number, fact in list(self.facts.items()):
            if fact.supports and fact.supports <= uuids:
                touched |= set(fact.ends) & self.entities.keys()
                del self.facts[number]
            fact.supports -= uuids
        for heard in self.entities.values():
            heard -= uuids
        held = {end for fact in self.facts.values() for end in fact.ends}
        for uuid in touched - held:
            if not self.entities[uuid]:
                del self.entities[uuid]

    def append(self, episode: ModelEpisode) -> None:
        """Append to the log, whose numbers have no gaps at its end."""
        assert episode.seq == self.last_seq + 1
        self.last_seq = episode.seq
        self.log.append(episode)

    def pending(self) -> list[ModelEpisode]:
        """The pending episodes, in order."""
        return [episode for episode in self.log if episode.state == "pending"]

    def expected_hits(self, wanted: set[str]) -> set[str]:
        """The uuids that a search for *wanted* must find."""
        return {e.uuid for e in self.log if e.findable and e.terms & wanted}


@dataclass
class ModelProject:
    """A tenant: its names and memories."""

    users: dict[str, ModelGraph] = field(default_factory=dict)
    threads: dict[str, str] = field(default_factory=dict)
    thread_metadata: dict[str, Json] = field(default_factory=dict)
    graphs: dict[str, ModelGraph] = field(default_factory=dict)
    first_names: dict[str, str | None] = field(default_factory=dict)

    def all_graphs(self) -> list[ModelGraph]:
        """User graphs and standalone graphs."""
        return [*self.users.values(), *self.graphs.values()]

    def graph_of_thread(self, thread_id: str) -> ModelGraph:
        """The graph of the thread's user."""
        return self.users[self.threads[thread_id]]

    def delete_thread(self, thread_id: str, *, keep_graph: bool) -> None:
        """Remove the messages; with *keep_graph* only ignored ones, which the graph never had."""
        graph = self.graph_of_thread(thread_id)
        said = [episode for episode in graph.log if episode.thread == thread_id]
        graph.forget([episode for episode in said if episode.new.ignored or not keep_graph])
        for episode in said:
            episode.thread = None
        del self.threads[thread_id], self.thread_metadata[thread_id]

    def merge_thread(self, thread_id: str, change: Json) -> None:
        """Merge a change into the metadata of a thread."""
        self.thread_metadata[thread_id] = merge(self.thread_metadata[thread_id], change)

    def delete_user(self, user_id: str) -> None:
        """Delete a user with their threads and graph."""
        del self.users[user_id], self.first_names[user_id]
        for thread_id in [t for t, owner in self.threads.items() if owner == user_id]:
            del self.threads[thread_id], self.thread_metadata[thread_id]
