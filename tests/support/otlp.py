"""A receiver of OTLP over HTTP on loopback, which decodes requests with the protocol's own types."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

TYPES: dict[str, tuple[Any, Any]] = {
    "/v1/traces": (ExportTraceServiceRequest, ExportTraceServiceResponse),
    "/v1/metrics": (ExportMetricsServiceRequest, ExportMetricsServiceResponse),
}


class OtlpReceiver:
    """Use it as a context manager. *raw* is every byte of every body."""

    def __init__(self) -> None:
        self.raw = b""
        self._arrived: list[Any] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The base address to configure."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def spans(self) -> list[Any]:
        """Every span that arrived."""
        sent = [one for one in self._arrived if isinstance(one, ExportTraceServiceRequest)]
        return [
            span
            for request in sent
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def metrics(self) -> dict[str, Any]:
        """The last value of every metric, by name."""
        sent = [one for one in self._arrived if isinstance(one, ExportMetricsServiceRequest)]
        return {
            metric.name: metric
            for request in sent
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def resources(self) -> list[dict[str, str]]:
        """The resource attributes of the senders."""
        sent = [one for one in self._arrived if isinstance(one, ExportTraceServiceRequest)]
        return [facts(one.resource) for request in sent for one in request.resource_spans]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _take(self, path: str, body: bytes) -> bytes:
        self.raw += body
        request, response = TYPES[path]
        self._arrived.append(request.FromString(body))
        answer: bytes = response().SerializeToString()
        return answer

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                answer = receiver._take(self.path, body)
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        return Handler


def facts(told: Any) -> dict[str, Any]:
    """The attributes of a span, a point or a resource."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in told.attributes}
