"""Files of other memories become users, threads, graphs and episodes of ours, and only once."""

import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.app import projects
from recollect.app.stores import DataFolder
from recollect.errors import InvalidInput
from recollect.exchange import foreign
from recollect.exchange.foreign import Brought
from recollect.governance import keys
from recollect.store.protocol import Store, Transaction
from tests.unit.exchange.world import first_project, opened, unseen

ZEP_3 = [
    {"users": [{"user_id": "ann", "first_name": "Ann", "email": "ann@example.org", "id": 1}]},
    {"threads": [{"thread_id": "t", "user_id": "ann", "uuid": "5-t"}]},
    {
        "thread_id": "t",
        "messages": [
            {"role": "user", "name": "Ann", "content": "I live in Oslo.", "uuid": "m1",
             "created_at": "2024-03-01T10:00:00Z", "metadata": {"mood": "fine", "deep": {"a": 1}}},
            {"role": "assistant", "content": "Noted.", "uuid": "m2"},
        ],
    },
    {"graph_id": "wiki", "name": "Wiki", "episodes": [
        {"content": "Oslo is in Norway.", "source": "text", "uuid": "e1",
         "created_at": "2024-02-01T00:00:00Z", "source_description": "atlas"},
        {"content": '{"city": "Oslo"}', "source": "json", "uuid": "e2", "created_at": "bad"},
    ]},
    {"edges": [{"uuid": "f", "fact": "x", "source_node_uuid": "a", "target_node_uuid": "b"}]},
    {"weather": "sunny"},
]  # fmt: skip
ZEP_2 = {
    "sessions": [
        {"session_id": "s", "user_id": "bob", "messages": [
            {"role_type": "user", "role": "Bob", "content": "My cat is Tom.", "uuid": "n1",
             "created_at": "2023-01-01T00:00:00Z"}]},
        {"session_id": "lost", "messages": [{"role_type": "user", "content": "Hm."}]},
    ],
    "groups": [{"group_id": "team", "episodes": [{"content": "We ship.", "source": "text"}]}],
}  # fmt: skip
MEM0 = {
    "results": [
        {"id": "1", "memory": "Likes tea", "user_id": "ann", "created_at": "2024-05-02T00:00:00Z",
         "metadata": {"category": "taste"}, "hash": "x", "score": 0.5},
        {"id": "2", "memory": "Likes rain", "user_id": "ann", "created_at": "2024-05-01T00:00:00Z"},
        {"id": "3", "memory": "Answers briefly", "agent_id": "bot"},
        {"id": "4", "memory": "Of nobody"},
        {"id": "5"},
    ]
}  # fmt: skip
GRAPHITI = {
    "episodes": [
        {"uuid": "g1", "name": "first", "group_id": "acme", "source": "message",
         "source_description": "chat", "content": "eva: I joined Acme.",
         "valid_at": "2022-02-02T02:02:02+00:00", "created_at": "2024-01-01T00:00:00Z",
         "labels": [], "entity_edges": []},
        {"uuid": "g2", "name": "second", "group_id": "", "source": "text",
         "source_description": "", "content": "Plain.", "valid_at": "2022-02-03T00:00:00Z"},
    ],
    "nodes": [{"uuid": "n", "name": "Eva", "group_id": "acme", "labels": ["Entity"],
               "summary": ""}],
    "edges": [{"uuid": "d", "fact": "Eva joined Acme", "source_node_uuid": "n",
               "target_node_uuid": "m"}],
}  # fmt: skip
MEMMACHINE = {
    "status": 0,
    "content": {
        "episodic_memory": [
            {"uid": "00000000-0000-0000-0000-000000000001", "content": "I like pizza",
             "session_key": "acme/p1", "created_at": "2024-01-02T03:04:05Z",
             "producer_id": "ann", "producer_role": "user", "produced_for_id": "bot",
             "metadata": {"user_id": "u1"}},
            {"uid": "2", "content": "No key", "producer_id": "ann", "producer_role": "user"},
        ],
        "semantic_memory": [{"category": "c", "tag": "t", "feature_name": "f", "value": "v"}],
    },
}  # fmt: skip


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store with a project."""
    made = opened(tmp_path / "data")
    await made.write(first_project)
    yield made
    await made.close()


async def bring(store: Store, shape: str, *documents: Any) -> Brought:
    """What a file of these documents brings, one on each line."""
    access = await projects.named(DataFolder(store), None, keys.DEFAULT_PROJECT)
    file = io.BytesIO("\n".join(map(json.dumps, documents)).encode())
    return await foreign.bring(store, access, shape, file, unseen)


def episodes(tx: Transaction, kind: str, graph_id: str) -> list[dict[str, Any]]:
    """The log of a graph."""
    row = tx.graphs.by_name(project_id=1, kind=kind, graph_id=graph_id)
    assert row is not None
    found = tx.exchange.export("episodes", graph_id=row.id, after=0, limit=100)
    return [{key: one[key] for key in one.keys()} for one in found]  # noqa: SIM118


async def test_zep_threads_and_graphs_come_with_their_times(store: Store) -> None:
    """What is derived, unknown or wrong is counted by its reason."""
    told = await bring(store, "zep", *ZEP_3)
    assert (told.users, told.threads, told.graphs, told.episodes) == (1, 1, 1, 3)
    assert len(told.skipped) == 3
    assert any("created_at: 'bad'" in reason for reason in told.skipped)
    first, second = await store.read(episodes, "user", "ann")
    assert {first["content"], second["content"]} == {"I live in Oslo.", "Noted."}
    said = next(one for one in (first, second) if one["role"] == "user")
    assert (said["speaker"], said["created_at"]) == ("Ann", 1_709_287_200_000_000)
    assert json.loads(said["metadata"]) == {"mood": "fine", "deep": '{"a":1}', "zep_id": "m1"}
    (page,) = await store.read(episodes, "standalone", "wiki")
    assert (page["kind"], page["source_description"]) == ("text", "atlas")


async def test_zep_sessions_and_groups_of_generation_2(store: Store) -> None:
    """A session is a thread, a group a graph, and a role_type a role."""
    told = await bring(store, "zep", ZEP_2)
    assert (told.users, told.threads, told.graphs, told.episodes) == (1, 1, 1, 2)
    assert told.skipped == {"a thread without a user": 1}
    (said,) = await store.read(episodes, "user", "bob")
    assert (said["role"], said["speaker"]) == ("user", "Bob")


async def test_mem0_memories_go_to_their_users_oldest_first(store: Store) -> None:
    """However the list is sorted; an agent's go to a graph."""
    told = await bring(store, "mem0", MEM0)
    assert (told.users, told.graphs, told.episodes) == (1, 1, 3)
    assert sum(told.skipped.values()) == 2
    first, second = await store.read(episodes, "user", "ann")
    assert [first["content"], second["content"]] == ["Likes rain", "Likes tea"]
    assert json.loads(second["metadata"]) == {"category": "taste", "mem0_id": "1"}


