"""Text and messages inside a document are read as what people wrote."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from recollect.extract.brief import Brief
from recollect.graph.found import Found, FoundEntity, FoundFact
from tests.unit.extract.document_world import AT, day, seen

CASE = {
    "subject": "Bug: Magic Pen Tool Drawing Goats Instead of Boats",
    "messages": [
        {
            "role": "user",
            "content": "The magic pen draws goats instead of boats.",
            "timestamp": "2024-03-16T14:20:00Z",
        },
        {
            "role": "support_agent",
            "content": "Hi Emily, that sounds like a bug!",
            "timestamp": "2024-03-16T14:22:00Z",
        },
    ],
    "status": "escalated",
}


def listener(heard: list[Brief]) -> Callable[[Brief], Found]:
    """A reader of prose that remembers what it was given and finds nothing."""

    def read(reading: Brief) -> Found:
        heard.append(reading)
        return Found()

    return read


def repeat(reading: Brief) -> Found:
    """A reader of prose that takes each first word for someone, and the text for the fact."""
    name = reading.content.split()[0]
    fact = FoundFact(
        source=0,
        target=0,
        name="SAYS",
        predicate="SAYS",
        fact=reading.content,
        valid_at=reading.at,
        span=(0, len(name)),
    )
    return Found(entities=(FoundEntity(name=name),), facts=(fact,))


def heard_in(document: Any, **more: Any) -> list[Brief]:
    heard: list[Brief] = []
    seen(document, prose=listener(heard), **more)
    return heard


def test_messages_are_read_one_by_one_with_speaker_time_and_what_was_said_before() -> None:
    first, second = heard_in(CASE)
    assert (first.kind, first.role, first.speaker) == ("message", "user", "Emily Painter")
    assert first.at == datetime(2024, 3, 16, 14, 20, tzinfo=UTC)
    assert (second.kind, second.role, second.speaker) == ("message", "norole", "support agent")
    assert second.at == datetime(2024, 3, 16, 14, 22, tzinfo=UTC)
    assert [turn.content for turn in second.before] == [first.content]
    assert second.user == first.user


def test_the_case_has_its_status_and_its_participants() -> None:
    found = seen(CASE)
    status = found.slot("status")
    assert status.source == CASE["subject"]
    assert status.text == f'"{CASE["subject"]}" has the status escalated'
    speakers = [(line.source, line.target) for line in found.named("PARTICIPATES_IN")]
    assert speakers == [("Emily Painter", status.source), ("support agent", status.source)]
    assert found.entity("Emily Painter").who == "user"
    assert found.named("PARTICIPATES_IN")[0].fact.valid_at == datetime(
        2024, 3, 16, 14, 20, tzinfo=UTC
    )


def test_a_list_of_messages_can_be_the_whole_document() -> None:
    turns = heard_in([{"name": "SupportBot", "role": "assistant", "content": "Hello Emily."}])
    assert [(turn.role, turn.speaker) for turn in turns] == [("assistant", "SupportBot")]


def test_a_speaker_with_the_users_name_is_the_user() -> None:
    turns = heard_in([{"author": "emily@painters.com", "text": "I moved to Rome."}])
    assert [(turn.role, turn.speaker) for turn in turns] == [("user", "Emily Painter")]


def test_in_a_standalone_graph_nobody_is_the_user() -> None:
    turns = heard_in(CASE, user=None)
    assert [turn.user for turn in turns] == [None, None]
    assert [entity.who for entity in seen(CASE, None).found.entities] == [None] * 2


def test_a_list_of_other_things_is_no_conversation() -> None:
    assert not heard_in({"items": [{"role": "admin"}, {"role": "user", "name": "Bob"}]})


def test_a_description_is_read_as_text_of_the_objects_time() -> None:
    (part,) = heard_in(
        {"id": "t-1000", "date": "2024-09-15", "notes": "Anna moved to Rome. It rains."}
    )
    assert (part.kind, part.at, part.speaker) == ("text", day(2024, 9, 15), None)


def test_a_description_in_which_nothing_is_found_is_kept_as_it_is() -> None:
    found = seen(
        {"name": "Boots", "description": "Waterproof boots for long walks. Very warm."}, None
    )
    assert found.slot("description").text.startswith("Boots is described as: Waterproof boots")


def test_what_is_found_in_a_text_stands_for_it() -> None:
    found = seen({"name": "Acme", "notes": "Anna moved to Rome. It rains."}, None, prose=repeat)
    (line,) = found.lines
    assert (line.source, line.text) == ("Anna", "Anna moved to Rome. It rains.")
    assert line.fact.valid_at == AT
    assert line.fact.span is not None
    assert found.content[slice(*line.fact.span)] == "Anna"


def test_a_span_in_an_escaped_text_is_the_whole_value() -> None:
    found = seen({"name": "Acme", "notes": 'Anna said "hi" to Bob. It rains.'}, None, prose=repeat)
    (line,) = found.lines
    assert line.fact.span is not None
    assert found.content[slice(*line.fact.span)].startswith('"Anna said \\"hi')


def test_names_of_the_document_are_known_when_its_texts_are_read() -> None:
    heard: list[Brief] = []
    document = {"notes": "Zanzi opened a shop. It rains.", "name": "Zanzi", "industry": "shoes"}
    seen(document, None, prose=listener(heard))
    assert [(name.name, name.kind) for name in heard[0].known] == [("Zanzi", "organization")]


def test_a_letter_is_read_as_its_senders_words() -> None:
    letter = {
        "from": "bob@example.com",
        "to": "emily@painters.com",
        "subject": "Lunch",
        "body": "I moved to Berlin last week. See you!",
        "date": "2024-09-15",
    }
    (part,) = heard_in(letter)
    assert (part.kind, part.speaker, part.at) == ("message", "bob@example.com", day(2024, 9, 15))
    found = seen(letter)
    assert found.slot("from").target == "bob@example.com"
    assert found.slot("to").target == "Emily Painter"


def test_short_values_are_not_read_as_text() -> None:
    assert not heard_in({"name": "Acme", "notes": "none", "title": "Makers of fine boots"})


def test_a_document_that_is_a_text_is_read() -> None:
    (part,) = heard_in('"Anna lives in Rome. She likes tea."')
    assert part.content == "Anna lives in Rome. She likes tea."
