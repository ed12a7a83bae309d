"""Random stories: the content that a project receives, step by step.

A topic has a thread, a document and names of its own. In a story of separate topics no other topic
mentions them, so a key that may not see the episodes of a topic sees nothing derived from them. In a mixed
story all topics share their names, threads and documents.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from recollect.episodic_memory import feature_sets
from tests.property.hidden_policies import PROFILES
from tests.property.hidden_reader import ME, PEOPLE, PLACES, THINGS, sentence
from tests.property.hidden_worlds import Json, Step

USER, GRAPH, SHELF = "ann", "g", "shelf"
USER_NAME = "Ann Lee"
# The same two graphs as MemMachine clients name them; the first has a small window that soon overflows.
PROJECT = {"org_id": "universal", "project_id": GRAPH}
USER_PROJECT = {"org_id": "recollect:users", "project_id": USER}
WINDOW = {"message_capacity": 6, "character_capacity": 500}
TEMPLATES = {
    "everything": (
        "U %{user_summary}\nF %{edges limit=20}\nE %{entities limit=20 include_attributes=true}\n"
        "S %{episodes limit=10}\nO %{observations limit=5}\nT %{thread_summaries limit=5}"
    ),
    "likes": "%{edges limit=3 types=[LIKES]} %{entities limit=2}",
}
ASKED = "what does the user like"  # the instruction for user summaries
TOPICS = 6


def mark(number: int) -> str:
    """A word that occurs in no other text."""
    return f"mark{number:05d}q"


def tag(number: int) -> str:
    """A metadata value that no other episode has."""
    return f"tag{number:05d}q"


@dataclass(frozen=True)
class Topic:
    """The subject of one part of a story, and the metadata of its episodes."""

    number: int
    profiles: tuple[Json, ...]
    people: tuple[str, ...]
    places: tuple[str, ...]
    things: tuple[str, ...]
    mentions_user: bool
    batches: bool = False  # a batch is a container: every world has it, with its content
    place: int | None = None  # the number of its thread and document; None: its own

    @property
    def _place(self) -> int:
        return self.number if self.place is None else self.place

    @property
    def thread(self) -> str:
        """The thread of the topic."""
        return f"thread-{self._place}"

    @property
    def plain_profiles(self) -> list[Json]:
        """The profiles without lists."""
        return [one for one in self.profiles if not any(type(v) is list for v in one.values())]

    @property
    def document(self) -> str:
        """The document of the topic."""
        return f"document-{self._place}"


def separate(random: Random) -> list[Topic]:
    """Topics that share nothing; each has one profile, and only the first mentions the user."""
    profiles = random.sample(PROFILES, TOPICS)
    return [
        Topic(
            number,
            (profiles[number],),
            tuple(PEOPLE[number::TOPICS]),
            tuple(PLACES[number::TOPICS]),
            tuple(THINGS[number::TOPICS]),
            mentions_user=number == 0,
            batches=number == 0,
        )
        for number in range(TOPICS)
    ]


def walled(random: Random, *, shared: bool = False) -> list[Topic]:
    """Topics about the same names and the user, which differ only in their metadata.

    Each has a thread and a document of its own, or with *shared* all have the same.
    """
    profiles = random.sample(PROFILES, TOPICS)
    names = tuple(PEOPLE[:4]), tuple(PLACES[:3]), tuple(THINGS[:4])
    place = 0 if shared else None
    return [
        Topic(number, (one,), *names, mentions_user=True, place=place)
        for number, one in enumerate(profiles)
    ]


def mixed(random: Random) -> list[Topic]:
    """Two topics that share all names, each with several profiles."""
    shuffled = random.sample(PROFILES, 5)
    names = tuple(PEOPLE[:4]), tuple(PLACES[:3]), tuple(THINGS[:4])
    return [Topic(n, tuple(shuffled), *names, mentions_user=True, batches=True) for n in range(2)]


@dataclass
class Teller:
    """Writes the steps of a story."""

    random: Random
    topics: list[Topic]
    told: int = 0
    sessions: set[int] = field(default_factory=set)

    def beginning(self) -> Iterator[Step]:
        """What exists before any content: the containers."""
        person = {"user_id": USER, "first_name": "Ann", "last_name": "Lee"}
        requests: list[tuple[str, str, Any]] = [
            ("POST", "/users", {**person, "email": "ann@example.com"}),
            ("POST", "/users", {"user_id": "bob", "first_name": "Bob"}),
            ("POST", "/graph/create", {"graph_id": GRAPH, "name": "things"}),
            ("POST", f"/collections/{SHELF}", {"description": "papers"}),
        ]
        requests += [
            ("POST", "/threads", {"thread_id": name, "user_id": USER})
            for name in dict.fromkeys(topic.thread for topic in self.topics)
        ]
        for name, text in TEMPLATES.items():
            template = {"template_id": name, "template": text}
            requests.append(("POST", "/context-templates", template))
        group = {"name": "everybody"}
        requests.append(("POST", "/user-groups?projectId={project}", group))
        window = {**PROJECT, **WINDOW}
        requests.append(("POST", "/memory/episodic/short_term/config", window))
        requests += _sorting()
        instructions = {"instructions": [{"name": "how", "text": ASKED}]}
        requests.append(("POST", "/user-summary-instructions", instructions))
        yield Step(1, tuple(requests))

    def steps(self, count: int) -> Iterator[Step]:
        """The content: every kind for the first topic, then random kinds for random topics."""
        yield from self.beginning()
        first = [(kind, self.topics[0]) for kind in dict.fromkeys(_KINDS)]
        rest = [
            (self.random.choice(_KINDS), self.random.choice(self.topics))
            for _ in range(count - len(first))
        ]
        for number, (kind, topic) in enumerate([*first, *rest], start=2):
            yield Step(number, tuple(kind(self, topic)), topic.number)

    def _metadata(self, topic: Topic, *, scalars: bool = False) -> Json:
        """The metadata of an episode of the topic; facts and nodes that are added directly take no lists."""
        profiles = topic.plain_profiles if scalars else topic.profiles
        found = dict(self.random.choice(profiles))
        found["tag"] = tag(self.told)
        if self.random.random() < 0.5:
            found["about"] = self.random.choice(("work", "play", 7, True))
        return found

    def _words(self, topic: Topic) -> str:
        """A text: names in an order that yields facts, and a mark."""
        self.told += 1
        chosen: list[str] = []
        for _ in range(self.random.choice((1, 2, 2, 3))):
            me = topic.mentions_user and self.random.random() < 0.4
            chosen.append(ME if me else self.random.choice(topic.people))
            pool = self.random.choice((topic.people, topic.places, topic.things, topic.things))
            chosen.append(self.random.choice(pool))
            chosen.append("and")
        if self.random.random() < 0.3:
            chosen.append(f"trait{self.told:05d}q")
        return f"{' '.join(chosen)} {mark(self.told)}"

    def data(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """A text or JSON for a graph, sometimes as part of a document."""
        words = self._words(topic)
        body: Json = {"type": "text", "data": words, "metadata": self._metadata(topic)}
        if self.random.random() < 0.3:
            body |= {"type": "json", "data": json.dumps({"said": words})}
        if self.random.random() < 0.5:
            body["document_id"] = topic.document
        body |= self._target()
        yield "POST", "/graph", body

    def _target(self) -> Json:
        return {"graph_id": GRAPH} if self.random.random() < 0.7 else {"user_id": USER}

    def talk(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """Messages of a thread."""
        messages = [self._message(topic) for _ in range(self.random.choice((1, 2, 3)))]
        body: Json = {"messages": messages}
        if self.random.random() < 0.2:
            body["ignore_roles"] = ["assistant"]
        yield "POST", f"/threads/{topic.thread}/messages", body

    def _message(self, topic: Topic) -> Json:
        role = self.random.choice(("user", "user", "assistant"))
        words = self._words(topic)
        return {
            "role": role,
            "name": USER_NAME if role == "user" else "Helper",
            "content": words,
            "metadata": self._metadata(topic),
        }

    def tastes(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """Things that a person likes: enough for a pattern."""
        self.told += 1
        who = self.random.choice(topic.people)
        words = " and ".join(f"{who} {thing}" for thing in topic.things)
        body = {"type": "text", "data": f"{words} and {who} {mark(self.told)}"}
        yield "POST", "/graph", {**body, "metadata": self._metadata(topic)} | self._target()

    def triple(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """A fact that is added directly, with attributes."""
        if not topic.plain_profiles:
            yield from self.data(topic)
            return
        self.told += 1
        one = self.random.choice(topic.people)
        two = self.random.choice(topic.things)
        body = {
            "fact": sentence(one, two),
            "fact_name": "LIKES",
            "source_node_name": one,
            "target_node_name": two,
            "edge_attributes": {"told": mark(self.told)},
            "metadata": self._metadata(topic, scalars=True),
        }
        yield "POST", "/graph/add-fact-triple", body | self._target()

    def nodes(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """Nodes that are added directly, with summaries and attributes."""
        if not topic.plain_profiles:
            yield from self.data(topic)
            return
        self.told += 1
        node = {
            "name": self.random.choice(topic.people),
            "summary": f"somebody {mark(self.told)}",
            "attributes": {"told": mark(self.told)},
            "metadata": self._metadata(topic, scalars=True),
        }
        yield "POST", "/graph/nodes", {"nodes": [node]} | self._target()

    def batch(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """A batch with a message and a piece of data."""
        if not topic.batches:
            yield from self.talk(topic)
            return
        yield "POST", "/batches", {}
        message = {"type": "thread_message", "thread_id": topic.thread, **self._message(topic)}
        piece = {"type": "graph_episode", "graph_id": GRAPH, "data_type": "text"}
        piece |= {"data": self._words(topic), "metadata": self._metadata(topic)}
        yield "POST", "/batches/{batch}/items", {"items": [message, piece]}
        yield "POST", "/batches/{batch}/process", {}

    def session(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """A session with the id of the topic's thread, which it feeds, and with an open turn.

        All of it has the metadata of the session, whatever the other episodes of the topic have.
        """
        if topic.place is not None:  # a session has one topic: it is visible or not as a whole
            yield from self.talk(topic)
            return
        log = f"/api/v1/sessions/{topic.thread}/log"
        if topic.number not in self.sessions:
            self.sessions.add(topic.number)
            self.told += 1
            body = {"session_id": topic.thread, "user_id": USER, "metadata": self._metadata(topic)}
            yield "POST", "/api/v1/sessions", body
            yield "POST", f"{log}/turns", {"turn_id": "turn"}
        yield "POST", log, {"episodes": [self._item(topic)]}
        yield "POST", f"{log}/turns/turn", {"episodes": [self._item(topic)]}

    def _item(self, topic: Topic) -> Json:
        said = {"type": "message", "role": "user", "name": USER_NAME}
        return {"type": "item", "payload": {"item": {**said, "content": self._words(topic)}}}

    def memories(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """Messages of a MemMachine client, for both memories or for one of them."""
        types: list[str] = self.random.choice(([], [], [], ["episodic"], ["semantic"]))
        messages = [self._remembered(topic) for _ in range(self.random.choice((1, 2, 3)))]
        place = PROJECT if self.random.random() < 0.7 else USER_PROJECT
        yield "POST", "/memories", {**place, "types": types, "messages": messages}

    def _remembered(self, topic: Topic) -> Json:
        words, metadata = self._words(topic), self._metadata(topic)
        if self.random.random() < 0.5:
            metadata["user_id"] = self.random.choice(topic.people)
        if self.random.random() < 0.2:
            metadata["deep"] = {"told": mark(self.told)}
        said: Json = {"content": words, "metadata": metadata}
        if self.random.random() < 0.6:
            said["producer"] = self.random.choice(topic.people)
        if self.random.random() < 0.3:
            said["produced_for"] = self.random.choice(topic.people)
        if self.random.random() < 0.5:
            said["role"] = self.random.choice(("user", "assistant", "system"))
        if self.random.random() < 0.3:
            said["timestamp"] = f"2025-02-{self.random.randrange(1, 28):02d}T12:00:00"
        return said

    def feature(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """A feature that a MemMachine client writes into the set for the topic's metadata."""
        if not topic.plain_profiles:
            yield from self.memories(topic)
            return
        self.told += 1
        carried = self._metadata(topic, scalars=True)
        of_set = feature_sets.made(carried, carried)
        yield (
            "POST",
            "/memories/semantic/feature",
            {
                **PROJECT,
                "set_id": feature_sets.id_of(of_set, PROJECT["org_id"], PROJECT["project_id"]),
                "category_name": self.random.choice(("taste", "habit")),
                "tag": "food",
                "feature": self.random.choice(topic.things),
                "value": f"{self.random.choice(topic.things)} {mark(self.told)}",
                "feature_metadata": {"told": mark(self.told)},
            },
        )

    def papers(self, topic: Topic) -> Iterator[tuple[str, str, Any]]:
        """Documents of a collection."""
        self.told += 1
        paper = {
            "content": f"{self.random.choice(topic.people)} {mark(self.told)}",
            "document_id": f"paper-{self.told}",
            "metadata": self._metadata(topic),
        }
        yield "POST", f"/collections/{SHELF}/documents", [paper]


def _sorting() -> Iterator[tuple[str, str, Any]]:
    """How features are organised: a set type, a category, and a disabled category."""
    yield "POST", "/memories/semantic/set_type", {**PROJECT, "metadata_tags": ["class"]}
    whole = feature_sets.id_of(feature_sets.OF_PROJECT, PROJECT["org_id"], PROJECT["project_id"])
    category = {**PROJECT, "set_id": whole, "category_name": "taste", "prompt": "what tastes"}
    yield "POST", "/memories/semantic/category", category
    yield (
        "POST",
        "/memories/semantic/category/disable",
        {k: category[k] for k in _OFF} | {"category_name": "habit"},
    )


_OFF = ("org_id", "project_id", "set_id")
_KINDS = (
    *(Teller.talk,) * 5,
    *(Teller.data,) * 5,
    *(Teller.triple,) * 2,
    Teller.tastes,
    *(Teller.nodes,) * 2,
    Teller.batch,
    Teller.papers,
    Teller.session,
    *(Teller.memories,) * 4,
    Teller.feature,
)
