"""What a reader is shown of a graph: what was known at the episode's place, near it, and in its sight."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from recollect.app.services import Services, open_services
from recollect.extract.brief import Brief, Extracted, Shown
from recollect.governance import policies
from recollect.graph import policy_spec
from recollect.graph.types import Access, NewEpisode
from recollect.graph.visibility import Constraint, Visibility, typed
from recollect.ingest import intake, known
from recollect.limits import SHOWN_FACTS_MAX, TURNS_BEFORE_MAX, TURNS_EARLIER_MAX
from recollect.records import episodes
from recollect.store.protocol import Transaction
from tests.contract.store.world import new_project, new_thread, new_user
from tests.support import here
from tests.support.scripted_model import Request, ScriptedModel, Step, alone, answers
from tests.support.stores import settings_of
from tests.support.three_words import ThreeWords
from tests.unit.extract.test_model import entity, fact

START = datetime.fromisoformat("2024-05-01T10:00:00+00:00")
RED = Visibility(allowed=(Constraint(required=(("team", frozenset({typed("red")})),)),))


class Talk:
    """A user's threads, in which everything is said a day after what was said before."""

    def __init__(self, services: Services, access: Access) -> None:
        self.services = services
        self.access = access
        self._days = 0

    async def say(self, content: str, thread: str = "t", **more: Any) -> str:
        """A message; its uuid."""
        self._days += 1
        told = NewEpisode(
            kind="message",
            content=content,
            role=more.pop("role", "user"),
            created_at=START + timedelta(days=self._days),
            **more,
        )
        store = self.services.store
        receipt = await store.write(intake.add_messages, self.access, thread, [told])
        return receipt.uuids[0]

    async def learn(self, content: str, thread: str = "t", **more: Any) -> str:
        """A message of three words, taken in at once; its uuid."""
        uuid = await self.say(content, thread, **more)
        await here.learn(self.services.store, ThreeWords())
        return uuid

    async def brief(self, uuid: str, visibility: Visibility | None = None) -> Brief:
        """What a reader of an episode is given."""
        store, access = self.services.store, replace(self.access, visibility=visibility)
        episode = await store.read(episodes.get, self.access, uuid)
        found = await known.brief(store, self.services.finder, access, episode)
        assert found is not None
        return found

    async def shown(self, uuid: str, visibility: Visibility | None = None) -> Shown:
        """What a reader of an episode is shown of the graph."""
        found = (await self.brief(uuid, visibility)).shown
        assert found is not None
        return found


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    """A user with two threads."""
    services = await open_services(settings_of(tmp_path))
    access = await new_project(services.store, "p")
    await new_user(services.store, access, "jane", first_name="Jane", last_name="Smith")
    for name in ("t", "u"):
        await new_thread(services.store, access, name, "jane")
    yield Talk(services, access)
    await services.close()


def sentences(shown: Shown) -> list[str]:
    """The facts that are shown, in their order."""
    return [one.sentence for one in shown.facts]


def names(shown: Shown) -> list[str]:
    """The entities that are shown, in their order."""
    return [one.name for one in shown.entities]


async def test_what_is_known_is_shown_the_oldest_first(talk: Talk) -> None:
    """With the user, who is there before anybody else."""
    for content in ("ann likes tea", "bob owns boats", "ann lives_in rome"):
        await talk.learn(content)
    shown = await talk.shown(await talk.say("And Ann?"))
    assert sentences(shown) == ["Ann likes Tea", "Bob owns Boats", "Ann lives in Rome"]
    assert names(shown) == ["Jane Smith", "Ann", "Tea", "Bob", "Boats", "Rome"]
    assert shown.entities[0].who == "user"
    assert shown.relations == ("LIKES", "OWNS", "LIVES_IN")
    ann = next(one.uuid for one in shown.entities if one.name == "Ann")
    assert [one.source == ann for one in shown.facts] == [True, False, True]


