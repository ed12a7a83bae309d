"""Ids, times, cursors, metadata and terms: what holds for every value, not for chosen ones."""

import struct
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, unquote

import httpx
import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from recollect.api import http
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.terms import COUNT_BYTES, HASH_BYTES, STOP_WORDS, hashed, packed, terms
from recollect.graph.types import Json
from recollect.ids import TimeOrderedIds
from recollect.limits import ID_CHARS_MAX, METADATA_KEYS_MAX
from recollect.records.pages import Mark, Page, PageRequest, page_seen, read_cursor
from recollect.store import rows
from recollect.store.statements import Keyed
from tests.property import strategies

INT64 = st.integers(-(2**63), 2**63 - 1)
UUID_VERSION = 7
moments = st.datetimes(
    min_value=datetime(1, 1, 3),
    max_value=datetime(9999, 12, 29),
    timezones=st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m))),
)


def attempt(check: Callable[..., Any], *args: Any) -> tuple[Any, str | None]:
    """What a check answers, or what it complains about; any other error is a failed test."""
    try:
        return check(*args), None
    except InvalidInput as error:
        return None, error.message


def test_ids_rise_strictly_and_are_valid() -> None:
    """Thousands in a burst: each is a version 7 UUID and greater than the one before."""
    new = TimeOrderedIds()
    made = [new() for _ in range(5_000)]
    assert made == sorted(set(made))
    for text in made:
        parsed = uuid.UUID(text)
        assert str(parsed) == text
        assert parsed.version == UUID_VERSION
        assert parsed.variant == uuid.RFC_4122


def test_ids_made_by_many_threads_are_all_different() -> None:
    """Each thread sees its own rise, and no two get the same."""
    new = TimeOrderedIds()
    made: list[list[str]] = [[] for _ in range(4)]

    def make(own: list[str]) -> None:
        own.extend(new() for _ in range(1_000))

    workers = [threading.Thread(target=make, args=(own,)) for own in made]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(own == sorted(own) for own in made)
    assert len({text for own in made for text in own}) == 4_000


@given(st.lists(st.integers(0, 2**47), min_size=2, max_size=20))
def test_ids_rise_even_when_the_clock_does_not(readings: list[int]) -> None:
    """A clock that jumps back or stands still never makes an id smaller than an older one."""
    new = TimeOrderedIds()
    moments_ns = iter([reading * 1_000_000 for reading in readings])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("recollect.ids.time.time_ns", lambda: next(moments_ns))
        made = [new() for _ in readings]
    assert made == sorted(set(made))
    assert all(uuid.UUID(text).version == UUID_VERSION for text in made)


@given(moments)
def test_a_moment_survives_the_store(moment: datetime) -> None:
    """The same instant to the microsecond, as aware UTC; order is kept."""
    back = rows.moment(rows.micros(moment))
    assert back == moment
    assert back.tzinfo is UTC
    assert rows.micros(back + timedelta(microseconds=1)) == rows.micros(moment) + 1


@given(moments)
def test_a_moment_survives_the_wire(moment: datetime) -> None:
    """Written as RFC 3339 and read again it is the same instant; without a zone it is UTC."""
    assert checks.moment("at", moment.isoformat()) == moment
    assert checks.moment("at", f" {moment.astimezone(UTC).isoformat()} ") == moment
    naive = moment.replace(tzinfo=None)
    assert checks.moment("at", naive.isoformat()) == naive.replace(tzinfo=UTC)


@given(strategies.any_text)
@example("0001-01-01T00:00:00+14:00")
@example("9999-12-31T23:59:59-14:00")
@example("2024-01-01T24:00:00")
def test_any_text_is_a_time_or_is_refused(text: str) -> None:
    """Never another error, and what is accepted can be stored and read back."""
    moment, complaint = attempt(checks.moment, "at", text)
    if complaint is not None:
        assert complaint.startswith("at:")
        return
    assert rows.moment(rows.micros(moment)) == moment


