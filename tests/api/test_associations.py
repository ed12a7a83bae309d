"""Everything derived names the episodes it came from, and each episode what came of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support import here
from tests.support.memory import Memory, remembering

USER = "user/ann"


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application, with nothing told yet."""
    async with remembering(tmp_path) as made:
        yield made


async def mentioned(memory: Memory, episode: str) -> tuple[set[str], set[str]]:
    """The names of the nodes and the sentences of the edges that an episode leads to."""
    found = await memory.get(f"/graph/episodes/{episode}/mentions")
    return {one["name"] for one in found["nodes"]}, {one["fact"] for one in found["edges"]}


async def episodes_of(memory: Memory, node: str) -> set[str]:
    """What the endpoint for the episodes of a node answers."""
    found = await memory.get(f"/graph/node/{node}/episodes")
    return {one["uuid"] for one in found["episodes"]}


async def test_an_edge_rests_on_who_told_it_who_restated_it_and_who_ended_it(
    memory: Memory,
) -> None:
    """In the order in which they were told, and each of them leads back to it."""
    first = await memory.tell("Emma Lopez lives in Rome.", created_at="2024-01-01T00:00:00Z")
    again = await memory.tell("Emma Lopez lives in Rome.", created_at="2024-02-01T00:00:00Z")
    ended = await memory.tell("Emma Lopez moved to Oslo.", created_at="2024-03-01T00:00:00Z")
    other = await memory.tell("Emma Lopez works at Acme Corp.", created_at="2024-04-01T00:00:00Z")
    edge = await memory.edge("Emma Lopez lives in Rome")
    assert edge["episodes"] == [first, again, ended]
    assert edge["invalid_at"] == "2024-03-01T00:00:00Z"
    assert (await memory.get(f"/graph/edge/{edge['uuid']}"))["episodes"] == edge["episodes"]
    for episode, leads in ((first, True), (again, True), (ended, True), (other, False)):
        _, facts = await mentioned(memory, episode)
        assert ("Emma Lopez lives in Rome" in facts) is leads
    assert (await memory.edge("Emma Lopez moved to Oslo"))["episodes"] == [ended]


async def test_a_node_rests_on_every_episode_that_mentions_it(memory: Memory) -> None:
    """Newest first on the node, all of them from its endpoint, and back again."""
    told = [
        await memory.tell(text)
        for text in (
            "Emma Lopez visited Paris.",
            "Hugo Brandt works in Paris.",
            "Emma Lopez loves Paris.",
        )
    ]
    await memory.tell("Hugo Brandt plays chess.")
    paris = await memory.node("Paris")
    assert paris["episodes"] == told[::-1]
    assert paris["episodes_truncated"] is False
    assert (await memory.get(f"/graph/node/{paris['uuid']}"))["episodes"] == told[::-1]
    assert await episodes_of(memory, paris["uuid"]) == set(told)
    for episode in told:
        names, _ = await mentioned(memory, episode)
        assert "Paris" in names
    listed = await memory.listed("episodes", mentioned_node_uuids=[paris["uuid"]])
    assert {one["uuid"] for one in listed} == set(told)


async def test_the_user_node_is_there_before_any_episode_and_gathers_those_that_mention_it(
    memory: Memory,
) -> None:
    """Its summary, the user's, rests on the node."""
    before = (await memory.get("/users/ann/node"))["node"]
    assert (before["episodes"], before["episodes_truncated"]) == ([], False)
    await memory.thread("talk")
    told = await memory.say("talk", {"content": "I live in Rome."}, {"content": "I love jazz."})
    after = (await memory.get("/users/ann/node"))["node"]
    assert after["uuid"] == before["uuid"]
    assert after["episodes"] == told[::-1]
    assert "Rome" in after["summary"]
    assert await episodes_of(memory, after["uuid"]) == set(told)


async def test_whoever_says_my_is_mentioned(memory: Memory) -> None:
    """Guide to metadata projection, "User summary": every episode that mentions the user, whether
    the user is what it is about or not; and so is the metadata of it."""
    await memory.thread("talk")
    said = (
        "My tennis club is in Porto.",
        "The dog of my sister is called Rex.",
        "Our office has a garden.",
        "Rome is too far for me.",
        "Rome is in Italy.",
    )
    told = await memory.say(
        "talk", *({"content": text, "metadata": {"n": n}} for n, text in enumerate(said))
    )
    node = (await memory.get("/users/ann/node"))["node"]
    assert [said[told.index(uuid)] for uuid in node["episodes"][::-1]] == list(said[:4])
    assert sorted(node["metadata"]["n"]) == [0, 1, 2, 3]


