"""Policies, groups of users, collections, batches, kept answers, audit entries, receipts."""

from typing import Any

import pytest

from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from tests.contract.store.units import (
    NO_UUID,
    NOBODY,
    episode,
    graph_id,
    in_a_unit,
    job,
    listed,
    now,
    thread_id,
    user_id,
)
from tests.contract.store.world import StillClock


def _key(tx: Transaction, project_id: int, name: str, secret: bytes) -> str:
    uuid = tx.new_id()
    tx.keys.insert(
        uuid=uuid,
        project_id=project_id,
        name=name,
        prefix="rk",
        hash=secret,
        is_admin=0,
        role="default_allow",
        mode="enforce",
        logs_reads=0,
        mcp_write=0,
        now=now(tx),
    )
    return uuid


def _policy_set(tx: Transaction, project_id: int, name: str, spec: str = "{}") -> int:
    number = tx.policies.set_insert(
        uuid=tx.new_id(),
        project_id=project_id,
        name=name,
        mode="enforce",
        spec=spec,
        now=now(tx),
    )
    tx.policies.set_version_insert(id=number)
    return number


@in_a_unit
def test_a_key_is_found_by_name_and_by_hash(tx: Transaction, access: Access) -> None:
    uuid = _key(tx, access.project_id, "ci", b"one")
    found = tx.keys.by_uuid(uuid=uuid)
    assert found is not None
    assert tx.keys.named(project_id=access.project_id, name="ci") == found.id
    assert tx.keys.named(project_id=access.project_id, name="other") is None
    assert tx.keys.by_hash(hash=b"two") is None
    assert [row.uuid for row in tx.keys.of_project(project_id=access.project_id)] == [uuid]


@in_a_unit
def test_a_key_gets_another_secret(tx: Transaction, access: Access) -> None:
    uuid = _key(tx, access.project_id, "ci", b"one")
    found = tx.keys.by_uuid(uuid=uuid)
    assert found is not None
    tx.keys.set_secret(hash=b"two", prefix="rk2", id=found.id)
    opened = tx.keys.by_hash(hash=b"two")
    assert opened is not None
    assert (opened.uuid, opened.prefix) == (uuid, "rk2")
    assert tx.keys.by_hash(hash=b"one") is None


@in_a_unit
def test_a_named_key_is_replaced_by_one_with_another_secret(
    tx: Transaction, access: Access
) -> None:
    _key(tx, access.project_id, "env", b"one")
    kept = _key(tx, access.project_id, "env", b"two")
    revoked = _key(tx, access.project_id, "env", b"three")
    tx.keys.revoke(now=now(tx), uuid=revoked)
    assert tx.keys.replace_named(project_id=access.project_id, name="env", hash=b"two") == 1
    assert {row.uuid for row in tx.keys.of_project(project_id=access.project_id)} == {kept, revoked}


@in_a_unit
def test_a_key_changes_what_it_may(tx: Transaction, access: Access) -> None:
    uuid = _key(tx, access.project_id, "ci", b"one")
    tx.keys.change(role="default_deny", mode="report_only", logs_reads=1, mcp_write=1, uuid=uuid)
    found = tx.keys.by_uuid(uuid=uuid)
    assert found is not None
    assert (found.role, found.mode, found.logs_reads, found.mcp_write) == (
        "default_deny",
        "report_only",
        1,
        1,
    )


@in_a_unit
def test_a_project_is_described(tx: Transaction, access: Access) -> None:
    tx.projects.describe(description="ours", id=access.project_id)
    tx.projects.set_time_zone(time_zone="Europe/Berlin", id=access.project_id)
    found = tx.projects.by_id(id=access.project_id)
    assert found is not None
    assert (found.description, found.default_time_zone) == ("ours", "Europe/Berlin")
    assert tx.projects.first() == access.project_id
    assert tx.projects.touch() == 1
    assert tx.projects.by_id(id=NOBODY) is None
    assert tx.projects.by_name(name="nobody's") is None


@in_a_unit
def test_a_project_says_which_keys_are_guarded(tx: Transaction, access: Access) -> None:
    assert tx.projects.guarded(project_id=access.project_id) == "[]"
    tx.projects.guards(keys=listed("team"), project_id=access.project_id)
    assert tx.projects.guarded(project_id=access.project_id) == '["team"]'
    assert tx.projects.guarded(project_id=NOBODY) is None


