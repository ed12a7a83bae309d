"""`/api/v1/graphs/{graph_id}/chapters`: older episodes condensed, with those that bear it out."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.derive import chapters
from recollect.governance import keys
from recollect.graph.types import Access, NewEpisode
from recollect.ingest import intake
from recollect.limits import CHAPTER_EPISODES
from recollect.records import graphs
from recollect.store.protocol import Transaction
from tests.support import here
from tests.support.memory import Memory, remembering
from tests.support.three_words import ThreeWords
from tests.support.told_log import spoken

SECRET = {"class": "secret"}


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application with an empty graph `g`."""
    async with remembering(tmp_path) as made:
        yield made


async def tell(memory: Memory, *said: str | NewEpisode, graph: str = "g") -> list[str]:
    """Episodes of a graph that is condensed, read at once; their uuids."""
    given = [one if isinstance(one, NewEpisode) else spoken(one) for one in said]

    def write(tx: Transaction) -> list[str]:
        project = keys.project_named(tx, keys.DEFAULT_PROJECT)
        access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
        chapters.condense(tx, graphs.get(tx, access, graph).id)
        return list(intake.add_episodes(tx, access, None, graph, given).uuids)

    uuids = await memory.running.services.store.write(write)
    await here.learn(memory.running.services.store, ThreeWords())
    return uuids


async def listed(memory: Memory, query: str = "", key: str | None = None, graph: str = "g") -> Any:
    """What the list answers."""
    path = f"/api/v1/graphs/{graph}/chapters"
    answer = await memory.running.send("GET", path, query=query, key=key)
    assert answer.status == 200, answer.body
    return answer.json()


async def test_a_chapter_tells_what_was_said_and_who_says_so(memory: Memory) -> None:
    """Only episodes that state it are named."""
    filler = ["hm"] * (CHAPTER_EPISODES - 3)
    uuids = await tell(memory, "ann lives_in rome", *filler, "ann likes tea", "ann lives_in oslo")
    (chapter,) = (await listed(memory))["chapters"]
    assert chapter["number"] == 1
    assert chapter["summary"] == "Ann likes Tea. Ann lives in Oslo."
    assert chapter["episodes"] == [uuids[0], *uuids[-2:]]
    assert chapter["first_at"] <= chapter["last_at"]


async def test_what_is_written_down_later_is_in_the_chapter_it_cites(memory: Memory) -> None:
    """A feature stands on what it cites from then on, as it would if all were learned anew."""
    uuids = await tell(memory, *["ann lives_in rome"] * CHAPTER_EPISODES)
    here_ = {"org_id": "universal", "project_id": "g"}
    of_set = {"metadata_tags": ["producer_id"], "set_metadata": {"producer_id": "ann"}}
    made = await memory.post("/memories/semantic/set_id/get", {**here_, **of_set})
    feature = {"category_name": "c", "tag": "t", "feature": "collects", "value": "Ann has stamps"}
    body = {**here_, **made, **feature, "citations": uuids[:1]}
    await memory.send(201, "POST", "/memories/semantic/feature", body)
    await here.learn(memory.running.services.store)
    (chapter,) = (await listed(memory))["chapters"]
    assert "Ann has stamps" in chapter["summary"]


async def test_words_are_quoted_where_nothing_was_learned(memory: Memory) -> None:
    """And what is quoted from is named."""
    uuids = await tell(memory, *(f"some words about {n}" for n in range(CHAPTER_EPISODES)))
    (chapter,) = (await listed(memory))["chapters"]
    assert "user: some words about 31." in chapter["summary"]
    assert set(chapter["episodes"]) < set(uuids)
    assert uuids[-1] in chapter["episodes"]


async def test_what_ends_later_is_told_as_ended(memory: Memory) -> None:
    """A chapter never calls true what is over."""
    await tell(memory, "ann lives_in rome", *["hm"] * (CHAPTER_EPISODES - 1))
    assert (await listed(memory))["chapters"][0]["summary"] == "Ann lives in Rome."
    await tell(memory, "ann lives_in oslo")
    (chapter,) = (await listed(memory))["chapters"]
    assert chapter["summary"].startswith("Ann lives in Rome (ended by ")


