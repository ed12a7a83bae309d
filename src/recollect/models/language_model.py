"""A language model behind an OpenAI-compatible endpoint: one question, one call, one answer."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from prometheus_client import Counter, Histogram

from recollect import extras, spans
from recollect.clock import Clock, system_clock
from recollect.errors import BudgetExhausted, ModelAnswerInvalid, ModelRejected, ModelUnavailable
from recollect.graph.types import Record
from recollect.limits import OUTAGE_PAUSE_FIRST_S, OUTAGE_PAUSE_MAX_S
from recollect.models import completions
from recollect.models.completions import Completion, strict_schema
from recollect.settings import Settings

if TYPE_CHECKING:
    import openai

_WINDOW = timedelta(hours=1)
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
# The client library would add others: facts about this machine, and whatever its own environment
# variables name.
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
        "x-stainless-raw-response",  # tells the library not to interpret the response
    }
)
# English has about four; the estimate should err on the high side.
_BYTES_PER_TOKEN = 3
_REMARK_CHARS_MAX = 200
_ECHO_CHARS = 24
_PROBE_S = 15.0
_PROBE_TOKENS = 1_024
# Errors of this one request, such as its length; another may well be accepted.
_THIS_REQUEST = frozenset({400, 413, 422})


@dataclass(slots=True)
class Spending:
    """The tokens of one call: an estimate while it is under way, then its actual cost."""

    at: datetime
    tokens: int


class TokenBudget:
    """Tokens spent within the last hour, calls under way included; kept in memory only."""

    def __init__(self, tokens_per_hour_max: int | None, clock: Clock) -> None:
        self._most = tokens_per_hour_max
        self._clock = clock
        self._spendings: deque[Spending] = deque()

    def reserve(self, tokens: int) -> Spending:
        """Reserve tokens for a call; BudgetExhausted says when there is room again.

        A call larger than the whole budget is allowed while nothing else is spent, because its
        episode would otherwise wait forever.
        """
        now = self._clock()
        for spending in self._spendings:
            spending.at = min(spending.at, now)  # the clock was set back since
        while self._spendings and self._spendings[0].at + _WINDOW <= now:
            self._spendings.popleft()
        retry_at = self._room_at(tokens)
        if retry_at is not None:
            raise BudgetExhausted(
                f"the language model's budget of {self._most} tokens per hour is spent; "
                f"there is room again at {retry_at.isoformat(timespec='seconds')}",
                retry_at=retry_at,
            )
        spending = Spending(now, tokens)
        if self._most is not None:
            self._spendings.append(spending)
        return spending

    def _room_at(self, tokens: int) -> datetime | None:
        """When that many tokens will fit; None: now."""
        used = sum(spending.tokens for spending in self._spendings)
        at: datetime | None = None
        for spending in self._spendings:
            if self._most is None or not used or used + tokens <= self._most:
                break
            used -= spending.tokens
            at = spending.at + _WINDOW
        return at


class Outage:
    """An endpoint's outage: it lasts from a call without an answer to the next call with one.

    Callers that can do without an answer make no call meanwhile; those that need one try again after
    pauses that grow with each failure.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = 0
        self._since = clock()
        self._until: datetime | None = None

    @property
    def is_on(self) -> bool:
        """Whether the last call failed."""
        return self._failures > 0

    @property
    def rest_until(self) -> datetime | None:
        """When the next call is worth trying; None: now. A clock that is set back ends the pause."""
        if self._until is None or not self._since <= self._clock() < self._until:
            return None
        return self._until

    def failed(self) -> None:
        """A call got no answer."""
        resting = self.rest_until
        if self._failures and resting is not None:
            return  # calls that were under way together fail together
        pause = OUTAGE_PAUSE_FIRST_S * 2 ** min(self._failures, 16)
        until = self._clock() + timedelta(seconds=min(OUTAGE_PAUSE_MAX_S, pause))
        self.rest(until if resting is None else max(until, resting))
        self._failures += 1

    def rest(self, until: datetime) -> None:
        """Allow no call before that time, although the endpoint may be up."""
        self._since, self._until = self._clock(), until

    def over(self) -> None:
        """A call got an answer."""
        self._failures, self._until = 0, None


T = TypeVar("T")
R = TypeVar("R")


class Prompt(Record):
    """The rules, which are ours (*system*), and the material, which is not (*user*)."""

    system: str
    user: str


