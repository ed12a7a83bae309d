"""The times in a document say when its facts hold."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.unit.extract.document_world import AT, day, seen


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2024-09-15", day(2024, 9, 15)),
        ("2024-09-15T10:30:00Z", datetime(2024, 9, 15, 10, 30, tzinfo=UTC)),
        ("2024-09-15T10:30:00+02:00", datetime(2024, 9, 15, 8, 30, tzinfo=UTC)),
        ("2024-09-15 10:30", datetime(2024, 9, 15, 10, 30, tzinfo=UTC)),
        ("2024-09", day(2024, 9, 1)),
        ("2024", day(2024, 1, 1)),
        ("September 15, 2024", day(2024, 9, 15)),
        ("15 Sep 2024", day(2024, 9, 15)),
        ("Sun, 15 Sep 2024 10:30:00 GMT", datetime(2024, 9, 15, 10, 30, tzinfo=UTC)),
        ("25/12/2024", day(2024, 12, 25)),
        ("12/25/2024", day(2024, 12, 25)),
        (1726396200, datetime(2024, 9, 15, 10, 30, tzinfo=UTC)),
        (1726396200000, datetime(2024, 9, 15, 10, 30, tzinfo=UTC)),
    ],
)
def test_times_are_read_in_the_forms_that_services_write(written: Any, expected: datetime) -> None:
    fact = seen({"id": "ticket-17", "date": written, "status": "open"}).slot("status").fact
    assert (fact.valid_at, fact.dated) == (expected, True)


@pytest.mark.parametrize("written", ["soon", "03/04/2024", 12, -1, 1e308, "", "2024-13-45"])
def test_what_is_no_certain_time_dates_nothing(written: Any) -> None:
    fact = seen({"id": "ticket-17", "date": written, "status": "open"}).slot("status").fact
    assert (fact.valid_at, fact.dated) == (AT, False)


def test_a_time_without_zone_is_one_of_the_episodes_zone() -> None:
    ticket = {"id": "ticket-17", "timestamp": "2024-09-15T10:30:00", "status": "open"}
    fact = seen(ticket, time_zone="Europe/Berlin").slot("status").fact
    assert fact.valid_at == datetime(2024, 9, 15, 8, 30, tzinfo=UTC)


def test_start_and_end_are_the_range_of_an_object() -> None:
    event = {"name": "Offsite", "start": "2024-05-01", "end": "2024-05-03", "place": "Lisbon"}
    fact = seen(event).slot("place").fact
    assert (fact.valid_at, fact.invalid_at, fact.dated) == (day(2024, 5, 1), day(2024, 5, 3), True)


def test_an_end_before_the_beginning_is_no_end() -> None:
    event = {"name": "Offsite", "start": "2024-05-03", "end": "2024-05-01", "place": "Lisbon"}
    fact = seen(event).slot("place").fact
    assert (fact.valid_at, fact.invalid_at) == (day(2024, 5, 3), None)


def test_what_ended_before_we_heard_of_it_has_an_unknown_beginning() -> None:
    fact = seen({"name": "Promo", "until": "2020-01-01", "discount": 5}).slot("discount").fact
    assert (fact.valid_at, fact.invalid_at) == (None, day(2020, 1, 1))


def test_a_word_before_start_and_end_says_what_is_bounded() -> None:
    record = {
        "user_id": "Emily0e62",
        "subscription": "pro",
        "subscription_start": "2024-01-01",
        "subscription_end": "2025-01-01",
        "language": "German",
    }
    found = seen(record)
    pro, language = found.slot("subscription").fact, found.slot("language").fact
    assert (pro.valid_at, pro.invalid_at) == (day(2024, 1, 1), day(2025, 1, 1))
    assert (language.valid_at, language.invalid_at) == (AT, None)


def test_the_start_date_of_a_person_is_that_of_the_job() -> None:
    record = {"name": "Bob Miller", "age": 30, "company": "Acme", "start_date": "2020-01-01"}
    found = seen(record, None)
    assert found.slot("company").fact.valid_at == day(2020, 1, 1)
    assert found.slot("age").fact.valid_at == AT


def test_jobs_of_a_person_hold_from_their_start_to_their_end() -> None:
    jobs = [
        {"company": "Acme", "title": "Engineer", "start_date": "2015", "end_date": "2019"},
        {"company": "Globex", "title": "Lead", "start_date": "2019-05"},
    ]
    found = seen({"name": "Jane Smith", "age": 40, "jobs": jobs}, None)
    first, second = found.named("WORKS_AT")
    assert (first.source, first.target) == ("Jane Smith", "Acme")
    assert (first.fact.valid_at, first.fact.invalid_at) == (day(2015, 1, 1), day(2019, 1, 1))
    assert (second.fact.valid_at, second.fact.invalid_at) == (day(2019, 5, 1), None)
    assert [line.target for line in found.named("WORKS_AS")] == ["Engineer", "Lead"]


def test_when_something_was_created_does_not_date_what_it_is_today() -> None:
    repository = {"name": "hello", "created_at": "2011-01-26T19:01:12Z", "stars": 5}
    found = seen(repository, None)
    assert found.slot("stars").fact.valid_at == AT
    assert found.slot("created_at").fact.valid_at == datetime(2011, 1, 26, 19, 1, 12, tzinfo=UTC)


def test_when_something_was_updated_dates_what_it_is() -> None:
    record = {"name": "hello", "created_at": "2011-01-26", "updated_at": "2024-01-02", "stars": 5}
    assert seen(record, None).slot("stars").fact.valid_at == day(2024, 1, 2)


def test_a_thing_inside_a_dated_record_is_described_as_of_that_day() -> None:
    order = {"order_id": 5, "date": "2024-02-02", "customer": {"name": "Zoe", "city": "Rome"}}
    assert seen(order, None).slot("city").fact.valid_at == day(2024, 2, 2)
