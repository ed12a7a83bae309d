"""Letting episodes and facts cease to be known, and looking at those that have."""

from recollect.app.units import reads, writes
from recollect.records import expiring

__all__ = ["expire", "expired", "expires_at"]

expire = writes(expiring.expire)
expires_at = reads(expiring.expires_at)
expired = reads(expiring.expired)
