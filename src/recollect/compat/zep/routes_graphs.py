"""Standalone graphs, which Zep v2 calls groups; adding data to any graph."""

from recollect.api.router import Call, Route
from recollect.app import graphs, knowledge, remember
from recollect.app.graphs import GraphChange
from recollect.app.refs import GraphRef
from recollect.compat.zep import common, translate
from recollect.compat.zep.wire import graphs as graphs_wire
from recollect.compat.zep.wire import knowledge as knowledge_wire
from recollect.compat.zep.wire import threads as threads_wire
from recollect.compat.zep.wire.base import Success
from recollect.graph import checks
from recollect.graph.types import Episode, Graph, NewEpisode
from recollect.limits import LIST_ALL_DEFAULT, LIST_ALL_MAX, PAGE_MAX
from recollect.records.graphs import GraphDetails, GraphPage

_ORDERS = ("created_at", "graph_id", "name")


async def create(call: Call) -> graphs_wire.Graph:
    """A new standalone graph."""
    sent: graphs_wire.CreateGraph = call.body
    details = GraphDetails(
        name=sent.name,
        description=sent.description,
        time_zone=sent.time_zone,
        rating=translate.rating(sent.fact_rating_instruction),
    )
    made = await graphs.create(call.services, call.access, sent.graph_id, details)
    return translate.graph(call.access, made)


async def add_group(call: Call) -> graphs_wire.Group:
    """A new standalone graph, as Zep v2 makes one."""
    sent: graphs_wire.AddGroup = call.body
    details = GraphDetails(
        name=sent.name,
        description=sent.description,
        rating=translate.rating(sent.fact_rating_instruction),
    )
    made = await graphs.create(call.services, call.access, sent.group_id, details, field="group_id")
    return translate.group(call.access, made)


async def _get(call: Call) -> Graph:
    return (await graphs.get(call.services, call.access, common.graph_ref(call.path))).graph


async def get(call: Call) -> graphs_wire.Graph:
    """A standalone graph by id."""
    return translate.graph(call.access, await _get(call))


async def get_group(call: Call) -> graphs_wire.Group:
    """A group by id."""
    return translate.group(call.access, await _get(call))


async def _update(call: Call) -> Graph:
    sent: graphs_wire.UpdateGraph = call.body
    change = GraphChange(
        name=sent.name,
        description=sent.description,
        time_zone=sent.time_zone,
        rating=translate.new_rating(sent.fact_rating_instruction),
    )
    ref = common.graph_ref(call.path)
    return (await graphs.update(call.services, call.access, ref, change)).graph


async def update(call: Call) -> graphs_wire.Graph:
    """Change what is given of a graph."""
    return translate.graph(call.access, await _update(call))


async def update_group(call: Call) -> graphs_wire.Group:
    """Change what is given of a group."""
    return translate.group(call.access, await _update(call))


async def delete(call: Call) -> Success:
    """Remove a graph with all it holds."""
    await graphs.delete(call.services, call.access, common.graph_ref(call.path))
    return Success(message="graph deleted")


async def delete_group(call: Call) -> Success:
    """Remove a group with all it holds."""
    await graphs.delete(call.services, call.access, common.graph_ref(call.path))
    return Success(message="group deleted")


async def _page(call: Call, default: int, most: int) -> GraphPage:
    sent: threads_wire.ListQuery = call.query
    size = min(sent.page_size or default, most)
    return await graphs.page(
        call.services,
        call.access,
        search=translate.search_text(sent.search),
        order=translate.order(sent.order_by, _ORDERS, default="created_at", asc=sent.asc),
        **translate.window(sent.page_number, size),
    )


async def list_all(call: Call) -> graphs_wire.GraphList:
    """A page of standalone graphs."""
    sent: threads_wire.ListQuery = call.query
    page = await _page(call, LIST_ALL_DEFAULT, LIST_ALL_MAX)
    found = [translate.graph(call.access, graph) for graph in page.graphs]
    return graphs_wire.GraphList(
        graphs=found,
        page_number=sent.page_number,
        page_size=min(sent.page_size or LIST_ALL_DEFAULT, LIST_ALL_MAX),
        row_count=len(found),
        total_count=page.total,
    )


async def list_groups(call: Call) -> graphs_wire.GroupList:
    """A page of groups."""
    page = await _page(call, LIST_ALL_MAX, PAGE_MAX)
    found = [translate.group(call.access, graph) for graph in page.graphs]
    return graphs_wire.GroupList(groups=found, row_count=len(found), total_count=page.total)


