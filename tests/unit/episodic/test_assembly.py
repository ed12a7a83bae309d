"""What a model is shown (E16 to E19)."""

import json
import math
from typing import Any

import pytest

from recollect.session_log import Episodic, assemble, begin, normalise
from tests.unit.episodic.support import call, message, output, usage


def history(*steps: Any) -> Episodic:
    """A log: a text is a message of turn `old`, an int is usage, a pair is a boundary."""
    log = Episodic()
    for step in steps:
        if isinstance(step, str):
            log.append_items([message(step)], turn_id="old")
        elif isinstance(step, int):
            log.append_event("turn.usage", usage(step))
        else:
            log.append_boundary(step[0], step[1], *step[2:])
    return log


def shown(log: Episodic, **options: Any) -> list[str]:
    """What the messages say."""
    return [item["content"] for item in assemble(log.episodes, **options).items]


def test_e16_without_a_limit_everything_is_shown() -> None:
    log = history("a", 10**9, "b")
    assert shown(log) == shown(log, context_length=math.inf) == ["a", "b"]
    assert shown(log, max_output_tokens=50) == ["a", "b"]


@pytest.mark.parametrize("reserve", [100, 101, math.inf])
def test_e16_a_budget_of_nothing_is_exceeded_whatever_was_used(reserve: float) -> None:
    log = history("a", ("checkpoint", "c", "c"))
    checkpoint = "<checkpoint>\nc\n</checkpoint>"
    assert shown(log, context_length=100, max_output_tokens=reserve) == [checkpoint]
    assert shown(log, context_length=100, max_output_tokens=99) == ["a", checkpoint]
    assert shown(history("a"), context_length=100, max_output_tokens=reserve) == []


def test_e16_what_fits_is_shown_and_one_token_more_is_not() -> None:
    assert shown(history("a", 80), context_length=100, max_output_tokens=20) == ["a"]
    assert shown(history("a", 81), context_length=100, max_output_tokens=20) == []


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"inputTokens": 999},
        {"inputTokens": "999", "outputTokens": 1, "totalTokens": 1},
        {"inputTokens": True, "outputTokens": 1, "totalTokens": 1},
    ],
)
def test_e16_a_malformed_last_usage_counts_as_none(data: dict[str, Any] | None) -> None:
    log = history("a", 999)
    log.append_event("turn.usage", data)
    assert shown(log, context_length=100) == ["a"]


def test_e16_only_the_last_usage_counts() -> None:
    assert shown(history("a", 999, 50), context_length=100) == ["a"]
    assert shown(history("a", 50, 999), context_length=100) == []


@pytest.mark.parametrize("reason", ["checkpoint", "interrupt"])
def test_e16_over_budget_it_starts_at_the_last_checkpoint_or_interrupt(reason: str) -> None:
    log = history("a", ("checkpoint", "first", "first"), "b", (reason, "t", "last"), "c", 999)
    assembled = assemble(log.episodes, context_length=100)
    assert [item["content"] for item in assembled.items] == [f"<{reason}>\nlast\n</{reason}>", "c"]
    assert assembled.truncated


def test_e16_over_budget_without_such_a_boundary_the_current_turn_is_shown() -> None:
    log = history("a", ("overflow", "o"), ("segment", "s"), ("intent", "i"), 999)
    log.append_items([message("now")], turn_id="now")
    assert shown(log, context_length=100, turn_id="now") == ["now"]
    assert shown(log, context_length=100, turn_id="unheard") == []
    assert shown(log, context_length=100) == []


def test_e17_overflow_is_shown_but_history_does_not_restart_there() -> None:
    log = history("a", ("overflow", "o", "much"), "b")
    assert shown(log) == ["a", "<overflow>\nmuch\n</overflow>", "b"]
    log.append_event("turn.usage", usage(999))
    assert shown(log, context_length=100) == []


def test_e16_the_anchor_that_every_log_begins_with_is_no_place_to_restart() -> None:
    log = Episodic()
    begin(log)
    log.append_items([message("a")], turn_id="old")
    log.append_items([message("b")], turn_id="new")
    log.append_event("turn.usage", usage(999))
    assert shown(log) == ["a", "b"]
    assert shown(log, context_length=100, turn_id="new") == ["b"]
    assert shown(log, context_length=100) == []


def test_e17_intent_segment_and_meta_are_never_shown() -> None:
    assert shown(history(("intent", "i"), ("segment", "s", "text"), 5, "a")) == ["a"]


