"""A policy that guards other keys of metadata has read again what was read before it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.governance import policies
from recollect.graph import policy_spec
from recollect.graph.policy import PolicySetDocument
from recollect.graph.types import Access
from recollect.ingest import intake
from recollect.records import graphs, knowledge
from recollect.store.protocol import Store
from tests.contract.store.world import message, new_project, new_thread, new_user
from tests.support import here
from tests.support.second_readings import waiting
from tests.support.stores import open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store."""
    opened = open_store(tmp_path)
    yield opened
    await opened.close()


def guarding(*values: str) -> PolicySetDocument:
    """A set whose rule asks for these classes."""
    rule = {"id": "r", "type": "authorization", "effect": "allow", "actions": ["graph.search"]}
    rules = [rule | {"attributes": {"class": list(values)}}]
    whole = {"policy_set": {"name": "team", "spec": {"policies": rules}}}
    return policy_spec.check(whole, frozenset({"graph.search"}))


async def told(store: Store, access: Access) -> list[str]:
    """The sentences of Jane's facts."""
    graph = await store.read(graphs.of_user, access, "jane")
    found = await store.read(knowledge.facts_holding, access, graph, 50)
    return sorted(fact.fact for fact in found)


async def test_a_name_does_not_cross_to_those_who_do_not_see_where_it_was_said(
    store: Store,
) -> None:
    """Neither while the policy stands, nor is it lost when the policy goes."""
    access = await new_project(store, "p")
    await new_user(store, access, "jane", first_name="Jane")
    await new_thread(store, access, "t", "jane")
    said = [
        message("Anna plays chess.", metadata={"class": "secret"}),
        message("She lives in Rome.", metadata={"class": "open"}),
    ]
    await store.write(intake.add_messages, access, "t", said)
    await here.learn(store)
    before = await told(store, access)
    assert "Anna lives in Rome" in before

    await store.write(policies.apply, access.project_id, guarding("open"))
    assert len(await store.read(waiting)) == len(said)
    await here.read_over(store)
    assert "Anna lives in Rome" not in await told(store, access)

    await store.write(policies.apply, access.project_id, guarding("open", "secret"))
    assert await store.read(waiting) == {}  # it still asks for the same key

    await store.write(policies.delete, access.project_id, "team")
    await here.read_over(store)
    assert await told(store, access) == before
