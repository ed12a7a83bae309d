"""Spans and metrics of the real server at a real receiver: from the request to the call of the model."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.process.test_reading import one_fact, processed, talk, until
from tests.support.otlp import OtlpReceiver, facts
from tests.support.scripted_model import ScriptedModel
from tests.support.server import EXTRACTION_ON, Server, program_environment

MARKER = "xyzzyplugh"
CALLER = "0af7651916cd43dd8448eb211c80319c"


class Told:
    """What a receiver got of a server that was asked a few things, and the server's own metrics."""

    def __init__(self, receiver: OtlpReceiver, metrics: str, log: str) -> None:
        self.raw, self.metrics, self.own, self.log = receiver.raw, receiver.metrics(), metrics, log
        self.spans = receiver.spans()
        self.resources = receiver.resources()
        self.by_id = {span.span_id: span for span in self.spans}

    def path(self, span: Any) -> list[str]:
        """The names from the outermost span to this one."""
        above = self.by_id.get(span.parent_span_id)
        return [*(self.path(above) if above is not None else []), span.name]

    def named(self, name: str) -> list[Any]:
        return [span for span in self.spans if span.name == name]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    folder = tmp_path_factory.mktemp("told")
    with OtlpReceiver() as receiver, ScriptedModel(otherwise=one_fact) as model:
        environment = {
            **EXTRACTION_ON,
            "RECOLLECT_OTEL_URL": receiver.url,
            "RECOLLECT_LLM_URL": model.url,
            "RECOLLECT_LLM_MODEL": "scripted",
            "RECOLLECT_JUDGE": "off",
            "NO_PROXY": "127.0.0.1",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
        }
        with Server(folder / "data", environment=environment) as server, server.http() as http:
            talk(http, f"I like the {MARKER}.")
            until(lambda: processed(http))
            http.get(f"/users/{MARKER}", headers={"X-Request-Id": "mine"})
            parent = {"traceparent": f"00-{CALLER}-b7ad6b7169203331-01"}
            http.get("/projects/info", headers=parent)
            call = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "get_user", "arguments": {"user_id": MARKER}},
            }
            accept = {"Accept": "application/json, text/event-stream"}
            assert httpx.post(
                f"{server.url}/mcp", json=call, headers={**http.headers, **accept}, timeout=60
            ).is_success
            own = httpx.get(f"{server.url}/metrics", trust_env=False, timeout=30).text
            server.stop()
        yield Told(receiver, own, server.log.read_text())


def test_a_message_is_followed_from_its_request_to_the_call_of_the_model(told: Told) -> None:
    """Request, use case, unit of the store, job, reader, model: one trace."""
    (call,) = told.named("model call")
    assert told.path(call) == [
        "POST /api/v2/threads/{thread_id}/messages",
        "thread.add_messages",
        "write remember._add_messages",
        "job",
        "read",
        "model call",
    ]
    assert facts(call) == {
        "gen_ai.request.model": "scripted",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "recollect.outcome": "answered",
    }
    assert (
        len({span.trace_id for span in told.spans if told.path(span)[0].endswith("messages")}) == 1
    )


def test_a_request_says_how_it_ended(told: Told) -> None:
    (refused,) = [span for span in told.spans if facts(span).get("recollect.request_id") == "mine"]
    found = facts(refused)
    assert refused.name == "GET /api/v2/users/{user_id}"
    assert found["http.response.status_code"] == 404
    assert found["error.type"] == "NotFound"
    assert found["http.route"] == "/api/v2/users/{user_id}"


def test_a_caller_goes_on_with_its_own_trace(told: Told) -> None:
    (asked,) = told.named("GET /api/v2/projects/info")
    assert asked.trace_id.hex() == CALLER
    assert asked.parent_span_id.hex() == "b7ad6b7169203331"


def test_a_tool_is_a_request_as_well(told: Told) -> None:
    tool = [span for span in told.named("user.get") if told.path(span)[0] == "POST /mcp"]
    assert tool, {tuple(told.path(span)) for span in told.spans}


def test_nothing_that_was_said_sent_or_named_is_told(told: Told) -> None:
    assert told.spans
    assert MARKER.encode() not in told.raw
    assert b"jane" not in told.raw.lower()
    assert b"recollect-test-key" not in told.raw
    assert "telemetry.not_sent" not in told.log


def test_who_sends_is_told_as_the_environment_says(told: Told) -> None:
    for resource in told.resources:
        assert resource["service.name"] == "recollect"
        assert resource["deployment.environment.name"] == "test"


def test_the_metrics_are_those_of_the_page(told: Told) -> None:
    """Under the same names; a histogram with its buckets."""
    own = {
        line.split("{")[0].split(" ")[0]
        for line in told.own.splitlines()
        if line
        and not line.startswith("#")
        and not line.split("{")[0].split(" ")[0].endswith("_created")
    }
    parts = ("_bucket", "_count", "_sum")
    plain = {name for name in own if not name.endswith(parts)}
    assert plain <= set(told.metrics)
    answered = told.metrics["recollect_model_calls_total"].sum.data_points
    assert [(facts(point), point.as_double) for point in answered] == [({"outcome": "answered"}, 1)]
    seconds = told.metrics["recollect_job_seconds"].histogram.data_points[0]
    assert seconds.count == sum(seconds.bucket_counts)
    assert len(seconds.bucket_counts) == len(seconds.explicit_bounds) + 1
    assert told.metrics["recollect_jobs_pending"].WhichOneof("data") == "gauge"
    assert told.metrics["recollect_requests_total"].sum.is_monotonic


def test_a_receiver_that_is_gone_hinders_nobody(tmp_path: Path) -> None:
    """Not at the start, not at work, and not for long at the end."""
    environment = {"RECOLLECT_OTEL_URL": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
    with Server(tmp_path / "data", environment=environment) as server:
        with server.http() as http:
            assert http.get("/projects/info").is_success
        assert server.stop() == 0


WITHOUT = """
import sys
from importlib.machinery import PathFinder

class Absent(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.startswith("opentelemetry.sdk"):
            raise ModuleNotFoundError(name)
        return None

sys.meta_path.insert(0, Absent)
from recollect.cli.main import main
sys.argv = ["recollect", "serve", "--port", "0", "--data", "data"]
main()
"""


def test_without_the_extra_the_start_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        env=program_environment(RECOLLECT_OTEL_URL="http://127.0.0.1:9"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "needs the extra `otel`" in done.stderr
    assert "opentelemetry.sdk" in done.stderr


def test_unless_it_is_asked_for_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    code = "import sys; import recollect.cli.serve; print([m for m in sys.modules if m.startswith('opentelemetry')])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
