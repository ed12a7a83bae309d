"""Turning an episode into candidate entities, facts and dates."""
