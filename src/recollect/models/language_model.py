"""A language model behind an OpenAI-compatible endpoint: one question, one call, one answer."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from prometheus_client import Counter, Histogram

from recollect.clock import Clock, system_clock
from recollect.errors import (
    BudgetExhausted,
    ModelAnswerInvalid,
    ModelRejected,
    ModelUnavailable,
)
from recollect.graph.types import Record
from recollect.models import completions
from recollect.models.answer_schema import strict_schema
from recollect.models.completions import Completion
from recollect.models.outage import Outage
from recollect.models.token_budget import Spending, TokenBudget
from recollect.settings import Settings

if TYPE_CHECKING:
    import openai

_CALLS = Counter(
    "recollect_model_calls_total", "Calls of the language model, by outcome.", ["outcome"]
)
_TOKENS = Counter(
    "recollect_model_tokens_total",
    "Tokens of the language model, as the endpoint counts.",
    ["kind"],
)
_SECONDS = Histogram(
    "recollect_model_call_seconds",
    "Seconds until the language model answered or failed.",
    buckets=(0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300),
)
# Everything else that the client library would add: facts about this machine, and whatever its
# own environment variables name.
_HEADERS_SENT = frozenset(
    {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        "x-stainless-raw-response",  # by which the library knows that it should not interpret
    }
)
# English has about four; a guess should be too high rather than too low.
_BYTES_PER_TOKEN = 3
_REMARK_CHARS_MAX = 200
_ECHO_CHARS = 24
_PROBE_S = 15.0
_PROBE_TOKENS = 1_024
# What is wrong with one request, such as its length; another one may well be accepted.
_THIS_REQUEST = frozenset({400, 413, 422})

T = TypeVar("T")
R = TypeVar("R")


class Prompt(Record):
    """A question: the rules, which are ours, and the material, which is not."""

    system: str
    user: str


class LanguageModel:
    """Asks an endpoint, within a bound of time, of calls at once and of tokens per hour.

    Nothing is tried a second time here: the queue does that, with pauses and in sight.
    """

    def __init__(self, settings: Settings, *, clock: Clock = system_clock) -> None:
        self._settings = settings
        self._client = _client(settings)
        self._places = asyncio.Semaphore(settings.llm_concurrency_max)
        self._budget = TokenBudget(settings.llm_tokens_per_hour_max, clock)
        self.outage = Outage(clock)

    async def ask(self, prompt: Prompt, answer: type[T], read: Callable[[T], R]) -> R:
        """What *read* makes of the model's answer, for exactly one call.

        ModelUnavailable: there was no answer; ModelRejected: to this request there is none.
        ModelAnswerInvalid: there was one, but it is not of the type *answer*, or *read* says so.
        BudgetExhausted: the call was not made.
        """
        async with self._places:
            cost = _tokens(prompt)
            spending = self._spend(cost + self._settings.llm_output_tokens_max)
            began, outcome = time.perf_counter(), "canceled"
            try:
                completion = completions.read(await self._send(prompt, answer))
                cost = _cost(completion, prompt)
                result = read(completions.answer(completion, answer))
                outcome = "answered"
            except ModelAnswerInvalid:
                outcome = "invalid"
                raise
            except _failures() as error:
                outcome, message = self._explain(error, prompt)
                cost = 0 if hasattr(error, "status_code") else cost  # turned down before any work
                # Without its cause, whose text repeats what was sent.
                raise self._without_answer(error, message) from None
            finally:
                spending.tokens = cost
                _SECONDS.observe(time.perf_counter() - began)
                _CALLS.labels(outcome).inc()
        return result

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    def _spend(self, tokens: int) -> Spending:
        try:
            return self._budget.reserve(tokens)
        except BudgetExhausted as error:
            if error.retry_at is not None:
                self.outage.rest(error.retry_at)
            raise

    def _without_answer(self, error: Exception, message: str) -> ModelUnavailable:
        """What a call without an answer is: the trouble of this request, or that of all."""
        if getattr(error, "status_code", 0) in _THIS_REQUEST:
            self.outage.over()
            return ModelRejected(message)
        self.outage.failed()
        return ModelUnavailable(message)

    async def _send(self, prompt: Prompt, answer: type[Any]) -> bytes:
        # The client's own timeout is one per read: a trickle would outlast it.
        async with asyncio.timeout(self._settings.llm_timeout_s):
            reply = await self._client.chat.completions.with_raw_response.create(
                **_request(self._settings, prompt, answer)
            )
            content: bytes = reply.content
        self.outage.over()  # whatever it says
        return content

    def _explain(self, error: Exception, prompt: Prompt) -> tuple[str, str]:
        """The outcome, and what to tell the operator about a call without an answer."""
        import openai

        place = f"the language model at {self._settings.llm_url}"
        if isinstance(error, TimeoutError | openai.APITimeoutError):
            return "timeout", f"{place} did not answer within {self._settings.llm_timeout_s:g} s"
        if not isinstance(error, openai.APIStatusError):
            return "unavailable", f"{place} cannot be reached, or broke off: {type(error).__name__}"
        status = error.status_code
        if status in {408, 409, 429} or status >= 500:
            pause = error.response.headers.get("Retry-After", "")
            asks = f"; it asks to wait {pause} s" if pause.isdecimal() else ""
            return "unavailable", f"{place} answered {status}{asks}"
        remark = self._remark(error, prompt)
        return "rejected", f"{place} answered {status}{_advice(status, self._settings)}{remark}"

    def _remark(self, error: "openai.APIStatusError", prompt: Prompt) -> str:
        """The endpoint's own words, unless they repeat what it was sent."""
        body = error.body
        said = body.get("message") if isinstance(body, dict) else body
        if not isinstance(said, str) or not said.strip():
            return ""
        key = self._settings.llm_key
        if key is not None:
            said = said.replace(key.get_secret_value(), "…")
        said = " ".join(said.split())[:_REMARK_CHARS_MAX]
        pieces = (said[at : at + _ECHO_CHARS] for at in range(len(said) - _ECHO_CHARS + 1))
        if any(piece in prompt.user for piece in pieces):
            return " (its words repeat the request and are left out)"
        return f" (it says: {said})"


