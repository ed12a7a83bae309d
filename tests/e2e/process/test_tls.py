"""The server speaks HTTPS by certificate files, and says when what it is told can be read on the way."""

import datetime
import ssl
from ipaddress import ip_address
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NamedTuple

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.server import (
    DEFAULT_KEY,
    HOST,
    Server,
    free_port,
    program_environment,
    run_program,
)

NO_PASSWORD = serialization.NoEncryption()


class Files(NamedTuple):
    cert: Path
    key: Path


def certificate(folder: Path, encryption: Any = NO_PASSWORD) -> Files:
    """A certificate for this machine that vouches for itself, and its key."""
    folder.mkdir(exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "recollect test")])
    now = datetime.datetime.now(datetime.UTC)
    alternatives = x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(alternatives, critical=False)
        .sign(key, hashes.SHA256())
    )
    files = Files(folder / "cert.pem", folder / "key.pem")
    files.cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    files.key.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, encryption))
    return files


def start(data: Path, *options: str) -> "CompletedProcess[str]":
    """A start that is refused."""
    return run_program(
        "serve",
        "--port",
        "0",
        "--data",
        str(data),
        *options,
        environment=program_environment(),
        timeout=60,
    )


def test_a_client_that_trusts_the_certificate_is_served(tmp_path: Path) -> None:
    """Over TLS 1.2 or newer; whoever speaks in the clear is not."""
    files, apart = certificate(tmp_path), free_port()
    environment = {
        "RECOLLECT_TLS_CERT": str(files.cert),
        "RECOLLECT_TLS_KEY": str(files.key),
        "RECOLLECT_METRICS_PORT": str(apart),
        "SSL_CERT_FILE": str(files.cert),
    }
    trusting = ssl.create_default_context(cafile=str(files.cert))
    with Server(tmp_path / "data", environment=environment, tls=files.cert) as server:
        key = {"Authorization": f"Api-Key {DEFAULT_KEY}"}
        where = f"https://{HOST}:{server.port}/api/v2"
        with httpx.Client(base_url=where, headers=key, verify=trusting, trust_env=False) as http:
            assert http.post("/users", json={"user_id": "jane"}).is_success
            assert http.get("/users/jane").json()["user_id"] == "jane"
            large = {"user_id": "jane2", "metadata": {"note": "x" * 200_000}}
            assert http.post("/users", json=large).status_code in {200, 400}
        watched = httpx.get(f"https://{HOST}:{apart}/metrics", verify=trusting, trust_env=False)
        assert "recollect_jobs_pending" in watched.text
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://{HOST}:{server.port}/health", trust_env=False)
        old = ssl.create_default_context(cafile=str(files.cert))
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        assert httpx.get(
            f"https://{HOST}:{server.port}/health", verify=old, trust_env=False
        ).is_success
        text = server.log.read_text()
    assert f"listens on  https://{HOST}:{server.port}" in text
    assert "in_the_clear" not in text


def test_files_that_do_not_fit_are_said_before_anything_is_made(tmp_path: Path) -> None:
    files, other = certificate(tmp_path / "one"), certificate(tmp_path / "two")
    locked = certificate(tmp_path / "three", serialization.BestAvailableEncryption(b"pass"))
    wrong = {
        "not a certificate and its key": (files.cert, other.key),
        "No such file": (files.cert, tmp_path / "nothing.pem"),
        "the key has a password": (locked.cert, locked.key),
    }
    for why, (cert, key) in wrong.items():
        done = start(tmp_path / "data", "--tls-cert", str(cert), "--tls-key", str(key))
        assert done.returncode == 1
        assert why in done.stderr, done.stderr
    half = start(tmp_path / "data", "--tls-cert", str(files.cert))
    assert half.returncode == 1
    assert "tls_cert and tls_key: give both, or neither" in half.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("0.0.0.0", True)])  # noqa: S104
def test_an_address_for_others_without_tls_is_warned_of(
    tmp_path: Path, host: str, warned: bool
) -> None:
    with Server(tmp_path / "data", options=("--host", host)) as server:
        text = server.log.read_text()
    assert ("without TLS keys and memories pass in the clear" in text) == warned
    assert ('"event":"server.in_the_clear"' in text) == warned
