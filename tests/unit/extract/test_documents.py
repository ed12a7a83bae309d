"""JSON documents become entities and facts, keyed by path and dated by what is in them."""

import itertools
import random
from typing import Any

import msgspec
import pytest

from tests.unit.extract.document_world import AT, EMILY, day, seen

FAILED = {
    "date": "2024-08-30",
    "amount": 99.99,
    "status": "Failed",
    "account_id": "Emily0e62",
    "card_last_four": "1234",
    "failure_reason": "Card expired",
}
SUSPENDED = {
    "user_id": "Emily0e62",
    "account": {
        "account_id": "Emily0e62",
        "account_status": {"status": "suspended", "reason": "payment failure"},
    },
}
EMPLOYEE = {
    "employee": {
        "name": "Jane Smith",
        "position": "Senior Software Engineer",
        "department": "Engineering",
        "projects": ["Project Alpha", "Project Beta"],
    }
}


def keyed(found: Any) -> set[tuple[str, str, str | None, str]]:
    return {(line.source, line.target, line.fact.slot, line.text) for line in found.lines}


def test_a_failed_transaction_is_an_event_of_the_users_account_on_its_day() -> None:
    found = seen(FAILED)
    status = found.slot("status")
    assert status.source == "transaction of 99.99 on 2024-08-30 for account Emily0e62"
    for word in ("99.99", "2024-08-30", "Failed", "Card expired", "Emily0e62"):
        assert word in status.text
    assert found.entity(status.source).kind == "event"
    assert {line.fact.valid_at for line in found.lines if line.source == status.source} == {
        day(2024, 8, 30)
    }
    assert all(line.fact.dated for line in found.lines if line.source == status.source)
    (joined,) = found.named("HAS_TRANSACTION")
    assert (joined.source, joined.target) == ("account Emily0e62", status.source)
    assert joined.fact.valid_at == day(2024, 8, 30)


def test_three_transactions_are_three_things_whose_states_do_not_replace_each_other() -> None:
    days = ("2024-07-30", "2024-08-30", "2024-09-15")
    sources = {seen({**FAILED, "date": date}).slot("status").source for date in days}
    assert len(sources) == 3


def test_the_same_transaction_sent_again_with_another_status_is_the_same_thing() -> None:
    first, again = seen({**FAILED, "status": "Pending"}), seen(FAILED)
    assert first.slot("status").source == again.slot("status").source
    assert first.slot("status").text != again.slot("status").text


def test_transactions_of_two_accounts_on_one_day_are_two_things() -> None:
    one, two = seen(FAILED), seen({**FAILED, "account_id": "acc-77812"})
    assert one.slot("status").source != two.slot("status").source


def test_alike_items_of_a_list_are_told_apart_by_what_differs() -> None:
    other = {**FAILED, "card_last_four": "9876"}
    found = seen({"transactions": [FAILED, other]}, user=None)
    names = {line.source for line in found.named("HAS_STATUS")}
    assert len(names) == 2
    assert any("9876" in name for name in names)


def test_an_account_with_the_users_id_is_the_users_account_and_not_the_user() -> None:
    found = seen(SUSPENDED)
    assert found.entity("Emily Painter").who == "user"
    account = found.entity("account Emily0e62")
    assert account.who is None
    assert "Emily0e62" not in account.aliases
    (has,) = found.named("HAS_ACCOUNT")
    assert (has.source, has.target) == ("Emily Painter", "account Emily0e62")
    assert has.text == "Emily Painter has the account Emily0e62"


def test_the_status_and_its_reason_belong_to_the_account_under_their_key_path() -> None:
    found = seen(SUSPENDED)
    status, reason = found.slot("account_status.status"), found.slot("account_status.reason")
    assert status.source == status.target == reason.source == "account Emily0e62"
    assert "account Emily0e62 has the status suspended" in status.text
    assert reason.text.endswith("is payment failure")
    assert "status" in reason.text
    assert status.fact.valid_at == AT
    assert not status.fact.dated


