"""Metrics are on the server's port, on one of their own, or behind a key: as the operator chose."""

import socket
from pathlib import Path

import httpx
import pytest

from tests.support.server import HOST, Server, free_port, program_environment, run_program

KEY = "key-of-the-metrics"


def get(port: int, path: str, key: str | None = None) -> httpx.Response:
    headers = {b"Authorization": f"Bearer {key}".encode()} if key else {}
    where = f"http://{HOST}:{port}{path}"
    return httpx.get(where, headers=httpx.Headers(headers), timeout=30, trust_env=False)


def test_a_port_of_their_own(tmp_path: Path) -> None:
    apart = free_port()
    environment = {"RECOLLECT_METRICS_PORT": str(apart)}
    with Server(tmp_path / "data", environment=environment) as server:
        told = get(apart, "/metrics")
        assert "recollect_jobs_pending 0.0" in told.text
        assert told.headers["x-request-id"]
        for path in ("/health", "/ready"):
            assert get(apart, path).status_code == 200
        for path in ("/metrics", "/api/v2/metrics"):
            assert get(server.port, path).status_code == 404, "not beside the memory as well"
        assert "/metrics" not in get(server.port, "/openapi.json").json()["paths"]
        with server.http() as http:
            assert http.get("/projects/info").is_success
        beside = get(apart, "/api/v2/projects/info", server.api_key)
        assert beside.status_code == 404, "and no memory beside the metrics"


@pytest.mark.parametrize("apart", [False, True])
def test_behind_a_key(tmp_path: Path, apart: bool) -> None:
    port = free_port()
    environment = {"RECOLLECT_METRICS_KEY": KEY}
    if apart:
        environment["RECOLLECT_METRICS_PORT"] = str(port)
    with Server(tmp_path / "data", environment=environment) as server:
        port = port if apart else server.port
        for path in ["/metrics"] if apart else ["/metrics", "/api/v2/metrics"]:
            for wrong in (None, "another", "clé", server.api_key):
                refused = get(port, path, wrong)
                assert refused.status_code == 401
                assert "recollect_" not in refused.text
            assert "recollect_jobs_pending" in get(port, path, KEY).text
        assert get(port, "/health").status_code == 200


def test_a_taken_port_is_said_before_anything_is_made(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run_program(
            "serve",
            "--port",
            "0",
            "--data",
            str(tmp_path / "data"),
            environment=program_environment(RECOLLECT_METRICS_PORT=str(port)),
            timeout=60,
        )
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
    assert not (tmp_path / "data").exists()
