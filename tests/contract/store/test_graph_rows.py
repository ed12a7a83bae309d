"""Graphs, the log, entities, and what is kept of readings and changes by hand, as rows."""

from typing import Any

from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from tests.contract.store.units import (
    NO_UUID,
    NOBODY,
    entity,
    episode,
    fact,
    graph_id,
    in_a_unit,
    job,
    listed,
    now,
    thread_id,
    user_id,
)

FIRST: dict[str, Any] = {"after_uuid": None, "after_key": None, "limit": 5}


def _talk(tx: Transaction, access: Access, *names: str) -> tuple[int, list[int]]:
    """A user's graph, and threads of that user."""
    user_id(tx, access.project_id, "jane")
    threads = [thread_id(tx, access.project_id, "jane", name) for name in names]
    row = tx.users.by_name(project_id=access.project_id, user_id="jane")
    assert row is not None
    return row.graph_id, threads


def _read(tx: Transaction, episode_id: int, reader: str = "embedded") -> None:
    tx.readings.put(reader=reader, found="{}", vectors=None, now=now(tx), episode_id=episode_id)


def _edit(tx: Transaction, graph: int, kind: str, subject: str, **columns: Any) -> None:
    values: dict[str, Any] = {"seq": None, "near": None, "change": None, "vector": None}
    tx.edits.insert(
        kind=kind,
        subject=subject,
        mark="m",
        now=now(tx),
        side="",
        graph_id=graph,
        **values | columns,
    )


@in_a_unit
def test_a_log_grows_by_the_name_of_its_graph_or_of_a_thread(
    tx: Transaction, access: Access
) -> None:
    graph, (thread,) = _talk(tx, access, "t1")
    project = access.project_id
    by_name = tx.graphs.grow(project_id=project, kind="user", graph_id="jane", count=2)
    assert by_name == (graph, 2, None)
    by_thread = tx.graphs.grow_by_thread(project_id=project, thread_id="t1", count=3)
    assert by_thread == (graph, 5, thread)
    assert tx.graphs.grow(project_id=project, kind="standalone", graph_id="jane", count=1) is None
    assert tx.graphs.grow(project_id=NOBODY, kind="user", graph_id="jane", count=1) is None
    assert tx.graphs.grow_by_thread(project_id=NOBODY, thread_id="t1", count=1) is None


