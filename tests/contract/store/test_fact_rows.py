"""Facts, what joins them to episodes, and what ends them or casts doubt on them, as rows."""

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
    supported,
    thread_id,
    user_id,
)

FIRST: dict[str, Any] = {"after_uuid": None, "after_key": None, "limit": 5}


def _pair(tx: Transaction, access: Access) -> tuple[int, int, int]:
    """A graph, and two entities in it."""
    graph = graph_id(tx, access.project_id, "shelf")
    return graph, entity(tx, graph, "Jane"), entity(tx, graph, "Mark")


def _ended(tx: Transaction, fact_id: int, **by: Any) -> None:
    values = {"by_fact_id": None, "episode_id": None, "ended_at": now(tx), "expired_at": now(tx)}
    tx.closings.insert(fact_id=fact_id, judge="rule", sure=None, **values | by)


@in_a_unit
def test_facts_by_slot_and_by_target(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    held = fact(tx, graph, (jane, mark), "Jane leads Mark", slot="lead", predicate="LEADS")
    over = fact(
        tx, graph, (jane, mark), "Jane led Mark", slot="lead", predicate="LEADS", invalid_at=5
    )
    of: dict[str, Any] = {"side": "", "limit": 5}
    slot: dict[str, Any] = {"entity_id": jane, "value": "lead", **of}
    target: dict[str, Any] = {"entity_id": mark, "value": "LEADS", **of}
    assert [row.id for row in tx.facts.open_by_slot(**slot)] == [held]
    assert [row.id for row in tx.facts.closed_by_slot(since=5, **slot)] == [over]
    assert tx.facts.closed_by_slot(since=6, **slot) == []
    assert [row.id for row in tx.facts.open_by_target(**target)] == [held]
    assert [row.id for row in tx.facts.closed_by_target(since=5, **target)] == [over]
    assert tx.facts.open_by_target(**target | {"side": "another"}) == []


@in_a_unit
def test_facts_of_an_entity(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    first = fact(tx, graph, (jane, mark), "Jane knows Mark")
    second = fact(tx, graph, (mark, jane), "Mark knows Jane", invalid_at=7)
    told = fact(tx, graph, (jane, jane), "Jane is 30", extractor=None)
    about = tx.facts.about_entity(entity_id=jane, limit=5)
    assert [(row.id, row.invalid_at) for row in about] == [(second, 7), (first, None)]
    assert [row.id for row in tx.facts.from_place(entity_id=jane, limit=5)] == [told, first]
    assert [row.id for row in tx.facts.of_graph(graph_id=graph)] == [first, second, told]
    assert {row.id for row in tx.facts.ends(ids=listed(first, NOBODY))} == {first}
    assert tx.facts.about_entity(entity_id=NOBODY, limit=5) == []


@in_a_unit
def test_facts_that_have_begun(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    always = fact(tx, graph, (jane, mark), "always")
    over = fact(tx, graph, (jane, mark), "over", valid_at=3, invalid_at=4)
    fact(tx, graph, (jane, mark), "to come", valid_at=9)
    assert [row.id for row in tx.facts.begun(graph_id=graph, now=5, limit=5)] == [over, always]
    assert [row.id for row in tx.facts.begun(graph_id=graph, now=5, limit=1)] == [over]


@in_a_unit
def test_facts_between_entities(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    rosa = entity(tx, graph, "Rosa")
    out = fact(tx, graph, (jane, mark), "Jane knows Mark")
    back = fact(tx, graph, (mark, jane), "Mark knows Jane")
    other = fact(tx, graph, (jane, rosa), "Jane knows Rosa")
    both: dict[str, Any] = {"entity_id": jane, "outwards": 1, "inwards": 1, "limit": 5}
    outwards = both | {"inwards": 0}
    to_mark: dict[str, Any] = {"others": listed(mark)}
    late: dict[str, Any] = {"before": other + 1}
    assert [row.id for row in tx.facts.of_node_before(**both, **late)] == [other, back, out]
    assert [row.id for row in tx.facts.of_node_before(**outwards, before=other)] == [out]
    assert [row.id for row in tx.facts.between(**both, **to_mark, fact_ids=None)] == [back, out]
    among = tx.facts.between(**both, **to_mark, fact_ids=listed(out, other))
    assert [row.id for row in among] == [out]
    assert [row.id for row in tx.facts.between_before(**outwards, **to_mark, **late)] == [out]
    assert tx.facts.between_before(**both, **to_mark, before=out) == []


@in_a_unit
def test_a_page_among_facts(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    first, second, third = (fact(tx, graph, (jane, mark), name) for name in "abc")
    of: dict[str, Any] = {"order": "uuid/asc", "ids": listed(first, third), "graph_id": graph}
    page = tx.facts.page_among(**of, **FIRST)
    assert [keyed.row.id for keyed in page] == [first, third]
    after = FIRST | {"after_uuid": page[0].row.uuid, "after_key": page[0].key}
    assert [keyed.row.id for keyed in tx.facts.page_among(**of, **after)] == [third]
    assert tx.facts.page_among(**of | {"graph_id": NOBODY}, **FIRST) == []
    assert second not in [keyed.row.id for keyed in page]


@in_a_unit
def test_facts_that_episodes_state(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    said = episode(tx, graph, "Jane knows Mark", metadata='{"a": 1}')
    known = fact(tx, graph, (jane, mark), "Jane knows Mark", said.id)
    _ended(tx, known, episode_id=said.id)
    (stated,) = tx.facts.stated_by(episode_id=said.id)
    assert (stated.fact.id, stated.said_at, stated.ended_itself) == (known, said.created_at, 1)
    assert tx.facts.stated_by(episode_id=NOBODY) == []
    (said_row,) = tx.episodes.said_by_episodes(episodes=listed(said.id))
    assert (said_row.id, said_row.joins) == (known, 1)
    of: dict[str, Any] = {"episodes": listed(said.id), "limit": 5}
    assert [row.id for row in tx.facts.of_thread(**of, rating_min=None)] == [known]
    assert [row.id for row in tx.facts.of_thread(**of, rating_min=0.9)] == [known]
    assert tx.episodes.saying(episodes=listed(said.id), facts=listed(known)) == [said.id]
    assert tx.episodes.saying(episodes=listed(said.id), facts=listed(NOBODY)) == []
    silent = episode(tx, graph, "hm")
    assert tx.episodes.stating_nothing(ids=listed(said.id, silent.id)) == [silent.id]


@in_a_unit
def test_facts_below_a_rating_are_left_out(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    said = episode(tx, graph, "both")
    dull = fact(tx, graph, (jane, mark), "dull", said.id, rating=0.1)
    good = fact(tx, graph, (jane, mark), "good", said.id, rating=0.9)
    of: dict[str, Any] = {"episodes": listed(said.id), "limit": 5}
    assert [row.id for row in tx.facts.of_thread(**of, rating_min=0.5)] == [good]
    assert [row.id for row in tx.facts.of_thread(**of, rating_min=None)] == [good, dull]


@in_a_unit
def test_a_fact_that_was_written_is_the_answer_to_its_task(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    task = tx.new_id()
    carrier = episode(tx, graph, "{}", kind="fact_triple")
    job(tx, carrier, task)
    uuid = tx.new_id()
    known = fact(tx, graph, (jane, mark), "Jane knows Mark", carrier.id, uuid=uuid)
    (told,) = tx.facts.direct_facts_of_task(task_uuid=task)
    assert (told.id, told.source_name, told.target_name) == (known, "Jane", "Mark")
    assert tx.facts.direct_facts_of_task(task_uuid=NO_UUID) == []
    assert tx.facts.uuid_taken(uuid=uuid) == graph
    assert tx.facts.uuid_taken(uuid=NO_UUID) is None


@in_a_unit
def test_facts_that_lose_what_they_rest_on(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    first, second = episode(tx, graph, "one"), episode(tx, graph, "two")
    lost = fact(tx, graph, (jane, mark), "only one", first.id)
    fact(tx, graph, (jane, mark), "both", first.id, second.id)
    ended = fact(tx, graph, (jane, mark), "ended by two", first.id)
    supported(tx, ended, second.id, "closes")
    gone = tx.facts.said_only_by(episodes=listed(first.id))
    assert {row.id for row in gone} == {lost, ended}
    _ended(tx, ended, episode_id=second.id)
    assert {row.id for row in tx.facts.said_only_by(episodes=listed(first.id))} == {lost}
    without: dict[str, Any] = {"episodes": listed(second.id), "facts": listed()}
    assert tx.facts.reopened_without(**without) == [ended]
    assert tx.facts.reopened_without(episodes=listed(first.id), facts=listed()) == []


@in_a_unit
def test_the_ends_that_are_left_decide(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    known = fact(tx, graph, (jane, mark), "held", invalid_at=1, expired_at=1)
    _ended(tx, known, ended_at=7, expired_at=9)
    _ended(tx, known, ended_at=8, expired_at=8)
    tx.facts.end_again(ids=listed(known))
    (row,) = tx.facts.told_by_ids(ids=listed(known))
    assert (row.invalid_at, row.expired_at) == (7, 8)
    tx.closings.by_hand(id=known)
    tx.facts.end_again(ids=listed(known))
    (row,) = tx.facts.told_by_ids(ids=listed(known))
    assert (row.invalid_at, row.expired_at) == (None, None)


@in_a_unit
def test_facts_move_to_whom_an_entity_was_merged_into(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    janet = entity(tx, graph, "Janet")
    out = fact(tx, graph, (janet, mark), "Janet knows Mark")
    back = fact(tx, graph, (mark, janet), "Mark knows Janet")
    assert tx.facts.join_sources(kept=jane, gone=janet) == 1
    assert tx.facts.join_targets(kept=jane, gone=janet) == 1
    ends = {row.id: (row.source_id, row.target_id) for row in tx.facts.of_graph(graph_id=graph)}
    assert ends == {out: (jane, mark), back: (mark, jane)}


@in_a_unit
def test_when_a_fact_was_reopened(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    found = tx.facts.reopened(uuid=NO_UUID)
    assert found is not None
    assert found.at is None
    tx.edits.insert(
        seq=None,
        kind="fact.reopen",
        subject=NO_UUID,
        near=None,
        mark="m",
        change=None,
        vector=None,
        now=77,
        side="",
        graph_id=graph,
    )
    found = tx.facts.reopened(uuid=NO_UUID)
    assert found is not None
    assert found.at == 77


@in_a_unit
def test_facts_by_their_ends_alone(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    first = fact(tx, graph, (jane, mark), "one")
    second = fact(tx, graph, (mark, jane), "two")
    newest = tx.links.newest(graph_id=graph, limit=5)
    assert [(row.id, row.source_id, row.target_id) for row in newest] == [
        (second, mark, jane),
        (first, jane, mark),
    ]
    older = tx.links.before(graph_id=graph, before=newest[0].uuid, limit=5)
    assert [row.id for row in older] == [first]
    assert tx.links.newest(graph_id=NOBODY, limit=5) == []


@in_a_unit
def test_the_episodes_behind_facts(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    user_id(tx, access.project_id, "jane")
    thread = thread_id(tx, access.project_id, "jane", "chat")
    said = episode(tx, graph, "they met", metadata='{"a": 1}', speaker="Jane")
    over = episode(tx, graph, "not any more", thread_id=thread)
    known = fact(tx, graph, (jane, mark), "Jane knows Mark", said.id)
    supported(tx, known, over.id, "closes")
    evidence = tx.links.evidence_of_fact(fact_id=known, limit=5)
    assert [(row.id, row.support_role, row.thread_name) for row in evidence] == [
        (said.id, "states", None),
        (over.id, "closes", "chat"),
    ]
    sources = tx.links.sources_of_facts(ids=listed(known))
    assert [(row.fact_id, row.uuid, row.metadata) for row in sources] == [
        (known, said.uuid, '{"a": 1}'),
        (known, over.uuid, None),
    ]
    assert tx.links.evidence_of_fact(fact_id=NOBODY, limit=5) == []
    assert tx.threads.of_facts(facts=listed(known)) == []
    other = fact(tx, graph, (jane, mark), "Jane met Mark", over.id)
    (of_thread,) = tx.threads.of_facts(facts=listed(other))
    assert (of_thread.fact_id, of_thread.thread_id, of_thread.episode) == (
        other,
        thread,
        over.uuid,
    )


@in_a_unit
def test_mentions_move_to_whom_an_entity_was_merged_into(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    both, one = episode(tx, graph, "both"), episode(tx, graph, "one")
    jane = entity(tx, graph, "Jane", both.id)
    janet = entity(tx, graph, "Janet", both.id, one.id)
    assert tx.links.mentions_join(kept=jane, gone=janet) == 1
    assert tx.links.mentions_of_entity(entity_id=jane) == [both.id, one.id]
    assert tx.links.mentions_of_entity(entity_id=NOBODY) == []


@in_a_unit
def test_neighbours_of_a_node(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    rosa = entity(tx, graph, "Rosa", labels=listed("Person"))
    out = fact(tx, graph, (jane, mark), "Jane knows Mark")
    fact(tx, graph, (rosa, jane), "Rosa knows Jane")
    of: dict[str, Any] = {
        "order": "uuid/asc",
        "entity_id": jane,
        "outwards": 1,
        "inwards": 1,
        "fact_ids": None,
        "labels": None,
        "labels_not": None,
        **FIRST,
    }

    def found(**chosen: Any) -> list[int]:
        return [keyed.row.id for keyed in tx.links.neighbours(**of | chosen)]

    assert found() == [mark, rosa]
    assert found(inwards=0) == [mark]
    assert found(fact_ids=listed(out)) == [mark]
    assert found(labels=listed("Person")) == [rosa]
    assert found(labels_not=listed("Person")) == [mark]
    assert found(entity_id=NOBODY) == []


@in_a_unit
def test_what_ended_a_fact(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    said = episode(tx, graph, "over", metadata='{"a": 1}')
    held, instead = (fact(tx, graph, (jane, mark), name) for name in ("held", "instead"))
    _ended(tx, held, by_fact_id=instead, episode_id=said.id, ended_at=5, expired_at=6)
    (ending,) = tx.closings.endings_of_fact(fact_id=held, limit=5)
    assert tuple(ending) == (instead, said.id, 5, 6, "rule", None)
    (closed,) = tx.closings.closed_by_fact(fact_id=instead, limit=5)
    assert (closed.fact_id, closed.ended_at) == (held, 5)
    (judged,) = tx.closings.endings_of_facts(ids=listed(held))
    assert (judged.fact_id, judged.metadata) == (held, '{"a": 1}')
    assert tx.closings.endings_of_fact(fact_id=instead, limit=5) == []
    assert tx.closings.forget(episodes=listed(), facts=listed(instead)) == 1
    assert tx.closings.endings_of_fact(fact_id=held, limit=5) == []


@in_a_unit
def test_what_replaced_a_forgotten_fact_replaces_what_that_one_had(
    tx: Transaction, access: Access
) -> None:
    graph, jane, mark = _pair(tx, access)
    first, second, third = (fact(tx, graph, (jane, mark), name) for name in "abc")
    _ended(tx, first, by_fact_id=second, ended_at=5)
    _ended(tx, second, by_fact_id=third, ended_at=8)
    tx.closings.inherit(facts=listed(second))
    endings = tx.closings.endings_of_fact(fact_id=first, limit=5)
    assert [(row.fact_id, row.ended_at) for row in endings] == [(second, 5), (third, 8)]


@in_a_unit
def test_facts_in_doubt(tx: Transaction, access: Access) -> None:
    graph, jane, mark = _pair(tx, access)
    said = episode(tx, graph, "maybe")
    held, newer, other = (fact(tx, graph, (jane, mark), name) for name in "abc")
    doubt: dict[str, Any] = {"fact_id": held, "episode_id": said.id, "judge": "model"}
    tx.doubts.insert(by_fact_id=newer, sure=0.6, **doubt)
    tx.doubts.insert(by_fact_id=newer, sure=0.2, **doubt)
    tx.doubts.insert(by_fact_id=other, sure=0.7, **doubt)
    told = tx.doubts.of_fact(fact_id=held, limit=5)
    assert [(row.fact_id, row.sure) for row in told] == [(other, 0.7), (newer, 0.6)]
    assert [row.fact_id for row in tx.doubts.of_graph(graph_id=graph, limit=1)] == [other]
    tx.facts.end(invalid_at=5, expired_at=5, id=held)
    assert tx.doubts.of_graph(graph_id=graph, limit=5) == []
    assert tx.doubts.doubted_by_fact(fact_id=newer) == [held]
    assert tx.doubts.drop_by(fact_id=newer) == 1
    assert tx.doubts.dispel(fact_id=held) == 1
    assert tx.doubts.of_fact(fact_id=held, limit=5) == []


@in_a_unit
def test_what_is_known_near_a_place(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    first, second = episode(tx, graph, "one"), episode(tx, graph, "two")
    jane = entity(tx, graph, "Jane", first.id, is_user=1)
    mark = entity(tx, graph, "Mark", second.id)
    tx.entities.name_insert(graph_id=graph, key="mark", entity_id=mark)
    early = fact(tx, graph, (jane, mark), "early", first.id)
    late = fact(tx, graph, (jane, mark), "late", second.id, extractor="embedded-1")
    limit = {"limit": 5}
    assert tx.known.named(graph_id=graph, keys=listed("mark", "rosa"), **limit) == [mark]
    assert tx.known.own(graph_id=graph) == [jane]
    assert tx.known.at_source(entity_id=jane, seq=second.seq, **limit) == [early]
    assert tx.known.at_source(entity_id=jane, seq=second.seq + 1, **limit) == [late, early]
    assert tx.known.at_target(entity_id=mark, seq=second.seq, **limit) == [early]
    assert tx.known.at_target(entity_id=jane, seq=second.seq, **limit) == []
    assert tx.known.lately(graph_id=graph, seq=second.seq + 1, **limit) == [late, early]
    there = tx.known.entities(ids=listed(jane, mark), graph_id=graph, seq=second.seq)
    assert [row.id for row in there] == [jane]
    told = tx.known.facts(ids=listed(early, late), graph_id=graph)
    assert [(row.id, row.seq) for row in told] == [(early, first.seq), (late, second.seq)]
    assert tx.known.facts(ids=listed(early), graph_id=NOBODY) == []
    relations = tx.known.relations(graph_id=graph, **limit)
    assert [(row.id, row.name) for row in relations] == [(early, "KNOWS")]
    _ended(tx, early, episode_id=second.id, ended_at=5)
    assert tx.known.closed_since(graph_id=graph, seq=second.seq, **limit) == [early]
    assert tx.known.closed_since(graph_id=graph, seq=second.seq + 1, **limit) == []
    ends = tx.known.ends(ids=listed(early, late))
    assert [tuple(row) for row in ends] == [(early, 5, second.seq)]