@in_a_unit
def test_policy_sets_are_listed_by_name(tx: Transaction, access: Access, stranger: Access) -> None:
    _policy_set(tx, access.project_id, "writers", '{"a": 1}')
    _policy_set(tx, access.project_id, "readers", "{}")
    _policy_set(tx, stranger.project_id, "theirs")
    found = tx.policies.sets_of_project(project_id=access.project_id, limit=5)
    assert [row.name for row in found] == ["readers", "writers"]
    assert len(tx.policies.sets_of_project(project_id=access.project_id, limit=1)) == 1
    assert tx.policies.sets_count(project_id=access.project_id) == 2
    assert tx.policies.total_bytes(project_id=access.project_id) == 10
    assert tx.policies.specs(project_id=access.project_id) == ['{"a": 1}', "{}"]
    assert tx.policies.total_bytes(project_id=NOBODY) == 0


@in_a_unit
def test_a_policy_set_keeps_its_versions(tx: Transaction, access: Access) -> None:
    number = _policy_set(tx, access.project_id, "readers")
    tx.policies.set_update(mode="off", spec='{"b": 2}', now=now(tx), id=number)
    tx.policies.set_version_insert(id=number)
    found = tx.policies.set_by_name(project_id=access.project_id, name="readers")
    assert found is not None
    assert (found.id, found.version, found.mode, found.spec) == (number, 2, "off", '{"b": 2}')
    assert tx.policies.set_by_uuid(uuid=found.uuid, project_id=access.project_id) == found
    assert tx.policies.set_by_uuid(uuid=found.uuid, project_id=NOBODY) is None
    versions = tx.policies.set_versions(id=number, limit=5)
    assert [(row.version, row.mode) for row in versions] == [(2, "off"), (1, "enforce")]


@in_a_unit
def test_a_policy_set_that_is_deleted_is_gone(tx: Transaction, access: Access) -> None:
    number = _policy_set(tx, access.project_id, "readers")
    assert tx.policies.set_delete(id=number) == 1
    assert tx.policies.set_by_name(project_id=access.project_id, name="readers") is None
    assert tx.policies.set_versions(id=number, limit=5) == []


@in_a_unit
def test_a_policy_set_is_attached_to_a_key_once(tx: Transaction, access: Access) -> None:
    number = _policy_set(tx, access.project_id, "readers")
    uuid = _key(tx, access.project_id, "ci", b"one")
    key = tx.keys.by_uuid(uuid=uuid)
    assert key is not None
    assert tx.policies.set_attach(key_id=key.id, policy_set_id=number) == 1
    assert tx.policies.set_attach(key_id=key.id, policy_set_id=number) == 0
    assert [row.id for row in tx.policies.sets_of_key(key_id=key.id)] == [number]
    names = tx.policies.set_names_of_keys(project_id=access.project_id)
    assert [(row.key_uuid, row.name) for row in names] == [(uuid, "readers")]
    found = tx.policies.set_by_name(project_id=access.project_id, name="readers")
    assert found is not None
    assert found.keys == 1
    assert tx.policies.set_detach(key_id=key.id, policy_set_id=number) == 1
    assert tx.policies.sets_of_key(key_id=key.id) == []


@in_a_unit
def test_a_policy_set_of_nobody_is_detached_from_nobody(tx: Transaction, access: Access) -> None:
    number = _policy_set(tx, access.project_id, "readers")
    assert tx.policies.sets_of_group(group_id=NOBODY) == []
    assert tx.policies.sets_of_all_users(project_id=access.project_id) == []
    assert tx.policies.set_detach_from_group(group_id=NOBODY, policy_set_id=number) == 0
    assert tx.policies.set_not_for_all_users(id=number) == 0


def _group(tx: Transaction, project_id: int, name: str, description: str | None = None) -> int:
    uuid = tx.new_id()
    tx.user_groups.insert(
        uuid=uuid, project_id=project_id, name=name, description=description, now=now(tx)
    )
    found = tx.user_groups.by_name(project_id=project_id, name=name)
    assert found is not None
    assert found.uuid == uuid
    return found.id


