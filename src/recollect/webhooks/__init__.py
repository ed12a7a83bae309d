"""Telling webhooks what happened: whom we may call, how a call is signed and made, and when again."""
