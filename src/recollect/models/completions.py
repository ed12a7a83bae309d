"""What an endpoint sends back, and the typed answer inside it. All or nothing: no repairs."""

import re
from typing import Annotated, TypeVar

import msgspec

from recollect.errors import ModelAnswerInvalid
from recollect.graph.types import Record

_REASON_CHARS_MAX = 200
# Where the decoder repeats what it read.
_QUOTED = re.compile(r"(unknown field|enum value) [`'](.*?)[`'](?= - at `[^`]*`$|$)", re.DOTALL)

T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=0)]


class Message(Record):
    """What the model said, or why it would not."""

    content: str | None = None
    refusal: str | None = None


class Choice(Record):
    """One answer, and how it ended."""

    message: Message
    finish_reason: str | None = None


class Usage(Record):
    """What the endpoint counts."""

    prompt_tokens: Count = 0
    completion_tokens: Count = 0


class Completion(Record):
    """The part of a chat completion that matters here."""

    choices: Annotated[list[Choice], msgspec.Meta(min_length=1)]
    usage: Usage | None = None


def read(body: bytes) -> Completion:
    """The completion that a response carries."""
    try:
        return msgspec.json.decode(body, type=Completion)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ModelAnswerInvalid(
            f"RECOLLECT_LLM_URL did not answer with a chat completion: {_reason(error)}"
        ) from error


def answer(completion: Completion, type_: type[T]) -> T:
    """The model's words as a value; ModelAnswerInvalid says what is wrong with them."""
    return decode(_content(completion.choices[0]), type_)


def decode(content: str | bytes, type_: type[T]) -> T:
    """Words that should be one JSON value of a type; ModelAnswerInvalid says why they are not."""
    try:
        return msgspec.json.decode(content, type=type_)
    except msgspec.ValidationError as error:
        raise ModelAnswerInvalid(f"the answer is out of shape: {_reason(error)}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ModelAnswerInvalid(f"the answer is not JSON: {_reason(error)}") from error


def _content(choice: Choice) -> str:
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise ModelAnswerInvalid("the model refused to answer")
    if choice.finish_reason == "length":
        raise ModelAnswerInvalid(
            "the answer was cut off; RECOLLECT_LLM_OUTPUT_TOKENS_MAX, or a bound of the endpoint, "
            "is too low for it"
        )
    content = choice.message.content or ""
    if not content.strip():
        raise ModelAnswerInvalid("the model answered nothing")
    return content


def _reason(error: Exception) -> str:
    """What is wrong, without more of the model's words than a plain identifier."""
    text = _QUOTED.sub(lambda found: found[0] if found[2].isidentifier() else found[1], str(error))
    return text[:_REASON_CHARS_MAX]
