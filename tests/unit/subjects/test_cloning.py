"""A copy has every column of what it copies, also of those that a later migration adds."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from recollect.episodic_memory import categories
from recollect.episodic_memory.categories import NewCategory
from recollect.episodic_memory.feature_sets import OF_PROJECT, SetType
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.ingest import intake
from recollect.records import cloning, graphs
from recollect.records.cloning import ClonedEnds
from recollect.records.graphs import GraphDetails
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import FILE_NAME, connect, statements
from tests.contract.store.world import insert_entity, insert_fact, text
from tests.support.stores import of_the_file, open_store

# What a copy has of its own.
OWN = {
    "episodes": {"id", "uuid", "graph_id", "thread_id", "task_uuid"},
    "entities": {"id", "uuid", "graph_id"},
    "entity_names": {"graph_id", "entity_id"},
    "facts": {"id", "uuid", "graph_id", "source_id", "target_id"},
    "supports": {"fact_id", "episode_id"},
    "mentions": {"entity_id", "episode_id"},
    "index_rows": {"graph_id", "item_id"},
    "guidance": {"id", "uuid", "scope", "graph_id", "created_at", "updated_at"},
    "chapters": {"id", "graph_id"},
    "chapter_facts": {"chapter_id", "fact_id"},
    "feature_set_types": {"id", "uuid", "graph_id"},
    "feature_categories": {"id", "uuid", "graph_id", "set_type_id"},
    "feature_tags": {"id", "uuid", "category_id"},
    "feature_categories_off": {"graph_id"},
}
OF_GRAPH = {
    "supports": "fact_id IN (SELECT id FROM facts WHERE graph_id = ?)",
    "mentions": "entity_id IN (SELECT id FROM entities WHERE graph_id = ?)",
    "chapter_facts": "chapter_id IN (SELECT id FROM chapters WHERE graph_id = ?)",
    "feature_tags": "category_id IN (SELECT id FROM feature_categories WHERE graph_id = ?)",
}
KEPT = {"ignored", "is_user", "seq", "processed_at", "item_kind", "key", "project_id"}


@pytest.fixture
async def store(tmp_path: Path):
    """A store with the graph `a`, which has something in every table."""
    opened = open_store(tmp_path)
    project = await opened.write(keys.create_project, "first")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    graph = await opened.write(graphs.create, access, "a", GraphDetails())
    receipt = await opened.write(intake.add_episodes, access, None, "a", [text("x")])

    def fill(tx) -> None:
        row = tx.episodes.by_uuid(uuid=receipt.uuids[0], project_id=project.id)
        said = [type("Said", (), {"id": row.id})()]
        entity = insert_entity(tx, graph.id, "Paul", said)
        tx.entities.name_insert(graph_id=graph.id, key="paul", entity_id=entity)
        uuid = insert_fact(tx, graph.id, (entity, entity), "Paul is", said)
        (fact,) = tx.facts.ids_by_uuids(graph_id=graph.id, uuids=f'["{uuid}"]')
        tx.index.row_put(
            graph_id=graph.id,
            version=1,
            item_kind="fact",
            item_id=fact,
            terms=b"paul",
            vector=b"v",
        )
        tx.guidance.put(
            uuid=tx.new_id(),
            project_id=project.id,
            kind="extraction",
            scope=f"graph:{graph.uuid}",
            graph_id=graph.id,
            name="how",
            value="{}",
            now=1,
        )
        place = {"graph_id": graph.id, "level": 0, "number": 1}
        tx.chapters.put(**place)
        tx.chapters.facts_put(facts=f"[{fact}]", **place)
        categories.add_set_type(tx, graph, SetType(tags=("user_id",)))
        new = NewCategory(name="food", prompt="p")
        made = categories.add_category(tx, graph, OF_PROJECT, new)
        categories.add_tag(tx, graph, str(made), "taste", "d")
        categories.leave_out(tx, graph, OF_PROJECT, "work")

    await opened.write(fill)
    yield opened, access, graph
    await opened.close()


def columns(connection, table: str) -> list[str]:
    """The columns of a table."""
    return [row["name"] for row in connection.execute(f"PRAGMA table_info({table})")]


@of_the_file  # whose columns take any value
@pytest.mark.parametrize("table", OWN)
async def test_every_column_is_copied(store, tmp_path: Path, table: str) -> None:
    """Each is set to a value that no default would give, and found again in the copy."""
    opened, access, graph = store
    where = OF_GRAPH.get(table, "graph_id = ?")
    with closing(connect(tmp_path / FILE_NAME, writer=True)) as connection:
        names = [name for name in columns(connection, table) if name not in OWN[table]]
        for number, name in enumerate(set(names) - KEPT, start=7):
            sql = f"UPDATE {table} SET {name} = ? WHERE {where}"  # noqa: S608
            connection.execute(sql, (number, graph.id))
        connection.commit()
        ends = ClonedEnds(source_graph="a", target_graph="b")
        copied = (await opened.write(cloning.clone, access, ends)).graph
        wanted = f"SELECT {', '.join(names) or '1'} FROM {table} WHERE {where}"  # noqa: S608
        old, new = (
            [tuple(row) for row in connection.execute(wanted, (number,))]
            for number in (graph.id, copied.id)
        )
    assert old == new
    assert len(old) == 1


PLANNED = (
    "chapters.facts_copy",
    "copies.facts",
    "copies.index",
    "copies.mentions",
    "copies.supports",
)


def test_a_copy_is_made_by_looking_things_up(tmp_path: Path) -> None:
    """Or a large graph would take the square of its size."""
    with closing(connect(tmp_path / "x.db", writer=True)) as connection:
        migrate.apply(connection)
        for name in PLANNED:
            values = dict.fromkeys(re.findall(r":(\w+)", statements()[name]), 1)
            values |= {"pairs": "[]", "item_kind": "fact"}
            plan = connection.execute(f"EXPLAIN QUERY PLAN {statements()[name]}", values).fetchall()
            details = [row["detail"] for row in plan]
            own = [d for d in details if d.startswith("SCAN") and "VIRTUAL TABLE" not in d]
            scans = [d for d in own if not d.startswith("SCAN (subquery")]
            assert scans == [], (name, details)