@given(st.one_of(strategies.any_text, st.text("./\\?#% \t\nab:;@+é\u200b", max_size=6)))
@example(".")
@example("..")
@example("a" * (ID_CHARS_MAX + 1))
def test_an_accepted_id_can_be_addressed_by_every_client(text: str) -> None:
    """Put into a path escaped or, as some clients do, raw, it arrives as it was."""
    _, complaint = attempt(checks.caller_id, "user_id", text)
    if complaint is not None:
        assert complaint.startswith("user_id:")
        return
    assert 0 < len(text) <= ID_CHARS_MAX
    for sent in (text, quote(text, safe=""), quote(text)):
        url = httpx.URL(f"http://localhost/api/v2/users/{sent}/node")
        parts = url.raw_path.split(b"/")
        assert len(parts) == 6
        assert http.segments({"raw_path": url.raw_path, "path": url.path})[3] == text
        assert unquote(parts[4].decode()) == text


@given(st.text(st.characters(categories=["L", "N"]) | st.sampled_from("-_.:@+ =&,"), min_size=1))
def test_plain_ids_are_accepted(text: str) -> None:
    """Letters and digits of any script, inner spaces and the usual joiners are fine."""
    assume(text == text.strip() and text not in {".", ".."})
    assert checks.caller_id("x", text) == text


@given(
    st.tuples(st.just("uuid/asc"), strategies.any_text)
    | st.tuples(st.just("created_at/desc"), INT64),
    st.uuids(),
)
def test_a_cursor_survives_the_round_trip(
    sorted_by: tuple[str, int | str], last: uuid.UUID
) -> None:
    """What a page gives out, the next request reads; another order refuses it."""
    order, key = sorted_by
    there = [SimpleNamespace(id=0, uuid=str(last)), SimpleNamespace(id=1, uuid="beyond")]
    found = [Keyed(row, key) for row in there]
    request = PageRequest(order=order, limit=1)
    page: Page[Any] = page_seen(
        lambda bounds: found, request, lambda rows: {row.id: row for row in rows}, narrowing=False
    )
    assert page.items == there[:1]
    assert page.next_cursor is not None
    assert quote(page.next_cursor) == page.next_cursor
    mark = read_cursor(page.next_cursor, order)
    assert mark == Mark(order, key, str(last))
    assert PageRequest(order=order, limit=1, after=mark).bounds() == {
        "limit": 2,
        "after_key": key,
        "after_uuid": str(last),
    }
    with pytest.raises(InvalidInput, match="order"):
        read_cursor(page.next_cursor, "other/asc")


@given(strategies.any_text | st.binary(max_size=40).map(lambda raw: raw.decode("latin-1")))
@example("W10")
@example("bnVsbA")
@example("\ud800")
def test_any_text_is_a_cursor_or_is_refused(text: str) -> None:
    """A made-up cursor is the caller's mistake, never ours."""
    mark, complaint = attempt(read_cursor, text, "uuid/asc")
    assert mark is None
    assert (complaint or "").startswith("cursor:") if text else complaint is None


@given(st.one_of(st.none(), strategies.metadata), strategies.changes, strategies.changes)
def test_merging_is_setting_and_taking_away(old: Json | None, first: Json, second: Json) -> None:
    """A null takes a key away, the last word counts, nothing given changes nothing."""
    before = dict(old or {})
    merged = checks.merge(old, first)
    for key in {*before, *first}:
        wanted = first.get(key, before.get(key))
        assert merged.get(key) == wanted
        assert (key in merged) == (wanted is not None)
    assert checks.merge(merged, {}) == merged
    assert checks.merge(merged, first) == merged
    assert checks.merge(merged, second) == checks.merge(old, {**first, **second})
    assert (old or {}) == before


@given(st.dictionaries(strategies.any_text, strategies.json_values, max_size=METADATA_KEYS_MAX + 2))
def test_episode_metadata_is_flat_or_refused(value: Json) -> None:
    """Only scalars and non-empty lists of scalars pass, and what passes is stored unchanged."""
    scalar = str | int | float | bool
    flat = (
        all(
            key.strip()
            and (
                (isinstance(item, list) and item and all(isinstance(one, scalar) for one in item))
                or isinstance(item, scalar)
            )
            for key, item in value.items()
        )
        and len(value) <= METADATA_KEYS_MAX
    )
    numbers = [
        one for item in value.values() for one in (item if isinstance(item, list) else [item])
    ]
    finite = not any(isinstance(one, float) and abs(one) == float("inf") for one in numbers)
    try:
        accepted = checks.episode_metadata("metadata", value)
    except InvalidInput:
        assert not flat or not finite
        return
    assert flat
    assert (accepted or {}) == value
    assert (rows.from_json(rows.to_json(accepted)) or {}) == value


