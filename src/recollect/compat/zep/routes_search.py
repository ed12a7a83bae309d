"""Search of one graph."""

from recollect.api.router import Call, Route
from recollect.compat.zep import common
from recollect.compat.zep import search as one_search
from recollect.compat.zep.wire import search as search_wire
from recollect.limits import SEARCH_QUERY_CHARS_MAX, SEARCH_QUERY_SHORT_CHARS_MAX


async def search(call: Call) -> search_wire.SearchAnswer:
    """What fits a query best, of one kind, or with scope `auto` of all kinds as one text."""
    version = common.client_version(call)
    # Zep v3 documents a limit of 400 characters to its clients; all others may send more.
    longest = SEARCH_QUERY_SHORT_CHARS_MAX if version == 3 else SEARCH_QUERY_CHARS_MAX
    return await one_search.search(
        call.services, call.access, call.body, chars_max=longest, timed=version != 2
    )


ROUTES = [
    Route(
        "POST",
        "/graph/search",
        "graph.search",
        search,
        "Search a graph",
        body=search_wire.Search,
        reads=True,
    ),
]
