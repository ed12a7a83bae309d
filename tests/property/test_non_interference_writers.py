"""Whoever may write and may not see everything learns nothing from what becomes of their words.

All topics of a story are of the same people, places and things and of the user; only what their
episodes carry tells them apart. So the hidden ones state, repeat and end what the visible ones tell.
A key that sees some of them reads byte for byte what it reads in a world that was never told the
others, before and after it has told its own guesses, which are what hidden episodes may have said.
"""

import re
from pathlib import Path
from random import Random

import pytest

from recollect.models import answers, cross_encoder, embedder
from tests.property import hidden_policies, hidden_requests, hidden_story
from tests.property.hidden_policies import Policy
from tests.property.hidden_reader import WordsAnswers, WordsCrossEncoder, WordsEmbedder
from tests.property.hidden_story import Teller, Topic
from tests.property.hidden_worlds import KEYS_FROM, Asked, Step, World, world
from tests.property.test_non_interference import compared

STEPS = 40
GUESSES = 4
CASES_MIN = 800
SUMMING_UP = re.compile(r"summar|context|query|/memory|/sessions/\{session_id\}/log")


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors and scores of words in place of the models."""
    by_words, scoring, answering = WordsEmbedder(), WordsCrossEncoder(), WordsAnswers()
    monkeypatch.setattr(embedder, "load", lambda _: by_words)
    monkeypatch.setattr(cross_encoder, "load", lambda _: scoring)
    monkeypatch.setattr(answers, "load", lambda _: answering)


def telling_policy(random: Random, topics: list[Topic]) -> tuple[Policy, set[int]]:
    """A policy that hides some topics and not all, and may tell; and the topics it hides."""
    while True:
        policy = hidden_policies.drawn(random)
        unseen = {topic.number for topic in topics if not policy.sees(topic.profiles)}
        if 2 <= len(unseen) < len(topics):
            return Policy(policy.role, policy.sets, tells=True), unseen


def guesses(random: Random, teller: Teller, topics: list[Topic]) -> list[Step]:
    """What a key tells itself, of topics that it sees."""
    ways = (Teller.data, Teller.talk, Teller.triple, Teller.tastes, Teller.nodes)
    first = KEYS_FROM + 100
    return [
        Step(number, tuple(random.choice(ways)(teller, random.choice(topics))))
        for number in range(first, first + GUESSES)
    ]


async def writer_cases(folder: Path, seed: int, *, most: int, shared: bool = False) -> int:
    """The cases of one story under one policy; *shared*: all of it in one thread and one document,
    of whose summaries nothing is asked."""
    random = Random(seed)  # noqa: S311
    topics = hidden_story.walled(random, shared=shared)
    teller = Teller(random, topics)
    steps = list(teller.steps(STEPS))
    policy, unseen = telling_policy(random, topics)
    heard = [step for step in steps if step.topic not in unseen]
    told_by_key = guesses(random, teller, [one for one in topics if one.number not in unseen])
    cases = 0
    async with world(folder / "told", steps) as told, world(folder / "untold", heard) as untold:
        keys = await told.key(policy), await untold.key(policy)
        cases += await read_alike(told, untold, keys, random, most, shared=shared)
        for step in told_by_key:
            here, there = await told.take(step, keys[0]), await untold.take(step, keys[1])
            assert here == there, step
        cases += await read_alike(told, untold, keys, random, most, shared=shared)
    return cases


def sums_up(asked: Asked) -> bool:
    """Whether an answer may tell what a thread or a document was about as a whole."""
    if SUMMING_UP.search(asked.route):
        return True
    body = asked.body if isinstance(asked.body, dict) else {}
    return body.get("scope") in ("auto", "thread_summaries") or "summary" in str(
        body.get("search_scope")
    )


async def read_alike(
    told: World,
    untold: World,
    keys: tuple[str, str],
    random: Random,
    most: int,
    *,
    shared: bool,
) -> int:
    """Ask both worlds everything with a key of each; how often the answers were the same."""
    known = hidden_requests.pools(told)
    gone = hidden_requests.lost(known, hidden_requests.pools(untold))
    asking = hidden_requests.without(known, "task", gone)
    cases = 0
    for request in (
        *hidden_requests.everything(asking, random, most),
        *hidden_requests.writes(known, random, gone, most // 4),
    ):
        if shared and sums_up(request):
            continue
        async for _ in compared(told, untold, keys, request):
            cases += 1
    return cases


@pytest.mark.parametrize("seed", range(3))
async def test_a_writer_reads_as_if_the_hidden_had_never_been(tmp_path: Path, seed: int) -> None:
    """Byte for byte, on every route, before and after its own guesses."""
    assert await writer_cases(tmp_path, seed, most=8) > CASES_MIN


async def test_a_writer_notices_nothing_hidden_in_its_own_thread(tmp_path: Path) -> None:
    """Nor in its document; but for their summaries, which are of the whole."""
    assert await writer_cases(tmp_path, 3, most=8, shared=True) > CASES_MIN


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 112))
async def test_many_writers_read_as_if_the_hidden_had_never_been(tmp_path: Path, seed: int) -> None:
    """The same over more stories and requests."""
    assert await writer_cases(tmp_path, seed, most=40) > CASES_MIN