@in_a_unit
def test_a_user_and_threads_are_found_by_uuid(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    graph, (first, second) = _talk(tx, access, "a", "b")
    user = tx.users.of_graph(graph_id=graph)
    assert user is not None
    assert tx.users.by_uuid(project_id=access.project_id, uuid=user.uuid) == user
    assert tx.users.by_uuid(project_id=stranger.project_id, uuid=user.uuid) is None
    uuids = tx.threads.uuids(project_id=access.project_id, thread_ids=listed("a", "c"))
    assert [row.thread_id for row in uuids] == ["a"]
    found = tx.threads.by_uuid(project_id=access.project_id, uuid=uuids[0].uuid)
    assert found is not None
    assert (found.id, found.user_id) == (first, "jane")
    assert tx.threads.by_uuid(project_id=stranger.project_id, uuid=uuids[0].uuid) is None
    assert tx.threads.names_of_graph(id=graph) == ["a", "b"]
    of: dict[str, Any] = {"order": "uuid/desc", "user_id": user.id, "limit": 5}
    whole = tx.threads.page_of_user(**of, after_key=None, after_uuid=None)
    assert [one.row.id for one in whole] == [second, first]
    last = whole[0]
    rest = tx.threads.page_of_user(**of, after_key=last.key, after_uuid=last.row.uuid)
    assert [one.row.id for one in rest] == [first]


@in_a_unit
def test_what_a_graph_holds(tx: Transaction, access: Access) -> None:
    graph, _ = _talk(tx, access, "a")
    episode(tx, graph, "words")
    held = tx.graphs.contents(id=graph)
    assert held is not None
    assert (held.episodes, held.threads, held.facts, held.entities) == (1, 1, 0, 0)


@in_a_unit
def test_names_of_graphs(tx: Transaction, access: Access, stranger: Access) -> None:
    graph_id(tx, access.project_id, "shelf")
    user_id(tx, access.project_id, "jane")
    names = tx.graphs.names(project_id=access.project_id, limit=5)
    assert [(row.kind, row.graph_id) for row in names] == [
        ("standalone", "shelf"),
        ("user", "jane"),
    ]
    assert tx.graphs.names(project_id=stranger.project_id, limit=5) == []


@in_a_unit
def test_what_a_uuid_is_the_name_of(tx: Transaction, access: Access, stranger: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    uuid = tx.new_id()
    node = entity(tx, graph, "Jane", uuid=uuid, summary="sings")
    found = tx.graphs.object_by_uuid(uuid=uuid, project_id=access.project_id)
    assert found is not None
    assert tuple(found) == ("entity", node)
    assert tx.graphs.object_by_uuid(uuid=uuid, project_id=stranger.project_id) is None
    entity(tx, graph, "Mark")
    told = tx.graphs.entities_told(graph_id=graph)
    assert [(row.id, row.summary) for row in told] == [(node, "sings")]


@in_a_unit
def test_the_time_zone_of_a_graph_falls_back_to_the_project(
    tx: Transaction, access: Access
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    found = tx.graphs.time_zone(id=graph)
    assert found is not None
    assert found.time_zone is None
    tx.projects.set_time_zone(time_zone="Asia/Tokyo", id=access.project_id)
    found = tx.graphs.time_zone(id=graph)
    assert found is not None
    assert found.time_zone == "Asia/Tokyo"
    assert tx.graphs.time_zone(id=NOBODY) is None


@in_a_unit
def test_graphs_are_folded_again_when_walls_move(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    graph_id(tx, access.project_id, "unread")
    said = episode(tx, graph, "words", metadata='{"team": "blue"}')
    _read(tx, said.id)
    assert tx.graphs.has_walls(graph_id=graph) is None
    assert tx.readings.part(keys=listed("team"), project_id=access.project_id) == 1
    assert tx.graphs.has_walls(graph_id=graph) == 1
    assert tx.graphs.to_fold() == []
    assert tx.graphs.parted(project_id=access.project_id) == 1
    assert tx.graphs.to_fold() == [graph]


@in_a_unit
def test_readings_are_kept_with_their_side(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    said = episode(tx, graph, "words")
    assert tx.readings.of_episode(episode_id=said.id) is None
    _read(tx, said.id)
    tx.readings.set_side(side="blue", episode_id=said.id)
    _read(tx, said.id, "model:x")
    found = tx.readings.of_episode(episode_id=said.id)
    assert found is not None
    assert (found.seq, found.reader, found.side) == (said.seq, "model:x", "blue")
    node = entity(tx, graph, "Jane")
    fact(tx, graph, (node, node), "Jane sings", extractor="model:x")
    fact(tx, graph, (node, node), "Jane is 30", extractor=None)
    assert [tuple(row) for row in tx.readings.by_reader()] == [("model:x", 1)]


@in_a_unit
def test_places_that_were_processed_and_have_no_reading(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    unread = episode(tx, graph, "one", processed_at=1, task_uuid=NO_UUID)
    read = episode(tx, graph, "two", processed_at=1, task_uuid=NO_UUID)
    episode(tx, graph, "three")
    _read(tx, read.id)
    assert [row.episode.id for row in tx.readings.steps_unread(graph_id=graph, limit=5)] == [
        unread.id
    ]
    assert tx.readings.steps_unread(graph_id=NOBODY, limit=5) == []


@in_a_unit
def test_what_is_left_of_deleted_episodes_goes_where_nobody_knows_its_side(
    tx: Transaction, access: Access
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    for seq, remains in [(7, '{"metadata": {}}'), (8, '{"metadata": {"team": 1}}'), (9, "{}")]:
        tx.readings.remainder_put(
            graph_id=graph,
            seq=seq,
            reader="embedded",
            found="{}",
            vectors=None,
            now=now(tx),
            remains=remains,
            side=None,
        )
    gone: dict[str, Any] = {"project_id": access.project_id, "keys": listed("team")}
    assert tx.readings.remainders_of_no_side(**gone) == 2
    assert [row.seq for row in tx.readings.remainders_of_graph(graph_id=graph)] == [7]
    assert tx.readings.remainder_delete(graph_id=graph, seq=7) == 1
    assert tx.readings.remainders_of_graph(graph_id=graph) == []


@in_a_unit
def test_changes_by_hand_are_found_by_what_they_changed(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    _edit(tx, graph, "entity.merge", "a")
    _edit(tx, graph, "entity.merge", "b")
    _edit(tx, graph, "entity.update", "a")
    merges = tx.edits.merges_of_graph(graph_id=graph)
    assert [row.subject for row in merges] == ["b", "a"]
    of: dict[str, Any] = {"subject": "a", "project_id": access.project_id}
    newest = tx.edits.newest_of(**of, kinds=listed("entity.merge", "entity.update"))
    assert newest is not None
    assert (newest.kind, newest.graph_id) == ("entity.update", graph)
    merged = tx.edits.newest_of(**of, kinds=listed("entity.merge"))
    assert merged is not None
    assert merged.id == merges[1].id
    assert tx.edits.newest_of(**of, kinds=listed("fact.update")) is None
    other = of | {"project_id": stranger.project_id}
    assert tx.edits.newest_of(**other, kinds=listed("entity.merge")) is None


@in_a_unit
def test_a_change_by_hand_counts_on_all_sides_of_a_later_wall(
    tx: Transaction, access: Access
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    _edit(tx, graph, "entity.update", "a")
    parted: dict[str, Any] = {"keys": listed("team"), "project_id": access.project_id}
    assert tx.edits.part(**parted, graph_id=NOBODY) == 0
    assert tx.edits.part(**parted, graph_id=None) == 1
    (row,) = tx.edits.due(graph_id=graph, before=None)
    assert (row.everywhere, row.side, row.walls) == (1, "", "[]")


@in_a_unit
def test_entities_by_what_is_asked(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    own = entity(tx, graph, "Jane", is_user=1)
    uuid = tx.new_id()
    mark = entity(tx, graph, "Mark", uuid=uuid)
    tx.entities.name_insert(graph_id=graph, key="mark", entity_id=mark)
    asked = tx.entities.asked(keys=listed("mark", "rosa"), graph_id=graph)
    assert [tuple(row) for row in asked] == [("mark", mark)]
    tx.entities.names_add(graph_id=graph, keys=listed("=mark", "f:mark"), entity_id=mark)
    keys = listed("f:mark", "f:rosa")
    found = tx.entities.names_beside(keys=keys, graph_id=graph, side="", limit=1)
    assert [tuple(row) for row in found] == [("f:mark", mark, "=mark")]
    assert tx.entities.names_beside(keys=keys, graph_id=graph, side="other", limit=1) == []
    both = listed(own, mark, NOBODY)
    assert tx.entities.own(ids=both) == [own]
    assert tx.entities.ids_by_uuids(graph_id=graph, uuids=listed(uuid, NO_UUID)) == [mark]
    assert [row.id for row in tx.entities.of_graph(graph_id=graph)] == [mark]
    assert {row.id for row in tx.entities.uuids_among(graph_id=graph, ids=None)} == {own, mark}
    among = tx.entities.uuids_among(graph_id=graph, ids=listed(mark))
    assert [tuple(row) for row in among] == [(mark, uuid)]
    labelled = tx.entities.labelled(ids=both)
    assert [(row.id, row.labels) for row in labelled] == [(own, '["Entity"]'), (mark, '["Entity"]')]


def _matched(tx: Transaction, graph: int, name: str, *keys: str, **columns: Any) -> int:
    number = entity(tx, graph, name, **columns)
    tx.entities.names_add(graph_id=graph, keys=listed(*keys), entity_id=number)
    return number


@in_a_unit
def test_whoever_matches_a_name(tx: Transaction, access: Access) -> None:
    """Only people match by a first name, but the others count among as many as match at all."""
    graph = graph_id(tx, access.project_id, "shelf")
    club = _matched(tx, graph, "Ann club", "=ann club", "f:ann")
    lee = _matched(tx, graph, "Ann Lee", "=ann lee", "f:ann", kind="person")
    doe = _matched(tx, graph, "Ann Doe", "=ann doe", "f:ann", kind="person")
    _matched(tx, graph, "ann helper", "=ann lee", is_assistant=1)
    _matched(tx, graph, "Ann afar", "=ann lee", kind="person", side="other")

    def named(*keys: str, limit: int) -> list[int]:
        found = tx.entities.named(graph_id=graph, keys=listed(*keys), side="", limit=limit)
        return [row.id for row in found]

    assert sorted(named("f:ann", limit=9)) == [lee, doe]
    assert named("f:ann", limit=2) == [lee]
    assert named("=ann club", limit=9) == [club]
    # Who matches in two ways counts once, at the whole name.
    assert sorted(named("f:ann", "=ann lee", limit=3)) == [lee, doe]
    assert named("f:ann", "=ann lee", limit=2) == [lee]
    assert named("f:bob", limit=9) == []


@in_a_unit
def test_a_page_among_entities(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    first, second = entity(tx, graph, "Jane"), entity(tx, graph, "Mark")
    fact(tx, graph, (second, second), "Mark sings")
    of: dict[str, Any] = {"order": "degree/desc", "graph_id": graph, "ids": listed(first, second)}
    page = tx.entities.page_among(**of, **FIRST)
    assert [(keyed.row.id, keyed.key) for keyed in page] == [(second, 1), (first, 0)]
    after = FIRST | {"after_uuid": page[0].row.uuid, "after_key": 1}
    assert [keyed.row.id for keyed in tx.entities.page_among(**of, **after)] == [first]
    assert tx.entities.page_among(**of | {"ids": listed()}, **FIRST) == []


@in_a_unit
def test_episodes_that_mention_entities(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    said = episode(tx, graph, "Jane", metadata='{"a": 1}')
    again = episode(tx, graph, "Jane again")
    carrier = episode(tx, graph, "{}", kind="nodes")
    job(tx, carrier, NO_UUID)
    jane = entity(tx, graph, "Jane", said.id, again.id, carrier.id)
    assert [row.id for row in tx.entities.mentioned_by(episode_id=said.id)] == [jane]
    told = tx.entities.episodes(ids=listed(jane))
    assert [(row.id, row.uuid) for row in told] == [(jane, again.uuid), (jane, said.uuid)]
    (newest,) = tx.episodes.uuids_of_entities(limit=1, ids=listed(jane))
    assert tuple(newest) == (jane, listed(again.uuid))
    (direct,) = tx.entities.direct_nodes_of_task(task_uuid=NO_UUID)
    assert direct.id == jane
    assert tx.entities.direct_nodes_of_task(task_uuid="none") == []


@in_a_unit
def test_an_entity_that_took_in_another(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    jane = entity(tx, graph, "Jane")
    tx.entities.name_insert(graph_id=graph, key=f"was:{NO_UUID}", entity_id=jane)
    assert [row.id for row in tx.entities.that_took_in(graph_id=graph, uuid=NO_UUID)] == [jane]
    assert tx.entities.that_took_in(graph_id=graph, uuid="other") == []
    tx.entities.unname(name="someone", names="[]", attributes=None, id=jane)
    row = tx.entities.by_id(id=jane)
    assert row is not None
    assert (row.name, row.names) == ("someone", "[]")


@in_a_unit
def test_what_the_sides_of_a_wall_taught_a_user(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    jane = entity(tx, graph, "Jane", is_user=1)
    put: dict[str, Any] = {"entity_id": jane, "attributes": None}
    tx.entities.user_side_put(side="blue", names=listed("Jay"), **put)
    tx.entities.user_side_put(side="red", names=listed("J"), **put)
    tx.entities.user_side_put(side="red", names=listed("Jen"), **put | {"attributes": '{"age": 3}'})
    sides = tx.entities.user_sides_of(entity_id=jane)
    assert [tuple(row) for row in sides] == [
        ("blue", '["Jay"]', None),
        ("red", '["Jen"]', '{"age": 3}'),
    ]
    found = tx.entities.user_side(entity_id=jane, side="blue")
    assert found is not None
    assert (found.names, found.all_names, found.all_attributes) == (
        '["Jay"]',
        '["Jay","Jen"]',
        '["age"]',
    )
    assert tx.entities.user_sides_drop(graph_id=graph) == 2
    assert tx.entities.user_sides_of(entity_id=jane) == []


@in_a_unit
def test_a_side_that_taught_a_user_nothing(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    jane = entity(tx, graph, "Jane", is_user=1)
    found = tx.entities.user_side(entity_id=jane, side="blue")
    assert found is not None
    assert tuple(found) == (None, None, "[]", "[]")


@in_a_unit
def test_episodes_of_a_log_in_order(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    late = episode(tx, graph, "late", created_at=9, metadata='{"a": 1}')
    early = episode(tx, graph, "early", created_at=3)
    hidden = episode(tx, graph, "{}", kind="nodes")
    both = listed(late.id, early.id)
    assert [row.id for row in tx.episodes.by_time(graph_id=graph, limit=5, offset=0)] == [
        early.id,
        late.id,
    ]
    judged = tx.episodes.judged(graph_id=graph, after_seq=late.seq, limit=5)
    assert [row.id for row in judged] == [early.id]
    assert tx.episodes.of_graph_count(graph_id=graph) == 2
    assert [tuple(row) for row in tx.episodes.metadata(ids=both)] == [
        (late.id, '{"a": 1}'),
        (early.id, None),
    ]
    assert [row.content for row in tx.episodes.messages_among(ids=both)] == ["late", "early"]
    seqs: dict[str, Any] = {"seqs": listed(late.seq, early.seq, 99), "graph_id": graph}
    assert tx.episodes.ids_by_seqs(**seqs, side=None) == [late.id, early.id]
    _read(tx, late.id)
    tx.readings.set_side(side="blue", episode_id=late.id)
    assert tx.episodes.ids_by_seqs(**seqs, side="blue") == [late.id]
    assert tx.episodes.uuids_by_seqs(**seqs) == [late.uuid, early.uuid]
    named: dict[str, Any] = {"uuids": listed(early.uuid, hidden.uuid), "graph_id": graph}
    assert [row.id for row in tx.episodes.cited(**named)] == [early.id]
    assert [row.id for row in tx.episodes.by_uuids(**named)] == [early.id]
    assert [row.id for row in tx.episodes.ids_by_uuids(**named)] == [early.id, hidden.id]


@in_a_unit
def test_a_page_among_episodes(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    first, second = episode(tx, graph, "one"), episode(tx, graph, "two")
    episode(tx, graph, "three")
    uuid = tx.new_id()
    entity(tx, graph, "Jane", second.id, uuid=uuid)
    of: dict[str, Any] = {
        "order": "uuid/asc",
        "graph_id": graph,
        "ids": listed(first.id, second.id),
        "mentioned": None,
        **FIRST,
    }
    page = tx.episodes.page_among(**of)
    assert [keyed.row.id for keyed in page] == [first.id, second.id]
    mentioning = tx.episodes.page_among(**of | {"mentioned": listed(uuid)})
    assert [keyed.row.id for keyed in mentioning] == [second.id]
    after = {"after_uuid": page[1].row.uuid, "after_key": page[1].key}
    assert tx.episodes.page_among(**of | after) == []


@in_a_unit
def test_an_episode_to_be_read(tx: Transaction, access: Access, stranger: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    said = episode(tx, graph, "words", metadata='{"a": 1}')
    found = tx.episodes.to_read(uuid=said.uuid, project_id=access.project_id)
    assert found is not None
    assert tuple(found) == (said.id, '{"a": 1}')
    assert tx.episodes.to_read(uuid=said.uuid, project_id=None) == found
    assert tx.episodes.to_read(uuid=said.uuid, project_id=stranger.project_id) is None


@in_a_unit
def test_what_threads_say(tx: Transaction, access: Access) -> None:
    graph, (first, second) = _talk(tx, access, "a", "b")
    before = episode(tx, graph, "before", thread_id=first)
    said = episode(tx, graph, "said", thread_id=second, metadata='{"a": 1}')
    hidden = episode(tx, graph, "hidden", thread_id=second, ignored=1)
    carrier = episode(tx, graph, "{}", thread_id=second, kind="nodes")
    messages = tx.episodes.messages_of_thread(thread_id=second)
    assert [row.id for row in messages] == [said.id, hidden.id]
    assert {row.id for row in tx.episodes.that_state(thread_id=second)} == {
        said.id,
        hidden.id,
        carrier.id,
    }
    fed = tx.episodes.uuids_of_threads(threads=listed(second))
    assert {(row.uuid, row.metadata) for row in fed} == {
        (said.uuid, '{"a": 1}'),
        (carrier.uuid, None),
    }
    last = tx.episodes.in_thread_before(graph_id=graph, seq=said.seq, id=said.id, limit=5)
    assert [row.content for row in last] == ["before"]
    none = tx.episodes.in_thread_before(graph_id=graph, seq=before.seq, id=before.id, limit=5)
    assert none == []


@in_a_unit
def test_what_was_said_before_in_the_same_talk(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    of = '{"session_id": "%s", "user_id": "jane"}'
    other = episode(tx, graph, "other", producer="p", metadata=of % "s1")
    same = episode(tx, graph, "same", producer="p", metadata=of % "s2")
    last = episode(tx, graph, "last", producer="p", metadata=of % "s2")
    talk: dict[str, Any] = {
        "graph_id": graph,
        "seq": last.seq,
        "session": '"s2"',
        "user": '"jane"',
    }
    assert [row.content for row in tx.episodes.before_in_talk(limit=5, **talk)] == ["same"]
    before = tx.episodes.talk_before(**talk)
    assert before is not None
    assert before.metadata == other.metadata
    assert tx.episodes.talk_before(**talk | {"seq": other.seq}) is None
    assert tx.episodes.before_in_talk(limit=5, **talk | {"seq": same.seq}) == []


@in_a_unit
def test_a_carrier_of_a_fact_becomes_one_of_nodes(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    carrier = episode(tx, graph, "a fact", kind="fact_triple")
    assert tx.episodes.becomes_nodes(content="{}", id=carrier.id) == 1
    (row,) = tx.episodes.by_ids(ids=listed(carrier.id))
    assert (row.kind, row.content) == ("nodes", "{}")


def _summary(tx: Transaction, graph: int, **of: Any) -> int:
    values: dict[str, Any] = {"thread_id": None, "document_id": None} | of
    return tx.summaries.insert(
        first=1,
        end=1 << 40,
        uuid=tx.new_id(),
        graph_id=graph,
        summary="about",
        now=now(tx),
        covered_at=None,
        **values,
    )


@in_a_unit
def test_summaries_of_documents(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    first = episode(tx, graph, "one", document_id="d", processed_at=1, speaker="Jane")
    second = episode(tx, graph, "two", document_id="d", processed_at=1)
    episode(tx, graph, "other", document_id="e", processed_at=1)
    of: dict[str, Any] = {"graph_id": graph, "document_id": "d"}
    assert tx.summaries.document_summary_of(**of) is None
    number = _summary(tx, graph, document_id="d")
    found = tx.summaries.document_summary_of(**of)
    assert found is not None
    assert (found.id, found.summary) == (number, "about")
    sources = tx.summaries.document_summary_sources(ids=listed(number))
    assert {(row.id, row.uuid) for row in sources} == {(number, first.uuid), (number, second.uuid)}
    assert [row.id for row in tx.episodes.of_summary(id=number)] == [first.id, second.id]
    said = tx.summaries.messages_of_document(**of, seq=second.seq, limit=5)
    assert [row.content for row in said] == ["two", "one"]
    assert [row.speaker for row in tx.summaries.messages_of_document(**of, seq=1, limit=5)] == [
        "Jane"
    ]
    tx.graphs.has_folded(seq=first.seq, graph_id=graph)
    extent = tx.summaries.extent_of_document(**of)
    assert extent is not None
    assert tuple(extent) == (1, first.seq)


@in_a_unit
def test_the_extent_of_a_document_that_is_not_there(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    extent = tx.summaries.extent_of_document(graph_id=graph, document_id="d")
    assert extent is not None
    assert tuple(extent) == (0, None)


@in_a_unit
def test_summaries_of_threads_among_some(tx: Transaction, access: Access) -> None:
    graph, (first, second) = _talk(tx, access, "a", "b")
    one, two = _summary(tx, graph, thread_id=first), _summary(tx, graph, thread_id=second)
    among = tx.summaries.thread_summaries_among(graph_id=graph, ids=listed(two))
    assert [(row.id, row.thread_name) for row in among] == [(two, "b")]
    assert tx.summaries.thread_summaries_among(graph_id=NOBODY, ids=listed(one)) == []


def _observation(tx: Transaction, graph: int, of: int, key: str, *facts: int) -> int:
    number = tx.observations.insert(
        first=1,
        end=1 << 40,
        uuid=tx.new_id(),
        graph_id=graph,
        entity_id=of,
        kind="changes",
        key=key,
        name="n",
        summary="s",
        label="l",
        start_at=None,
        latest_evidence_at=None,
        end_at=None,
        created_at=now(tx),
    )
    tx.observations.facts_add(id=number, facts=listed(*facts))
    return number


@in_a_unit
def test_observations_of_an_entity(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    said = episode(tx, graph, "words", metadata='{"a": 1}')
    jane, mark = entity(tx, graph, "Jane"), entity(tx, graph, "Mark")
    known = fact(tx, graph, (jane, mark), "Jane knows Mark", said.id)
    own = _observation(tx, graph, jane, '["a","b","c"]', known)
    met = _observation(tx, graph, mark, listed("a", "b", NO_UUID), known)
    about = tx.observations.about(entity_id=jane, uuid=NO_UUID)
    assert [row.id for row in about] == [own, met]
    assert [row.id for row in tx.observations.about(entity_id=jane, uuid="x")] == [own]
    (behind,) = tx.observations.episodes(ids=listed(own))
    assert (behind.id, behind.episode_id, behind.metadata) == (own, said.id, '{"a": 1}')
    (source,) = tx.observations.sources(ids=listed(own))
    assert (source.id, source.uuid) == (own, said.uuid)
    rests = tx.facts.of_observations(ids=listed(own))
    assert [tuple(row) for row in rests] == [(own, known)]
    tx.observations.move(entity_id=mark, key='["x","y","z"]', id=own)
    assert [row.id for row in tx.observations.about(entity_id=jane, uuid="x")] == []


@in_a_unit
def test_facts_that_make_a_pattern(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    said = episode(tx, graph, "words", kind="message", created_at=5)
    jane, mark = entity(tx, graph, "Jane"), entity(tx, graph, "Mark")
    held = fact(tx, graph, (jane, mark), "a", said.id, slot="lead", gist="g")
    over = fact(tx, graph, (jane, mark), "b", said.id, slot="lead", invalid_at=7)
    fact(tx, graph, (jane, mark), "c", said.id, slot="lead", negated=1)
    of: dict[str, Any] = {"entity_id": jane, "side": "", "limit": 5}
    (open_,) = tx.observations.pattern_open_of_slot(slot="lead", **of)
    assert (open_.id, open_.target_name, open_.said_at) == (held, "Mark", 5)
    (closed,) = tx.observations.pattern_closed_of_slot(slot="lead", **of)
    assert (closed.id, closed.invalid_at) == (over, 7)
    (repeated,) = tx.observations.pattern_said_of_gist(said_max=3, gist="g", **of)
    assert (repeated.id, repeated.said) == (held, "[5]")
    assert tx.observations.pattern_said_of_gist(said_max=3, gist="none", **of) == []
    topic = tx.observations.topic_facts(said_max=3, ids=listed(held, over))
    assert [(row.id, row.said) for row in topic] == [(held, "[5]"), (over, "[5]")]


@in_a_unit
def test_chapters_of_a_log(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    assert tx.chapters.condense(id=graph) == 1
    assert tx.chapters.condense(id=graph) == 0
    tx.chapters.condensed(condensed=2, id=graph)
    state = tx.chapters.condensing(id=graph)
    assert state is not None
    assert tuple(state) == (1, 2, 0)
    node = entity(tx, graph, "Jane")
    kept, dropped = (fact(tx, graph, (node, node), name) for name in "ab")
    at: dict[str, Any] = {"graph_id": graph, "level": 0, "number": 1}
    assert tx.chapters.put(**at) == 1
    assert tx.chapters.put(**at) == 0
    tx.chapters.facts_put(facts=listed(kept, dropped), **at)
    tx.chapters.facts_drop(facts=listed(kept), **at)
    of: dict[str, Any] = {"chapters": "[[0, 1], [0, 2]]", "graph_id": graph}
    assert [row.id for row in tx.chapters.facts_of(**of)] == [kept]
    among = tx.chapters.among(**of)
    assert among is not None
    assert tuple(among) == (0, 1)
    assert tx.chapters.page(graph_id=graph, after=0, limit=5) == [1]
    assert tx.chapters.drop(**at) == 1
    assert tx.chapters.among(**of) is None
    tx.chapters.put(**at)
    assert tx.chapters.forget_all(graph_id=graph) == 1
    assert tx.chapters.page(graph_id=graph, after=0, limit=5) == []


@in_a_unit
def test_what_a_chapter_is_made_of(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    said = episode(tx, graph, "one")
    waiting = episode(tx, graph, "two")
    job(tx, waiting, NO_UUID)
    node = entity(tx, graph, "Jane")
    known = fact(tx, graph, (node, node), "Jane sings", said.id)
    run: dict[str, Any] = {"graph_id": graph, "first": said.seq, "last": said.seq}
    assert tx.chapters.waits(**run) is None
    assert tx.chapters.waits(**run | {"last": waiting.seq}) == 1
    assert tx.chapters.told(**run) == 1
    assert tx.chapters.told(**run | {"first": 8, "last": 9}) is None
    assert [row.id for row in tx.chapters.said(**run)] == [known]
    assert tx.chapters.said(**run | {"first": waiting.seq, "last": waiting.seq}) == []


@in_a_unit
def test_the_window_over_a_log(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    first, second, third = (episode(tx, graph, name) for name in "abc")
    episode(tx, graph, "kept apart", kept_for="semantic")
    window = tx.chapters.window_episodes(graph_id=graph, before=99, limit=2)
    assert [row.id for row in window] == [third.id, second.id]
    left = tx.chapters.window_left(graph_id=graph, after=0, before=third.seq, limit=5)
    assert [row.id for row in left] == [second.id, first.id]
    members = tx.chapters.members(graph_id=graph, after=first.seq, last=second.seq, limit=5)
    assert [row.id for row in members] == [second.id]


@in_a_unit
def test_snapshots_of_an_index(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    assert tx.index.snapshot_head(graph_id=graph) is None
    for chunk, data in enumerate([b"head", b"body"]):
        tx.index.snapshot_put(graph_id=graph, chunk=chunk, version=3, data=data)
    assert tx.index.snapshot_head(graph_id=graph) == b"head"
    assert [tuple(row) for row in tx.index.snapshot(graph_id=graph)] == [(3, b"head"), (3, b"body")]
    assert tx.index.snapshot_drop(graph_id=graph) == 2
    assert tx.index.snapshot(graph_id=graph) == []