def test_a_changed_value_has_the_slot_of_the_old_one_and_another_fact() -> None:
    changed = {
        "user_id": "Emily0e62",
        "account": {"account_status": {"status": "active"}, "account_id": "Emily0e62"},
    }
    old = seen(SUSPENDED).slot("account_status.status")
    new = seen(changed).slot("account_status.status")
    assert old.source == new.source
    assert old.text != new.text


def test_eric_clapton_has_an_age_and_a_genre() -> None:
    found = seen({"name": "Eric Clapton", "age": 78, "genre": "Rock"})
    assert found.entity("Eric Clapton").kind == "person"
    assert found.slot("age").text == "Eric Clapton's age is 78"
    genre = found.slot("genre")
    assert (genre.source, genre.target) == ("Eric Clapton", "Rock")
    assert genre.text == "Eric Clapton's genre is Rock"
    assert len(found.lines) == 2
    assert "Emily Painter" not in [entity.name for entity in found.found.entities]


def test_jane_smith_is_not_joined_to_the_user_in_whose_graph_she_is() -> None:
    found = seen(EMPLOYEE)
    assert found.slot("department").text == "Jane Smith's department is Engineering"
    works = found.slot("position")
    assert works.fact.predicate == "WORKS_AS"
    assert works.text == "Jane Smith works as Senior Software Engineer"
    assert [line.target for line in found.named("HAS_PROJECT")] == ["Project Alpha", "Project Beta"]
    assert {line.source for line in found.lines} == {"Jane Smith"}
    assert all(entity.who is None for entity in found.found.entities)


@pytest.mark.parametrize(
    "record",
    [
        {"id": "Emily0e62", "plan": "pro"},
        {"user_id": "Emily0e62", "plan": "pro"},
        {"email": "EMILY@painters.com", "plan": "pro"},
        {"name": "Emily Painter", "plan": "pro"},
        {"first_name": "Emily", "last_name": "Painter", "plan": "pro"},
        {"customer": {"customerId": "Emily0e62", "plan": "pro"}},
        {"profile": {"userId": "Emily0e62", "plan": "pro"}},
    ],
)
def test_the_users_id_address_or_full_name_is_the_user(record: dict[str, Any]) -> None:
    found = seen(record)
    plan = found.slot("plan")
    assert plan.text == "Emily Painter's plan is pro"
    assert found.entity(plan.source).who == "user"
    assert len(found.lines) == 1


@pytest.mark.parametrize(
    "record",
    [
        {"id": "list-20", "name": "Groceries", "user_id": "Emily0e62", "open": True},
        {"title": "Groceries", "user_id": "Emily0e62", "id": 4, "open": True},
        {"name": "Groceries", "user_id": "Emily0e62", "open": True},
    ],
)
def test_what_belongs_to_the_user_is_not_taken_for_the_user(record: dict[str, Any]) -> None:
    found = seen(record)
    assert found.slot("open").source == "Groceries"
    assert found.slot("user").target == "Emily Painter"


def test_a_number_that_is_the_users_id_is_not_the_user_wherever_it_occurs() -> None:
    numbered = msgspec.structs.replace(EMILY, user_id="5")
    found = seen({"id": 5, "name": "Pen", "qty": "5"}, numbered)
    assert found.slot("qty").source == "Pen"
    assert all(entity.who is None for entity in found.found.entities)
    assert seen({"user_id": 5, "plan": "pro"}, numbered).entity("Emily Painter").who == "user"


def test_a_ticket_with_the_users_address_is_a_ticket_of_the_user() -> None:
    found = seen({"ticket_id": 5, "email": "emily@painters.com", "status": "open"})
    ticket = found.entity(found.slot("status").source)
    assert (ticket.name, ticket.who, ticket.aliases) == ("ticket 5", None, ())
    assert found.slot("email").target == "Emily Painter"


def test_another_persons_record_is_another_person() -> None:
    found = seen({"user_id": "u-4711", "email": "bob@example.com", "name": "Bob Miller"})
    bob = found.entity("Bob Miller")
    assert bob.who is None
    assert "bob@example.com" in bob.aliases
    assert all(entity.who is None for entity in found.found.entities)


