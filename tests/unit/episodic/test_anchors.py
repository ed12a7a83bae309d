"""Anchors, views, corrections and the side log (K1 to K6)."""

from datetime import date
from typing import Any

import pytest

from recollect.session_log import (
    Agent,
    Episodic,
    InvalidEpisode,
    MemoryStorage,
    NoAnchor,
    SideLog,
    Tool,
    after_anchor,
    after_last_anchor,
    anchor,
    anchors,
    assemble,
    begin,
    between_anchors,
    correct,
    handoff,
    overflow_handoff,
    view,
)
from tests.unit.episodic.support import Scripted, call, contents, message


@pytest.fixture
def log() -> Episodic:
    """a, anchor one, b, c, anchor two, d, anchor one again, e."""
    log = Episodic()
    for text in ("a", "#one", "b", "c", "#two", "d", "#one", "e"):
        if text.startswith("#"):
            anchor(log, text[1:], {"at": len(log)})
        else:
            log.append_items([message(text)], source="user")
    return log


def test_k1_an_anchor_is_a_checkpoint_with_a_name_and_a_state(log: Episodic) -> None:
    marks = anchors(log.episodes)
    assert [mark.payload["title"] for mark in marks] == ["one", "two", "one"]
    assert marks[0].reason == "checkpoint"
    assert marks[0].payload["state"] == {"at": 1}
    assert contents(log.read()) == ["a", "b", "c", "d", "e"]


def test_k1_a_handoff_is_an_anchor_and_an_event_and_views_start_after_it(log: Episodic) -> None:
    placed = handoff(log, "phase", {"summary": "all is well"})
    assert placed.payload["content"] == "all is well"
    event = log.read(limit=1)[0]
    assert (event.event, event.payload["data"]["name"]) == ("handoff", "phase")
    log.append_items([message("later")])
    assert contents(after_last_anchor(log.episodes)) == ["later"]


def test_k2_after_the_last_anchor_and_an_error_if_there_is_none(log: Episodic) -> None:
    assert contents(after_last_anchor(log.episodes)) == ["e"]
    with pytest.raises(NoAnchor):
        after_last_anchor(Episodic().episodes)


def test_k2_after_a_named_anchor_means_the_latest_of_that_name(log: Episodic) -> None:
    assert contents(after_anchor(log.episodes, "one")) == ["e"]
    assert contents(after_anchor(log.episodes, "two")) == ["d", "e"]
    with pytest.raises(NoAnchor, match="three"):
        after_anchor(log.episodes, "three")


def test_k2_between_two_anchors(log: Episodic) -> None:
    assert contents(between_anchors(log.episodes, "one", "two")) == ["b", "c"]
    assert contents(between_anchors(log.episodes, "two", "one")) == ["d"]
    assert contents(between_anchors(log.episodes, "one", "one")) == ["b", "c", "d"]
    with pytest.raises(NoAnchor):
        between_anchors(log.episodes, "two", "two")


def test_k2_by_text_kind_and_the_first_of_them(log: Episodic) -> None:
    log.append_items([message("Grüße aus KÖLN")])
    assert contents(view(log.episodes, text="grüsse")) == ["Grüße aus KÖLN"]
    assert len(view(log.episodes, types="boundary")) == 3
    assert contents(view(log.episodes, types=["item"], limit=2)) == ["a", "b"]
    assert view(log.episodes, limit=0) == view(log.episodes, limit=-1) == []
    assert contents(after_anchor(log.episodes, "two", limit=1)) == ["d"]


def test_k2_by_date_where_a_day_is_all_of_it() -> None:
    days = iter(
        [
            "2026-01-01T23:59:59.999999+00:00",
            "2026-01-02T00:00:00+00:00",
            "2026-01-02T23:59:59+00:00",
            "2026-01-03T00:00:00+00:00",
        ]
    )
    log = Episodic(now=lambda: next(days))
    for text in "abcd":
        log.append_items([message(text)])
    log = Episodic.from_jsonl(log.to_jsonl())
    log.append_items([message("undated"), message("odd")], meta={"date": "one day"})
    assert contents(view(log.episodes, since="2026-01-02", until=date(2026, 1, 2))) == ["b", "c"]
    assert contents(view(log.episodes, until="2026-01-01")) == ["a"]
    assert contents(view(log.episodes, since="2026-01-02T12:00:00Z")) == ["c", "d"]
    assert len(view(log.episodes)) == 6


def test_k3_a_correction_is_appended_and_views_show_the_corrected_text(log: Episodic) -> None:
    stored = correct(log, 3, message("B"), source="user")
    assert (stored.id, stored.meta["corrects"]) == (9, 3)
    assert contents(log.read())[1] == "b"
    assert contents(view(log.episodes)) == ["a", "B", "c", "d", "e"]
    assert contents(between_anchors(log.episodes, "one", "two")) == ["b", "c"]
    said = [item["content"] for item in assemble(log.episodes).items]
    assert [text for text in said if not text.startswith("<")] == ["a", "B", "c", "d", "e"]


