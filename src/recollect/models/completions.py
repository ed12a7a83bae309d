"""The schema an endpoint is given, and the typed answer in what it sends back, never repaired."""

import re
from typing import Annotated, Any, TypeVar

import msgspec

from recollect.errors import ModelAnswerInvalid
from recollect.graph.types import Record

_REASON_CHARS_MAX = 200
# Where the decoder's message quotes its input.
_QUOTED = re.compile(r"(unknown field|enum value) [`'](.*?)[`'](?= - at `[^`]*`$|$)", re.DOTALL)

T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=0)]
_REFERENCE = "#/$defs/"


class CompletionMessage(Record):
    """What the model said, or why it refused."""

    content: str | None = None
    refusal: str | None = None


class CompletionChoice(Record):
    """One answer, and how it ended."""

    message: CompletionMessage
    finish_reason: str | None = None


class Usage(Record):
    """Tokens, as the endpoint counts them."""

    prompt_tokens: Count = 0
    completion_tokens: Count = 0


class Completion(Record):
    """The part of a chat completion that matters here."""

    choices: Annotated[list[CompletionChoice], msgspec.Meta(min_length=1)]
    usage: Usage | None = None


def read(body: bytes) -> Completion:
    """The completion in a response body."""
    try:
        return msgspec.json.decode(body, type=Completion)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ModelAnswerInvalid(
            f"RECOLLECT_LLM_URL did not answer with a chat completion: {_reason(error)}"
        ) from error


def answer(completion: Completion, type_: type[T]) -> T:
    """The model's reply as a value; ModelAnswerInvalid says what is wrong with it."""
    return decode(_content(completion.choices[0]), type_)


def decode(content: str | bytes, type_: type[T]) -> T:
    """Text that should be one JSON value of a type; ModelAnswerInvalid says why it is not."""
    try:
        return msgspec.json.decode(content, type=type_)
    except msgspec.ValidationError as error:
        raise ModelAnswerInvalid(f"the answer is out of shape: {_reason(error)}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ModelAnswerInvalid(f"the answer is not JSON: {_reason(error)}") from error


def _content(choice: CompletionChoice) -> str:
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
    """What is wrong, quoting no more of the model's reply than a plain identifier."""
    text = _QUOTED.sub(lambda found: found[0] if found[2].isidentifier() else found[1], str(error))
    return text[:_REASON_CHARS_MAX]


def strict_schema(answer: type[Any]) -> dict[str, Any]:
    """The JSON Schema of a struct, as strict endpoints accept it.

    It has no references, titles or prose; every field is required and no others are allowed. What may be
    missing is nullable.
    """
    (root,), parts = msgspec.json.schema_components([answer], ref_template=_REFERENCE + "{name}")
    whole = _inline(root, parts)
    if not isinstance(whole, dict):
        raise TypeError(f"{answer.__name__} has no schema of its own")
    return whole


def _inline(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inline(parts[schema["$ref"].removeprefix(_REFERENCE)], parts)
    if "properties" in schema:
        fields = {name: _inline(item, parts) for name, item in schema["properties"].items()}
        return {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        }
    if "enum" in schema:
        # Some endpoints accept an enum only with its type.
        return {"type": "string", "enum": schema["enum"]}
    return {name: _inline(item, parts) for name, item in schema.items()}
