"""What a user keeps speaking about is an observation: guide of generation 2, "Understanding the
graph", and rule N4; with the embedded reader, over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from recollect.derive import topics as store_topics
from tests.support.memory import Memory, remembering

OF_ANN = "user/ann"
SECRET = {"class": "secret"}
RUNS = (
    ("01", "I went for a run along the river."),
    ("04", "I ran ten kilometres with Tom."),
    ("09", "I signed up for a half marathon."),
    ("14", "I bought new running shoes."),
)
OTHERS = (
    ("02", "I moved to Porto."),
    ("05", "I drink four cups of coffee a day."),
    ("07", "I ordered a new espresso machine."),
    ("11", "I prefer green tea to coffee now."),
    ("12", "My boss moved the deadline."),
)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """The application with a thread of ann's."""
    async with remembering(tmp_path) as made:
        await made.thread("t")
        yield made


async def said(memory: Memory, *days: tuple[str, str], **fields: Any) -> list[str]:
    """Say something on each of some days of March 2024."""
    messages = [
        {"content": text, "created_at": f"2024-03-{day}T09:00:00Z", **fields}
        for day, text in sorted(days)
    ]
    return await memory.say("t", *messages)


async def topics(memory: Memory) -> dict[str, dict[str, Any]]:
    """The observations about what ann speaks of, by the topic."""
    found = await memory.listed("observation", OF_ANN)
    mark = "keeps speaking about "
    return {one["name"].split(mark)[1]: one for one in found if mark in one["name"]}


async def test_what_comes_up_on_three_days_is_told_with_first_and_last(memory: Memory) -> None:
    """Nine messages about four things: two of them come back."""
    await said(memory, *RUNS, *OTHERS)
    found = await topics(memory)
    assert set(found) == {"running", "coffee"}
    told = found["running"]["summary"]
    assert told.startswith("Ann Lee has spoken about running on 4 days, from 1 March 2024 to 14")
    assert "First: Ann Lee went for a run along the river." in told
    assert told.endswith("Most recently: Ann Lee bought new running shoes.")
    assert found["running"]["start_at"] == "2024-03-01T09:00:00Z"
    assert "espresso machine" in found["coffee"]["summary"]


async def test_a_topic_names_its_facts_and_the_messages_behind_them(memory: Memory) -> None:
    """All of what it tells can be looked up, and nothing else is behind it."""
    episodes = await said(memory, *RUNS)
    (found,) = (await topics(memory)).values()
    assert sorted(found["episode_ids"]) == sorted(episodes)
    facts = [await memory.get(f"/graph/edge/{uuid}") for uuid in found["attributes"]["fact_uuids"]]
    assert len(facts) == len(RUNS)
    assert all(fact["episodes"][0] in episodes for fact in facts)


async def test_a_person_or_thing_is_a_topic_by_its_name(memory: Memory) -> None:
    """Whatever is said about it, and whoever does it."""
    await said(
        memory,
        ("01", "I adopted a dog called Biscuit."),
        ("03", "I took Biscuit to the vet."),
        ("08", "Biscuit is afraid of thunder."),
    )
    found = (await topics(memory))["Biscuit"]
    assert "took Biscuit to the vet" in found["summary"]
    assert found["summary"].startswith("Ann Lee has spoken about Biscuit on 3 days")


async def test_the_same_again_or_much_on_one_day_is_no_topic(memory: Memory) -> None:
    """One fact said three times says nothing more, nor does one talk."""
    await said(memory, *(("01", text) for _, text in RUNS))
    await said(memory, *((day, "I love espresso.") for day in ("02", "05", "09")))
    assert not await topics(memory)


async def test_a_topic_that_rested_for_long_is_brought_up_to_date(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was noticed; the next word on it is told, however much was said of other things since."""
    monkeypatch.setattr(store_topics, "TOPIC_EPISODES_MAX", 3)
    await said(memory, *RUNS[:3])
    await said(memory, ("15", "I moved to Porto."), ("16", "I own a boat."), ("17", "I like jazz."))
    await said(memory, ("20", "I ran a marathon in Rome."))
    told = (await topics(memory))["running"]["summary"]
    assert told.startswith("Ann Lee has spoken about running on 4 days, from 1 March 2024 to 20")
    assert told.endswith("Most recently: Ann Lee ran a marathon in Rome.")


async def test_what_is_forgotten_is_in_no_topic(memory: Memory) -> None:
    """With a message less it is told without it, with too few left it is gone."""
    first, second, *_ = await said(memory, *RUNS)
    await memory.delete(f"/graph/episodes/{second}")
    await memory.learn()
    found = (await topics(memory))["running"]
    assert "on 3 days" in found["summary"]
    assert "Tom" not in str(found)
    await memory.delete(f"/graph/episodes/{first}")
    await memory.learn()
    assert not await topics(memory)


async def test_a_topic_is_hidden_with_a_fact_that_it_rests_on(memory: Memory) -> None:
    """Rule of all derived texts: nothing is told that a part of it would not be told."""
    await said(memory, *RUNS[:3])
    await said(memory, RUNS[3], metadata=SECRET)
    denial = {"effect": "deny", "actions": ["readonly"], "attributes": {"class": ["secret"]}}
    key = await memory.key(denial, role="default_allow")
    assert "running" in await topics(memory)
    seen = await memory.post(f"/graph/observation/{OF_ANN}", {}, key=key)
    assert not [one for one in seen if "running" in str(one)]
