"""The traps of provenance, metadata and access: each once, through the whole program.

The numbers are those of the list of traps; those about agents' logs are tested there.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import keys
from recollect.graph.policy import Mode
from recollect.records import graphs
from tests.support.memory import Json, Memory, remembering

JANUARY, FEBRUARY, MARCH = (f"2024-0{month}-01T00:00:00Z" for month in (1, 2, 3))
READS = {"effect": "allow", "actions": ["readonly"]}
UNTIMED = [("X-Fern-SDK-Version", "2.22.0")]  # this client is not told how long a search took
JOB = "Emma Lopez works at Acme Corp"


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application, with nothing told yet."""
    async with remembering(tmp_path) as made:
        yield made


def both(**wanted: Any) -> Json:
    """A tree that wants all of these values."""
    leaves = [
        {"property_name": name, "comparison_operator": "=", "property_value": value}
        for name, value in wanted.items()
    ]
    return {"episode_metadata_filters": {"type": "and", "filters": leaves}}


def only(**wanted: Any) -> Json:
    """A rule that lets a key read what carries exactly these values."""
    return {**READS, "attributes": {name: [value] for name, value in wanted.items()}}


async def test_1_an_and_filter_split_across_two_episodes_matches_nothing(memory: Memory) -> None:
    """Though the edge, the nodes and the summaries carry both values between them."""
    await memory.tell(f"{JOB}.", {"source": "crm"}, document_id="d")
    await memory.tell(f"{JOB}.", {"priority": 5}, document_id="d")
    assert len((await memory.edge(JOB))["episodes"]) == 2
    split, alone = both(source="crm", priority=5), both(source="crm")
    for noun in ("edge", "node", "document-summary"):
        assert await memory.listed(noun, filters=split) == []
        assert await memory.listed(noun, filters=alone) != []
    assert await memory.listed("episodes", **split) == []
    for scope in ("edges", "nodes", "episodes"):
        asked = {"graph_id": "g", "query": "Emma Acme", "scope": scope}
        found = await memory.post("/graph/search", {**asked, "search_filters": split})
        assert found[scope] == []
        found = await memory.post("/graph/search", {**asked, "search_filters": alone})
        assert found[scope] != []
    auto = {"graph_id": "g", "query": "Emma Acme", "scope": "auto", "search_filters": split}
    assert (await memory.post("/graph/search", auto))["context"] == ""


async def test_2_the_worked_example_of_effective_metadata(memory: Memory) -> None:
    """Per key the list of distinct values, with their types, on everything that rests on both."""
    first: Json = {"source": "crm", "priority": 5}
    second: Json = {"source": "support_ticket", "reviewed": True}
    golden = {"source": ["crm", "support_ticket"], "priority": [5], "reviewed": [True]}
    await memory.tell(f"{JOB}.", first, document_id="d")
    await memory.tell(f"{JOB}.", second, document_id="d")
    edge, emma = await memory.edge(JOB), await memory.node("Emma Lopez")
    (document,) = await memory.listed("document-summary")
    for read in (
        edge,
        emma,
        document,
        await memory.get(f"/graph/edge/{edge['uuid']}"),
        await memory.get(f"/graph/node/{emma['uuid']}"),
    ):
        assert read["metadata"] == golden
        assert read["metadata"]["reviewed"][0] is True
        assert type(read["metadata"]["priority"][0]) is int
    for scope in ("edges", "nodes"):
        asked = {"graph_id": "g", "query": "Emma Acme", "scope": scope}
        for hit in (await memory.post("/graph/search", asked))[scope]:
            assert hit["metadata"] == golden


async def test_2_observations_and_thread_summaries_have_effective_metadata_too(
    memory: Memory,
) -> None:
    """And it follows a change of an episode's metadata at once."""
    await memory.thread("talk")
    said = [
        {"content": "I love jazz.", "metadata": {"source": "crm", "priority": 5}},
        {"content": "I love green tea.", "metadata": {"source": "crm", "tags": ["a", "b"]}},
        {"content": "I love Beethoven.", "metadata": {"tags": ["b", 5, "5", True]}},
    ]
    uuids = await memory.say("talk", *said)
    golden = {"source": ["crm"], "priority": [5], "tags": ["a", "b", 5, "5", True]}

    async def carried() -> list[Json]:
        (observation,) = await memory.listed("observation", "user/ann")
        (summary,) = await memory.listed("thread-summary", "user/ann")
        by_uuid = await memory.get(f"/graph/observation/{observation['uuid']}")
        of_thread = await memory.get("/threads/talk/summary")
        node = (await memory.get("/users/ann/node"))["node"]
        return [one["metadata"] for one in (observation, summary, by_uuid, of_thread, node)]

    assert await carried() == [golden] * 5
    change = {"metadata": {"source": "web", "priority": None}}
    await memory.send(200, "PATCH", f"/graph/episodes/{uuids[0]}", change)
    assert await carried() == [{"source": ["web", "crm"], "tags": golden["tags"]}] * 5


