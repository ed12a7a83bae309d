"""Typed fields of a session, by the schema that the Python client of the second generation sends."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from recollect.errors import InvalidInput
from recollect.extract.brief import Turn
from recollect.extract.sessions.fields import extract_fields

AT = datetime(2025, 3, 4, 12, 0, tzinfo=UTC)


def _schema(**fields: tuple[str, str] | tuple[str, str, str]) -> str:
    properties = {
        name: {"zep_type": given[0], "description": given[1], "default": None, "title": name}
        | ({"pattern": given[2]} if len(given) > 2 else {})
        for name, given in fields.items()
    }
    return msgspec.json.encode({"type": "object", "properties": properties}).decode()


def _turns(*said: str) -> list[Turn]:
    return [
        Turn(content=text.lstrip("| "), role="assistant" if text.startswith("|") else "user")
        for text in said
    ]


def _one(kind: str, description: str, *said: str, name: str = "field", **more: Any) -> Any:
    schema = _schema(**{name: (kind, description)})
    return extract_fields(schema, _turns(*said), at=AT, validate=more.get("validate", False))[name]


def test_the_clients_own_example_is_filled() -> None:
    schema = _schema(
        name=("ZepText", "Customer name"),
        email=("ZepEmail", "Customer email"),
        signup_date=("ZepDate", "Customer Sign up date"),
    )
    turns = _turns(
        "Hi, my name is Jane Smith.",
        "| Welcome! What is your email?",
        "jane.smith@example.com, and I signed up on March 1, 2025.",
    )
    assert extract_fields(schema, turns, at=AT, validate=False) == {
        "name": "Jane Smith",
        "email": "jane.smith@example.com",
        "signup_date": "2025-03-01",
    }


@pytest.mark.parametrize(
    ("kind", "name", "description", "said", "expected"),
    [
        ("ZepEmail", "email", "The email", ("Write to a.b+c@mail.example.org.",), "a.b+c@mail.example.org"),
        ("ZepPhoneNumber", "phone", "Phone number", ("Call me at +1 (415) 555-0132 please",), "+1 (415) 555-0132"),
        ("ZepPhoneNumber", "phone", "Phone number", ("It was on 2024-05-01.",), None),
        ("ZepZipCode", "zip", "Zip code", ("I live in Austin, TX 78701.",), "78701"),
        ("ZepZipCode", "zip", "Zip code", ("| What is your zip code?", "94110-1234"), "94110-1234"),
        ("ZepZipCode", "zip", "Zip code", ("I have 50000 points.",), None),
        ("ZepDate", "due", "The due date", ("It is due tomorrow.",), "2025-03-05"),
        ("ZepDate", "due", "The due date", ("We meet on 2025-04-09",), "2025-04-09"),
        ("ZepNumber", "seats", "How many seats", ("I need 4 seats.",), 4),
        ("ZepNumber", "seats", "How many seats", ("| How many seats?", "six"), 6),
        ("ZepNumber", "seats", "How many seats", ("I am 40.",), None),
        ("ZepFloat", "budget", "Budget in dollars", ("I can spend $1,250.50.",), 1250.5),
        ("ZepText", "color", "Favorite color", ("My car is red.",), "red"),
        ("ZepText", "company", "Where they work", ("I work at Acme Corp now.",), "Acme Corp"),
        ("ZepText", "hobby", "A hobby", ("| What is your hobby?", "It's bird watching."), "bird watching"),
        ("ZepText", "name", "Customer name", ("I'm tired.",), None),
        ("ZepText", "name", "Customer name", ("I'm Italian.",), None),
        ("ZepText", "name", "Customer name", ("I'm Jane Smith.",), "Jane Smith"),
    ],
)  # fmt: skip
def test_a_field_is_filled_by_its_type_or_left_empty(
    kind: str, name: str, description: str, said: tuple[str, ...], expected: Any
) -> None:
    assert _one(kind, description, *said, name=name) == expected


def test_a_moment_keeps_its_time_of_day() -> None:
    got = _one("ZepDateTime", "When to meet", "Let us meet tomorrow at 5 pm.", name="meeting")
    assert datetime.fromisoformat(got) == datetime(2025, 3, 5, 17, 0, tzinfo=UTC)


def test_a_pattern_finds_what_it_matches() -> None:
    schema = _schema(order=("ZepRegex", "The order id", r"ORD-\d+"))
    turns = _turns("My order is ORD-4711.")
    assert extract_fields(schema, turns, at=AT, validate=False) == {"order": "ORD-4711"}


def test_two_fields_of_one_type_are_told_apart_by_their_words() -> None:
    schema = _schema(
        work_email=("ZepEmail", "Email at work"), private_email=("ZepEmail", "Private email")
    )
    turns = _turns("My private email is me@home.example and my work email is me@corp.example.")
    assert extract_fields(schema, turns, at=AT, validate=False) == {
        "work_email": "me@corp.example",
        "private_email": "me@home.example",
    }


def test_the_newest_value_wins() -> None:
    got = _one("ZepEmail", "Email", "My email is a@x.example", "Sorry, my email is b@x.example")
    assert got == "b@x.example"


def test_what_the_assistant_says_of_itself_is_not_taken() -> None:
    assert _one("ZepEmail", "Customer address", "| Or write to help@shop.example.") is None


def test_validation_asks_for_words_that_speak_of_the_field() -> None:
    said = "We met on 2025-01-05."
    assert _one("ZepDate", "Birthday", said, name="birthday") == "2025-01-05"
    assert _one("ZepDate", "Birthday", said, name="birthday", validate=True) is None
    born = "My birthday is 1990-01-05."
    assert _one("ZepDate", "Birthday", born, name="birthday", validate=True) == "1990-01-05"


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ("{", "model_schema"),
        ("[]", "model_schema.properties"),
        ('{"properties": {}}', "model_schema.properties"),
        ('{"properties": {"a": 1}}', "model_schema.properties.a"),
        ('{"properties": {"a": {"zep_type": "Zep"}}}', "model_schema.properties.a.zep_type"),
        ('{"properties": {"a": {"zep_type": ["x"]}}}', "model_schema.properties.a.zep_type"),
        ('{"properties": {"a": {"zep_type": "ZepRegex"}}}', "model_schema.properties.a.pattern"),
        (_schema(a=("ZepRegex", "x", "(")), "model_schema.properties.a.pattern"),
        (
            '{"properties": {"a": {"zep_type": "ZepText", "description": 3}}}',
            "model_schema.properties.a.description",
        ),
    ],
)
def test_a_schema_out_of_shape_is_refused_by_its_place(schema: str, place: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^{place}:"):
        extract_fields(schema, _turns("Hello"), at=AT, validate=False)


def test_a_pattern_that_never_ends_is_refused() -> None:
    schema = _schema(a=("ZepRegex", "x", r"(?:a|aa|a?)+(?:a|aa)+$"))
    with pytest.raises(InvalidInput, match=r"properties\.a\.pattern: takes too long"):
        extract_fields(schema, _turns("a" * 5000 + "b"), at=AT, validate=False)


def test_an_empty_session_leaves_every_field_empty() -> None:
    schema = _schema(name=("ZepText", ""), email=("ZepEmail", ""))
    got = extract_fields(schema, [], at=AT, validate=False)
    assert got == {"name": None, "email": None}


@pytest.mark.parametrize(
    ("name", "description", "said", "expected"),
    [
        ("problem", "What the customer complains about", ("My router keeps dropping the connection.", "| Did you restart it?", "Yes, I did."), "My router keeps dropping the connection"),
        ("issue", "", ("Hi, I bought a kettle.", "It leaks from the bottom. I am annoyed."), "It leaks from the bottom"),
        ("problem", "", ("I was charged twice for May.", "I can't wait for the refund!"), "I was charged twice for May"),
        ("problem", "", ("| What is the problem?", "The left pedal squeaks all day when I ride up the hill with bags"), "The left pedal squeaks all day when I ride up the hill with bags"),
        ("problem", "", ("I love it, no problems at all.", "Everything works fine."), None),
        ("problem", "", ("| I'm sorry it does not work.", "It is fine now."), None),
        ("goal", "What the user wants", ("I want to return it because it is too loud.",), "to return it"),
        ("request", "", ("Could you send me an invoice for May?",), "send me an invoice for May"),
        ("reason", "Why the order is returned", ("I want to return it because it is too loud.",), "it is too loud"),
        ("mood", "How the user feels", ("I am really frustrated.",), "frustrated"),
        ("product", "What was bought", ("I bought your steam iron last week.",), "steam iron"),
        ("summary_of_problem", "", ("I like your shop.",), None),
    ],
)  # fmt: skip
def test_a_matter_is_read_off_how_people_speak_of_it(
    name: str, description: str, said: tuple[str, ...], expected: str | None
) -> None:
    """Nobody says "my problem is"; what the assistant says is not the user's matter."""
    assert _one("ZepText", description, *said, name=name) == expected


def test_one_sentence_fills_several_fields() -> None:
    schema = _schema(goal=("ZepText", ""), reason=("ZepText", ""), problem=("ZepText", ""))
    turns = _turns("The lid broke off.", "I want to return it because it is too loud.")
    assert extract_fields(schema, turns, at=AT, validate=True) == {
        "goal": "to return it",
        "reason": "it is too loud",
        "problem": "The lid broke off",
    }