async def get_group_facts(call: Call) -> knowledge_wire.FactsAnswer:
    """The facts that hold in a group."""
    graph = common.graph_ref(call.path)
    found = await knowledge.facts_holding(call.services, call.access, graph, PAGE_MAX)
    return knowledge_wire.FactsAnswer(facts=[translate.fact2(fact) for fact in found])


async def warm(call: Call) -> Success:
    """Bring a graph into memory ahead of its first search."""
    await graphs.warm(call.services, call.access, common.graph_ref(call.path))
    return Success(message="warm")


async def add(call: Call) -> graphs_wire.Episode:
    """One piece of data into a graph."""
    sent: graphs_wire.AddData = call.body
    episode = NewEpisode(
        kind=sent.type,
        content=sent.data,
        source_description=sent.source_description,
        document_id=sent.document_id,
        metadata=sent.metadata,
        strict_ontology=bool(sent.strict_ontology),
        created_at=checks.moment("created_at", sent.created_at),
        expires_at=checks.moment("expires_at", sent.expires_at),
    )
    remember.check_episode("", episode)
    stored = await _store(call, sent, [episode])
    return translate.episode(stored[0])


async def add_batch(call: Call) -> list[graphs_wire.Episode]:
    """Up to twenty pieces of data into a graph, in the order given."""
    sent: graphs_wire.AddDataBatch = call.body
    new = [
        NewEpisode(
            kind=item.type,
            content=item.data,
            source_description=item.source_description,
            document_id=sent.document_id,
            metadata=item.metadata,
            strict_ontology=bool(sent.strict_ontology),
            created_at=checks.moment(f"episodes[{number}].created_at", item.created_at),
            expires_at=checks.moment(f"episodes[{number}].expires_at", item.expires_at),
        )
        for number, item in enumerate(sent.episodes)
    ]
    remember.check_batch(new)
    stored = await _store(call, sent, new)
    return [translate.episode(episode) for episode in stored]


async def _store(
    call: Call, sent: graphs_wire.AddData | graphs_wire.AddDataBatch, new: list[NewEpisode]
) -> list[Episode]:
    graph_id = translate.graph_id_of(sent.graph_id, sent.group_id)
    ref = GraphRef(user_id=sent.user_id, graph_id=graph_id)
    opens = common.opens_group(call, sent.graph_id, sent.group_id)
    return await remember.add_data(call.services, call.access, ref, new, opens=opens)


ROUTES = [
    Route("POST", "/groups", "graph.create", add_group, "Add a group", body=graphs_wire.AddGroup),
    Route(
        "GET",
        "/groups-ordered",
        "graph.list_all",
        list_groups,
        "List groups",
        query=threads_wire.ListQuery,
    ),
    Route("GET", "/groups/{group_id}", "graph.get", get_group, "Get a group"),
    Route(
        "PATCH",
        "/groups/{group_id}",
        "graph.update",
        update_group,
        "Update a group",
        body=graphs_wire.UpdateGraph,
    ),
    Route("DELETE", "/groups/{group_id}", "graph.delete", delete_group, "Delete a group"),
    Route(
        "GET",
        "/groups/{group_id}/facts",
        "graph.get_facts",
        get_group_facts,
        "List the facts that hold in a group",
    ),
    Route(
        "POST",
        "/graph/create",
        "graph.create",
        create,
        "Create a graph",
        body=graphs_wire.CreateGraph,
    ),
    Route(
        "GET",
        "/graph/list-all",
        "graph.list_all",
        list_all,
        "List standalone graphs",
        query=threads_wire.ListQuery,
    ),
    Route("GET", "/graph/{graph_id}", "graph.get", get, "Get a graph"),
    Route(
        "PATCH",
        "/graph/{graph_id}",
        "graph.update",
        update,
        "Update a graph",
        body=graphs_wire.UpdateGraph,
    ),
    Route("DELETE", "/graph/{graph_id}", "graph.delete", delete, "Delete a graph"),
    Route("GET", "/graph/{graph_id}/warm", "graph.warm", warm, "Preload a graph"),
    Route("POST", "/graph", "graph.add", add, "Add data to a graph", body=graphs_wire.AddData),
    Route(
        "POST",
        "/graph-batch",
        "graph.add_batch",
        add_batch,
        "Add several pieces of data to a graph",
        body=graphs_wire.AddDataBatch,
    ),
]