def test_small_numbers_are_ids_only_together_with_what_they_number() -> None:
    found = seen(
        {"orders": [{"id": 7, "status": "paid"}], "products": [{"id": 7, "stock": 3}]}, None
    )
    assert {line.source for line in found.lines} == {"order 7", "product 7"}
    assert all("7" not in entity.aliases for entity in found.found.entities)


def test_slots_and_facts_do_not_depend_on_the_order_of_keys() -> None:
    for order in itertools.islice(itertools.permutations(FAILED), 0, 720, 37):
        assert keyed(seen({key: FAILED[key] for key in order})) == keyed(seen(FAILED))


def test_slots_and_facts_do_not_depend_on_the_order_of_lists() -> None:
    teams = [
        {"name": f"Team {n}", "lead": {"name": f"Lead {n}"}, "tags": ["x", "y"]} for n in "abc"
    ]
    expected = keyed(seen({"name": "Acme", "industry": "shoes", "teams": teams}, None))
    for number in range(5):
        random.Random(number).shuffle(teams)  # noqa: S311
        again = seen({"name": "Acme", "industry": "shoes", "teams": teams}, None)
        assert keyed(again) == expected


def test_spelling_of_keys_does_not_matter() -> None:
    one = seen({"userId": "Emily0e62", "favoriteColor": "blue"})
    two = seen({"user_id": "Emily0e62", "favorite-color": "blue"})
    assert keyed(one) == keyed(two)


def test_items_of_a_list_each_have_a_slot_of_their_own() -> None:
    found = seen({"name": "Jane Smith", "hobbies": ["hiking", "chess"]}, None)
    assert [line.fact.slot for line in found.lines] == ["hobbies[hiking]", "hobbies[chess]"]
    assert [line.target for line in found.lines] == ["hiking", "chess"]


def test_several_of_what_one_has_one_of_at_a_time_do_not_replace_each_other() -> None:
    phones = {"name": "Jane Smith", "phones": ["555-1", "555-2"], "phone": "555-3"}
    found = seen(phones, None)
    assert [line.fact.name for line in found.lines] == ["HAS_PHONES", "HAS_PHONES", "HAS_PHONE"]


def test_keys_that_the_table_knows_become_its_relations() -> None:
    found = seen(
        {
            "name": "Bob Miller",
            "email": "bob@example.com",
            "employer": "Acme Corp",
            "address": {"city": "Berlin", "street": "Main 1"},
            "spouse": {"name": "Ann Miller"},
        },
        None,
    )
    by_name = {line.fact.predicate: line for line in found.lines}
    assert by_name["WORKS_AT"].text == "Bob Miller works at Acme Corp"
    assert by_name["WORKS_AT"].target == "Acme Corp"
    assert by_name["LIVES_IN"].text == "Bob Miller lives in Berlin"
    assert by_name["LIVES_IN"].fact.slot == "address.city"
    assert by_name["MARRIED_TO"].target == "Ann Miller"
    assert found.entity("Berlin").kind == "place"
    assert found.entity("Acme Corp").kind == "organization"


def test_the_city_of_an_organization_is_not_where_it_lives() -> None:
    found = seen({"name": "Acme", "industry": "shoes", "address": {"city": "Rome"}}, None)
    assert not found.named("LIVES_IN")
    assert found.slot("address.city").target == "Rome"


def test_a_person_named_under_a_key_can_be_the_user() -> None:
    found = seen({"name": "Team offsite", "attendees": ["Emily Painter", "Bob Miller"]})
    assert found.entity("Emily Painter").who == "user"
    assert found.entity("Bob Miller").who is None


def test_a_null_says_nothing() -> None:
    assert not seen({"name": "Jane Smith", "manager": None, "age": None}, None).lines


def test_true_and_false_are_said_in_words() -> None:
    found = seen({"user_id": "Emily0e62", "is_active": True, "has_access": False, "beta": True})
    assert found.slot("is_active").text == "Emily Painter is active"
    denied = found.slot("has_access").fact
    assert denied.fact == "Emily Painter does not have access"
    assert (denied.name, denied.predicate, denied.negated) == ("HAS_NOT_ACCESS", "HAS_ACCESS", True)
    assert found.slot("beta").text == "Emily Painter has beta set to true"


