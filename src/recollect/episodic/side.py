"""A side log for long tool output: the session log gets a preview and a handle."""

import hashlib
import json
from typing import Any

from recollect.episodic.pairing import OUTPUT_CHARS_MAX
from recollect.episodic.plugins import Moment, Plugin, Tool
from recollect.episodic.storage import Storage, settled

PREVIEW_CHARS = 2_000
READ_CHARS_MAX = 4_000


class SideLog:
    """Long outputs in a storage, under handles made from what they say: equal outputs are kept
    once.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        longer_than: int = OUTPUT_CHARS_MAX,
        preview_chars: int = PREVIEW_CHARS,
    ) -> None:
        self._storage = storage
        self._longer_than = longer_than
        self._preview_chars = preview_chars

    async def keep(self, output: str) -> str:
        """What the session log is to hold: the output itself, or a preview with the handle of the
        whole.
        """
        if len(output) <= self._longer_than:
            return output
        handle = hashlib.sha256(output.encode(errors="surrogatepass")).hexdigest()[:32]
        await settled(self._storage.set(_key(handle), json.dumps(output)))
        note = f"\n\n(kept aside: {len(output)} chars, handle {handle})\n\n"
        half = self._preview_chars // 2
        return output[:half] + note + (output[-half:] if half else "")

    async def fetch(self, handle: str, offset: int = 0, length: int = READ_CHARS_MAX) -> str | None:
        """A part of an output that was kept aside; None if there is no such handle."""
        kept = await settled(self._storage.get(_key(handle)))
        if kept is None:
            return None
        output: str = json.loads(kept)
        start = max(0, offset)
        return output[start : start + max(0, length)]

    def plugin(self) -> Plugin:
        """A plugin that keeps long outputs aside and gives the model a tool to read on."""
        return Plugin("side-log", post_tool_call=self._post, extend_tools=self._extend)

    async def _post(self, moment: Moment, call: dict[str, Any], output: str) -> str | None:
        if len(output) <= self._longer_than:
            return None
        return await self.keep(output)

    def _extend(self, moment: Moment) -> list[Tool]:
        parameters = {
            "type": "object",
            "properties": {
                "handle": {"type": "string"},
                "offset": {"type": "integer"},
                "length": {"type": "integer", "maximum": READ_CHARS_MAX},
            },
            "required": ["handle"],
        }
        what = "Read a part of a tool output that was kept aside, by its handle."
        return [Tool("read_kept_output", self._read, what, parameters)]

    async def _read(self, arguments: dict[str, Any]) -> str:
        offset, length = arguments.get("offset", 0), arguments.get("length", READ_CHARS_MAX)
        if not isinstance(offset, int) or not isinstance(length, int):
            return "offset and length are whole numbers."
        part = await self.fetch(str(arguments.get("handle")), offset, min(length, READ_CHARS_MAX))
        return "There is no such handle." if part is None else part


def _key(handle: str) -> str:
    return json.dumps(["side", handle])
