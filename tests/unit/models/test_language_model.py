"""One question is one call; whatever goes wrong with it has a name, and nothing is tried twice."""

import asyncio
import logging
import traceback
from collections.abc import Callable
from dataclasses import replace

import pytest
from prometheus_client import REGISTRY

from recollect.errors import ModelAnswerInvalid, ModelUnavailable, RecollectError
from recollect.graph.types import Record
from recollect.models import language_model
from recollect.models.language_model import LanguageModel, Prompt
from recollect.settings import Settings
from tests.support.scripted_model import (
    ScriptedModel,
    Step,
    alone,
    answers,
    drops,
    fails,
    refuses,
    says,
    truncated,
)

KEY = "sk-very-secret-0123456789"
PRIVATE = "My sister Emma was diagnosed with diabetes in March."
PROMPT = Prompt(system="Read.", user=PRIVATE)
GOOD = {"colour": "red", "count": 3}


class Colour(Record, forbid_unknown_fields=True):
    """A small answer."""

    colour: str
    count: int | None


@pytest.fixture(autouse=True)
def _nothing_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    alone(monkeypatch)


def settings_for(server: ScriptedModel, **more: object) -> Settings:
    """Settings that name the scripted server."""
    given = {"llm_url": server.url, "llm_model": "scripted", "llm_key": KEY, "llm_timeout_s": 5}
    return Settings.model_validate(given | more)


async def ask(
    server: ScriptedModel, read: Callable[[Colour], object] = lambda found: found, **more: object
) -> object:
    """One question to the server, with a model of its own."""
    model = LanguageModel(settings_for(server, **more))
    try:
        return await model.ask(PROMPT, Colour, read)
    finally:
        await model.close()


def calls(outcome: str) -> float:
    """How many calls ended so, in this process."""
    return REGISTRY.get_sample_value("recollect_model_calls_total", {"outcome": outcome}) or 0.0


def tokens(kind: str) -> float:
    """How many tokens went in or out, in this process."""
    return REGISTRY.get_sample_value("recollect_model_tokens_total", {"kind": kind}) or 0.0


async def test_a_good_answer_is_a_typed_value() -> None:
    """And it took one request."""
    with ScriptedModel([answers(GOOD)]) as server:
        assert await ask(server) == Colour(colour="red", count=3)
        assert len(server.requests) == 1
        assert server.requests[0].path == "/v1/chat/completions"


async def test_the_endpoint_is_held_to_the_schema() -> None:
    """Strict, with every field required and no others allowed."""
    with ScriptedModel([answers(GOOD)]) as server:
        await ask(server)
        form = server.requests[0].body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"] == {
        "type": "object",
        "properties": {
            "colour": {"type": "string"},
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
        "required": ["colour", "count"],
        "additionalProperties": False,
    }


async def test_nothing_else_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not what the library adds about the machine, nor what its own variables say."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-other")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-other")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: other")
    with ScriptedModel([answers(GOOD)]) as server:
        await ask(server)
        sent = server.requests[0]
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert "other" not in repr(sent.headers)
    strange = [name for name in sent.headers if name.startswith(("x-", "openai-", "cookie"))]
    assert strange == ["x-stainless-raw-response"]
    assert set(sent.body) == {"model", "messages", "response_format", "max_completion_tokens"}
    assert [message["role"] for message in sent.body["messages"]] == ["system", "user"]
    assert sent.user == PRIVATE
    assert KEY not in repr(sent.body)


async def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A local server needs none, and another's key must not reach it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin")
    with ScriptedModel([answers(GOOD)]) as server:
        await ask(server, llm_key=None)
        assert "authorization" not in server.requests[0].headers


async def test_other_dialects_can_be_chosen() -> None:
    """Plain JSON with the schema in words, the old name of the bound, a temperature."""
    with ScriptedModel([answers(GOOD)]) as server:
        await ask(
            server,
            llm_format="json_object",
            llm_output_tokens_name="max_tokens",
            llm_output_tokens_max=500,
            llm_temperature=0.0,
        )
        sent = server.requests[0]
    assert sent.body["response_format"] == {"type": "json_object"}
    assert '"additionalProperties":false' in sent.system
    assert sent.body["max_tokens"] == 500
    assert "max_completion_tokens" not in sent.body
    assert sent.body["temperature"] == 0.0


