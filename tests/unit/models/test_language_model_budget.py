"""Tokens per hour: spent ones count for an hour, and a call without room says when to come back."""

import asyncio
from datetime import timedelta

import pytest

from recollect.errors import BudgetExhausted, ModelUnavailable
from recollect.graph.types import Record
from recollect.models.language_model import LanguageModel, Prompt, TokenBudget
from recollect.settings import Settings
from tests.contract.store.world import StillClock
from tests.support.scripted_model import ScriptedModel, Step, alone, answers, fails

HOUR_S = 3600.0
PROMPT = Prompt(system="Read.", user="x" * 295)  # by estimate a hundred tokens
USED = {"prompt_tokens": 400, "completion_tokens": 200, "total_tokens": 600}


class Found(Record, forbid_unknown_fields=True):
    """A small answer."""

    ok: bool


@pytest.fixture(autouse=True)
def _nothing_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    alone(monkeypatch)


@pytest.fixture
def clock() -> StillClock:
    """Time, in the test's hand."""
    return StillClock()


def model_for(server: ScriptedModel, clock: StillClock, most: int | None) -> LanguageModel:
    """A model whose answers are at most a hundred tokens long."""
    chosen = Settings(
        llm_url=server.url,
        llm_model="m",
        llm_tokens_per_hour_max=most,
        llm_output_tokens_max=100,
        llm_timeout_s=5,
    )
    return LanguageModel(chosen, clock=clock)


async def ask(model: LanguageModel) -> bool:
    """One question."""
    return await model.ask(PROMPT, Found, lambda found: found.ok)


def good(usage: dict[str, int] | None = USED) -> Step:
    """An answer that costs so much."""
    return answers({"ok": True}, usage=usage)


def test_without_a_bound_there_is_always_room(clock: StillClock) -> None:
    """And nothing is kept."""
    budget = TokenBudget(None, clock)
    for _ in range(100):
        budget.reserve(10**9)


def test_what_was_spent_comes_back_after_an_hour(clock: StillClock) -> None:
    """To the second."""
    budget = TokenBudget(100, clock)
    budget.reserve(60)
    clock.advance(600)
    budget.reserve(40)
    with pytest.raises(BudgetExhausted) as caught:
        budget.reserve(50)
    assert caught.value.retry_at == clock() + timedelta(seconds=HOUR_S - 600)
    clock.advance(HOUR_S - 600 - 1)
    with pytest.raises(BudgetExhausted):
        budget.reserve(50)
    clock.advance(1)
    budget.reserve(50)


def test_the_time_named_is_when_enough_is_free(clock: StillClock) -> None:
    """Not just when something is."""
    budget = TokenBudget(100, clock)
    budget.reserve(20)
    clock.advance(60)
    budget.reserve(80)
    with pytest.raises(BudgetExhausted) as caught:
        budget.reserve(90)
    assert caught.value.retry_at == clock() + timedelta(seconds=HOUR_S)
    clock.advance(HOUR_S)
    budget.reserve(90)


def test_a_call_dearer_than_the_budget_goes_through_alone(clock: StillClock) -> None:
    """It could never be made otherwise."""
    budget = TokenBudget(100, clock)
    budget.reserve(500)
    with pytest.raises(BudgetExhausted) as caught:
        budget.reserve(500)
    assert caught.value.retry_at == clock() + timedelta(seconds=HOUR_S)


def test_what_cost_nothing_is_not_in_the_way(clock: StillClock) -> None:
    """A dear call goes through after others that were turned down."""
    budget = TokenBudget(100, clock)
    budget.reserve(50).tokens = 0
    budget.reserve(500)


async def test_a_call_without_room_is_not_made(clock: StillClock) -> None:
    """What the endpoint counted decides, and the message says when there is room."""
    with ScriptedModel([good(), good(), good()]) as server:
        model = model_for(server, clock, 1000)
        assert await ask(model)
        clock.advance(60)
        assert await ask(model)
        with pytest.raises(BudgetExhausted, match="1000 tokens per hour") as caught:
            await ask(model)
        assert len(server.requests) == 2
        assert caught.value.retry_at == clock() + timedelta(seconds=HOUR_S - 60)
        assert caught.value.retry_at is not None
        clock.moment = caught.value.retry_at
        assert await ask(model)
        await model.close()


async def test_calls_under_way_count(clock: StillClock) -> None:
    """By the most they can cost."""
    slow = answers({"ok": True}, delay_s=0.2)
    with ScriptedModel([slow, slow, slow]) as server:
        model = model_for(server, clock, 450)
        found = await asyncio.gather(*(ask(model) for _ in range(3)), return_exceptions=True)
        await model.close()
        assert len(server.requests) == 2
    assert [type(item) for item in found] == [bool, bool, BudgetExhausted]


async def test_without_a_count_the_estimate_stands(clock: StillClock) -> None:
    """An endpoint that does not say what it used is not free."""
    with ScriptedModel(otherwise=lambda request: good(usage=None)) as server:
        model = model_for(server, clock, 350)
        assert await ask(model)
        assert await ask(model)
        with pytest.raises(BudgetExhausted):
            await ask(model)
        await model.close()


async def test_a_request_that_was_turned_down_costs_nothing(clock: StillClock) -> None:
    """A wrong key or a crowd does not use up the hour."""
    script = [fails(401), fails(429), fails(401), fails(500), fails(401)]
    with ScriptedModel(script) as server:
        model = model_for(server, clock, 250)
        for _ in range(5):
            with pytest.raises(ModelUnavailable):
                await ask(model)
        await model.close()
        assert len(server.requests) == 5