async def test_3_deleting_the_first_of_two_episodes_narrows_what_an_edge_carries(
    memory: Memory,
) -> None:
    """The edge stays, its values are fewer, and a key that wants exactly those sees it now."""
    first = await memory.tell(f"{JOB}.", {"source": "crm"})
    second = await memory.tell(f"{JOB}.", {"source": "web"})
    key = await memory.key(only(source="web"))
    edge = await memory.edge(JOB)
    path = f"/graph/edge/{edge['uuid']}"
    assert edge["metadata"] == {"source": ["crm", "web"]}
    await memory.send(404, "GET", path, key=key)
    assert await memory.post("/graph/edge/graph/g", {}, key=key) == []
    await memory.delete(f"/graph/episodes/{first}")
    after = await memory.get(path)
    assert (after["episodes"], after["metadata"]) == ([second], {"source": ["web"]})
    seen = await memory.get(path, key=key)
    assert (seen["fact"], seen["episodes"]) == (JOB, [second])
    asked = {"graph_id": "g", "query": "Emma Acme"}
    found = await memory.post("/graph/search", asked, key=key)
    assert [one["uuid"] for one in found["edges"]] == [edge["uuid"]]


async def test_3_an_episode_of_another_class_changes_nothing_for_who_does_not_see_it(
    memory: Memory,
) -> None:
    """Values that a policy names divide a graph (decision 26): what the other class restates or ends,
    it restates and ends among itself, and nobody learns from what disappears."""
    rome = "Emma Lopez lives in Rome"
    await memory.tell(f"{rome}.", {"source": "crm"}, created_at=JANUARY)
    key = await memory.key(only(source="crm"))
    path = f"/graph/edge/{(await memory.edge(rome))['uuid']}"
    before = await memory.get(path, key=key)
    assert before["fact"] == rome
    other = await memory.tell("Emma Lopez moved to Oslo.", {"source": "web"}, created_at=FEBRUARY)
    assert await memory.get(path, key=key) == before
    await memory.delete(f"/graph/episodes/{other}")
    assert await memory.get(path, key=key) == before


async def test_4_deleting_the_episode_that_ended_a_fact_does_not_bring_it_back(
    memory: Memory,
) -> None:
    """It stays ended when and as it was; only the episode is no longer behind it."""
    rome = "Emma Lopez lives in Rome"
    first = await memory.tell(f"{rome}.", created_at=JANUARY)
    ended = await memory.tell("Emma Lopez moved to Oslo.", created_at=FEBRUARY)
    before = await memory.edge(rome)
    assert (before["invalid_at"], before["episodes"]) == (FEBRUARY, [first, ended])
    await memory.delete(f"/graph/episodes/{ended}")
    after = await memory.edge(rome)
    assert after == {**before, "episodes": [first]}
    assert after["expired_at"]
    assert {one["fact"] for one in await memory.listed("edge")} == {rome}


async def test_5_an_older_fact_that_comes_late_is_stored_already_ended(memory: Memory) -> None:
    """What holds now is not touched by it."""
    await memory.tell("Emma Lopez lives in Oslo.", created_at=FEBRUARY)
    await memory.tell("Emma Lopez lives in Rome.", created_at=JANUARY)
    oslo = await memory.edge("Emma Lopez lives in Oslo")
    rome = await memory.edge("Emma Lopez lives in Rome")
    assert (rome["valid_at"], rome["invalid_at"]) == (JANUARY, FEBRUARY)
    assert rome["expired_at"] == rome["created_at"]
    assert oslo["valid_at"] == FEBRUARY
    assert "invalid_at" not in oslo
    assert "expired_at" not in oslo


async def test_6_a_restated_fact_keeps_its_beginning_and_gains_an_episode(
    memory: Memory,
) -> None:
    """There is still one edge of it."""
    first = await memory.tell(f"{JOB}.", created_at=JANUARY)
    before = await memory.edge(JOB)
    second = await memory.tell(f"{JOB}.", created_at=MARCH)
    after = await memory.edge(JOB)
    assert after == {**before, "episodes": [first, second]}
    assert after["valid_at"] == JANUARY


