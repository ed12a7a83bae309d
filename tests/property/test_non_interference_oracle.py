"""What a key reads of a mixed story is what a plain rule over each object's episodes lets through.

Everything is shared here: a fact is told by an episode that may be seen and closed by one that may
not, threads and documents hold both, and the user is spoken of by all. The rule is applied by hand
to what the tables say stands behind each object: before the graphs are folded with the walls that a
new policy draws, when objects are mixed, and afterwards.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from recollect.graph import user_summary
from recollect.models import answers, cross_encoder, embedder
from tests.property import (
    hidden_policies,
    hidden_requests,
    hidden_story,
    hidden_truth,
    hidden_variants,
)
from tests.property.hidden_judge import OWNERS, Judge
from tests.property.hidden_policies import Policy
from tests.property.hidden_reader import WordsAnswers, WordsCrossEncoder, WordsEmbedder
from tests.property.hidden_story import Teller
from tests.property.hidden_truth import MARKS, Truth, View
from tests.property.hidden_worlds import Asked, World, world

STEPS = 30
CASES_MIN = 1_500  # of each story


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors and scores of words in place of the models."""
    by_words, scoring, answering = WordsEmbedder(), WordsCrossEncoder(), WordsAnswers()
    monkeypatch.setattr(embedder, "load", lambda _: by_words)
    monkeypatch.setattr(cross_encoder, "load", lambda _: scoring)
    monkeypatch.setattr(answers, "load", lambda _: answering)


def write_summaries(told: World) -> None:
    """Let summaries of threads and of the user be as if a language model had written them."""
    everything = hidden_truth.truth(told).things.values()
    for thing in everything:
        if thing.kind == "summary":
            told.running.execute(
                "UPDATE summaries SET written = ?, written_count = episode_count,"
                " written_fact_id = ? WHERE id = ?",
                hidden_truth.written(thing),
                2**62,  # it speaks of every fact
                thing.id,
            )
    ((node, graph),) = told.running.rows(
        "SELECT e.uuid, e.graph_id FROM users u JOIN entities e ON e.uuid = u.entity_uuid"
        " WHERE u.user_id = ?",
        hidden_story.USER,
    )
    (user,) = (thing for thing in everything if thing.uuid == node)
    told.running.execute(
        "INSERT INTO user_summaries VALUES (?, ?, ?, 1, 1) ON CONFLICT (graph_id) DO UPDATE"
        " SET summary = excluded.summary, basis = excluded.basis",
        graph,
        hidden_truth.written(user),
        user_summary.basis([hidden_story.ASKED]),
    )


_BY_DEGREE = {"limit": 3, "order_by": "degree", "direction": "desc"}
BY_DEGREE = [
    Asked(f"POST /api/v2/graph/node/{owner}", "POST", f"/api/v2/graph/node/{path}", "", _BY_DEGREE)
    for owner, path in zip(OWNERS, ("user/ann", "graph/g", "group/g"), strict=True)
]


def telling_policy(random: Random, everything: Truth) -> Policy:
    """A policy under which some of the facts and of the nodes may be seen, and some may not."""
    while True:
        policy = hidden_policies.drawn(random)
        view = View(everything, policy)
        counted = Counter((thing.kind, view.visible[u]) for u, thing in everything.things.items())
        if all(counted[kind, seen] > 2 for kind in ("fact", "entity") for seen in (True, False)):
            return policy


def naming_hidden(random: Random, view: View) -> Iterator[Asked]:
    """Requests that start from a node that may not be seen, which visible edges may name."""
    nodes = sorted(uuid for uuid in view.hidden() if view.is_node(uuid))
    owners: list[dict[str, Any]] = [{"user_id": "ann"}, {"graph_id": "g"}]
    for node in random.sample(nodes, min(len(nodes), 8)):
        for kind in ("user/ann", "graph/g"):
            path = f"/api/v2/graph/episodes/{kind}"
            yield Asked("POST episodes", "POST", path, "", {"mentioned_node_uuids": [node]})
        for owner in owners:
            asked = {"query": random.choice(hidden_variants.QUESTIONS), "limit": 50, **owner}
            for scope in ("edges", "nodes", "episodes"):
                for way in (
                    {"bfs_origin_node_uuids": [node]},
                    {"reranker": "node_distance", "center_node_uuid": node},
                ):
                    body = {**asked, "scope": scope, **way}
                    yield Asked("POST search", "POST", "/api/v2/graph/search", "", body)


def unheard(random: Random, view: View) -> list[str]:
    """Words of what is hidden, first those that stand in what is said of nodes."""
    words = sorted(word for word in view.secrets if MARKS.fullmatch(word))
    random.shuffle(words)
    return sorted(words, key=lambda word: word not in view.all.said_of_nodes)


async def ask_all(judge: Judge, told: World, view: View, random: Random, most: int) -> None:
    """Requests on every route, and words of what is hidden."""
    known = hidden_requests.pools(told)
    for request in (
        *BY_DEGREE,
        *naming_hidden(random, view),
        *hidden_requests.everything(known, random, most),
        *hidden_requests.writes(known, random, set(view.hidden()), most // 4),
    ):
        await judge.judge(request)
    for word in unheard(random, view)[: most // 2]:
        await judge.asks_in_vain(word)


async def oracle_cases(folder: Path, seed: int, *, policies: int, most: int) -> int:
    """The cases of one mixed story under several policies."""
    random = Random(seed)  # noqa: S311
    steps = list(Teller(random, hidden_story.mixed(random)).steps(STEPS))
    cases = narrowed = 0
    lists: Counter[str] = Counter()
    async with world(folder, steps) as told:
        for number in range(policies):
            policy = telling_policy(random, hidden_truth.truth(told))
            key = await told.key(policy, number, settled=False)
            for settled in (False, True):
                if settled:
                    await told.settle()
                write_summaries(told)
                view = View(hidden_truth.truth(told), policy)
                judge = Judge(told, (key, told.running.key), view)
                await ask_all(judge, told, view, random, most)
                cases += judge.cases
                narrowed += judge.narrowed
                lists += judge.lists
    # Something was hidden, and something was not: neither makes a case by itself.
    assert narrowed > 10 * policies
    assert len(lists) > 10
    return cases


@pytest.mark.parametrize("seed", range(2))
async def test_a_key_reads_what_the_rule_lets_through(tmp_path: Path, seed: int) -> None:
    """On every route, page after page, and never a word of what is hidden."""
    assert await oracle_cases(tmp_path, seed, policies=2, most=8) > CASES_MIN


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 112))
async def test_keys_read_what_the_rule_lets_through(tmp_path: Path, seed: int) -> None:
    """The same over more stories, policies and requests."""
    assert await oracle_cases(tmp_path, seed, policies=3, most=60) > CASES_MIN