async def test_graphiti_groups_become_graphs(store: Store) -> None:
    """Episodes happened when they were valid; what was derived is derived again."""
    told = await bring(store, "graphiti", GRAPHITI)
    assert (told.graphs, told.episodes) == (2, 2)
    assert list(told.skipped.values()) == [2]
    (said,) = await store.read(episodes, "standalone", "acme")
    assert (said["kind"], said["created_at"]) == ("message", 1_643_767_322_000_000)
    assert await store.read(episodes, "standalone", "default")


async def test_memmachine_projects_become_graphs(store: Store) -> None:
    """The graph is named as the project is when its own clients talk to us."""
    told = await bring(store, "memmachine", MEMMACHINE)
    assert (told.graphs, told.episodes, sum(told.skipped.values())) == (1, 1, 2)
    (said,) = await store.read(episodes, "standalone", "acme.p1")
    assert (said["producer"], said["addressee"], said["role"]) == ("ann", "bot", "user")
    assert json.loads(said["metadata"])["user_id"] == "u1"


@pytest.mark.parametrize(
    ("shape", "documents"),
    [("zep", ZEP_3), ("zep", [ZEP_2]), ("mem0", [MEM0]), ("graphiti", [GRAPHITI]),
     ("memmachine", [MEMMACHINE])],
)  # fmt: skip
async def test_bringing_in_a_file_again_adds_nothing(
    store: Store, shape: str, documents: list[Any]
) -> None:
    """Everything is known by then; what was skipped is skipped again."""
    first = await bring(store, shape, *documents)
    again = await bring(store, shape, *documents)
    assert (again.users, again.threads, again.graphs, again.episodes) == (0, 0, 0, 0)
    assert again.known == first.episodes
    assert again.skipped == first.skipped


async def test_a_broken_line_is_named_and_what_came_before_stays(store: Store) -> None:
    """The mended file can be brought in again."""
    access = await projects.named(DataFolder(store), None, keys.DEFAULT_PROJECT)
    text = json.dumps(MEM0["results"][0]) + "\n" + '{"id": "2", "mem'
    with pytest.raises(InvalidInput, match="line 2"):
        await foreign.bring(store, access, "mem0", io.BytesIO(text.encode()), unseen)
    told = await bring(store, "mem0", *MEM0["results"])
    assert (told.known, told.episodes) == (1, 2)


@pytest.mark.parametrize("text", [b'"\xff"', b"[" * 5000, b"", b'{"a": 1}\n"\xff"'])
async def test_what_is_no_json_is_refused(store: Store, text: bytes) -> None:
    """With the line, whatever is wrong with it."""
    access = await projects.named(DataFolder(store), None, keys.DEFAULT_PROJECT)
    with pytest.raises(InvalidInput, match=r"line [12]"):
        await foreign.bring(store, access, "mem0", io.BytesIO(text), unseen)


@pytest.mark.parametrize("shape", foreign.SHAPES)
@pytest.mark.parametrize("document", [1, None, "x", [1], {}, {"content": 3}, {"results": 3}])
async def test_nonsense_is_counted(store: Store, shape: str, document: Any) -> None:
    """Nothing that JSON can say brings the program down, and nothing goes unsaid."""
    told = await bring(store, shape, document)
    assert told.episodes == 0
    assert sum(told.skipped.values()) == 1
