"""Whoever may not see something reads as if it did not exist.

Two properties over random stories and policies. Of separate topics, a world that was told all of
them answers a restricted key byte for byte as one that was never told the hidden ones, on every
route that reads. Of a mixed story, every answer holds exactly what a plain rule over the episodes
behind each object lets through. Each request that is compared is a case.
"""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from recollect.models import answers, cross_encoder, embedder
from tests.property import hidden_policies, hidden_requests, hidden_story
from tests.property.hidden_policies import Policy, Written
from tests.property.hidden_reader import WordsAnswers, WordsCrossEncoder, WordsEmbedder
from tests.property.hidden_requests import Asked, next_page
from tests.property.hidden_story import Teller, Topic
from tests.property.hidden_worlds import World, world
from tests.support.asgi import Answer

STEPS = 40
PAGES_MAX = 100
CASES_MIN = 1_500  # of each story
# No story erases anything or keeps what was told in contexts, and resources are the server's.
NEVER_THERE = {
    "GET /api/v4/project/content-policy/revisions/{revision_uuid}",
    "GET /api/v4/graphs/{graph_uuid}/hyperedges/{hyperedge_uuid}",
    "GET /api/v1/erasures/{uuid}",
    "GET /api/v1/injections/{uuid}",
    "POST /api/v2/config/resources/embedders/{name}/retry",
    "POST /api/v2/config/resources/language_models/{name}/retry",
    "POST /api/v2/config/resources/rerankers/{name}/retry",
}


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors and scores of words in place of the models."""
    by_words, scoring, answering = WordsEmbedder(), WordsCrossEncoder(), WordsAnswers()
    monkeypatch.setattr(embedder, "load", lambda _: by_words)
    monkeypatch.setattr(cross_encoder, "load", lambda _: scoring)
    monkeypatch.setattr(answers, "load", lambda _: answering)


def test_every_reading_route_is_asked() -> None:
    """Whoever adds one adds to `hidden_requests` what its requests can be."""
    assert list(hidden_requests.unknown()) == []


def hidden_topics(policy: Policy, topics: list[Topic]) -> set[int]:
    """The topics of which a key sees nothing; the first is always there, it tells of the user."""
    return {topic.number for topic in topics[1:] if not policy.sees(topic.profiles)}


def telling_policy(random: Random, topics: list[Topic], *, open_first: bool) -> Policy:
    """A policy that hides some topics and not all, and the first one or not."""
    while True:
        policy = hidden_policies.drawn(random)
        if policy.sees(topics[0].profiles) is not open_first:
            continue
        if 2 <= len(hidden_topics(policy, topics)) < len(topics) - 1:
            return policy


def told_cursor(answer: Answer) -> str | None:
    """Where the next page begins, as clients of generation 4 are told."""
    told = answer.json() if answer.header("content-type") == "application/json" else None
    return told.get("next_cursor") if isinstance(told, dict) else None


async def compared(
    told: World, untold: World, keys: tuple[str, str], asked: Asked
) -> AsyncIterator[Answer]:
    """Ask both worlds, page after page; gives the answers, each of them the same in both."""
    # Diversity weighs sums of vectors, whose last digits hang on the order of rows: a known limit.
    varied = isinstance(asked.body, dict) and asked.body.get("reranker") == "mmr"
    request: Asked | None = None if varied else asked
    for _ in range(PAGES_MAX):
        if request is None:
            return
        here, there = await told.ask(request, keys[0]), await untold.ask(request, keys[1])
        assert here == there, str(request)
        yield here
        request = next_page(request, here.header("zep-next-cursor") or told_cursor(here))


async def twin_cases(folder: Path, seed: int, *, policies: int, most: int) -> int:
    """The cases of one story under several policies."""
    random = Random(seed)  # noqa: S311
    topics = hidden_story.separate(random)
    steps = list(Teller(random, topics).steps(STEPS))
    answers: Counter[tuple[str, int]] = Counter()
    async with world(folder / "told", steps) as told:
        known = hidden_requests.pools(told)
        for number in range(policies):
            policy = telling_policy(random, topics, open_first=number % 3 != 2)
            unseen = hidden_topics(policy, topics)
            seen = [step for step in steps if step.topic not in unseen]
            async with world(folder / f"untold-{number}", seen) as untold:
                gone = hidden_requests.lost(known, hidden_requests.pools(untold))
                asking = hidden_requests.without(known, "task", gone)
                keys = await told.key(policy, number), await untold.key(policy, number)
                asked = [
                    *hidden_requests.everything(asking, random, most),
                    *hidden_requests.writes(known, random, gone, most // 4),
                ]
                for request in asked:
                    async for answer in compared(told, untold, keys, request):
                        answers[request.route, answer.status] += 1
    # A key that may do nothing reads the same everywhere; this one is answered.
    assert {status for _, status in answers} <= {200, 400, 404, 422}
    reading = {hidden_requests.name_of(route) for route in hidden_requests.reading()}
    assert sorted(route for route in reading - NEVER_THERE if not answers[route, 200]) == []
    return answers.total()


@pytest.mark.parametrize("seed", range(2))
async def test_a_world_reads_as_one_that_was_never_told(tmp_path: Path, seed: int) -> None:
    """Byte for byte, on every route, page after page."""
    assert await twin_cases(tmp_path, seed, policies=2, most=12) > CASES_MIN


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 112))
async def test_many_worlds_read_as_ones_that_were_never_told(tmp_path: Path, seed: int) -> None:
    """The same over more stories, policies and requests."""
    assert await twin_cases(tmp_path, seed, policies=4, most=60) > CASES_MIN


async def test_what_is_only_reported_changes_no_byte(tmp_path: Path) -> None:
    """Neither by the key's mode nor by the set's; what the role denies stays denied."""
    random = Random(7)  # noqa: S311
    steps = list(Teller(random, hidden_story.mixed(random)).steps(STEPS // 2))
    async with world(tmp_path, steps) as told:
        known = hidden_requests.pools(told)
        policy = replace(hidden_policies.drawn(random), role="default_allow")
        reported = [
            await told.key(policy.reported(by_key=by_key), by_key) for by_key in (False, True)
        ]
        denied = replace(policy, role="default_deny").reported(by_key=True)
        refused = await told.key(denied, 2), await told.key(Policy("default_deny", ()), 3)
        for asked in hidden_requests.everything(known, random, 4):
            open_ = await told.ask(asked)
            for key in reported:
                assert await told.ask(asked, key) == open_, str(asked)
            first, second = [await told.ask(asked, key) for key in refused]
            assert first == second, str(asked)
            assert first.status == 403, str(asked)


async def test_a_denied_action_is_refused_in_the_same_words_whatever_it_names(
    tmp_path: Path,
) -> None:
    """What is there, what is hidden and what never was."""
    random = Random(8)  # noqa: S311
    steps = list(Teller(random, hidden_story.mixed(random)).steps(STEPS // 4))
    refusing = Policy("default_allow", ((False, (Written("deny", ()),)),))
    async with world(tmp_path, steps) as told:
        known = hidden_requests.pools(told)
        key = await told.key(refusing)
        for route in hidden_requests.reading():
            asked = hidden_requests.of_route(route, known, random, 8)
            answers = [await told.ask(request, key) for request in asked]
            assert {answer.status for answer in answers} == {403}, asked
            assert all(answer == answers[0] for answer in answers), asked