@given(strategies.json_values)
def test_json_survives_the_store(value: Any) -> None:
    """Whatever can be sent is read back equal."""
    assume(not _has_infinity(value))
    assert rows.from_json(rows.to_json(value)) == value


def _has_infinity(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_infinity(item) for item in value.values())
    if isinstance(value, list):
        return any(_has_infinity(item) for item in value)
    return isinstance(value, float) and abs(value) == float("inf")


@given(strategies.any_text)
def test_json_text_is_json_or_refused(text: str) -> None:
    """A broken document names the field and raises nothing else."""
    accepted, complaint = attempt(checks.json_text, "data", text)
    if complaint is not None:
        assert complaint.startswith("data:")
        return
    assert accepted == text
    msgspec.json.decode(accepted)


@given(strategies.any_text)
@example("UTC")
@example("..")
@example("America")
@example("/etc/passwd")
@example("\0")
def test_any_text_is_a_time_zone_or_is_refused(text: str) -> None:
    """No name reaches outside of the zone database, and none breaks the check."""
    accepted, complaint = attempt(checks.time_zone, "zone", text)
    assert accepted == text or (complaint or "").startswith("zone:")


@given(strategies.any_text)
def test_terms_survive_being_stored(text: str) -> None:
    """None is empty or has a space, and each distinct one is kept once, with its count."""
    found = terms(text)
    assert " ".join(found).split() == found
    assert terms(text) == found
    blob = packed(found)
    size = len(blob) // (HASH_BYTES + COUNT_BYTES)
    hashes = struct.unpack(f"<{size}Q", blob[: size * HASH_BYTES])
    counts = struct.unpack(f"<{size}H", blob[size * HASH_BYTES :])
    kept = dict(zip(hashes, counts, strict=True))
    assert kept == {hashed(term): count for term, count in Counter(found).items()}
    assert packed(reversed(found)) == blob


@given(st.lists(st.sampled_from(sorted(STOP_WORDS)), max_size=9))
def test_words_that_find_nothing_leave_nothing(words: list[str]) -> None:
    """In any order and any case."""
    assert terms(" ".join(words).upper()) == []


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=8), max_size=5))
def test_spelling_variants_of_a_word_meet(words: list[str]) -> None:
    """Case, width and punctuation make no difference."""
    plain = terms(" ".join(words))
    assert terms(", ".join(word.upper() for word in words)) == plain
    wide = " ".join("".join(chr(ord(c) + 0xFEE0) for c in word) for word in words)
    assert terms(wide) == plain


class _Inner(msgspec.Struct):
    number: int


class _Outer(msgspec.Struct):
    inner: list[_Inner]
    name: str


@given(strategies.json_values)
@example({"inner": [{"number": "x"}], "name": "n"})
@example({"inner": [{}], "name": "n"})
@example({"inner": []})
def test_a_wrong_body_is_explained_by_its_field(value: Any) -> None:
    """Whatever was sent: it fits, or the complaint begins with a field or with `body`."""
    body = msgspec.json.encode(value)
    fits, complaint = attempt(http.parse_body, body, _Outer)
    assert (fits is None) == (complaint is not None)
    if complaint is not None:
        field, colon, what = complaint.partition(": ")
        assert colon
        assert what
        assert field.split("[")[0].split(".")[0] in {"body", "inner", "name"}
        assert "$" not in complaint


def test_explanations_read_well() -> None:
    """The three shapes of a decoder's complaint, in our words."""
    explain = http.explain
    assert explain("Expected `int`, got `str` - at `$.inner[0].number`").startswith(
        "inner[0].number: expected int, got str"
    )
    assert explain("Object missing required field `name`") == "name: is required"
    assert (
        explain("Object missing required field `number` - at `$.inner[0]`")
        == "inner[0].number: is required"
    )
