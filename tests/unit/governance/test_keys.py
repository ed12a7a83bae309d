"""What is kept of a key."""

import hashlib

from recollect.governance import keys


def test_only_a_digest_of_a_secret_is_kept() -> None:
    """Its bytes are those of SHA-256, so that a key can be looked up without being known."""
    assert keys.hashed("secret") == hashlib.sha256(b"secret").digest()
    assert keys.hashed("secret") != keys.hashed("Secret")
