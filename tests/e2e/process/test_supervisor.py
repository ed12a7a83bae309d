"""A supervisor hears when the server answers and when it ends, on a real socket of its own."""

import signal
import socket
import subprocess
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.support.server import HOST, free_port, program, program_environment


@pytest.mark.parametrize("abstract", [False, True])
@pytest.mark.parametrize("command", ["serve", "worker"])
def test_ready_and_stopping_are_told(tmp_path: Path, command: str, abstract: bool) -> None:
    address = f"\0recollect-test-{tmp_path.name}-{free_port()}" if abstract else str(tmp_path / "n")
    port = free_port()
    options = ("--port", str(port)) if command == "serve" else ()
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as supervisor:
        supervisor.bind(address)
        supervisor.settimeout(60)
        process = subprocess.Popen(
            program(command, "--data", str(tmp_path / "data"), *options),
            env=program_environment(NOTIFY_SOCKET=address.replace("\0", "@")),
            stderr=subprocess.DEVNULL,
        )
        try:
            assert supervisor.recv(64) == b"READY=1"
            if command == "serve":  # it is true: the very next request is answered
                assert httpx.get(f"http://{HOST}:{port}/ready", trust_env=False).is_success
            process.send_signal(signal.SIGTERM)
            assert supervisor.recv(64) == b"STOPPING=1"
            assert process.wait(30) == 0
        finally:
            process.kill()
            process.wait()
