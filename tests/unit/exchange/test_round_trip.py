"""A memory that was carried to another store is the same there, or is refused whole."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import AlreadyExists, InvalidInput
from recollect.exchange.tables import OF_COPY, RECORDS
from recollect.ingest import rebuild
from recollect.store.protocol import Store, Transaction
from tests.support import here
from tests.support.asgi import program
from tests.support.memory import Memory, remembering
from tests.unit.exchange.world import export, fill, load, opened, without_moment


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """A memory with something of everything in it."""
    async with remembering(tmp_path / "old") as made:
        await fill(made)
        yield made


_EXPORTED: list[bytes] = []


@pytest.fixture
async def exported(tmp_path: Path) -> bytes:
    """A file of such a memory, made once."""
    if not _EXPORTED:
        async with remembering(tmp_path / "old") as made:
            await fill(made)
            file, _ = await export(made.running.services.store)
        _EXPORTED.append(file)
    return _EXPORTED[0]


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store."""
    store = opened(tmp_path / "new")
    yield store
    await store.close()


def counted(tx: Transaction) -> int:
    """How many graphs there are."""
    return len(tx.graphs.all(graph_id=None))


def doubted(tx: Transaction) -> None:
    """Let two facts of one graph be at odds."""
    (graph, *_) = tx.graphs.all(graph_id="ann")
    one, two, *_ = tx.exchange.export("fact_ids", graph_id=graph.id)
    (said, *_) = tx.exchange.export("episode_ids", graph_id=graph.id, after=0, limit=1)
    tx.doubts.insert(
        fact_id=one["id"],
        by_fact_id=two["id"],
        episode_id=said["id"],
        judge="judge.2",
        sure=0.4,
    )


async def test_a_project_comes_out_as_it_went_in(memory: Memory, other: Store) -> None:
    """Every line of an export of the import, and so every row, and every digest."""
    store = memory.running.services.store
    await store.write(doubted)
    file, written = await export(store)
    imported = await load(other, file)
    again, _ = await export(other)
    assert without_moment(again) == without_moment(file)
    assert imported.graphs == written.graphs
    assert {graph.graph_id for graph in written.graphs} == {"g", "ann", "helper"}
    before = {state.graph_id: state.digest for state in await store.read(rebuild.states)}
    after = {state.graph_id: state.digest for state in await other.read(rebuild.states)}
    assert before == after
    rare = {"user_side", "observation", "observation_fact", "user_summary"}
    assert set(RECORDS) - set(written.counts) - rare == OF_COPY


async def test_what_waited_is_learned_after_the_import(exported: bytes, other: Store) -> None:
    """The queue knows of it; what was read is not read again."""
    await load(other, exported)
    assert await here.learn(other) == 1


async def test_a_search_finds_the_same_there(memory: Memory, tmp_path: Path) -> None:
    """With the same scores: words and vectors were carried."""
    file, _ = await export(memory.running.services.store)
    store = opened(tmp_path / "served")
    await load(store, file)
    await store.close()
    asked = {"user_id": "ann", "query": "where does Ann work?", "limit": 5}
    wanted = (await memory.post("/graph/search", asked))["edges"]
    async with program(tmp_path / "served") as running:
        found = (await Memory(running).post("/graph/search", asked))["edges"]
    assert wanted
    assert found == wanted


async def test_one_graph_goes_into_any_project_under_any_id(memory: Memory, other: Store) -> None:
    """Its digest does not speak of its name."""
    store = memory.running.services.store
    file, written = await export(store, graph_id="g")
    imported = await load(other, file, into="h")
    assert [graph.graph_id for graph in imported.graphs] == ["h"]
    assert imported.graphs[0].digest == written.graphs[0].digest
    file, _ = await export(store, user_id="ann")
    imported = await load(other, file, into="bea")
    assert [(graph.kind, graph.graph_id) for graph in imported.graphs] == [("user", "bea")]
    again, _ = await export(other, user_id="bea")
    assert len(again.splitlines()) == len(file.splitlines())


async def test_a_copy_beside_the_original_has_its_own_uuids(memory: Memory) -> None:
    """Without that it is refused, and says what to do."""
    store = memory.running.services.store
    file, written = await export(store, graph_id="g")
    with pytest.raises(AlreadyExists, match="--into"):
        await load(store, file)
    with pytest.raises(AlreadyExists, match="--new-ids"):
        await load(store, file, into="h")
    imported = await load(store, file, into="h", new_ids=True)
    assert imported.counts == written.counts
    old = await memory.listed("edge")
    new = await memory.listed("edge", "graph/h")
    assert [edge["fact"] for edge in new] == [edge["fact"] for edge in old]
    assert not {edge["uuid"] for edge in new} & {edge["uuid"] for edge in old}


@pytest.mark.parametrize("said", ["x", "5", '{"team": 1}', '[["team", 5]]'])
async def test_a_side_that_nobody_wrote_is_refused(
    exported: bytes, other: Store, said: str
) -> None:
    """It would be read whenever somebody looks."""
    lines = exported.splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if b'"record":"edit"' in line)
    told = json.loads(lines[number]) | {"side": said}
    lines[number] = json.dumps(told).encode() + b"\n"
    with pytest.raises(InvalidInput, match="side"):
        await load(other, b"".join(lines))