def test_a_document_that_does_not_say_what_it_is_about_claims_nothing_of_the_user() -> None:
    found = seen({"temperature": 21, "sensor": {"room": "kitchen"}})
    assert found.slot("temperature").text == (
        "In the data about Emily Painter, the temperature is 21"
    )
    assert found.slot("sensor.room").source == "Emily Painter"


def test_a_record_is_about_the_account_that_it_names() -> None:
    """Whoever owns the account is not who is billed."""
    found = seen(
        {"account": "Orbital Foods", "billing_city": "Dayton", "owner": "Emily Painter"}, user=EMILY
    )
    assert found.slot("billing_city").source == "Orbital Foods"
    assert not any("data about" in text for text in found.texts)


def test_a_record_can_be_known_by_the_number_under_its_own_noun() -> None:
    """A booking of the user's is a booking, and not "the data about" the user."""
    found = seen(
        {"booking": "RX-88213", "passenger": "Emily Painter", "price_eur": 129}, user=EMILY
    )
    assert any("ooking RX-88213" in text and "129" in text for text in found.texts)
    assert not any("data about" in text for text in found.texts)
    plain = seen({"booking": "not yet", "price_eur": 129}, user=EMILY)
    assert any("data about" in text for text in plain.texts)


def test_a_document_without_subject_in_a_standalone_graph_goes_by_its_description() -> None:
    found = seen({"temperature": 21}, None, source_description="weather station")
    assert found.slot("temperature").source == "weather station"
    assert seen({"temperature": 21}, None).lines[0].source == "document with temperature"


def test_an_order_keeps_the_quantities_of_its_lines() -> None:
    lines = [{"sku": "A-1", "qty": 2}, {"sku": "B-2", "qty": 1}]
    found = seen({"order_id": 55, "items": lines}, None)
    assert found.slot("items[A-1].qty").source == "order 55"
    assert [line.target for line in found.named("HAS_ITEM")] == ["A-1", "B-2"]


def test_an_id_with_a_name_beside_it_is_one_thing() -> None:
    order = {"order_id": 5, "customer_id": 17, "customer_name": "Bob Miller", "total": 3}
    found = seen(order, None)
    assert found.slot("customer").target == "Bob Miller"
    assert "customer 17" in found.entity("Bob Miller").aliases


def test_secrets_do_not_become_facts() -> None:
    found = seen({"name": "Bob Miller", "password": "hunter2", "api_key": "k", "plan": "pro"}, None)
    assert [line.fact.slot for line in found.lines] == ["plan"]


def test_spans_point_at_the_values() -> None:
    found = seen(FAILED)
    for slot, value in (("status", '"Failed"'), ("card_last_four", '"1234"')):
        span = found.slot(slot).fact.span
        assert span is not None
        assert found.content[slice(*span)] == value


def test_the_same_document_gives_the_same_answer() -> None:
    assert seen(SUSPENDED).found == seen(SUSPENDED).found


def test_every_sentence_names_what_it_is_about() -> None:
    for document in (FAILED, SUSPENDED, EMPLOYEE):
        found = seen(document, EMILY)
        names = ("Emily Painter", "Jane Smith", "Emily0e62")
        assert all(any(name in text for name in names) for text in found.texts)


def test_a_name_given_in_parts_is_one_name() -> None:
    found = seen({"name": {"first": "Ada", "last": "Lovelace"}, "city": "London"})
    assert found.texts == ["The city of Ada Lovelace is London"]


def test_items_of_a_list_that_say_their_type_are_named_by_it() -> None:
    addresses = [
        {"type": "home", "city": "Berlin", "since": "2020-01-01"},
        {"type": "work", "city": "Potsdam", "since": "2021-01-01"},
    ]
    found = seen({"customer": {"name": "Ada Lovelace", "addresses": addresses}})
    assert "The city of the home address of Ada Lovelace is Berlin" in found.texts
    assert "The city of the work address of Ada Lovelace is Potsdam" in found.texts