def test_k3_the_last_correction_wins_and_a_correction_can_be_corrected(log: Episodic) -> None:
    first = correct(log, 1, message("A1"))
    correct(log, first.id, message("A2"))
    assert contents(view(log.episodes))[0] == "A2"
    correct(log, 1, message("A3"))
    assert contents(view(log.episodes))[0] == "A3"
    assert len(contents(view(log.episodes))) == 5


def test_k3_a_correction_of_what_is_out_of_view_stands_where_it_was_made(log: Episodic) -> None:
    correct(log, 1, message("A"))
    assert contents(after_last_anchor(log.episodes)) == ["e", "A"]


def test_k3_an_anchor_can_be_corrected_and_an_audit_record_cannot(log: Episodic) -> None:
    correct(log, 2, {"reason": "checkpoint", "title": "one", "content": "better"})
    assert assemble(log.episodes).items[1]["content"] == "<checkpoint>\nbetter\n</checkpoint>"
    record = log.append_event("e")
    for target in (record.id, 99, 0):
        with pytest.raises(InvalidEpisode):
            correct(log, target, message("x"))


def test_k3_the_correction_of_an_anchor_is_no_anchor_and_no_place_to_restart_from(
    log: Episodic,
) -> None:
    correct(log, 7, {"reason": "checkpoint", "title": "one", "content": "better"})
    log.append_items([message("f")])
    usage = {"inputTokens": 999, "outputTokens": 0, "totalTokens": 999}
    log.append_event("turn.usage", usage)
    said = [item["content"] for item in assemble(log.episodes, context_length=100).items]
    assert said == ["<checkpoint>\nbetter\n</checkpoint>", "e", "f"]
    assert contents(after_last_anchor(log.episodes, types="item")) == ["e", "f"]
    assert [one.id for one in anchors(log.episodes)] == [2, 5, 7]


def test_k3_a_correction_of_another_type_corrects_nothing(log: Episodic) -> None:
    payload = {"reason": "segment", "title": "t"}
    log.append("boundary", payload, meta={"corrects": 1})
    log.append_items([message("x")], meta={"corrects": True})
    assert contents(view(log.episodes)) == ["a", "b", "c", "d", "e", "x"]


def test_k3_derived_text_cites_its_sources_and_they_exist(log: Episodic) -> None:
    assert anchor(log, "sum", content="text", sources=[1, 3]).meta["sources"] == [1, 3]
    with pytest.raises(InvalidEpisode, match="99"):
        anchor(log, "sum", sources=[1, 99])


def test_k4_the_first_anchor_is_set_once_and_no_model_sees_it() -> None:
    log = Episodic()
    placed = begin(log)
    assert placed is not None
    assert placed.payload["title"] == "session/start"
    assert begin(log) is None
    assert assemble(log.episodes).items == []
    log.append_items([message("a")])
    assert contents(after_last_anchor(log.episodes)) == ["a"]


def test_k4_what_is_marked_as_no_context_reaches_no_view(log: Episodic) -> None:
    log.append_items([message("secret")], meta={"context": False})
    assert "secret" in contents(log.read())
    assert "secret" not in contents(view(log.episodes))
    assert "secret" not in contents(after_last_anchor(log.episodes))
    assert message("secret") not in assemble(log.episodes).items


def test_k5_a_handoff_on_overflow_is_an_overflow_and_a_checkpoint(log: Episodic) -> None:
    overflow_handoff(log, state={"kept": 1})
    pair = log.read(limit=2)
    assert [one.reason for one in pair] == ["overflow", "checkpoint"]
    assert pair[1].payload["state"] == {"kept": 1}


async def test_k6_a_long_output_is_kept_aside_with_a_handle_and_a_bounded_preview() -> None:
    side = SideLog(MemoryStorage(), longer_than=100, preview_chars=20)
    assert await side.keep("x" * 100) == "x" * 100
    text = "a" * 60 + "b" * 60
    preview = await side.keep(text)
    assert preview.startswith("a" * 10 + "\n\n(kept aside: 120 chars, handle ")
    assert preview.endswith(")\n\n" + "b" * 10)
    handle = preview.split("handle ")[1].split(")")[0]
    assert await side.fetch(handle) == text
    assert await side.fetch(handle, 55, 10) == "aaaaabbbbb"
    assert await side.fetch("none") is None


async def test_k6_as_a_plugin_it_gives_the_model_a_tool_to_read_on() -> None:
    long = "".join(str(n % 10) for n in range(10_000))
    handles: list[str] = []

    def read_on(request: Any) -> list[Any]:
        preview = request.input[-1]["output"]
        handles.append(preview.split("handle ")[1].split(")")[0])
        arguments = f'{{"handle": "{handles[0]}", "offset": 5000, "length": 7}}'
        return [call("2", "read_kept_output", arguments)]

    model = Scripted(lambda _: [call("1", "x")], read_on)
    side = SideLog(MemoryStorage())
    agent = Agent("a", model, tools=[Tool("x", lambda _: long)], plugins=[side.plugin()])
    await agent.session().run("hi")
    outputs = [
        one.item["output"] for one in agent.session().log.read() if one.meta.source == "tool"
    ]
    assert len(outputs[0]) < 2_200
    assert outputs[1] == "0123456"