async def test_an_episode_is_read_from_its_own_place(talk: Talk) -> None:
    """What was said later is not known yet, and what ended later is still open."""
    await talk.learn("ann lives_in rome")
    then = await talk.learn("Hello Ann.")
    await talk.learn("ann lives_in oslo")
    now = await talk.say("Hello again, Ann.")
    before, after = await talk.shown(then), await talk.shown(now)
    assert (sentences(before), names(before)) == (
        ["Ann lives in Rome"],
        ["Jane Smith", "Ann", "Rome"],
    )
    assert before.facts[0].invalid_at is None
    assert sentences(after) == ["Ann lives in Oslo"]


async def test_what_an_episode_says_itself_is_not_shown_to_it(talk: Talk) -> None:
    """It is read again as if it had never been."""
    uuid = await talk.learn("ann likes tea")
    shown = await talk.shown(uuid)
    assert (sentences(shown), names(shown)) == ([], ["Jane Smith"])


async def test_the_nearest_are_shown_of_very_many(talk: Talk) -> None:
    """Whoever is named, whatever the words mean, and what was said last; no more than fits."""
    await talk.learn("zoe collects stamps")
    await talk.learn("kim repairs clocks")
    for number in range(70):
        await talk.learn(f"p{number} likes q{number}")
    shown = await talk.shown(await talk.say("Zoe, or whoever repairs them?"))
    told = sentences(shown)
    assert len(told) <= SHOWN_FACTS_MAX
    assert told[0] == "Zoe collects Stamps"
    assert "Kim repairs Clocks" in told
    assert told[-1] == "P69 likes Q69"
    ranks = sorted(one.rank for one in shown.facts)
    assert ranks == list(range(len(told)))


async def test_a_short_answer_is_looked_for_with_its_question(talk: Talk) -> None:
    """The turn before names whom it is about."""
    await talk.learn("zoe collects stamps")
    for number in range(70):
        await talk.learn(f"p{number} likes q{number}")
    await talk.learn("Does Zoe still do that?", role="assistant")
    assert sentences(await talk.shown(await talk.say("No.")))[0] == "Zoe collects Stamps"


async def test_a_narrowed_reader_is_shown_what_it_sees(talk: Talk) -> None:
    """Facts, entities and relations of others are not there."""
    await talk.learn("ann likes tea", metadata={"team": "red"})
    await talk.learn("bob owns boats", metadata={"team": "blue"})
    uuid = await talk.say("Ann and Bob?", metadata={"team": "red"})
    shown = await talk.shown(uuid, RED)
    assert (sentences(shown), names(shown)) == (["Ann likes Tea"], ["Jane Smith", "Ann", "Tea"])
    assert shown.relations == ("LIKES",)
    assert len(sentences(await talk.shown(uuid))) == 2


async def test_what_others_must_not_know_is_not_shown_for_what_they_see(talk: Talk) -> None:
    """A policy guards the key: what is learned from a red episode rests on red ones alone."""
    await talk.learn("ann likes tea", metadata={"team": "red"})
    await talk.learn("bob owns boats", metadata={"team": "blue"})
    await talk.learn("kim reads books")
    rule = {"id": "r", "type": "authorization", "effect": "allow", "actions": ["readonly"]}
    rule["attributes"] = {"team": ["red"]}
    given = {"policy_set": {"name": "s", "mode": "enforce", "spec": {"policies": [rule]}}}

    def guard(tx: Transaction) -> None:
        document = policy_spec.check(given, {"memory.get"})
        policies.apply(tx, talk.access.project_id, document)

    await talk.services.store.write(guard)
    red = await talk.shown(await talk.say("Ann, Bob, Kim?", metadata={"team": "red"}))
    assert (sentences(red), names(red)) == (["Ann likes Tea"], ["Jane Smith", "Ann", "Tea"])
    plain = await talk.shown(await talk.say("Ann, Bob, Kim?"))
    assert sentences(plain) == ["Kim reads Books"]


