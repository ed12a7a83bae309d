"""The language model reads an episode for exactly one call, and a bad answer is never half used."""

import copy
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.errors import ModelAnswerInvalid, ModelUnavailable
from recollect.extract.brief import Brief, Profile
from recollect.extract.llm import PROMPT, ModelExtractor
from recollect.graph.found import Found
from recollect.models.language_model import LanguageModel
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

AT = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)
TEXT = "I left Northwind in March 2024 and I work at Acme Corp now."
READING = Brief(
    kind="message",
    content=TEXT,
    at=AT,
    role="user",
    speaker="Jane",
    user=Profile(name="Jane Smith", user_id="jane-1", first_name="Jane", last_name="Smith"),
)


@pytest.fixture(autouse=True)
def _nothing_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    alone(monkeypatch)


def entity(name: str, **more: Any) -> dict[str, Any]:
    """An entity as a model would write it."""
    plain = {
        "name": name,
        "known_id": None,
        "rename_to": None,
        "kind": None,
        "label": None,
        "aliases": [],
        "attributes": [],
    }
    return plain | more


def fact(source: int, target: int | None, relation: str, sentence: str, **more: Any) -> Any:
    """A fact as a model would write it."""
    plain = {
        "quote": None,
        "source": source,
        "target": target,
        "relation": relation,
        "sentence": sentence,
        "mood": "stated",
        "negated": False,
        "stopped": False,
        "same_as": None,
        "replaces": [],
        "ends": [],
        "corrects": [],
        "valid_at": None,
        "invalid_at": None,
        "event_time": None,
        "slot": None,
        "attributes": [],
        "rating": None,
    }
    return plain | more


GOOD: dict[str, Any] = {
    "entities": [
        entity("Jane", kind="person"),
        entity("Acme Corp", kind="organization"),
        entity("Northwind", kind="organization"),
    ],
    "facts": [
        fact(
            0,
            1,
            "WORKS_AT",
            "Jane Smith works at Acme Corp",
            quote="I work at Acme Corp",
            valid_at="2024-05-01T10:00:00+00:00",
        ),
        fact(
            0,
            2,
            "LEFT",
            "Jane Smith left Northwind in March 2024",
            quote="I left Northwind in March 2024",
            stopped=True,
            valid_at="2024-03",
        ),
    ],
}


async def read(server: ScriptedModel, reading: Brief = READING) -> Found:
    """One episode, read by the scripted model."""
    chosen = Settings(llm_url=server.url, llm_model="scripted", llm_key="k", llm_timeout_s=1)
    model = LanguageModel(chosen)
    try:
        return await ModelExtractor(model).read(reading)
    finally:
        await model.close()


