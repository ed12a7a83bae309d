"""The text of a policy set: YAML without its traps, or JSON."""

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.graph import policy_spec
from recollect.graph.policy_text import read
from recollect.limits import POLICY_BYTES_MAX


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("off", "off"),
        ("yes", "yes"),
        ("true", True),
        ("false", False),
        ("True", "True"),
        ("null", None),
        ("~", None),
        ("5", 5),
        ("-5", -5),
        ("007", "007"),
        ("0x10", "0x10"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2024-05-01", "2024-05-01"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", ".5"),
        (".inf", ".inf"),
        ("'5'", "5"),
        ('"true"', "true"),
        ("=", "="),
        ("<<", "<<"),
        ("99999999999999999999999", 99999999999999999999999),
    ],
)
def test_a_plain_word_is_what_json_would_make_of_it(written: str, value: Any) -> None:
    """Everything else is text: no day, no clock time, no octal, no yes and no."""
    found = read(f"a: {written}")["a"]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a: &x 1\nb: *x", "line 1: anchors and aliases"),
        ("a: 1\nb: *x", "line 2: anchors and aliases"),
        ("&x a: 1", "anchors and aliases"),
        ("a: &x [1]", "anchors and aliases"),
        ("a: !!python/object:os.system x", "tags"),
        ("a: !!int '5'", "tags"),
        ("a: !own {b: 1}", "tags"),
        ("a: 1\nb: 2\na: 3", "line 3: the key 'a' appears twice"),
        ("{a: 1}", "not valid JSON"),
        ('{"a": 1, "a": 2}', "the key 'a' appears twice"),
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ("? [a]\n: 1", "a key must be a word"),
        ("a: 1\n---\nb: 2", "one YAML document"),
        ("", "is empty"),
        ("# nothing", "is empty"),
        ("a: [1", "line 1"),
        ("a: b: c", "line 1"),
        ("a:\n\t- b", "line 2"),
        ("a: \x07", "not valid YAML"),
        ("a: " + "[" * 60 + "]" * 60, "nested too deeply"),
        ("a: " + "{b: " * 60 + "1" + "}" * 60, "nested too deeply"),
        ("a: " + "x" * POLICY_BYTES_MAX, f"at most {POLICY_BYTES_MAX} bytes"),
        ("a: " + "é" * (POLICY_BYTES_MAX // 2), f"at most {POLICY_BYTES_MAX} bytes"),
        ("{" + '"a":{' * 5_000, "document: n"),
    ],
)
def test_what_is_not_read_is_refused_with_its_place(text: str, complaint: str) -> None:
    """The message says where and why."""
    with pytest.raises(InvalidInput) as refused:
        read(text)
    assert complaint in refused.value.message
    assert refused.value.message.startswith("document: ")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 60_000,
        "- " * 30_000,
        "a: &a [x,x]\n" + "".join(f"b{n}: &b{n} [*a,*a]\n" for n in range(2_000)),
        "? " * 30_000,
        "a: 'x\n" + "\n" * 60_000,
        "a: " + "9" * 60_000,
        "{" * 60_000,
        '{"a": ' + "9" * 60_000 + "}",
    ],
    ids=range(8),
)
def test_a_small_text_costs_little(text: str) -> None:
    """Whatever it tries, it is read or refused in no time."""
    began = time.perf_counter()
    with pytest.raises(InvalidInput) as refused:
        policy_spec.read(text, ())
    assert len(refused.value.message) < 500
    assert time.perf_counter() - began < 5.0


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
@example({"a": "off"})
def test_json_reads_back_as_it_was(value: Any) -> None:
    """Kinds of values included."""
    assert repr(read(json.dumps({"document": value}))) == repr({"document": value})


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes the reader fail in another way."""
    with contextlib.suppress(InvalidInput):
        read(text)
