"""A certificate authority for tests, and certificates that it signs."""

import datetime
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_PEM = serialization.Encoding.PEM


class Authority:
    """A certificate authority; clients that trust the file `cert` accept its certificates."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("authority of a test")
        self._made = self._sign(self._name, self._key.public_key(), None)
        self.cert = folder / "authority.pem"
        self.cert.write_bytes(self._made.public_bytes(_PEM))

    def server(self, name: str) -> ssl.SSLContext:
        """The TLS context of a server with this name."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = self._sign(_named(name), key.public_key(), name)
        path = self._folder / f"{name}.pem"
        form, secret = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        path.write_bytes(made.public_bytes(_PEM) + key.private_bytes(_PEM, form, secret))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, name: str | None
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=name is None, path_length=None), critical=True)
        )
        if name is not None:
            names = x509.SubjectAlternativeName([x509.DNSName(name)])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(self._key, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