class _Alive(Record, forbid_unknown_fields=True):
    """The answer to a call that only asks whether there is one."""

    alive: bool


async def probe(settings: Settings) -> float:
    """Seconds until the endpoint answered a tiny question; raises as `ask` does when it did not."""
    bounds = {
        "llm_timeout_s": min(_PROBE_S, settings.llm_timeout_s),
        "llm_output_tokens_max": min(_PROBE_TOKENS, settings.llm_output_tokens_max),
        "llm_tokens_per_hour_max": None,
    }
    model = LanguageModel(settings.model_copy(update=bounds))
    prompt = Prompt(system="Answer with a JSON object.", user='Answer with {"alive": true}.')
    began = time.perf_counter()
    try:
        await model.ask(prompt, _Alive, lambda answer: answer.alive)
    finally:
        await model.close()
    return time.perf_counter() - began


def from_settings(settings: Settings, *, clock: Clock = system_clock) -> LanguageModel | None:
    """The language model that the settings name; None when they name none."""
    return None if settings.llm_url is None else LanguageModel(settings, clock=clock)


def _client(settings: Settings) -> "openai.AsyncOpenAI":
    """A client that asks once, goes nowhere else, and takes nothing from the environment."""
    import openai  # a second that only those should pay who use it

    async def only_ours(request: Any) -> None:
        for name in list(request.headers):
            if name not in _HEADERS_SENT or (name == "authorization" and settings.llm_key is None):
                del request.headers[name]

    # A variable of its own could make the library log whole requests.
    logging.getLogger("openai").setLevel(logging.WARNING)
    key = settings.llm_key
    return openai.AsyncOpenAI(
        base_url=settings.llm_url,
        api_key=key.get_secret_value() if key else "none",
        timeout=settings.llm_timeout_s,
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(
            follow_redirects=False, event_hooks={"request": [only_ours]}
        ),
    )


def _failures() -> tuple[type[Exception], ...]:
    import openai

    return (openai.OpenAIError, TimeoutError)


def _request(settings: Settings, prompt: Prompt, answer: type[Any]) -> dict[str, Any]:
    schema = strict_schema(answer)
    system, form = prompt.system, _strictly(answer.__name__, schema)
    if settings.llm_format == "json_object":
        text = msgspec.json.encode(schema).decode()
        system += f"\n\nAnswer with one JSON object that fits this JSON Schema:\n\n{text}\n"
        form = {"type": "json_object"}
    request: dict[str, Any] = {
        "model": settings.llm_model,
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": prompt.user},
        ],
        "response_format": form,
        settings.llm_output_tokens_name: settings.llm_output_tokens_max,
    }
    if settings.llm_temperature is not None:
        request["temperature"] = settings.llm_temperature
    return request


def _strictly(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    form = {"name": name.lower(), "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": form}


def _advice(status: int, settings: Settings) -> str:
    if status in {401, 403}:
        return ": it does not accept RECOLLECT_LLM_KEY"
    if status == 404:
        return f": check RECOLLECT_LLM_URL, and that it has the model {settings.llm_model!r}"
    if status in {400, 422} and settings.llm_format == "json_schema":
        return (
            ": it does not accept the request; if it cannot hold answers to a schema, set "
            "RECOLLECT_LLM_FORMAT=json_object"
        )
    return ": it does not accept the request"


def _cost(completion: Completion, prompt: Prompt) -> int:
    """Count what the call cost; by estimate where the endpoint does not say."""
    usage = completion.usage
    if usage is None:
        content = completion.choices[0].message.content or ""
        return _tokens(prompt) + len(content.encode()) // _BYTES_PER_TOKEN
    _TOKENS.labels("input").inc(usage.prompt_tokens)
    _TOKENS.labels("output").inc(usage.completion_tokens)
    return usage.prompt_tokens + usage.completion_tokens


def _tokens(prompt: Prompt) -> int:
    return (len(prompt.system.encode()) + len(prompt.user.encode())) // _BYTES_PER_TOKEN