async def test_an_erased_episode_leaves_no_word_in_its_chapter(memory: Memory) -> None:
    """And is not named any more."""
    uuids = await tell(memory, "ann likes tea", "bob likes golf", *["hm"] * CHAPTER_EPISODES)
    await memory.delete(f"/graph/episodes/{uuids[0]}")
    (chapter,) = (await listed(memory))["chapters"]
    assert chapter["summary"] == "Bob likes Golf."
    assert chapter["episodes"] == [uuids[1]]


async def test_a_fact_that_is_reworded_is_told_in_its_new_words(memory: Memory) -> None:
    """Nothing of the old ones is kept anywhere."""
    await tell(memory, "ann likes tea", *["hm"] * CHAPTER_EPISODES)
    edge = await memory.edge("Ann likes Tea")
    await memory.send(200, "PATCH", f"/graph/edge/{edge['uuid']}", {"fact": "Ann adores tea"})
    (chapter,) = (await listed(memory))["chapters"]
    assert chapter["summary"] == "Ann adores tea."


async def test_pages_follow_one_another(memory: Memory) -> None:
    """To the last one, which has no cursor."""
    await tell(memory, *(f"ann likes thing{n}" for n in range(3 * CHAPTER_EPISODES + 5)))
    every = (await listed(memory))["chapters"]
    assert [one["number"] for one in every] == [1, 2, 3]
    paged, cursor = [], "0"
    while cursor != "None":
        page = await listed(memory, f"limit=1&cursor={cursor}")
        paged += page["chapters"]
        cursor = str(page["next_cursor"])
    assert paged == every


async def test_a_graph_that_has_no_chapters_is_told_in_runs_of_its_episodes(
    memory: Memory,
) -> None:
    """The same that chapters would say of them."""
    said = [f"ann likes thing{n}" for n in range(CHAPTER_EPISODES + 1)]
    await tell(memory, *said)
    await memory.post("/graph/create", {"graph_id": "h"})
    batch = [{"type": "text", "data": one} for one in said]
    for start in (0, 20):
        await memory.post("/graph-batch", {"graph_id": "h", "episodes": batch[start : start + 20]})
    await here.learn(memory.running.services.store, ThreeWords())
    (stored,), (told,) = [(await listed(memory, graph=g))["chapters"] for g in "gh"]
    assert (stored["number"], stored["summary"]) == (told["number"], told["summary"])
    assert len(told["episodes"]) == CHAPTER_EPISODES


async def test_a_key_that_sees_a_part_is_told_of_that_part_only(memory: Memory) -> None:
    """In runs of what it sees, as if there were nothing else."""
    denial = {"effect": "deny", "actions": ["chapter.list"], "attributes": {"class": ["secret"]}}
    key = await memory.key(denial, role="default_allow")
    hidden = [spoken(f"eve likes gold{n}", metadata=SECRET) for n in range(40)]
    shown = [f"ann likes thing{n}" for n in range(CHAPTER_EPISODES)]
    uuids = await tell(memory, *hidden[:25], *shown[:20], *hidden[25:], *shown[20:])
    (chapter,) = (await listed(memory, key=key))["chapters"]
    assert chapter["number"] == 1
    assert chapter["episodes"] == [*uuids[25:45], *uuids[60:]]
    assert "Eve" not in chapter["summary"]
    assert len((await listed(memory))["chapters"]) == 2


async def test_a_users_graph_has_chapters_too(memory: Memory) -> None:
    """And what does not exist has none."""
    answer = await memory.running.send("GET", "/api/v1/users/ann/chapters")
    assert (answer.status, answer.json()) == (200, {"chapters": [], "next_cursor": None})
    for path in ("graphs/nothing", "users/nobody"):
        assert (await memory.running.send("GET", f"/api/v1/{path}/chapters")).status == 404


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "cursor=-1", "cursor=x"])
async def test_a_page_that_cannot_be_is_refused(memory: Memory, query: str) -> None:
    """With the name of what is wrong."""
    answer = await memory.running.send("GET", "/api/v1/graphs/g/chapters", query=query)
    assert answer.status == 400
    assert query.partition("=")[0] in answer.message
