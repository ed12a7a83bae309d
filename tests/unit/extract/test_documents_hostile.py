"""No document breaks the reader, and none yields more than an episode may."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from recollect.errors import InvalidInput
from recollect.extract.documents.keys import canonical, singular, table
from recollect.limits import FOUND_FACTS_MAX
from tests.unit.extract.document_world import seen

DOCUMENTS = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=30),
    lambda inner: (
        some.lists(inner, max_size=4)
        | some.dictionaries(
            some.sampled_from(["id", "name", "user_id", "date", "items", "status", "content"])
            | some.text(max_size=8),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(DOCUMENTS)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_document_can_be_read(document: Any) -> None:
    found = seen(json.dumps(document)).found
    assert len(found.facts) <= FOUND_FACTS_MAX
    for fact in found.facts:
        assert 0 <= fact.source < len(found.entities)
        assert 0 <= fact.target < len(found.entities)
        assert fact.fact.strip()
        assert fact.name.isascii()
        assert fact.name.upper() == fact.name
        assert fact.valid_at is None or fact.invalid_at is None or fact.valid_at < fact.invalid_at
    assert all(entity.name.strip() for entity in found.entities)


@pytest.mark.parametrize(
    "text", ["5", "true", "null", '"word"', "[]", "{}", "[[], {}]", '{"a": {}}']
)
def test_documents_with_nothing_to_say_yield_nothing(text: str) -> None:
    assert not seen(text).found.facts
    assert not seen(text).found.entities


def test_nesting_beyond_all_bounds_is_left_out() -> None:
    deep = '{"name": "Acme", "a": ' + '{"a": ' * 900 + "1" + "}" * 900 + ', "plan": "pro"}'
    found = seen(deep, None)
    assert found.slot("plan").text == "The plan of Acme is pro"
    assert seen("[" * 2000 + "]" * 2000).found.facts == ()


def test_numbers_stay_as_they_are_written() -> None:
    digits = "9" * 5000
    found = seen('{"name": "N", "big": 1e308, "huge": 1e99999, "long": ' + digits + "}", None)
    assert found.slot("big").text.endswith("is 1e308")
    assert found.slot("huge").text.endswith("is 1e99999")
    assert len(found.slot("long").text) < 300


def test_of_a_key_that_occurs_twice_the_last_value_counts() -> None:
    found = seen('{"name": "N", "plan": "free", "plan": "pro"}', None)
    assert found.slot("plan").text == "The plan of N is pro"


def test_text_of_any_script_is_kept() -> None:
    found = seen('{"name": "山田太郎", "年齢": 5, "città": "Forlì", "emoji": "🎨"}', None)
    assert {line.source for line in found.lines} == {"山田太郎"}
    assert found.slot("年齢").text == "The 年齢 of 山田太郎 is 5"
    assert found.slot("città").text.endswith("Forlì")


def test_half_a_surrogate_pair_does_not_get_into_the_graph() -> None:
    found = seen('{"name": "N", "plan": "a\\ud800b"}', None)
    found.slot("plan").text.encode("utf-8")


def test_what_is_not_json_is_refused() -> None:
    for text in ("", "{", '{"a" 1}', "[1 2]", '{"a": }', "[1]x", '"open', "{1: 2}", "[,]"):
        with pytest.raises(InvalidInput):
            seen(text)


def test_of_too_many_facts_those_that_join_things_are_kept() -> None:
    noise = {f"field_{number}": number for number in range(400)}
    teams = [{"name": f"Team {number}"} for number in range(20)]
    document = {"name": "Acme", **noise, "teams": teams}
    found = seen(document, None)
    assert len(json.dumps(document)) < 10_000
    assert len(found.found.facts) == FOUND_FACTS_MAX
    assert len(found.named("HAS_TEAM")) == 20


def test_addresses_of_web_pages_are_the_first_to_go() -> None:
    urls = {f"a{number}_url": f"https://example.com/{number}" for number in range(150)}
    found = seen({"name": "Acme", **urls, "plan": "pro"}, None)
    assert found.slot("plan").text == "The plan of Acme is pro"


def test_an_answer_of_a_code_host_is_read_as_what_it_describes() -> None:
    answer = {
        "total_count": 1,
        "items": [
            {
                "id": 1296269,
                "full_name": "octocat/Hello-World",
                "private": False,
                "owner": {"login": "octocat", "id": 1, "type": "User", "site_admin": False},
                "license": {"key": "mit", "name": "MIT License"},
                "topics": ["octocat", "api"],
                "open_issues": 2,
            }
        ],
    }
    found = seen(answer, None)
    assert found.slot("owner").text == "The owner of octocat/Hello-World is octocat"
    assert found.slot("license").target == "MIT License"
    assert found.slot("open_issues").text == "The open issues of octocat/Hello-World are 2"
    kinds = {(entity.name, entity.kind) for entity in found.found.entities}
    assert ("octocat", "person") in kinds  # the owner, apart from the topic of that name
    assert ("octocat", "topic") in kinds
    assert not found.named("HAS_TOTAL_COUNT")


def test_the_table_of_keys_is_written_in_the_form_in_which_keys_are_compared() -> None:
    for relation in table().relation:
        assert all(canonical(key) == key for key in relation.keys)
        assert relation.name is None or relation.name.isupper()
    for keys in (table().times.happened, table().identity.names, table().ignored.keys):
        assert all(canonical(key) == key for key in keys)


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("transactions", "transaction"),
        ("categories", "category"),
        ("addresses", "address"),
        ("statuses", "status"),
        ("status", "status"),
        ("children", "child"),
        ("houses", "house"),
        ("news", "news"),
    ],
)
def test_one_of_several(several: str, one: str) -> None:
    assert singular(several) == one


def test_a_long_list_costs_no_more_than_its_length() -> None:
    document = {"entries": [{"a": n, "b": n % 3, "date": "2024-01-01"} for n in range(200)]}
    begun = time.process_time()
    seen(document, None)
    assert time.process_time() - begun < 2.0  # comparing each with each took far longer


def test_what_is_nested_too_deeply_must_still_be_closed() -> None:
    with pytest.raises(InvalidInput, match="nothing closes"):
        seen('{"a":' * 100 + "1")