async def test_a_whole_project_is_copied_beside_itself(exported: bytes, other: Store) -> None:
    """Threads, sessions and policies included: their names belong to a project."""
    first = await load(other, exported)
    second = await load(other, exported, into="b", new_ids=True)
    assert second.counts == first.counts
    assert not {one.digest for one in first.graphs} & {one.digest for one in second.graphs}


async def test_a_project_with_memory_in_it_is_left_alone(memory: Memory) -> None:
    """Nothing is merged."""
    store = memory.running.services.store
    file, _ = await export(store)
    with pytest.raises(AlreadyExists, match="'default' already contains data"):
        await load(store, file)


async def test_a_file_that_is_cut_short_leaves_nothing(exported: bytes, other: Store) -> None:
    """Wherever it is cut, at a line or inside one."""
    file = exported
    whole = file.splitlines(keepends=True)
    cuts = [b"".join(whole[:count]) for count in (1, 2, len(whole) // 2, len(whole) - 1)]
    cuts += [file[: len(file) // 2], file[:-20], b""]
    for cut in cuts:
        with pytest.raises(InvalidInput):
            await load(other, cut)
        assert await other.read(counted) == 0


@pytest.mark.parametrize(
    ("record", "change", "told"),
    [
        ("fact", {"fact": "Tom lives on the Moon."}, "came out differently"),
        ("episode", {"content": "I work on the Moon."}, "was changed after it was exported"),
        ("episode", {"content": "I work \0 at Acme."}, "line .*: must not contain a NUL"),
        ("thread", {"metadata": {"a": "\0"}}, "line .*: must not contain a NUL"),
        ("end", {"sha256": None}, "was changed after it was exported"),
        ("fact", {"colour": "red"}, "unknown field `colour`"),
        ("fact", {"negated": "no"}, "Expected `int | null`"),
        ("fact", {"source_id": "nobody"}, "line .*: fact: .*(NOT NULL|not-null)"),
        ("job", {"id": "nobody"}, "refers to something that is not in the file"),
        ("graph", {"graph_id": "a/b"}, "must not contain '/'"),
        ("episode", {"record": "song"}, "Invalid value 'song'"),
        ("end", {"records": 1}, "should have 1 records"),
    ],
)
async def test_a_changed_file_is_refused_by_its_line(
    exported: bytes, other: Store, record: str, change: dict[str, Any], told: str
) -> None:
    """And nothing of it stays."""
    changed, done = [], False
    for line in exported.splitlines():
        parsed = json.loads(line)
        if parsed["record"] == record and not done:
            parsed.update(change)
            done = True
        changed.append(json.dumps(parsed, separators=(",", ":"), ensure_ascii=False))
    with pytest.raises(InvalidInput, match=told):
        await load(other, "\n".join(changed).encode())
    assert await other.read(counted) == 0


async def test_a_file_of_something_else_is_told_apart(other: Store) -> None:
    """It may be one of another memory."""
    for file in (b'{"results": []}\n', b"[]", b"\xff\xfe", b'{"record": "graph"}'):
        with pytest.raises(InvalidInput, match="not a file of `recollect export`"):
            await load(other, file)
    newer = b'{"record":"recollect","version":9,"holds":"graph","project":"p","exported_at":""}'
    with pytest.raises(InvalidInput, match="version 9"):
        await load(other, newer)


async def test_a_graph_may_not_reach_into_another(memory: Memory, other: Store) -> None:
    """A uuid of somebody else's in a file is as good as none."""
    file, _ = await export(memory.running.services.store, graph_id="g")
    await load(other, file, into="victim")
    stolen = next(
        json.loads(line)["uuid"] for line in file.splitlines() if b'"record":"entity"' in line
    )
    lines = [
        {"record": "recollect", "version": 2, "holds": "graph", "project": "", "exported_at": ""},
        {**json.loads(file.splitlines()[1]), "uuid": "thief", "graph_id": "thief"},
        {"record": "entity_name", "key": "tom", "entity_id": stolen},
    ]
    with pytest.raises(InvalidInput, match="entity_name"):
        await load(other, "\n".join(map(json.dumps, lines)).encode())


@pytest.mark.parametrize("record", ["policy_set", "user_group", "collection"])
async def test_a_graph_brings_nothing_for_its_whole_project(
    memory: Memory, other: Store, record: str
) -> None:
    """Such as a policy for all users, whom the file does not name."""
    whole, _ = await export(memory.running.services.store)
    file, _ = await export(memory.running.services.store, graph_id="g")
    *lines, mark, end = file.splitlines()
    smuggled = next(x for x in whole.splitlines() if f'"record":"{record}"'.encode() in x)
    counted_end = json.loads(end) | {"records": json.loads(end)["records"] + 1}
    changed = b"\n".join([*lines, smuggled, mark, json.dumps(counted_end).encode()])
    with pytest.raises(InvalidInput, match=f"'{record}' is not expected here"):
        await load(other, changed, into="h")


def test_every_record_has_its_own_word() -> None:
    """Each is the name of one table, once."""
    tables = [table.name for table in RECORDS.values()]
    assert len(tables) == len(set(tables))