def changed(place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The good answer with one thing in it replaced."""
    answer = copy.deepcopy(GOOD)
    inside: Any = answer
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    return answer


async def test_an_episode_is_read_with_one_call() -> None:
    """Entities, facts, their times and the words they rest on."""
    with ScriptedModel([answers(GOOD)]) as server:
        found = await read(server)
        assert len(server.requests) == 1
    assert [item.name for item in found.entities] == ["Jane Smith", "Acme Corp", "Northwind"]
    assert found.entities[0].who == "user"
    works, left = found.facts
    assert (works.source, works.target, works.name) == (0, 1, "WORKS_AT")
    assert works.predicate == "WORKS_AT"
    assert (works.valid_at, works.dated) == (AT, False)
    assert works.span is not None
    assert TEXT[slice(*works.span)] == "I work at Acme Corp"
    assert left.ends
    assert (left.valid_at, left.dated) == (datetime(2024, 3, 1, tzinfo=UTC), True)


async def test_the_version_of_the_prompt_is_kept() -> None:
    """With what was found, so that it can be stored with each fact."""
    with ScriptedModel([answers(GOOD)]) as server:
        assert (await read(server)).extractor == f"model:{PROMPT}"


async def test_nothing_to_remember_is_a_good_answer() -> None:
    """Two empty lists."""
    with ScriptedModel([answers({"entities": [], "facts": []})]) as server:
        found = await read(server)
    assert (found.entities, found.facts) == ((), ())


async def test_the_schema_that_is_sent_is_what_strict_endpoints_take() -> None:
    """Objects closed and complete, no keyword outside of the common part of the language."""
    with ScriptedModel([answers(GOOD)]) as server:
        await read(server)
        form = server.requests[0].body["response_format"]["json_schema"]
    assert form["strict"] is True
    known = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum"}
    objects = 0
    waiting: list[Any] = [form["schema"]]
    while waiting:
        schema = waiting.pop()
        assert set(schema) <= known
        assert "type" in schema or "anyOf" in schema
        if schema.get("type") == "object":
            objects += 1
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
            waiting += schema["properties"].values()
        waiting += schema.get("anyOf", [])
        waiting += [schema["items"]] if "items" in schema else []
    assert objects == 5
    assert form["schema"]["type"] == "object"


@pytest.mark.parametrize(
    ("answer", "says_what"),
    [
        (changed(("facts", 0, "source"), 3), r"facts\[0\]\.source: 3 is none of 3"),
        (changed(("facts", 1, "target"), -1), r"facts\[1\]\.target: -1"),
        (changed(("facts", 1, "valid_at"), "last March"), r"facts\[1\]\.valid_at.*ISO 8601"),
        (changed(("facts", 1, "valid_at"), "2024-02-31"), r"facts\[1\]\.valid_at"),
        (changed(("facts", 1, "invalid_at"), "2023-01-01"), r"facts\[1\]\.invalid_at: is before"),
        (changed(("facts", 1, "event_time"), "soon"), r"facts\[1\]\.event_time.*ISO 8601"),
        (changed(("facts", 1, "same_as"), "f1"), r"facts\[1\]\.same_as: 'f1'.*none was shown"),
        (changed(("facts", 1, "ends"), ["f7"]), r"facts\[1\]\.ends\[0\]: 'f7' is no known fact"),
        (changed(("facts", 1, "ends"), True), r"\$\.facts\[1\]\.ends"),
        (changed(("entities", 1, "known_id"), "e1"), r"entities\[1\]\.known_id: 'e1' is no known"),
        (changed(("facts", 0, "sentence"), "  "), r"facts\[0\]\.sentence: must not be empty"),
        (changed(("facts", 0, "sentence"), "x" * 5000), r"facts\[0\]\.sentence: 5000"),
        (changed(("facts", 0, "relation"), "!?"), r"facts\[0\]\.relation"),
        (changed(("facts", 0, "negated"), None), r"\$\.facts\[0\]\.negated"),
        (changed(("facts", 0, "mood"), "wished"), r"\$\.facts\[0\]\.mood"),
        (changed(("facts", 0, "rating"), "high"), r"\$\.facts\[0\]\.rating"),
        (changed(("entities", 1, "name"), ""), r"entities\[1\]\.name: must not be empty"),
        (changed(("entities", 1, "name"), "x" * 2000), r"entities\[1\]\.name: 2000"),
        (changed(("entities", 1, "kind"), "company"), r"\$\.entities\[1\]\.kind"),
        (changed(("entities", 1, "more"), 1), "unknown field `more`"),
        (changed(("entities",), [entity("x")] * 1001), "entities: 1001"),
        ({"entities": []}, "facts"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_one_fault_spoils_the_whole_answer(answer: Any, says_what: str) -> None:
    """The error names the place; no part of the answer is used."""
    with ScriptedModel([answers(answer)]) as server:
        with pytest.raises(ModelAnswerInvalid, match=says_what) as caught:
            await read(server)
        assert len(server.requests) == 1
    assert TEXT not in caught.value.message


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (says("{"), ModelAnswerInvalid),
        (answers({"nodes": []}), ModelAnswerInvalid),
        (refuses(), ModelAnswerInvalid),
        (truncated(GOOD), ModelAnswerInvalid),
        (answers(GOOD, delay_s=30), ModelUnavailable),
        (drops(GOOD), ModelUnavailable),
        (fails(429, Retry_After="5"), ModelUnavailable),
        (fails(500), ModelUnavailable),
        (fails(401), ModelUnavailable),
    ],
    ids=["malformed", "shape", "refusal", "cut", "slow", "dropped", "429", "500", "401"],
)
async def test_a_failure_is_raised_after_one_call(step: Step, kind: type[Exception]) -> None:
    """The queue sees it and tries again later; the next try finds the endpoint well."""
    with ScriptedModel([step, answers(GOOD)]) as server:
        with pytest.raises(kind):
            await read(server)
        assert len(server.requests) == 1
        assert len((await read(server)).facts) == 2
        assert len(server.requests) == 2