async def test_a_node_tells_its_episodes_wherever_it_is_read(memory: Memory) -> None:
    """As the node of a user, in what an episode mentions, as a neighbour and in a subgraph."""
    told = await memory.tell("Emma Lopez lives in Rome.")
    rome = (await memory.node("Rome"))["uuid"]
    near = await memory.post(f"/graph/node/{rome}/neighbors", {})
    around = await memory.post("/graph/subgraph", {"graph_id": "g", "seed_node_uuids": [rome]})
    mentions = await memory.get(f"/graph/episodes/{told}/mentions")
    found = [*(one["node"] for one in near), *around["nodes"], *mentions["nodes"]]
    assert len(found) == 5
    for node in found:
        assert (node["episodes"], node["episodes_truncated"]) == ([told], False)


async def test_an_observation_rests_on_the_episodes_behind_its_evidence(memory: Memory) -> None:
    """Its edges and their episodes, in a list, by uuid and found by a search."""
    told = [
        await memory.tell(text)
        for text in ("Ann visited Oslo.", "Ann visited Bergen.", "Ann visited Rome.")
    ]
    again = await memory.tell("Ann visited Oslo.")
    await memory.tell("Bo plays chess.")
    (found,) = await memory.listed("observation")
    assert sorted(found["episode_ids"]) == sorted([*told, again])
    behind = set()
    for uuid in found["attributes"]["fact_uuids"]:
        behind.update((await memory.get(f"/graph/edge/{uuid}"))["episodes"])
    assert behind == set(found["episode_ids"])
    asked = {"graph_id": "g", "query": "Ann visited", "scope": "observations"}
    (hit,) = (await memory.post("/graph/search", asked))["observations"]
    for other in (await memory.get(f"/graph/observation/{found['uuid']}"), hit):
        assert other["episode_ids"] == found["episode_ids"]


async def test_an_observation_rests_on_the_episodes_that_ended_its_evidence(
    memory: Memory,
) -> None:
    """They stand behind the facts it was drawn from, as they stand behind the edges."""
    await memory.tell("Emma Lopez lives in Rome.", created_at="2024-01-01T00:00:00Z")
    await memory.tell("Emma Lopez moved to Oslo.", created_at="2024-02-01T00:00:00Z")
    await memory.tell("Emma Lopez moved to Lima.", created_at="2024-03-01T00:00:00Z")
    ended = await memory.tell(
        "Emma Lopez no longer lives in Lima.", created_at="2024-04-01T00:00:00Z"
    )
    lima = await memory.edge("Emma Lopez moved to Lima")
    assert ended in lima["episodes"]
    (found,) = await memory.listed("observation")
    assert lima["uuid"] in found["attributes"]["fact_uuids"]
    assert ended in found["episode_ids"]


async def learned_anew(memory: Memory) -> None:
    """Everything is derived again from the log."""
    for (number,) in memory.running.rows("SELECT id FROM graphs"):
        await here.fold(memory.running.services.store, number)


@pytest.mark.parametrize("how", ["listed", "found", "found after learning anew"])
async def test_a_thread_summary_rests_on_every_message_of_its_thread(
    memory: Memory, how: str
) -> None:
    """Also on messages of roles that nothing is learned from, but not on those of other threads."""
    await memory.thread("one")
    await memory.thread("two")
    first = await memory.say(
        "one",
        {"content": "I live in Rome."},
        {"content": "Lovely.", "role": "assistant", "name": "Ada"},
        ignore_roles=["assistant"],
    )
    second = await memory.say("two", {"content": "I love jazz."})
    if how == "found after learning anew":
        await learned_anew(memory)

    async def resting_on(episode: str) -> list[str]:
        narrow = {"episode_uuids": [episode]}
        if how == "listed":
            found = await memory.listed("thread-summary", USER, filters=narrow)
            return [one["thread_id"] for one in found]
        asked = {"user_id": "ann", "query": "Ann", "scope": "thread_summaries"}
        answer = await memory.post("/graph/search", {**asked, "search_filters": narrow})
        return [one["name"] for one in answer["thread_summaries"]]

    for episode in first:
        assert await resting_on(episode) == ["one"]
    assert await resting_on(second[0]) == ["two"]