@pytest.mark.parametrize(
    ("step", "says_what"),
    [
        (says('{"colour": "red", "cou'), "not JSON"),
        (says("The colour is red."), "not JSON"),
        (says('```json\n{"colour": "red", "count": 3}\n```'), "not JSON"),
        (answers({"colour": "red"}), "count"),
        (answers({"colour": 7, "count": 3}), r"\$\.colour"),
        (answers({**GOOD, "more": 1}), "more"),
        (answers([GOOD]), "out of shape"),
        (says(""), "nothing"),
        (says(None), "nothing"),
        (refuses(), "refused"),
        (says("{}", finish_reason="content_filter"), "refused"),
        (truncated(GOOD), "cut off"),
        (says(str(GOOD), finish_reason="length"), "cut off"),
        (Step(b"<html>Welcome</html>", headers={"Content-Type": "text/html"}), "completion"),
        (Step(b"[" * 100_000), "completion"),
        (Step(b'{"choices": []}'), "completion"),
        (Step(b'{"error": {"message": "overloaded"}}'), "completion"),
        (Step(b""), "completion"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_an_answer_that_cannot_be_used_is_an_error(step: Step, says_what: str) -> None:
    """It is named, counted, and not asked for again."""
    before = calls("invalid")
    with ScriptedModel([step, answers(GOOD)]) as server:
        with pytest.raises(ModelAnswerInvalid, match=says_what):
            await ask(server)
        assert len(server.requests) == 1
    assert calls("invalid") == before + 1


async def test_what_the_reader_refuses_is_an_invalid_answer() -> None:
    """A rule beyond the schema counts the same."""

    def refuse(found: Colour) -> None:
        raise ModelAnswerInvalid("count: too few")

    before = calls("invalid"), calls("answered")
    with (
        ScriptedModel([answers(GOOD)]) as server,
        pytest.raises(ModelAnswerInvalid, match="too few"),
    ):
        await ask(server, refuse)
    assert (calls("invalid"), calls("answered")) == (before[0] + 1, before[1])


@pytest.mark.parametrize(
    ("step", "outcome", "says_what"),
    [
        (fails(429), "unavailable", "429"),
        (fails(429, Retry_After="17"), "unavailable", "wait 17 s"),
        (fails(500), "unavailable", "500"),
        (fails(503), "unavailable", "503"),
        (fails(408), "unavailable", "408"),
        (drops(GOOD), "unavailable", "broke off"),
        (fails(401, "bad key"), "rejected", "RECOLLECT_LLM_KEY.*bad key"),
        (fails(403), "rejected", "RECOLLECT_LLM_KEY"),
        (fails(404), "rejected", "RECOLLECT_LLM_URL.*'scripted'"),
        (fails(400, "no response_format"), "rejected", "RECOLLECT_LLM_FORMAT=json_object"),
        (fails(307, Location="http://127.0.0.1:9/v1"), "rejected", "307"),
        (Step(b"nothing here", status=404), "rejected", "404"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_no_answer_is_an_error_that_says_what_to_do(
    step: Step, outcome: str, says_what: str
) -> None:
    """The client library does not try again: the queue does."""
    before = calls(outcome)
    with ScriptedModel([step, answers(GOOD)]) as server:
        with pytest.raises(ModelUnavailable, match=says_what):
            await ask(server)
        assert len(server.requests) == 1
    assert calls(outcome) == before + 1


async def test_a_slow_answer_is_given_up_on() -> None:
    """It may still be thinking, but the graph waits for it."""
    before = calls("timeout")
    with ScriptedModel([answers(GOOD, delay_s=30)]) as server:
        with pytest.raises(ModelUnavailable, match=r"within 0\.3 s"):
            await asyncio.wait_for(ask(server, llm_timeout_s=0.3), 10)
        assert len(server.requests) == 1
    assert calls("timeout") == before + 1


async def test_a_trickle_is_given_up_on() -> None:
    """Each byte comes in time, the whole does not."""
    trickle = replace(answers(GOOD), trickle_s=0.1)
    with ScriptedModel([trickle]) as server:
        with pytest.raises(ModelUnavailable, match=r"within 0\.5 s"):
            await asyncio.wait_for(ask(server, llm_timeout_s=0.5), 5)
        assert len(server.requests) == 1


async def test_nobody_there_is_an_error() -> None:
    """A port that is closed."""
    with ScriptedModel() as server:
        pass
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await ask(server)


@pytest.mark.parametrize(
    "step",
    [
        fails(400, f"cannot read: {PRIVATE}"),
        fails(401, f"wrong key {KEY} for {PRIVATE[:30]}"),
        fails(401, f"Incorrect API key provided: {KEY}"),
        fails(400, "x" * 100_000),
        says(PRIVATE),
        answers({"colour": "red", "count": 3, PRIVATE: 1}),
        says(None, refusal=f"I cannot talk about {PRIVATE}"),
    ],
    ids=["echo", "echo and key", "key", "long", "no json", "a key of the answer", "refusal"],
)
async def test_a_message_repeats_neither_key_nor_text(step: Step) -> None:
    """Messages are stored with the job and shown; so is what they were raised from."""
    with ScriptedModel([step]) as server, pytest.raises(RecollectError) as caught:
        await ask(server)
    shown = "".join(traceback.format_exception(caught.value))
    for text in (caught.value.message, shown.replace("PRIVATE", "")):
        assert KEY not in text
        assert "Emma was diagnosed" not in text
    assert len(caught.value.message) < 600


async def test_tokens_and_calls_are_counted() -> None:
    """As the endpoint counts them, also for an answer that was no use."""
    before = tokens("input"), tokens("output"), calls("answered")
    seconds = REGISTRY.get_sample_value("recollect_model_call_seconds_count") or 0.0
    used = {"prompt_tokens": 70, "completion_tokens": 9, "total_tokens": 79}
    with ScriptedModel([answers(GOOD, usage=used), says("no", usage=used)]) as server:
        await ask(server)
        with pytest.raises(ModelAnswerInvalid):
            await ask(server)
    assert tokens("input") == before[0] + 140
    assert tokens("output") == before[1] + 18
    assert calls("answered") == before[2] + 1
    assert REGISTRY.get_sample_value("recollect_model_call_seconds_count") == seconds + 2


async def test_no_more_calls_at_once_than_allowed() -> None:
    """The others wait, and all are answered."""
    with ScriptedModel(otherwise=lambda request: answers(GOOD, delay_s=0.05)) as server:
        model = LanguageModel(settings_for(server, llm_concurrency_max=2))
        found = await asyncio.gather(
            *(model.ask(PROMPT, Colour, lambda colour: colour.count) for _ in range(8))
        )
        await model.close()
        assert found == [3] * 8
        assert len(server.requests) == 8
        assert server.at_once_max == 2


async def test_a_place_is_free_again_after_a_failure() -> None:
    """Even when the caller is stopped in the middle."""
    before = calls("canceled")
    with ScriptedModel([answers(GOOD, delay_s=30), fails(500), answers(GOOD)]) as server:
        model = LanguageModel(settings_for(server, llm_concurrency_max=1))
        stopped = asyncio.create_task(model.ask(PROMPT, Colour, lambda colour: colour))
        assert await asyncio.to_thread(server.arrived.wait, 10)
        stopped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopped
        with pytest.raises(ModelUnavailable):
            await model.ask(PROMPT, Colour, lambda colour: colour)
        assert await model.ask(PROMPT, Colour, lambda colour: colour.count) == 3
        await model.close()
    assert calls("canceled") == before + 1


def test_without_an_endpoint_there_is_no_model() -> None:
    """The default: nothing is called."""
    assert language_model.from_settings(Settings()) is None


async def test_the_settings_make_a_model() -> None:
    """Address and name are enough."""
    chosen = Settings(llm_url="http://127.0.0.1:9/v1", llm_model="m")
    model = language_model.from_settings(chosen)
    assert model is not None
    await model.close()


@pytest.mark.parametrize(
    "given",
    [
        {"llm_url": "http://127.0.0.1/v1"},
        {"llm_model": "m"},
        {"llm_key": "k"},
        {"llm_url": "ftp://host/v1", "llm_model": "m"},
        {"llm_url": "host/v1", "llm_model": "m"},
        {"llm_url": "http://user:pass@host/v1", "llm_model": "m"},
        {"llm_url": "http://host/v1?key=k", "llm_model": "m"},
        {"llm_url": "http://host/v1", "llm_model": "m", "llm_key": "has a space"},
    ],
    ids=lambda given: " ".join(given.values()),
)
def test_half_a_configuration_is_refused(given: dict[str, str]) -> None:
    """At start, not with the first episode."""
    with pytest.raises(ValueError, match="llm_"):
        Settings.model_validate(given)


async def test_neither_key_nor_text_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Not even when everything else is."""
    with (
        caplog.at_level(logging.DEBUG),
        ScriptedModel([answers(GOOD), fails(400, PRIVATE)]) as server,
    ):
        await ask(server)
        with pytest.raises(ModelUnavailable):
            await ask(server)
    assert KEY not in caplog.text
    assert "Emma" not in caplog.text


def test_the_key_does_not_show() -> None:
    """Printing the settings never prints it."""
    assert KEY not in repr(Settings(llm_url="http://h/v1", llm_model="m", llm_key=KEY))