async def test_7_a_page_counts_what_may_be_seen_and_what_may_not_is_not_there(
    memory: Memory,
) -> None:
    """Pages are full until the last one; what is hidden is 404, word for word as if it never was."""
    people = (
        "Emma Lopez",
        "Hugo Brandt",
        "Clara Vance",
        "Nils Okafor",
        "Vera Moreau",
        "Otto Weiss",
    )
    told = {
        name: await memory.tell(f"{name} plays chess.", {"tier": "gold" if n % 2 else "tin"})
        for n, name in enumerate(people)
    }
    gold = {name for n, name in enumerate(people) if n % 2}
    key = await memory.key(only(tier="gold"))

    async def pages(noun: str) -> list[list[Json]]:
        found: list[list[Json]] = []
        more: Json = {}
        while True:
            answer = await memory.send(
                200, "POST", f"/graph/{noun}/graph/g", {"limit": 2, **more}, key=key
            )
            found.append(answer.json())
            cursor = answer.header("zep-next-cursor")
            if not cursor:
                return [page for page in found if page]
            more = {"cursor": cursor}

    for noun, field in (("episodes", "content"), ("edge", "fact"), ("node", "name")):
        read = await pages(noun)
        assert [len(page) for page in read] == [2, 1], noun
        texts = [item[field] for page in read for item in page]
        assert {name for name in people if any(name in text for text in texts)} == gold
    hidden = next(name for name in people if name not in gold)
    nobody = "00000000-0000-7000-8000-000000000000"
    uuids = {
        "episodes": told[hidden],
        "edge": (await memory.edge(f"{hidden} plays chess"))["uuid"],
        "node": (await memory.node(hidden))["uuid"],
    }
    for noun, uuid in uuids.items():
        assert (await memory.send(200, "GET", f"/graph/{noun}/{uuid}")).json()
        refused = await memory.send(404, "GET", f"/graph/{noun}/{uuid}", key=key)
        absent = await memory.send(404, "GET", f"/graph/{noun}/{nobody}", key=key)
        assert refused.message == absent.message.replace(nobody, uuid)
        assert refused.headers == absent.headers


@pytest.mark.parametrize(
    ("of_key", "of_set"), [("report_only", "enforce"), ("enforce", "report_only")]
)
async def test_8_reporting_only_never_changes_a_byte_of_an_answer(
    memory: Memory, of_key: Mode, of_set: Mode
) -> None:
    """Neither of what a rule would have hidden nor of what it would have refused."""
    await memory.thread("talk")
    await memory.say("talk", {"content": "I love jazz.", "metadata": {"tier": "tin"}})
    episode = await memory.tell(f"{JOB}.", {"tier": "tin"})
    edge, node = (await memory.edge(JOB))["uuid"], (await memory.node("Emma Lopez"))["uuid"]
    rules = [
        {**only(tier="gold")},
        {"effect": "deny", "actions": ["graph.search", "graph.node.get", "thread.get"]},
    ]
    reporting = await memory.key(*rules, role="default_allow", mode=of_key, set_mode=of_set)
    requests: list[tuple[str, str, Any]] = [
        ("GET", f"/graph/episodes/{episode}", b""),
        ("GET", f"/graph/episodes/{episode}/mentions", b""),
        ("GET", f"/graph/edge/{edge}", b""),
        ("GET", f"/graph/node/{node}", b""),
        ("GET", f"/graph/node/{node}/entity-edges", b""),
        ("POST", "/graph/edge/graph/g", {}),
        ("POST", "/graph/node/graph/g", {"order_by": "degree"}),
        ("POST", "/graph/episodes/graph/g", {"limit": 1}),
        ("POST", "/graph/subgraph", {"graph_id": "g", "seed_node_uuids": [node]}),
        ("GET", "/threads/talk/messages", b""),
        ("GET", "/threads/talk/context", b""),
        ("GET", "/threads/talk/summary", b""),
        ("GET", "/users/ann/node", b""),
        ("GET", "/graph/node/nobody", b""),
        ("POST", "/graph/search", {"graph_id": "g", "query": "Emma"}),
        ("POST", "/graph/search", {"graph_id": "g", "query": "Emma", "scope": "auto"}),
    ]
    for method, path, body in requests:
        plain, reported = [
            await memory.running.send(method, "/api/v2" + path, body, key=key, headers=UNTIMED)
            for key in (None, reporting)
        ]
        assert reported == plain, path
        assert plain.status == (404 if path.endswith("nobody") else 200), path