async def test_an_ignored_message_of_another_class_hides_the_summary_of_its_thread(
    memory: Memory,
) -> None:
    """By id, in lists and in searches: the summary carries what every message carries."""
    await memory.thread("talk")
    said = {"content": "I live in Rome.", "metadata": {"class": "open"}}
    await memory.say("talk", said)
    rule = {"effect": "allow", "actions": ["readonly"], "attributes": {"class": ["open"]}}
    key = await memory.key(rule)
    asked = {"user_id": "ann", "query": "Rome", "scope": "thread_summaries"}

    async def seen() -> list[str]:
        listed = await memory.post("/graph/thread-summary/user/ann", {}, key=key)
        found = (await memory.post("/graph/search", asked, key=key))["thread_summaries"]
        assert [one["uuid"] for one in listed] == [one["uuid"] for one in found]
        status = 200 if listed else 404
        await memory.send(status, "GET", "/threads/talk/summary", key=key)
        return [one["thread_id"] for one in listed]

    assert await seen() == ["talk"]
    ignored = {"content": "Noted.", "role": "assistant", "metadata": {"class": "secret"}}
    await memory.say("talk", ignored, ignore_roles=["assistant"])
    assert await seen() == []
    summary = await memory.get("/threads/talk/summary")
    assert summary["metadata"] == {"class": ["open", "secret"]}


async def test_a_message_that_nothing_is_learned_from_is_not_found_itself(memory: Memory) -> None:
    """Neither by its words nor by its metadata, also when that was changed."""
    await memory.thread("talk")
    ignored = {"content": "Oranges!", "role": "assistant", "metadata": {"tier": "tin"}}
    (uuid,) = await memory.say("talk", ignored, ignore_roles=["assistant"])
    await memory.send(200, "PATCH", f"/messages/{uuid}", {"metadata": {"tier": "gold"}})
    leaf = {"property_name": "tier", "comparison_operator": "=", "property_value": "gold"}
    narrow = {"episode_metadata_filters": {"type": "and", "filters": [leaf]}}
    assert await memory.post(f"/graph/episodes/{USER}", narrow) == []
    asked = {"user_id": "ann", "query": "Oranges", "scope": "episodes"}
    for more in ({}, {"search_filters": narrow}):
        assert (await memory.post("/graph/search", {**asked, **more}))["episodes"] == []
    assert (await memory.get("/threads/talk/messages"))["total_count"] == 1


async def test_a_document_summary_rests_on_every_piece_of_its_document(memory: Memory) -> None:
    """By the id that the pieces share."""
    pieces = [
        await memory.tell(text, document_id="d1") for text in ("Ann works at Acme.", "Bo sings.")
    ]
    other = await memory.tell("Cleo paints.", document_id="d2")
    for episode, document in (*((piece, "d1") for piece in pieces), (other, "d2")):
        narrow = {"episode_uuids": [episode]}
        found = await memory.listed("document-summary", filters=narrow)
        assert [one["document_id"] for one in found] == [document]


async def test_a_direct_write_rests_on_an_episode_that_is_not_shown(memory: Memory) -> None:
    """The metadata it was written with is found; the episode is in no list."""
    await memory.triple(
        fact="Paul Brandt works at Acme Corp",
        fact_name="WORKS_AT",
        source_node_name="Paul Brandt",
        target_node_name="Acme Corp",
        metadata={"tier": "gold"},
    )
    told = await memory.tell("Paul Brandt works at Acme Corp.", {"tier": "tin"})
    edge, paul = (
        await memory.edge("Paul Brandt works at Acme Corp"),
        await memory.node("Paul Brandt"),
    )
    (written,) = set(edge["episodes"]) - {told}
    assert (await memory.get(f"/graph/episodes/{written}"))["metadata"] == {"tier": "gold"}
    assert paul["episodes"] == [told]
    assert await episodes_of(memory, paul["uuid"]) == {told}
    leaf = {"property_name": "tier", "comparison_operator": "=", "property_value": "gold"}
    narrow = {"episode_metadata_filters": {"type": "and", "filters": [leaf]}}
    assert [one["fact"] for one in await memory.listed("edge", filters=narrow)] == [
        "Paul Brandt works at Acme Corp"
    ]
    assert {one["name"] for one in await memory.listed("node", filters=narrow)} == {
        "Paul Brandt",
        "Acme Corp",
    }
    assert await memory.post("/graph/episodes/graph/g", narrow) == []