class LanguageModel:
    """Calls an endpoint, bounded in time, concurrency and tokens per hour.

    Nothing is retried here: the queue does that, with pauses, where operators can see it.
    """

    def __init__(self, settings: Settings, *, clock: Clock = system_clock) -> None:
        self._settings = settings
        self._client = _client(settings)
        self._places = asyncio.Semaphore(settings.llm_concurrency_max)
        self._budget = TokenBudget(settings.llm_tokens_per_hour_max, clock)
        self.outage = Outage(clock)

    async def ask(self, prompt: Prompt, answer: type[T], read: Callable[[T], R]) -> R:
        """What *read* makes of the model's answer to exactly one call.

        ModelUnavailable: there was no answer; ModelRejected: this request gets none.
        ModelAnswerInvalid: the answer is not of the type *answer*, or *read* rejects it.
        BudgetExhausted: the call was not made.
        """
        async with self._places:
            return await self._ask(prompt, answer, read)

    async def _ask(self, prompt: Prompt, answer: type[T], read: Callable[[T], R]) -> R:
        with spans.span("model call", kind="client") as span:
            cost = _tokens(prompt)
            spending = self._spend(cost + self._settings.llm_output_tokens_max)
            began, outcome = time.perf_counter(), "canceled"
            try:
                completion = completions.read(await self._send(prompt, answer))
                if spans.are_told():
                    span.note(_used(completion))
                cost = _cost(completion, prompt)
                result = read(completions.answer(completion, answer))
                outcome = "answered"
            except ModelAnswerInvalid:
                outcome = "invalid"
                raise
            except _failures() as error:
                outcome, message = self._explain(error, prompt)
                cost = 0 if hasattr(error, "status_code") else cost  # refused before any work
                # Without the cause, whose text repeats what was sent.
                raise self._without_answer(error, message) from None
            finally:
                spending.tokens = cost
                _SECONDS.observe(time.perf_counter() - began)
                _CALLS.labels(outcome).inc()
                span.note(
                    {
                        "gen_ai.request.model": self._settings.llm_model or "",
                        "recollect.outcome": outcome,
                    }
                )
        return result

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _spend(self, tokens: int) -> Spending:
        try:
            return self._budget.reserve(tokens)
        except BudgetExhausted as error:
            if error.retry_at is not None:
                self.outage.rest(error.retry_at)
            raise

    def _without_answer(self, error: Exception, message: str) -> ModelUnavailable:
        """The error for a call without an answer: this request's fault, or an outage."""
        if getattr(error, "status_code", 0) in _THIS_REQUEST:
            self.outage.over()
            return ModelRejected(message)
        self.outage.failed()
        return ModelUnavailable(message)

    async def _send(self, prompt: Prompt, answer: type[Any]) -> bytes:
        # The client's own timeout is per read, so a trickle would outlast it.
        async with asyncio.timeout(self._settings.llm_timeout_s):
            reply = await self._client.chat.completions.with_raw_response.create(
                **_request(self._settings, prompt, answer)
            )
            content: bytes = reply.content
        self.outage.over()  # whatever it says
        return content

    def _explain(self, error: Exception, prompt: Prompt) -> tuple[str, str]:
        """The outcome of a call without an answer, and what to tell the operator."""
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
        """The endpoint's own words, unless they repeat the request."""
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
    """The answer to a probe."""

    alive: bool


async def probe(settings: Settings) -> float:
    """Seconds until the endpoint answered a tiny question; raises as `ask` does."""
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
    """The language model that the settings name, if any."""
    return None if settings.llm_url is None else LanguageModel(settings, clock=clock)


def _used(completion: Completion) -> dict[str, int]:
    """The tokens of a call, in the words of OpenTelemetry's conventions."""
    used = completion.usage or completions.Usage()
    return {
        "gen_ai.usage.input_tokens": used.prompt_tokens,
        "gen_ai.usage.output_tokens": used.completion_tokens,
    }


def _client(settings: Settings) -> "openai.AsyncOpenAI":
    """A client without retries or redirects that takes nothing from the environment."""
    if sentence := extras.missing("llm"):
        raise ModelUnavailable(sentence)
    import openai  # takes a second, so only where it is used

    async def only_ours(request: Any) -> None:
        for name in list(request.headers):
            if name not in _HEADERS_SENT or (name == "authorization" and settings.llm_key is None):
                del request.headers[name]

    # One of the library's environment variables could make it log whole requests.
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
    """What the call cost, estimated where the endpoint does not say."""
    usage = completion.usage
    if usage is None:
        content = completion.choices[0].message.content or ""
        return _tokens(prompt) + len(content.encode()) // _BYTES_PER_TOKEN
    _TOKENS.labels("input").inc(usage.prompt_tokens)
    _TOKENS.labels("output").inc(usage.completion_tokens)
    return usage.prompt_tokens + usage.completion_tokens


def _tokens(prompt: Prompt) -> int:
    return (len(prompt.system.encode()) + len(prompt.user.encode())) // _BYTES_PER_TOKEN