@in_a_unit
def test_groups_are_searched_by_name_and_description(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    _group(tx, access.project_id, "Engineers")
    second = _group(tx, access.project_id, "Others", "no ENGINEERS")
    _group(tx, access.project_id, "Sales")
    _group(tx, stranger.project_id, "Engineers")
    wanted: dict[str, Any] = {"project_id": access.project_id, "search": "engineers"}
    assert tx.user_groups.count(**wanted) == 2
    assert [row.id for row in tx.user_groups.page(**wanted, limit=5, offset=1)] == [second]
    assert tx.user_groups.count(project_id=access.project_id, search="") == 3
    assert tx.user_groups.count(project_id=access.project_id, search="nobody") == 0


@in_a_unit
def test_a_group_is_changed_and_deleted(tx: Transaction, access: Access) -> None:
    number = _group(tx, access.project_id, "Engineers")
    (row,) = tx.user_groups.page(project_id=access.project_id, search="", limit=5, offset=0)
    tx.user_groups.update(name="Makers", description="all", now=now(tx), id=number)
    found = tx.user_groups.by_uuid(project_id=access.project_id, uuid=row.uuid)
    assert found is not None
    assert (found.name, found.description, found.version) == ("Makers", "all", row.version + 1)
    assert tx.user_groups.by_name(project_id=access.project_id, name="Engineers") is None
    assert tx.user_groups.delete(id=number) == 1
    assert tx.user_groups.by_uuid(project_id=access.project_id, uuid=row.uuid) is None


@in_a_unit
def test_members_of_a_group(tx: Transaction, access: Access) -> None:
    group = _group(tx, access.project_id, "Engineers")
    jane = user_id(tx, access.project_id, "jane")
    user_id(tx, access.project_id, "mark")
    assert tx.user_groups.member_insert(group_id=group, user_id=jane) == 1
    assert tx.user_groups.member_insert(group_id=group, user_id=jane) == 0
    assert [row.id for row in tx.user_groups.of_user(user_id=jane, limit=5)] == [group]
    of: dict[str, Any] = {"project_id": access.project_id, "group_id": group, "search": ""}
    inside = tx.user_groups.users_page(**of, members=True, limit=5, offset=0)
    outside = tx.user_groups.users_page(**of, members=False, limit=5, offset=0)
    assert [row.user_id for row in inside] == ["jane"]
    assert [row.user_id for row in outside] == ["mark"]
    assert tx.user_groups.users_count(**of, members=True) == 1
    assert tx.user_groups.users_count(**of | {"search": "mark"}, members=True) == 0
    left: dict[str, Any] = {"group_id": group, "project_id": access.project_id}
    assert tx.user_groups.member_delete(**left, user_uuid=inside[0].uuid) == 1
    assert tx.user_groups.member_delete(**left, user_uuid=inside[0].uuid) == 0
    assert tx.user_groups.of_user(user_id=jane, limit=5) == []


def _collection(tx: Transaction, project_id: int, name: str) -> int:
    tx.collections.insert(
        uuid=tx.new_id(),
        project_id=project_id,
        name=name,
        description=None,
        metadata=None,
        now=now(tx),
    )
    found = tx.collections.by_name(project_id=project_id, name=name)
    assert found is not None
    return found.id


def _document(tx: Transaction, collection: int, name: str, content: str) -> int:
    number = tx.collections.document_insert(
        uuid=tx.new_id(),
        collection_id=collection,
        document_id=name,
        content=content,
        metadata=f'{{"of": "{name}"}}',
        now=now(tx),
    )
    tx.collections.document_terms_insert(id=number, terms=content.encode())
    return number


@in_a_unit
def test_collections_of_a_project(tx: Transaction, access: Access, stranger: Access) -> None:
    first = _collection(tx, access.project_id, "zebra")
    second = _collection(tx, access.project_id, "apple")
    _collection(tx, stranger.project_id, "theirs")
    assert [row.id for row in tx.collections.all(project_id=access.project_id)] == [first, second]
    assert tx.collections.count(project_id=access.project_id) == 2
    tx.collections.update(description="striped", metadata='{"a": 1}', now=now(tx), id=first)
    found = tx.collections.by_name(project_id=access.project_id, name="zebra")
    assert found is not None
    assert (found.description, found.metadata) == ("striped", '{"a": 1}')
    assert tx.collections.delete(id=first) == 1
    assert tx.collections.by_name(project_id=access.project_id, name="zebra") is None


@in_a_unit
def test_documents_of_a_collection(tx: Transaction, access: Access) -> None:
    zoo = _collection(tx, access.project_id, "zoo")
    other = _collection(tx, access.project_id, "other")
    zebra = _document(tx, zoo, "zebra", "stripes all over")
    tiger = _document(tx, zoo, "tiger", "teeth")
    found = tx.collections.document_by_name(collection_id=zoo, document_id="zebra")
    assert found is not None
    assert (found.id, found.content, found.embedded) == (zebra, "stripes all over", 0)
    assert tx.collections.document_by_uuid(uuid=found.uuid, collection_id=zoo) == found
    assert tx.collections.document_by_uuid(uuid=found.uuid, collection_id=other) is None
    assert tx.collections.document_by_name(collection_id=other, document_id="zebra") is None
    both = listed(zebra, tiger)
    assert len(tx.collections.documents_by_ids(ids=both, collection_id=zoo)) == 2
    assert tx.collections.documents_by_ids(ids=both, collection_id=other) == []
    begun = tx.collections.document_beginnings(chars=4, ids=both)
    assert {row.id: row.beginning for row in begun} == {zebra: "stri", tiger: "teet"}


@in_a_unit
def test_what_documents_are_found_by(tx: Transaction, access: Access) -> None:
    zoo = _collection(tx, access.project_id, "zoo")
    zebra = _document(tx, zoo, "zebra", "stripes")
    tiger = _document(tx, zoo, "tiger", "teeth")
    tx.collections.document_set_vector(vector=b"v", id=zebra)
    shelf = tx.collections.document_shelf(with_metadata=0, collection_id=zoo, after=0, limit=5)
    assert [tuple(row) for row in shelf] == [
        (zebra, b"stripes", b"v", None),
        (tiger, b"teeth", None, None),
    ]
    rest = tx.collections.document_shelf(with_metadata=1, collection_id=zoo, after=zebra, limit=5)
    assert [(row.id, row.metadata) for row in rest] == [(tiger, '{"of": "tiger"}')]
    vectors = tx.collections.document_vectors_by_ids(ids=listed(zebra))
    assert [tuple(row) for row in vectors] == [(zebra, b"v")]
    judged = tx.collections.metadata_of(collection_id=zoo)
    assert [row.embedded for row in judged] == [1, 0]
    (counted,) = tx.collections.all(project_id=access.project_id)
    assert (counted.document_count, counted.embedded_count) == (2, 1)


@in_a_unit
def test_a_document_is_changed_and_deleted(tx: Transaction, access: Access) -> None:
    zoo = _collection(tx, access.project_id, "zoo")
    zebra = _document(tx, zoo, "zebra", "stripes")
    tx.collections.document_update(document_id="horse", metadata=None, now=now(tx), id=zebra)
    found = tx.collections.document_by_name(collection_id=zoo, document_id="horse")
    assert found is not None
    assert (found.id, found.metadata) == (zebra, None)
    assert tx.collections.document_delete(uuid=found.uuid, collection_id=NOBODY) == 0
    assert tx.collections.document_delete(uuid=found.uuid, collection_id=zoo) == 1
    shelf = tx.collections.document_shelf(with_metadata=0, collection_id=zoo, after=0, limit=5)
    assert shelf == []


def _batch(tx: Transaction, project_id: int) -> Any:
    uuid = tx.new_id()
    tx.batches.insert(
        uuid=uuid,
        project_id=project_id,
        ignore_roles=None,
        strict_ontology=0,
        metadata=None,
        now=now(tx),
    )
    return tx.batches.by_uuid(uuid=uuid, project_id=project_id)


def _item(tx: Transaction, batch: int, index: int, **names: str) -> str:
    uuid = tx.new_id()
    values = {"user_id": None, "graph_id": None, "thread_id": None} | names
    tx.batches.item_insert(
        uuid=uuid,
        batch_id=batch,
        sequence_index=index,
        kind="thread_message" if "thread_id" in names else "graph_episode",
        content='{"data": "words"}',
        now=now(tx),
        **values,
    )
    return uuid


@in_a_unit
def test_batches_are_numbered_in_their_project(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    first, second = _batch(tx, access.project_id), _batch(tx, access.project_id)
    other = _batch(tx, stranger.project_id)
    assert (first.number, second.number, other.number) == (1, 2, 1)
    wanted: dict[str, Any] = {"project_id": access.project_id, "limit": 5}
    assert tx.batches.page(**wanted, cursor=None, status=None) == [second, first]
    assert tx.batches.page(**wanted, cursor=2, status="draft") == [first]
    assert tx.batches.page(**wanted, cursor=None, status="queued") == []
    assert tx.batches.by_uuid(uuid=first.uuid, project_id=stranger.project_id) is None
    assert tx.batches.delete(id=first.id) == 1
    assert tx.batches.by_uuid(uuid=first.uuid, project_id=access.project_id) is None


@in_a_unit
def test_a_batch_grows_and_is_closed(tx: Transaction, access: Access) -> None:
    batch = _batch(tx, access.project_id)
    tx.batches.grow(count=3, now=now(tx), id=batch.id)
    tx.batches.close(status="invalid", skipped=1, failed=2, now=now(tx), id=batch.id)
    found = tx.batches.by_uuid(uuid=batch.uuid, project_id=access.project_id)
    assert found is not None
    assert (found.item_count, found.skipped_count, found.failed_count) == (3, 1, 2)
    assert (found.state, found.processed_at) == ("invalid", now(tx))


@in_a_unit
def test_items_of_a_batch_that_name_nothing_are_refused(tx: Transaction, access: Access) -> None:
    user_id(tx, access.project_id, "jane")
    batch = _batch(tx, access.project_id)
    _item(tx, batch.id, 0, user_id="jane")
    _item(tx, batch.id, 1, graph_id="nowhere")
    refused = tx.batches.items_refuse_lost(
        now=now(tx), batch_id=batch.id, project_id=access.project_id
    )
    assert refused == 1
    page: dict[str, Any] = {"batch_id": batch.id, "cursor": 0, "limit": 5}
    failed = tx.batches.items_page(**page, status="failed")
    assert [row.error for row in failed] == ["graph_id: graph not found: nowhere"]
    assert [row.sequence_index for row in tx.batches.items_page(**page, status=None)] == [0, 1]
    assert tx.batches.items_page(**page | {"cursor": 2}, status=None) == []


@in_a_unit
def test_items_of_a_batch_become_episodes(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    batch = _batch(tx, access.project_id)
    said = _item(tx, batch.id, 0, graph_id="shelf")
    ignored = _item(tx, batch.id, 1, graph_id="shelf")
    ready = tx.batches.items_next(project_id=access.project_id, batch_id=batch.id, first=0, limit=5)
    assert [(row.uuid, row.thread_key, row.graph_key) for row in ready] == [
        (said, None, graph),
        (ignored, None, graph),
    ]
    job(tx, episode(tx, graph, "words", uuid=said), batch.uuid)
    episode(tx, graph, "chatter", uuid=ignored, ignored=1)
    handed = tx.batches.items_hand_in(now=now(tx), batch_id=batch.id, first=0, limit=5)
    assert handed == 2
    assert tx.batches.items_skipped(batch_id=batch.id) == 1
    states = tx.batches.items_page(batch_id=batch.id, cursor=0, status=None, limit=5)
    assert [(row.state, row.graph_name) for row in states] == [
        ("queued", "shelf"),
        ("skipped", "shelf"),
    ]
    progress = tx.batches.progress(uuid=batch.uuid, id=batch.id)
    assert progress is not None
    assert (progress.pending, progress.started, progress.canceled) == (1, 0, 0)


@pytest.mark.parametrize("whose", ["user", "thread", "graph"])
async def test_items_forget_whom_they_were_for(store: Any, access: Access, whose: str) -> None:
    @in_a_unit
    def forget(tx: Transaction) -> None:
        project = access.project_id
        user_id(tx, project, "jane")
        thread_id(tx, project, "jane", "chat")
        batch = _batch(tx, project)
        _item(tx, batch.id, 0, user_id="jane")
        _item(tx, batch.id, 1, thread_id="chat")
        _item(tx, batch.id, 2, graph_id="shelf")
        at: dict[str, Any] = {"now": now(tx), "project_id": project}
        gone = {
            "user": lambda: tx.batches.items_forget_user(user_id="jane", **at),
            "thread": lambda: tx.batches.items_forget_thread(thread_id="chat", **at),
            "graph": lambda: tx.batches.items_forget_graph(graph_id="shelf", **at),
        }[whose]()
        left = tx.batches.items_page(batch_id=batch.id, cursor=0, status=None, limit=5)
        named = [row.user_name or row.thread_name or row.graph_name for row in left]
        assert (gone, named) == {
            "user": (2, [None, None, "shelf"]),
            "thread": (1, ["jane", None, "shelf"]),
            "graph": (1, ["jane", "chat", None]),
        }[whose]

    await forget(store)


@in_a_unit
def test_an_invalid_batch_drops_what_its_items_say(tx: Transaction, access: Access) -> None:
    graph_id(tx, access.project_id, "shelf")
    batch = _batch(tx, access.project_id)
    _item(tx, batch.id, 0, graph_id="shelf")
    assert tx.batches.items_drop_content(batch_id=batch.id) == 1
    # Nobody asks for the next items of such a batch: what is left of them is what a page tells.
    (row,) = tx.batches.items_page(batch_id=batch.id, cursor=0, status=None, limit=5)
    assert (row.graph_name, row.metadata, row.document_id) == ("shelf", None, None)


@in_a_unit
def test_an_answer_is_kept_for_the_key_that_asked(
    tx: Transaction, access: Access, clock: StillClock
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    project, since = access.project_id, now(tx) - 1
    tx.answers.insert(
        project_id=project,
        key_uuid="k",
        idempotency_key="once",
        request="r",
        graph_id=graph,
        answer=b"said",
        now=now(tx),
    )
    wanted: dict[str, Any] = {"project_id": project, "key_uuid": "k", "idempotency_key": "once"}
    found = tx.answers.find(**wanted, since=since)
    assert found is not None
    assert (found.request, found.answer) == ("r", b"said")
    assert tx.answers.find(**wanted | {"key_uuid": "other"}, since=since) is None
    assert tx.answers.find(**wanted, since=now(tx)) is None
    assert tx.answers.unsay(graph_id=graph) == 1
    unsaid = tx.answers.find(**wanted, since=since)
    assert unsaid is not None
    assert (unsaid.request, unsaid.answer) == ("r", None)
    assert tx.answers.expire(since=since) == 0
    assert tx.answers.expire(since=now(tx)) == 1
    assert tx.answers.find(**wanted, since=since) is None


def _entry(tx: Transaction, project_id: int, number: int, before: bytes, **columns: Any) -> int:
    values = {"actor": "key", "action": "user.add", "outcome": "done", "target": f"t{number}"}
    return tx.audit.follow(
        project_id=project_id,
        number=number,
        at=now(tx) + number,
        status=None,
        salt=b"s",
        target_digest=b"d",
        detail=None,
        hash=b"h%d" % number,
        before=before,
        **values | columns,
    )


@in_a_unit
def test_audit_entries_follow_each_other(tx: Transaction, access: Access) -> None:
    project = access.project_id
    head = tx.audit.head(project_id=project)
    first, before = (head.number + 1, head.hash) if head else (1, b"")
    assert _entry(tx, project, first, before) == 1
    assert _entry(tx, project, first + 1, b"another") == 0
    assert _entry(tx, project, first + 1, b"h%d" % first, action="user.delete", actor="me") == 1
    last = tx.audit.head(project_id=project)
    assert last is not None
    assert (last.number, last.hash) == (first + 1, b"h%d" % (first + 1))
    assert tx.audit.head(project_id=NOBODY) is None


@in_a_unit
def test_an_audit_entry_is_added_behind_one_that_is_known(tx: Transaction, access: Access) -> None:
    head = tx.audit.head(project_id=access.project_id)
    number = head.number + 1 if head else 1
    tx.audit.add(
        project_id=access.project_id,
        number=number,
        at=now(tx),
        actor="key",
        action="user.add",
        outcome="done",
        status=None,
        target=None,
        salt=None,
        target_digest=None,
        detail=None,
        hash=b"behind it",
    )
    assert tx.audit.head(project_id=access.project_id) == (number, b"behind it")


@in_a_unit
def test_audit_entries_are_paged_from_both_ends(tx: Transaction, access: Access) -> None:
    project = access.project_id
    head = tx.audit.head(project_id=project)
    first, before = (head.number + 1, head.hash) if head else (1, b"")
    _entry(tx, project, first, before, actor="me")
    _entry(tx, project, first + 1, b"h%d" % first, actor="you", action="user.delete")
    anything: dict[str, Any] = {"action": None, "outcome": None, "actor": None, "since": None}
    wanted: dict[str, Any] = {"project_id": project, "before": first + 2, "limit": 5}
    newest = tx.audit.page(**wanted, **anything | {"since": now(tx) + first})
    assert [row.number for row in newest] == [first + 1, first]
    assert [row.actor for row in tx.audit.page(**wanted, **anything | {"actor": "me"})] == ["me"]
    acted = tx.audit.page(**wanted, **anything | {"action": "user.delete"})
    assert [row.number for row in acted] == [first + 1]
    assert tx.audit.page(**wanted, **anything | {"outcome": "failed"}) == []
    assert [row.number for row in tx.audit.after(project_id=project, after=first, limit=5)] == [
        first + 1
    ]


@in_a_unit
def test_a_target_is_taken_out_of_the_audit_log(tx: Transaction, access: Access) -> None:
    project = access.project_id
    head = tx.audit.head(project_id=project)
    first, before = (head.number + 1, head.hash) if head else (1, b"")
    _entry(tx, project, first, before, target="jane")
    assert tx.audit.redact(project_id=project, targets=listed("mark")) == 0
    assert tx.audit.redact(project_id=project, targets=listed("jane")) == 1
    (row,) = tx.audit.after(project_id=project, after=first - 1, limit=5)
    assert (row.target, row.salt, row.target_digest) == (None, None, b"d")


@in_a_unit
def test_audit_entries_name_things_by_uuid(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    project = access.project_id
    user_id(tx, project, "jane")
    thread_id(tx, project, "jane", "chat")
    _log(tx, project, "session")
    asked = [
        (tx.audit.names_user, "jane"),
        (tx.audit.names_thread, "chat"),
        (tx.audit.names_session_log, "session"),
        (tx.audit.names_graph, "jane"),
    ]
    assert all(ask(project_id=project, id=name) for ask, name in asked)
    assert {ask(project_id=stranger.project_id, id=name) for ask, name in asked} == {None}


def _log(tx: Transaction, project_id: int, name: str) -> None:
    tx.session_logs.insert(
        uuid=tx.new_id(),
        project_id=project_id,
        session_id=name,
        user_id=None,
        feeds=0,
        metadata=None,
        context=None,
        now=now(tx),
    )


def _receipt(tx: Transaction, project_id: int) -> str:
    uuid = tx.new_id()
    tx.erasures.insert(
        uuid=uuid,
        project_id=project_id,
        at=now(tx),
        kind="user",
        subject=tx.new_id(),
        mode="forget",
        removed="{}",
        kept="{}",
    )
    return uuid


@in_a_unit
def test_receipts_are_paged_and_wiped_in_order(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    first, second = _receipt(tx, access.project_id), _receipt(tx, access.project_id)
    wanted: dict[str, Any] = {"project_id": access.project_id, "limit": 5}
    assert [row.uuid for row in tx.erasures.page(**wanted, before=None)] == [second, first]
    assert [row.uuid for row in tx.erasures.page(**wanted, before=second)] == [first]
    assert tx.erasures.unscrubbed() == second
    assert tx.erasures.scrubbed(uuid=first) == 1
    found = tx.erasures.by_uuid(uuid=first, project_id=access.project_id)
    assert found is not None
    assert (found.scrubbed, found.mode) == (1, "forget")
    assert tx.erasures.by_uuid(uuid=first, project_id=stranger.project_id) is None
    tx.erasures.scrubbed(uuid=second)
    assert tx.erasures.unscrubbed() is None


@in_a_unit
def test_guidance_keeps_its_place_when_it_changes(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    at: dict[str, Any] = {"project_id": access.project_id, "kind": "instruction", "scope": ""}
    for name, value in [("one", "1"), ("two", "2"), ("one", "3")]:
        tx.guidance.put(uuid=tx.new_id(), graph_id=None, name=name, value=value, now=now(tx), **at)
    assert [(row.name, row.value) for row in tx.guidance.at(**at)] == [("one", "3"), ("two", "2")]
    found = tx.guidance.named(**at, name="two")
    assert found is not None
    by_uuid: dict[str, Any] = {"kind": "instruction", "uuid": found.uuid}
    assert tx.guidance.by_uuid(project_id=access.project_id, **by_uuid) == found
    assert tx.guidance.by_uuid(project_id=stranger.project_id, **by_uuid) is None
    tx.guidance.rename(name="zwei", project_id=access.project_id, uuid=found.uuid)
    assert tx.guidance.named(**at, name="two") is None
    assert tx.guidance.delete(**at, names=listed("one", "nothing")) == 1
    assert [row.name for row in tx.guidance.at(**at)] == ["zwei"]
    assert tx.guidance.delete(**at, names=None) == 1
    assert tx.guidance.at(**at) == []


@in_a_unit
def test_tasks_tell_how_far_their_jobs_are(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    small, large = tx.new_id(), tx.new_id()
    tx.tasks.insert(
        uuid=small,
        project_id=access.project_id,
        graph_id=None,
        type="small",
        owed=0,
        now=now(tx),
    )
    tx.tasks.insert_of_graph(uuid=large, type="large", owed=1, now=now(tx), graph_id=graph)
    row = episode(tx, graph, "words")
    job(tx, row, large)
    told = tx.tasks.by_uuid_told(uuid=large, project_id=access.project_id)
    assert told is not None
    assert (told.type, told.owed, told.jobs, told.succeeded) == ("large", 1, 1, 0)
    assert tx.tasks.by_uuid_told(uuid=large, project_id=stranger.project_id) is None
    wanted: dict[str, Any] = {"project_id": access.project_id, "before": 1 << 60, "limit": 5}
    assert [one.uuid for one in tx.tasks.newest(**wanted, type=None)] == [large, small]
    assert [one.uuid for one in tx.tasks.newest(**wanted, type="small")] == [small]
    tx.jobs.succeeded(graph_id=graph, now=now(tx), ids=listed(row.id))
    (done,) = tx.tasks.episodes(uuid=large, limit=5)
    assert (done.uuid, done.status) == (row.uuid, "succeeded")
    assert tx.tasks.episodes(uuid=NO_UUID, limit=5) == []
    progress = tx.tasks.progress(uuid=large, project_id=access.project_id)
    assert progress is not None
    assert (progress.jobs, progress.succeeded) == (1, 1)


@in_a_unit
def test_what_was_used_is_counted_by_day_and_by_key(tx: Transaction, access: Access) -> None:
    own = access.project_id
    assert tx.usage.of_day(project_id=own, key_uuid="a key", day=7) is None
    tx.usage.add(project_id=own, key_uuid="a key", day=7, episodes=2, bytes=10)
    used = tx.usage.add(project_id=own, key_uuid="a key", day=7, episodes=1, bytes=0)
    assert used == (3, 10)
    tx.usage.add(project_id=own, key_uuid="", day=7, episodes=9, bytes=9)
    tx.usage.add(project_id=own, key_uuid="a key", day=8, episodes=1, bytes=1)
    assert tx.usage.of_day(project_id=own, key_uuid="a key", day=7) == (3, 10)
    listed = tx.usage.on_day(day=7, limit=5)
    assert [(row.key_uuid, row.episodes, row.bytes) for row in listed] == [
        ("", 9, 9),
        ("a key", 3, 10),
    ]
    assert tx.usage.on_day(day=7, limit=1) == listed[:1]
    assert tx.usage.expire(before=8) == 2
    assert tx.usage.of_day(project_id=own, key_uuid="a key", day=7) is None
    assert tx.usage.of_day(project_id=own, key_uuid="a key", day=8) == (1, 1)


@in_a_unit
def test_the_limits_of_a_project_come_with_its_keys(tx: Transaction, access: Access) -> None:
    uuid = _key(tx, access.project_id, "ci", b"limited")
    tx.projects.limit(limits='{"key_bytes_per_day":7}', id=access.project_id)
    found, project = tx.keys.by_uuid(uuid=uuid), tx.projects.by_id(id=access.project_id)
    assert found is not None
    assert project is not None
    assert found.project_limits == project.limits == '{"key_bytes_per_day":7}'
    tx.projects.limit(limits=None, id=access.project_id)
    project = tx.projects.by_id(id=access.project_id)
    assert project is not None
    assert project.limits is None