async def test_the_conversation_before_is_told_while_this_one_is_young(talk: Talk) -> None:
    """Its end, with the times; later this one is enough."""
    for number in range(TURNS_EARLIER_MAX + 2):
        await talk.learn(f"turn {number}", "u")
    first = await talk.brief(await talk.say("Hi."))
    assert [turn.content for turn in first.earlier] == [
        f"turn {number}" for number in range(2, TURNS_EARLIER_MAX + 2)
    ]
    assert first.earlier[-1].at == START + timedelta(days=TURNS_EARLIER_MAX + 2)
    for number in range(TURNS_BEFORE_MAX):
        await talk.say(f"more {number}")
    assert (await talk.brief(await talk.say("Bye."))).earlier == ()


class Twice(ThreeWords):
    """Reads every sentence as a fact about two, and once more as one about the first of them."""

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each text says, in order."""
        return [self._twice(one) for one in await super().extract(readings)]

    def _twice(self, one: Extracted) -> Extracted:
        more = tuple(replace(fact, target=0, predicate="SAYS") for fact in one.found.facts)
        found = replace(one.found, facts=(*one.found.facts, *more))
        return replace(one, found=found, fact_vectors=(None,) * len(found.facts))


async def test_facts_in_the_same_words_are_shown_once(talk: Talk) -> None:
    """And are all meant by what is said of the one."""
    await talk.say("ann likes tea")
    await here.learn(talk.services.store, Twice())
    shown = await talk.shown(await talk.say("Ann?"))
    assert sentences(shown) == ["Ann likes Tea"]
    assert len(shown.facts[0].twins) == 1


def changing(request: Request) -> Step:
    """A model that puts what it is told in the place of all that it is shown."""
    text = request.user.partition("<episode ")[2].partition(">\n")[2].partition("\n</episode ")[0]
    shown = request.user.partition("<facts ")[2].partition(">\n")[2].partition("\n</facts ")[0]
    ids = [one["id"] for one in json.loads(shown)] if shown else []
    new = fact(0, None, "HAS_CODE", text, replaces=ids, valid_at=None)
    return answers({"entities": [entity("the front door")], "facts": [new]})


async def test_a_model_closes_what_it_says_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From message to graph: shown by id, replaced by id, closed on the model's word."""
    alone(monkeypatch)
    with ScriptedModel(otherwise=changing) as model:
        settings = settings_of(tmp_path, llm_url=model.url, llm_model="scripted")
        services = await open_services(settings, reads_here=True)
        access = await new_project(services.store, "p")
        await new_user(services.store, access, "jane", first_name="Jane")
        await new_thread(services.store, access, "t", "jane")
        talk = Talk(services, access)
        services.start_workers(1, owner="w")
        for content in ("The door code is 4471", "Make it 9026"):
            await talk.say(content)
            services.wake_workers()
            await _read(services)
        found = await services.store.read(_spans)
        await services.close()
    assert found == [
        ("The door code is 4471", False, "model:episode.v2"),
        ("Make it 9026", True, None),
    ]


async def _read(services: Services) -> None:
    """Until nothing is owed any more."""
    for _ in range(1_200):
        row = await services.store.read(lambda tx: tx.graphs.inputs(graph_id=1))
        if row is not None and row.unread == 0:
            return
        await asyncio.sleep(0.05)
    raise TimeoutError


def _spans(tx: Transaction) -> list[tuple[str, bool, str | None]]:
    """Each fact that was read, whether it is open, and on whose word it ended."""
    judges = {row["fact"]: row["judge"] for row in tx.digests.part("closings", graph_id=1)}
    told = tx.digests.part("facts", graph_id=1)
    read = sorted((row for row in told if row["name"] == "HAS_CODE"), key=lambda row: row["uuid"])
    return [(row["fact"], row["invalid_at"] is None, judges.get(row["uuid"])) for row in read]