def test_e17_a_boundary_is_a_user_message_with_its_content_or_title_in_a_tag() -> None:
    assert assemble(history(("interrupt", "title")).episodes).items == [
        {"type": "message", "role": "user", "content": "<interrupt>\ntitle\n</interrupt>"}
    ]
    assert shown(history(("interrupt", "title", ""))) == ["<interrupt>\n\n</interrupt>"]


def test_e17_a_boundary_of_a_kind_we_do_not_know_is_not_shown() -> None:
    line = '{"id":1,"type":"boundary","meta":{},"payload":{"reason":"x","title":"t"}}'
    assert assemble(Episodic.from_jsonl(line).episodes).items == []


def test_e18_temporary_input_comes_after_history_and_is_normalised_with_it() -> None:
    log = history("a")
    log.append_items([call("1")])
    extra = [output("1"), output("2"), message("extra")]
    assert assemble(log.episodes, extra=extra).items == [
        message("a"),
        call("1"),
        output("1"),
        message("extra"),
    ]
    assert len(log) == 2


def test_e18_temporary_input_stays_when_history_has_no_room() -> None:
    assert shown(history("a", 999), context_length=100, extra=[message("x")]) == ["x"]


def test_e19_an_output_needs_an_earlier_call_and_a_call_needs_no_output() -> None:
    items = [
        output("1"),
        call("1"),
        output("1"),
        output("2"),
        call("3"),
        {"type": "function_call_output"},
    ]
    assert normalise(items) == [call("1"), output("1"), call("3")]


def test_e19_items_of_other_kinds_pass() -> None:
    items = [None, "text", 5, [1], {"type": "reasoning"}, {}]
    assert normalise(items) == items


def test_e19_a_call_id_that_is_no_string_pairs_with_nothing() -> None:
    assert normalise([{**call("1"), "call_id": 1}, {**output("1"), "call_id": 1}]) == [
        {**call("1"), "call_id": 1}
    ]


def kept(text: Any) -> Any:
    """The output a model is shown."""
    return normalise([call("1"), output("1", text)])[1]["output"]


@pytest.mark.parametrize("letter", ["x", "é", "😀"])
def test_e19_eight_thousand_characters_are_untouched_and_one_more_is_cut(letter: str) -> None:
    assert kept(letter * 8_000) == letter * 8_000
    marker = "\n\n(truncated: 1 chars omitted)\n\n"
    assert kept(letter * 8_001) == letter * 4_000 + marker + letter * 4_000


def test_e19_both_ends_are_kept() -> None:
    text = "a" * 4_000 + "b" * 5_000 + "c" * 4_000
    assert kept(text) == "a" * 4_000 + "\n\n(truncated: 5000 chars omitted)\n\n" + "c" * 4_000


def test_e19_an_output_of_parts_is_cut_as_if_their_texts_were_one() -> None:
    image = {"type": "input_image", "image_url": "data:" + "i" * 9_000}
    parts = [text("a" * 3_000), text("b" * 2_000), image, text("c" * 3_000), text("d" * 3_000)]
    marker = "\n\n(truncated: 3000 chars omitted)\n\n"
    assert kept(parts) == [
        text("a" * 3_000),
        text("b" * 1_000 + marker),
        image,
        text("c" * 1_000),
        text("d" * 3_000),
    ]
    assert kept([text("a" * 4_000), image, text("b" * 4_000)]) == [
        text("a" * 4_000),
        image,
        text("b" * 4_000),
    ]
    (one,) = kept([text("é" * 8_001)])
    assert one["text"] == kept("é" * 8_001)


def text(said: str) -> dict[str, str]:
    """A part of an output."""
    return {"type": "input_text", "text": said}


def test_e19_any_other_output_is_measured_as_json() -> None:
    rows = [{"row": number} for number in range(1_000)]
    told = json.dumps(rows)
    assert kept(rows) == kept(told) != told
    assert kept({"rows": rows}) == kept(json.dumps({"rows": rows}))
    assert kept(rows[:10]) == rows[:10]
    assert kept(["x" * 7_996]) == ["x" * 7_996]


def test_e19_of_two_outputs_for_one_call_the_later_counts_in_the_place_of_the_first() -> None:
    first, second = output("1", "first"), output("1", "second")
    said = message("between", "assistant")
    assert normalise([call("1"), first, said, second]) == [call("1"), second, said]
    again = [call("1"), first, call("1"), second]
    assert normalise(again) == again, "a second call has an output of its own"


def test_e4_assembling_changes_no_episode() -> None:
    log = Episodic()
    log.append_items([call("1"), output("1", "x" * 9_000)])
    before = log.to_jsonl()
    assemble(log.episodes)
    assert log.to_jsonl() == before