async def test_a_pronoun_names_nobody_whom_its_readers_must_not_know(memory: Memory) -> None:
    """Turns of another class are not there for the reading of this one; those of its own are."""
    key = await memory.key(only(group="public"))
    await memory.thread("t")
    await memory.say("t", {"content": "I met Mary Hushington.", "metadata": {"group": "secret"}})
    await memory.say("t", {"content": "She likes chess.", "metadata": {"group": "public", "id": 2}})
    await memory.say("t", {"content": "I met Lisa Bright.", "metadata": {"group": "public"}})
    await memory.say("t", {"content": "She plays golf.", "metadata": {"group": "public", "id": 4}})
    facts = [edge["fact"] for edge in await memory.listed("edge", "user/ann")]
    assert "Lisa Bright plays golf" in facts
    assert not any("chess" in fact and "Mary" in fact for fact in facts)
    for path in ("/threads/t/context", "/threads/t/messages", "/users/ann/facts"):
        answer = await memory.running.send("GET", "/api/v2" + path, key=key)
        assert b"Hushington" not in answer.body


async def test_a_correction_answers_with_nothing_that_may_not_be_read(memory: Memory) -> None:
    """Writes without attributes do not widen reads with them: an update shows what it changed."""
    said = await memory.tell(f"{JOB}.", {"group": "secret"})
    edge, node = await memory.edge(JOB), await memory.node("Emma Lopez")
    updates = ["graph.edge.update", "graph.node.update", "graph.episode.update"]
    writes = {"effect": "allow", "actions": updates}
    narrowed = await memory.key(only(group="public"), writes)
    trusted = await memory.key(only(group="secret"), writes)
    blind = await memory.key(writes)
    for path, body in (
        (f"/graph/edge/{edge['uuid']}", {}),
        (f"/graph/node/{node['uuid']}", {}),
        (f"/graph/episodes/{said}", {"metadata": {}}),
    ):
        await memory.send(404, "PATCH", path, body, key=narrowed)
        await memory.send(403, "PATCH", path, body, key=blind)
        await memory.send(200, "PATCH", path, body, key=trusted)


async def test_receipts_are_for_those_who_see_everything(memory: Memory) -> None:
    """They name what was erased by its uuid, and count what others may not see."""
    key = await memory.key(only(group="public"))
    said = await memory.tell(f"{JOB}.", {"group": "secret"})
    receipt = (await memory.running.send("DELETE", f"/api/v1/episodes/{said}")).json()
    listed = await memory.running.send("GET", "/api/v1/erasures", key=key)
    assert listed.json()["erasures"] == []
    one = f"/api/v1/erasures/{receipt['uuid']}"
    assert (await memory.running.send("GET", one, key=key)).status == 404
    assert (await memory.running.send("GET", one)).status == 200


async def test_a_narrowed_key_deletes_its_own_and_nothing_as_a_whole(memory: Memory) -> None:
    """An episode it sees goes, with a receipt; a thread, a graph or a user may hold more."""
    deletes = ["graph.episode.delete", "thread.delete", "graph.delete", "user.delete"]
    rule = {"effect": "allow", "actions": deletes, "attributes": {"group": ["public"]}}
    key = await memory.key(rule)
    said = await memory.tell(f"{JOB}.", {"group": "public"})
    hidden = await memory.tell("Emma Lopez likes tea.", {"group": "secret"})
    await memory.thread("t")
    send = memory.running.send
    assert (await send("DELETE", f"/api/v1/episodes/{hidden}", key=key)).status == 404
    receipt = await send("DELETE", f"/api/v1/episodes/{said}", key=key)
    assert (receipt.status, receipt.json()["kind"]) == (200, "episode")
    for path in ("/v1/threads/t", "/v1/graphs/g", "/v1/users/ann", "/v2/threads/t"):
        assert (await send("DELETE", f"/api{path}", key=key)).status == 403, path
    for path in ("/v2/sessions/t/memory", "/v2/graph/g", "/v2/users/ann"):
        assert (await send("DELETE", f"/api{path}", key=key)).status == 403, path
    await memory.get("/threads/t/messages")


async def test_12_an_instance_in_use_past_its_life_survives_the_sweep(memory: Memory) -> None:
    """One that nobody uses does not; its idle time runs from the moment it was let go."""
    services = memory.running.services
    manager, seconds = services.memories._manager, [0.0]
    manager._now = lambda: seconds[0]
    key = await services.store.read(keys.authenticate, keys.hashed(memory.running.key))
    assert key is not None
    graph = await services.store.read(graphs.get, key, "g")
    async with services.memories.hold(graph):
        seconds[0] = 601.0
        assert manager.sweep() == 0
        assert manager.open_count == 1
    seconds[0] = 1201.0
    assert manager.sweep() == 0
    seconds[0] = 1201.5
    assert manager.sweep() == 1
