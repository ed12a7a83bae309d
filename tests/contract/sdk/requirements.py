"""What the released clients rely on, as a list that is tested both ways.

Each client method is an entry, named `v2:memory.add`, `v3:thread.add_messages` or, for the
MemMachine client, `mm:memory.add`; each further promise is an entry named after the method or topic it belongs to. `test_requirements.py` compares
the list with the tests.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tests.contract.sdk import requirements_4, requirements_mm

BASE_PATH = "/api/v2"
BASE_PATH_4 = "/api/v4"
MARK = "__requirements__"
Test = TypeVar("Test", bound=Callable[..., object])


@dataclass(frozen=True)
class Requirement:
    """One thing a client relies on: where it is written down, and what holds.

    A method that this server does not offer says why: it is answered with 501.
    """

    source: str
    behaviour: str
    http: str | None = None
    not_offered: str | None = None


def requirement(*ids: str) -> Callable[[Test], Test]:
    """Mark a test with the entries it shows."""

    def mark(test: Test) -> Test:
        setattr(test, MARK, ids)
        return test

    return mark


def is_method(name: str) -> bool:
    """Whether an entry is a client method rather than a further promise."""
    return name.count(":") == 1


def _methods(
    generation: str,
    source: str,
    rows: Iterable[tuple[str, str, str]],
    not_offered: Mapping[str, str] | None = None,
    base: str = BASE_PATH,
) -> dict[str, Requirement]:
    """Entries for client methods from rows of method, `VERB path`, behaviour."""
    entries = {}
    for method, http, behaviour in rows:
        verb, _, path = http.partition(" ")
        route = f"{verb} {base}/{path}"
        lacking = (not_offered or {}).get(method)
        entries[f"{generation}:{method}"] = Requirement(source, behaviour, route, lacking)
    return entries


def _promises(source: str, rows: Iterable[tuple[str, str]]) -> dict[str, Requirement]:
    """Entries for behaviours that are more than one method answering."""
    return {name: Requirement(source, says) for name, says in rows}


V2 = "contracts/zep-v2.md"
V3 = "contracts/zep-v3.md"
GUIDE = "guides/zep-v2-guide.md"
PROJECTION = "guides/metadata-projection.txt"
RULES = "behaviour.md"

NOT_OFFERED_3 = {
    "user_group.attach_policy_set": "No request is made on behalf of a user: nothing enforces it."
}

GENERATION_2: dict[str, Requirement] = {
    **_methods(
        "v2",
        f"{V2} §2 memory and sessions",
        [
            ("memory.get_fact", "GET facts/{fact_uuid}", "Reads one fact by its uuid."),
            ("memory.delete_fact", "DELETE facts/{fact_uuid}", "Removes one fact by its uuid."),
            ("memory.add_session", "POST sessions", "Opens a session of an existing user."),
            (
                "memory.list_sessions",
                "GET sessions-ordered",
                "Lists sessions in pages with the total.",
            ),
            ("memory.end_sessions", "POST sessions/end", "Ends several sessions at once."),
            (
                "memory.get_session",
                "GET sessions/{session_id}",
                "Reads a session with its metadata and owner.",
            ),
            (
                "memory.update_session",
                "PATCH sessions/{session_id}",
                "Changes a session's metadata.",
            ),
            (
                "memory.end_session",
                "POST sessions/{session_id}/end",
                "Ends a session and answers it with the time it ended.",
            ),
            (
                "memory.get",
                "GET sessions/{session_id}/memory",
                "Answers the recent messages and a context string.",
            ),
            ("memory.add", "POST sessions/{session_id}/memory", "Adds messages to a session."),
            (
                "memory.delete",
                "DELETE sessions/{session_id}/memory",
                "Removes a session and its messages.",
            ),
            (
                "memory.get_session_messages",
                "GET sessions/{session_id}/messages",
                "Lists a session's messages, oldest first, with counts.",
            ),
            (
                "memory.get_session_message",
                "GET sessions/{session_id}/messages/{message_uuid}",
                "Reads one message of a session.",
            ),
            (
                "memory.update_message_metadata",
                "PATCH sessions/{session_id}/messages/{message_uuid}",
                "Changes the metadata of one message.",
            ),
            (
                "memory.get_session_facts",
                "GET sessions/{session_id}/facts",
                "Lists the facts that came from one session.",
            ),
            (
                "memory.add_session_facts",
                "POST sessions/{session_id}/facts",
                "Adds facts to a session by hand.",
            ),
        ],
    ),
    **_methods(
        "v2",
        f"{V2} §2 memory and sessions",
        [
            (
                "memory.search_sessions",
                "POST sessions/search",
                "Searches messages, facts or summaries of a user's or of named sessions.",
            ),
            (
                "memory.search",
                "POST sessions/{session_id}/search",
                "Searches messages, facts or the summary of one session.",
            ),
        ],
    ),
    **_methods(
        "v2",
        f"{V2} §2 memory and sessions",
        [
            (
                "memory.classify_session",
                "POST sessions/{session_id}/classify",
                "Puts a session in one of the given classes.",
            ),
            (
                "memory.extract_data",
                "POST sessions/{session_id}/extract",
                "Reads values of a given schema out of a session.",
            ),
            (
                "memory.get_summaries",
                "GET sessions/{session_id}/summary",
                "Lists a session's summaries.",
            ),
            (
                "memory.synthesize_question",
                "GET sessions/{session_id}/synthesize_question",
                "Puts the last messages into one question.",
            ),
        ],
    ),
    **_methods(
        "v2",
        f"{V2} §2 user",
        [
            ("user.add", "POST users", "Creates a user with names, e-mail and metadata."),
            ("user.list_ordered", "GET users-ordered", "Lists users in pages with the total."),
            ("user.get", "GET users/{user_id}", "Reads a user."),
            ("user.delete", "DELETE users/{user_id}", "Removes a user."),
            ("user.update", "PATCH users/{user_id}", "Changes the given fields of a user."),
            ("user.get_facts", "GET users/{user_id}/facts", "Lists the facts about a user."),
            ("user.get_node", "GET users/{user_id}/node", "Reads the user's own node."),
            ("user.get_sessions", "GET users/{user_id}/sessions", "Lists a user's sessions."),
        ],
    ),
    **_methods(
        "v2",
        f"{V2} §2 group",
        [
            ("group.add", "POST groups", "Creates a group with name and description."),
            ("group.get_all_groups", "GET groups-ordered", "Lists groups in pages."),
            ("group.get_group", "GET groups/{group_id}", "Reads a group."),
            ("group.delete", "DELETE groups/{group_id}", "Removes a group and its graph."),
            ("group.update", "PATCH groups/{group_id}", "Changes the given fields of a group."),
            ("group.get_facts", "GET groups/{group_id}/facts", "Lists the facts of a group."),
        ],
    ),
    **_methods(
        "v2",
        f"{V2} §2 graph",
        [
            ("graph.list_entity_types", "GET entity-types", "Reads the project's custom types."),
            (
                "graph.set_entity_types_internal",
                "PUT entity-types",
                "Replaces the project's custom types.",
            ),
            ("graph.add", "POST graph", "Adds one episode to a user's or a group's graph."),
            ("graph.add_batch", "POST graph-batch", "Adds several episodes in one call."),
            ("graph.search", "POST graph/search", "Searches a graph by words and meaning."),
            (
                "graph.edge.get_by_group_id",
                "POST graph/edge/group/{group_id}",
                "Lists the edges of a group as a bare array.",
            ),
            (
                "graph.edge.get_by_user_id",
                "POST graph/edge/user/{user_id}",
                "Lists the edges of a user as a bare array.",
            ),
            ("graph.edge.get", "GET graph/edge/{uuid}", "Reads one edge."),
            ("graph.edge.delete", "DELETE graph/edge/{uuid}", "Removes one edge, not its nodes."),
            (
                "graph.node.get_by_group_id",
                "POST graph/node/group/{group_id}",
                "Lists the nodes of a group as a bare array.",
            ),
            (
                "graph.node.get_by_user_id",
                "POST graph/node/user/{user_id}",
                "Lists the nodes of a user as a bare array.",
            ),
            (
                "graph.node.get_edges",
                "GET graph/node/{node_uuid}/entity-edges",
                "Lists the edges that touch a node.",
            ),
            (
                "graph.node.get_episodes",
                "GET graph/node/{node_uuid}/episodes",
                "Lists the episodes that mention a node.",
            ),
            ("graph.node.get", "GET graph/node/{uuid}", "Reads one node."),
            (
                "graph.episode.get_by_group_id",
                "GET graph/episodes/group/{group_id}",
                "Lists the episodes of a group in an envelope.",
            ),
            (
                "graph.episode.get_by_user_id",
                "GET graph/episodes/user/{user_id}",
                "Lists the episodes of a user in an envelope.",
            ),
            ("graph.episode.get", "GET graph/episodes/{uuid}", "Reads one episode."),
            ("graph.episode.delete", "DELETE graph/episodes/{uuid}", "Removes one episode."),
            (
                "graph.episode.get_nodes_and_edges",
                "GET graph/episodes/{uuid}/mentions",
                "Lists what an episode mentions.",
            ),
        ],
    ),
    **_methods(
        "v2",
        f"{V2} §2 graph",
        [
            ("graph.add_fact_triple", "POST graph/add-fact-triple", "Adds one fact by hand."),
            ("graph.clone", "POST graph/clone", "Copies a graph to a new owner."),
        ],
    ),
    **_methods(
        "v2",
        f"{V2} §2 document",
        [
            (
                "document.list_collections",
                "GET collections",
                "Lists collections as a list of lists.",
            ),
            (
                "document.get_collection",
                "GET collections/{collection_name}",
                "Reads a collection with its document count.",
            ),
            (
                "document.add_collection",
                "POST collections/{collection_name}",
                "Creates a collection.",
            ),
            (
                "document.delete_collection",
                "DELETE collections/{collection_name}",
                "Removes a collection and its documents.",
            ),
            (
                "document.update_collection",
                "PATCH collections/{collection_name}",
                "Changes a collection's description and metadata.",
            ),
            (
                "document.add_documents",
                "POST collections/{collection_name}/documents",
                "Adds documents from a bare array and answers their uuids.",
            ),
            (
                "document.batch_delete_documents",
                "POST collections/{collection_name}/documents/batchDelete",
                "Removes the documents of a bare array of uuids.",
            ),
            (
                "document.batch_get_documents",
                "POST collections/{collection_name}/documents/batchGet",
                "Reads documents by uuid or by the caller's id.",
            ),
            (
                "document.batch_update_documents",
                "PATCH collections/{collection_name}/documents/batchUpdate",
                "Changes several documents from a bare array.",
            ),
            (
                "document.gets_a_document_from_a_document_collection_by_uuid",
                "GET collections/{collection_name}/documents/uuid/{document_uuid}",
                "Reads one document.",
            ),
            (
                "document.delete_document",
                "DELETE collections/{collection_name}/documents/uuid/{document_uuid}",
                "Removes one document.",
            ),
            (
                "document.updates_a_document",
                "PATCH collections/{collection_name}/documents/uuid/{document_uuid}",
                "Changes one document's id and metadata.",
            ),
        ],
    ),
    **_methods(
        "v2",
        f"{V2} §2 document",
        [
            (
                "document.search",
                "POST collections/{collection_name}/search",
                "Searches a collection by words, meaning and metadata.",
            )
        ],
    ),
}

GENERATION_3: dict[str, Requirement] = {
    **_methods(
        "v3",
        f"{V3} §2 thread",
        [
            ("thread.list_all", "GET threads", "Lists threads in pages with the total."),
            ("thread.create", "POST threads", "Opens a thread of an existing user."),
            ("thread.delete", "DELETE threads/{thread_id}", "Removes a thread and its messages."),
            (
                "thread.get_user_context",
                "GET threads/{thread_id}/context",
                "Answers a context string for the thread's user.",
            ),
            (
                "thread.get_episodes",
                "GET threads/{thread_id}/episodes",
                "Lists the episodes made of a thread's messages.",
            ),
            (
                "thread.get",
                "GET threads/{thread_id}/messages",
                "Lists a thread's messages, oldest first, with counts and owner.",
            ),
            (
                "thread.add_messages",
                "POST threads/{thread_id}/messages",
                "Adds messages and answers their uuids in order.",
            ),
            (
                "thread.add_messages_batch",
                "POST threads/{thread_id}/messages-batch",
                "Adds many messages and answers a task to follow.",
            ),
            (
                "thread.message.update",
                "PATCH messages/{message_uuid}",
                "Changes the metadata of one message.",
            ),
        ],
    ),
    **_methods(
        "v3",
        f"{V3} §2 thread",
        [("thread.get_summary", "GET threads/{thread_id}/summary", "Reads a thread's summary.")],
    ),
    **_methods(
        "v3",
        f"{V3} §2 user",
        [
            (
                "user.list_user_summary_instructions",
                "GET user-summary-instructions",
                "Lists the summary instructions of a user or of the project.",
            ),
            (
                "user.add_user_summary_instructions",
                "POST user-summary-instructions",
                "Adds summary instructions without removing others.",
            ),
            (
                "user.delete_user_summary_instructions",
                "DELETE user-summary-instructions",
                "Removes the named summary instructions, or all without names.",
            ),
            ("user.add", "POST users", "Creates a user with names, e-mail, zone and metadata."),
            ("user.list_ordered", "GET users-ordered", "Lists users in pages, by search words."),
            ("user.get", "GET users/{user_id}", "Reads a user."),
            ("user.delete", "DELETE users/{user_id}", "Removes a user."),
            ("user.update", "PATCH users/{user_id}", "Changes the given fields of a user."),
            ("user.get_node", "GET users/{user_id}/node", "Reads the user's own node."),
            ("user.get_threads", "GET users/{user_id}/threads", "Lists a user's threads."),
            ("user.warm", "GET users/{user_id}/warm", "Brings a user's graph into memory."),
        ],
    ),
    **_methods(
        "v3",
        f"{V3} §2 graph",
        [
            (
                "graph.list_custom_instructions",
                "GET custom-instructions",
                "Lists the extraction instructions of one scope.",
            ),
            (
                "graph.add_custom_instructions",
                "POST custom-instructions",
                "Adds extraction instructions without removing others.",
            ),
            (
                "graph.delete_custom_instructions",
                "DELETE custom-instructions",
                "Removes the named extraction instructions, or all without names.",
            ),
            (
                "graph.list_entity_types",
                "GET entity-types",
                "Reads the custom types of the project, a user or a graph.",
            ),
            (
                "graph.set_entity_types_internal",
                "PUT entity-types",
                "Replaces the custom types of the project, users or graphs.",
            ),
            ("graph.add", "POST graph", "Adds one episode with metadata to a graph."),
            ("graph.add_batch", "POST graph-batch", "Adds several episodes in one call."),
            ("graph.create", "POST graph/create", "Creates a standalone graph."),
            (
                "graph.get_episodes_for_document",
                "GET graph/documents/{document_id}/episodes",
                "Lists the episodes added under a document id.",
            ),
            ("graph.list_all", "GET graph/list-all", "Lists standalone graphs in pages."),
            ("graph.search", "POST graph/search", "Searches a graph by words and meaning."),
            ("graph.get", "GET graph/{graph_id}", "Reads a graph."),
            ("graph.delete", "DELETE graph/{graph_id}", "Removes a graph and all it holds."),
            ("graph.update", "PATCH graph/{graph_id}", "Changes the given fields of a graph."),
            ("graph.warm", "GET graph/{graph_id}/warm", "Brings a graph into memory."),
        ],
    ),
    **_methods(
        "v3",
        f"{V3} §2 graph",
        [
            ("graph.add_fact_triple", "POST graph/add-fact-triple", "Adds one fact by hand."),
            ("graph.add_nodes", "POST graph/nodes", "Adds nodes by hand."),
            ("graph.clone", "POST graph/clone", "Copies a graph to a new owner."),
        ],
    ),
    **_methods(
        "v3",
        f"{V3} §2 graph",
        [
            ("graph.detect_patterns", "POST graph/patterns", "Finds recurring shapes in a graph."),
            ("graph.get_subgraph", "POST graph/subgraph", "Walks out from given nodes."),
            (
                "graph.node.get_neighbors",
                "POST graph/node/{node_uuid}/neighbors",
                "Lists the nodes one step away.",
            ),
        ],
    ),
    **_methods(
        "v3",
        f"{V3} §2 graph.node, graph.edge, graph.episode",
        [
            (
                "graph.node.get_by_graph_id",
                "POST graph/node/graph/{graph_id}",
                "Lists the nodes of a graph as a bare array.",
            ),
            (
                "graph.node.get_by_user_id",
                "POST graph/node/user/{user_id}",
                "Lists the nodes of a user as a bare array.",
            ),
            (
                "graph.node.get_edges",
                "GET graph/node/{node_uuid}/entity-edges",
                "Lists the edges that touch a node.",
            ),
            (
                "graph.node.get_episodes",
                "GET graph/node/{node_uuid}/episodes",
                "Lists the episodes that mention a node.",
            ),
            ("graph.node.get", "GET graph/node/{uuid}", "Reads one node."),
            ("graph.node.delete", "DELETE graph/node/{uuid}", "Removes a node and its edges."),
            ("graph.node.update", "PATCH graph/node/{uuid}", "Changes the given fields of a node."),
            (
                "graph.edge.get_by_graph_id",
                "POST graph/edge/graph/{graph_id}",
                "Lists the edges of a graph as a bare array.",
            ),
            (
                "graph.edge.get_by_user_id",
                "POST graph/edge/user/{user_id}",
                "Lists the edges of a user as a bare array.",
            ),
            ("graph.edge.get", "GET graph/edge/{uuid}", "Reads one edge."),
            ("graph.edge.delete", "DELETE graph/edge/{uuid}", "Removes one edge, not its nodes."),
            (
                "graph.edge.update",
                "PATCH graph/edge/{uuid}",
                "Changes the given fields of an edge.",
            ),
            (
                "graph.episode.get_by_graph_id",
                "GET graph/episodes/graph/{graph_id}",
                "Lists the last episodes of a graph in an envelope.",
            ),
            (
                "graph.episode.list_by_graph_id",
                "POST graph/episodes/graph/{graph_id}",
                "Lists the episodes of a graph in pages, as a bare array.",
            ),
            (
                "graph.episode.get_by_user_id",
                "GET graph/episodes/user/{user_id}",
                "Lists the last episodes of a user in an envelope.",
            ),
            (
                "graph.episode.list_by_user_id",
                "POST graph/episodes/user/{user_id}",
                "Lists the episodes of a user in pages, as a bare array.",
            ),
            ("graph.episode.get", "GET graph/episodes/{uuid}", "Reads one episode."),
            ("graph.episode.delete", "DELETE graph/episodes/{uuid}", "Removes one episode."),
            (
                "graph.episode.update",
                "PATCH graph/episodes/{uuid}",
                "Changes the metadata of one episode.",
            ),
            (
                "graph.episode.get_nodes_and_edges",
                "GET graph/episodes/{uuid}/mentions",
                "Lists what an episode mentions.",
            ),
        ],
    ),
    **_methods(
        "v3",
        f"{V3} §2 graph.observation, graph.thread_summary, graph.document_summary",
        [
            (
                "graph.observation.get_by_graph_id",
                "POST graph/observation/graph/{graph_id}",
                "Lists the observations on a graph.",
            ),
            (
                "graph.observation.get_by_user_id",
                "POST graph/observation/user/{user_id}",
                "Lists the observations on a user.",
            ),
            ("graph.observation.get", "GET graph/observation/{uuid}", "Reads one observation."),
            (
                "graph.thread_summary.get_by_graph_id",
                "POST graph/thread-summary/graph/{graph_id}",
                "Lists the thread summaries of a graph.",
            ),
            (
                "graph.thread_summary.get_by_user_id",
                "POST graph/thread-summary/user/{user_id}",
                "Lists the thread summaries of a user.",
            ),
            (
                "graph.document_summary.get_by_graph_id",
                "POST graph/document-summary/graph/{graph_id}",
                "Lists the document summaries of a graph.",
            ),
        ],
    ),
    **_methods(
        "v3",
        f"{V3} §2 batch, task",
        [
            ("batch.list", "GET batches", "Lists batches in pages, by status."),
            ("batch.create", "POST batches", "Opens a draft batch."),
            ("batch.get", "GET batches/{batch_id}", "Reads a batch with its progress."),
            ("batch.delete", "DELETE batches/{batch_id}", "Removes a batch that has not run."),
            (
                "batch.list_items",
                "GET batches/{batch_id}/items",
                "Lists a batch's items in the order they were added.",
            ),
            ("batch.add", "POST batches/{batch_id}/items", "Appends items to a draft batch."),
            ("batch.process", "POST batches/{batch_id}/process", "Starts a batch."),
            ("task.get", "GET tasks/{task_id}", "Reads how far a task has come."),
        ],
    ),
    **_methods(
        "v3",
        f"{V3} §2 context templates, project",
        [
            (
                "context.list_context_templates",
                "GET context-templates",
                "Lists the project's context templates.",
            ),
            (
                "context.create_context_template",
                "POST context-templates",
                "Creates a context template.",
            ),
            (
                "context.get_context_template",
                "GET context-templates/{template_id}",
                "Reads a context template.",
            ),
            (
                "context.update_context_template",
                "PUT context-templates/{template_id}",
                "Replaces the text of a context template.",
            ),
            (
                "context.delete_context_template",
                "DELETE context-templates/{template_id}",
                "Removes a context template.",
            ),
            ("project.get", "GET projects/info", "Reads the project the key belongs to."),
            ("project.update", "PATCH projects/info", "Changes the project's default time zone."),
            (
                "project.get_observation_steering",
                "GET projects/observation-steering",
                "Reads the observation steering of a scope.",
            ),
            (
                "project.set_observation_steering",
                "PUT projects/observation-steering",
                "Replaces the observation steering of a scope.",
            ),
        ],
    ),
    **_methods(
        "v3",
        f"{V3} §2 user_group",
        [
            (
                "user_group.list_policy_sets",
                "GET abac/user-groups/{group_uuid}/policy-sets",
                "Lists the policy sets of a user group.",
            ),
            ("user_group.list", "GET user-groups", "Lists user groups in pages, by search words."),
            ("user_group.create", "POST user-groups", "Creates a managed user group."),
            (
                "user_group.list_for_user",
                "GET user-groups/users/{user_uuid}",
                "Lists the groups a user is in.",
            ),
            ("user_group.get", "GET user-groups/{group_uuid}", "Reads a user group."),
            ("user_group.delete", "DELETE user-groups/{group_uuid}", "Removes a user group."),
            (
                "user_group.update",
                "PATCH user-groups/{group_uuid}",
                "Changes a user group at the version the caller has seen.",
            ),
            (
                "user_group.list_members",
                "GET user-groups/{group_uuid}/members",
                "Lists the members in pages.",
            ),
            (
                "user_group.add_members",
                "POST user-groups/{group_uuid}/members",
                "Adds users and counts what changed.",
            ),
            (
                "user_group.remove_members",
                "POST user-groups/{group_uuid}/members/bulk-remove",
                "Removes several users and counts what changed.",
            ),
            (
                "user_group.list_member_candidates",
                "GET user-groups/{group_uuid}/members/candidates",
                "Lists users who are not members.",
            ),
            (
                "user_group.remove_member",
                "DELETE user-groups/{group_uuid}/members/{user_uuid}",
                "Removes one user and counts what changed.",
            ),
            (
                "user_group.attach_policy_set",
                "POST abac/user-groups/{group_uuid}/policy-sets",
                "Refuses to attach a policy set to a user group: nothing would enforce it.",
            ),
            (
                "user_group.detach_policy_set",
                "DELETE abac/user-groups/{group_uuid}/policy-sets/{policy_set_uuid}",
                "Takes a policy set off a user group, with an admin key.",
            ),
        ],
        NOT_OFFERED_3,
    ),
}

PROMISES: dict[str, Requirement] = {
    **_promises(
        f"{V2} §1 transport rules",
        [
            ("v2:errors:404-is-typed", "A missing object is the client's NotFoundError."),
            ("v2:errors:400-is-typed", "A refused argument is the client's BadRequestError."),
            ("v2:errors:duplicate-is-400", "Creating an object twice is 400, never 409."),
            ("v2:errors:401-carries-status", "A wrong key is an API error with status 401."),
            ("v2:transport:body-on-get", "A body on GET or DELETE is drained and ignored."),
            ("v2:transport:delete-answers-json", "A delete answers a JSON object, not 204."),
            ("v2:transport:no-slash-redirect", "A trailing slash never leads to a redirect."),
            ("v2:transport:raw-path", "An encoded slash stays inside its path segment."),
            ("v2:transport:zoned-timestamps", "Timestamps are RFC 3339 in UTC with Z."),
            ("v2:transport:free-form-maps", "Metadata keys and values come back untouched."),
            ("v2:ids:any-text", "Ids with spaces, emoji and punctuation round-trip."),
            ("v2:ids:refused", "Ids no client can put in a path are refused by field name."),
        ],
    ),
    **_promises(
        f"{V3} §1 transport rules",
        [
            ("v3:errors:404-is-typed", "A missing object is the client's NotFoundError."),
            ("v3:errors:404-untyped", "Where 404 is not typed it still carries its status."),
            ("v3:errors:400-is-typed", "A refused argument is the client's BadRequestError."),
            ("v3:errors:409-is-typed", "A second start of a batch is a ConflictError at once."),
            ("v3:errors:duplicate-is-400", "Creating an object twice is 400, never 409."),
            ("v3:errors:401-carries-status", "A wrong key is an API error with status 401."),
            (
                "v3:errors:429-says-when",
                "Over a limit the answer is 429 and says when to come back.",
            ),
            ("v3:errors:message-object", "Every error is a JSON object with a message string."),
            ("v3:transport:empty-body", "An absent body is read as an empty object."),
            ("v3:transport:body-on-delete", "A delete may carry a JSON body that counts."),
            ("v3:transport:unknown-ignored", "Unknown fields and query names are ignored."),
            ("v3:transport:keep-alive", "Many calls share one connection in step."),
            ("v3:transport:zoned-timestamps", "Timestamps are RFC 3339 in UTC with Z."),
            ("v3:transport:free-form-maps", "Metadata keys and values come back untouched."),
            ("v3:ids:any-text", "Ids with spaces, emoji and punctuation round-trip."),
            ("v3:ids:refused", "Ids no client can put in a path are refused by field name."),
        ],
    ),
    **_promises(
        f"{V2} §2 memory and sessions",
        [
            ("v2:memory.get:lastn", "lastn keeps the newest messages, still oldest first."),
            ("v2:memory.get_session_messages:paging", "limit and cursor walk the whole history."),
            ("v2:memory.list_sessions:order", "order_by and asc decide the order of sessions."),
            ("v2:memory.delete:keeps-graph", "Deleting a session keeps its episodes."),
            ("v2:memory.add:message-fields", "Role, role type, time and metadata are kept."),
        ],
    ),
    **_promises(
        f"{V3} §2 thread",
        [
            ("v3:thread.get:lastn-overrides-limit", "lastn wins over limit and cursor."),
            ("v3:thread.get:paging", "limit and cursor walk the whole history."),
            ("v3:thread.delete:removes-episodes", "Deleting a thread deletes its episodes."),
            ("v3:thread.list_all:order", "order_by and asc decide the order of threads."),
            ("v3:thread.add_messages:message-fields", "Name, role, time and metadata are kept."),
        ],
    ),
    **_promises(
        f"{V3} §2 graph.node, graph.edge, graph.episode",
        [
            (
                "v3:graph.episode.list:next-cursor-header",
                "A page of a list names the next cursor in a header; the last page names none.",
            ),
            ("v3:graph.node.list:next-cursor-header", "Node lists page by the same header."),
            ("v3:graph.edge.list:next-cursor-header", "Edge lists page by the same header."),
            ("v3:graph.list:uuid-cursor", "uuid_cursor continues after the last item seen."),
            ("v3:graph.episode.list:clamp", "A page holds 50 at the most, 100 if unasked."),
            ("v3:graph.episode.list:order", "order_by created_at with a direction sorts."),
            ("v3:graph.episode.update:merge", "Given keys are set and null removes a key."),
            ("v3:graph.edge.update:merge", "Attributes merge and null removes a key."),
            ("v3:graph.node.update:merge", "Attributes merge and null removes a key."),
        ],
    ),
    **_promises(
        f"{V2} §2 graph",
        [
            ("v2:graph.list:uuid-cursor", "uuid_cursor continues after the last item seen."),
            ("v2:graph.set_ontology:classes", "Entity and edge classes are stored as types."),
            (
                "v2:graph.set_ontology:classifies",
                "New nodes and edges get their type, and its fields are filled.",
            ),
            ("v2:user.add:fact-ratings", "Each new fact is rated by the user's instruction."),
            ("v2:graph.set_entity_types:limits", "More than ten types of a kind are refused."),
            ("v2:graph.add:data-limit", "10,000 characters are taken, one more is 400."),
            ("v2:graph.add_batch:limit", "20 episodes are taken, one more is 400."),
            ("v2:graph.search:one-target", "Search needs exactly one of user and group."),
            ("v2:graph.episode.list:lastn", "lastn keeps the newest episodes of a graph."),
        ],
    ),
    **_promises(
        f"{V3} §2 graph",
        [
            ("v3:graph.set_ontology:classes", "Entity and edge classes are stored as types."),
            ("v3:graph.set_ontology:scopes", "Types of one user or graph stay with it."),
            (
                "v3:graph.set_ontology:classifies",
                "New nodes and edges get their type, and its fields are filled.",
            ),
            ("v3:graph.list_all:standalone-only", "User graphs are not in the list of graphs."),
            ("v3:graph.search:one-target", "Search needs exactly one of user and graph."),
            ("v3:graph.episode.list:lastn", "lastn keeps the newest episodes of a graph."),
        ],
    ),
    **_promises(
        f"{RULES} §1.6 I1, I13",
        [
            ("v2:graph.add:becomes-processed", "An episode is processed after a while."),
            ("v3:graph.add:becomes-processed", "An episode is processed after a while."),
            ("v3:thread.add_messages:becomes-processed", "A message is processed after a while."),
            ("v3:task.get:succeeds", "The task of a write ends as succeeded."),
        ],
    ),
    **_promises(
        f"{RULES} §1.6 I3, I5, I6, I7, I9",
        [
            ("v2:memory.add:limits", "30 messages of 4,096 characters are taken, no more."),
            ("v3:thread.add_messages:limits", "30 messages of 4,096 characters, no more."),
            ("v2:memory.add:ignore-roles", "Messages of ignored roles stay in the history."),
            ("v3:thread.add_messages:ignore-roles", "Messages of ignored roles stay in it."),
            ("v2:memory.add:return-context", "return_context answers a context at once."),
            ("v3:thread.add_messages:return-context", "return_context answers a context."),
            ("v3:graph.add:data-limit", "10,000 characters are taken, one more is 400."),
            ("v3:graph.add:one-target", "An episode goes to exactly one of user and graph."),
            ("v3:graph.add_batch:limit", "20 episodes are taken, one more is 400."),
        ],
    ),
    **_promises(
        f"{RULES} §1.2 M1, M4",
        [
            ("v3:graph.add:metadata-limits", "Nested values and eleven keys are refused."),
            ("v3:thread.message.update:merge", "Given keys are set and null removes a key."),
            ("v2:memory.update_message_metadata:merge", "Given keys are set, null removes."),
        ],
    ),
    **_promises(
        f"{RULES} §1.6 I10",
        [
            ("v3:batch:life-cycle", "A batch goes from draft to succeeded with its items."),
            ("v3:batch:delete-only-draft", "A batch that ran cannot be deleted: 409."),
            ("v3:batch:closed-after-process", "A batch that ran takes no more items: 409."),
            ("v3:batch:ignored-roles-are-skipped", "Items of ignored roles are skipped."),
            ("v3:batch:unknown-target-is-invalid", "A batch for an unknown target is invalid."),
        ],
    ),
    **_promises(
        f"{RULES} §1.1 Z5, Z10, Z11",
        [
            ("v2:user.add:node-and-facts", "A new user has a node and facts about itself."),
            ("v3:user.add:node-and-facts", "A new user has a node and facts about itself."),
            ("v3:user.update:node-follows", "Renaming a user renames its node."),
            ("v2:memory.get:facts-that-hold", "The context carries the user's facts."),
            ("v3:thread.get_user_context:facts-that-hold", "The context carries facts."),
            ("v3:graph.create:starts-empty", "A standalone graph starts without nodes."),
        ],
    ),
    **_promises(
        f"{RULES} §1.5 D1, D2, D3, D8, D9",
        [
            ("v2:user.delete:cascades", "Deleting a user deletes sessions and graph."),
            ("v3:user.delete:cascades", "Deleting a user deletes threads and graph."),
            ("v3:graph.delete:cascades", "Deleting a graph deletes its episodes."),
            ("v3:graph.edge.delete:keeps-nodes", "Deleting an edge keeps both its nodes."),
            ("v3:graph.node.delete:not-the-users-own", "A user's own node stays: 400."),
        ],
    ),
    **_promises(
        f"{RULES} §1.5 D2",
        [("v3:graph.node.delete:takes-edges", "Deleting a node deletes its edges.")],
    ),
    **_promises(
        f"{RULES} §1.1 Z7, §1.6 I11",
        [
            ("v2:graph.add_fact_triple:one-edge", "The same fact again is the same edge."),
            ("v3:graph.add_fact_triple:one-edge", "The same fact again is the same edge."),
            ("v2:graph.add_fact_triple:closes", "A fact closes the one it contradicts."),
            ("v3:graph.add_fact_triple:closes", "A fact closes the one it contradicts."),
            ("v2:graph.add_fact_triple:limits", "Lengths and names out of bounds are 400."),
            ("v3:graph.add_fact_triple:limits", "Lengths and names out of bounds are 400."),
            ("v3:graph.add_fact_triple:types", "Attributes fit the type they are of."),
            ("v2:graph.add_fact_triple:node-exists", "A node that is given must exist: 404."),
            ("v3:graph.add_fact_triple:node-exists", "A node that is given must exist: 404."),
            ("v3:graph.add_fact_triple:unlisted", "No list shows the episode behind it."),
            ("v3:graph.add_nodes:limits", "One to a hundred nodes, each within bounds."),
        ],
    ),
    **_promises(
        f"{V2} §2 memory and sessions",
        [("v2:memory.end_session:classifies", "A session can be classified as it ends.")],
    ),
    **_promises(
        f"{RULES} §1.10 N7",
        [
            ("v2:graph.clone:free-target", "A copy is made under an id that is free: 400."),
            ("v3:graph.clone:free-target", "A copy is made under an id that is free: 400."),
        ],
    ),
    **_promises(
        f"{RULES} §1.10 N4, N5",
        [
            ("v3:thread.get_summary:none-yet", "No summary before messages were processed: 404."),
            ("v3:graph.observation:evidence", "Observations name what they rest on."),
            ("v3:graph.observation:follow-deletion", "What is deleted is in none of them."),
            ("v3:graph.observation:filters", "Listed by dates and episodes; unknown fields: 400."),
        ],
    ),
    **_promises(
        f"{RULES} §1.9 B8",
        [
            ("v3:context.create_context_template:limits", "1,200 characters, ids to 100."),
            ("v3:context.create_context_template:variables", "Unknown variables are refused."),
        ],
    ),
    **_promises(
        f"{V3} §2 context templates, project",
        [
            (
                "v3:project.observation_steering:fallback",
                "A scope without its own steering reads the project's; empty clears it.",
            ),
        ],
    ),
    **_promises(
        f"{V3} §2 user_group",
        [("v3:user_group.update:version", "A stale version is a ConflictError.")],
    ),
    **_promises(
        f"{GUIDE} Quickstart",
        [
            ("v2:graph.add:opens-group", "Adding to a group that is not there yet creates it."),
            ("v3:graph.add:no-graph", "A graph of generation 3 is created first."),
        ],
    ),
    **_promises(
        f"{GUIDE} Walkthrough",
        [("v2:graph.edge:graph-id", "Nodes and edges name their graph by its uuid.")],
    ),
    **_promises(
        f"{GUIDE} Sessions",
        [("v2:memory.get_session:updated", "A session was updated when something was said.")],
    ),
    **_promises(
        f"{GUIDE} Customizing graph structure",
        [("v2:graph.search:attributes", "What has no attributes has an empty map of them.")],
    ),
    **_promises(
        f"{GUIDE} Check data ingestion status",
        [
            ("v2:graph.episode.get:ends", "What cannot be read is processed, with an error."),
            ("v3:graph.episode.get:ends", "What cannot be read is processed, with an error."),
        ],
    ),
    **_promises(
        f"{PROJECTION} How episodes associate",
        [
            (
                "v3:graph.node.get_episodes:small-talk",
                "Every episode that names a node, whether it says anything of it.",
            ),
        ],
    ),
    **_promises(
        f"{PROJECTION} How episodes associate, written facts",
        [
            (
                f"{generation}:graph.add_fact_triple:provenance",
                "An edge names the episode it is, and takes its words along.",
            )
            for generation in ("v2", "v3")
        ],
    ),
    **_promises(
        f"{V3} §8 shared base with generation 2",
        [
            ("shared:session-is-thread", "A session is a thread to the other generation."),
            ("shared:group-is-graph", "A group is a graph to the other generation."),
            ("shared:message-words", "Role and name swap their words between generations."),
            ("shared:episode-fields", "An episode carries session_id and thread_id alike."),
        ],
    ),
    **_promises(
        f"{RULES} §1.11 P3",
        [("shared:projects-are-isolated", "A key sees its own project and no other.")],
    ),
    **_promises(
        f"{V2} §2 graph",
        [
            ("v2:graph.search:edges-scope", "Search over facts, the default scope."),
            ("v2:graph.search:nodes-scope", "Search over nodes."),
            ("v2:graph.search:rerankers", "Every reranker answers, each hit with a score."),
            ("v2:graph.search:filters", "Filters on labels, types, dates and ratings narrow."),
            ("v2:graph.search:bounds", "Ten hits if unasked, fifty at the most, none if blank."),
        ],
    ),
    **_promises(
        f"{V3} §2 graph",
        [
            ("v3:graph.search:edges-scope", "Search over facts, the default scope."),
            ("v3:graph.search:nodes-scope", "Search over nodes."),
            ("v3:graph.search:observations-scope", "Search over observations."),
            ("v3:graph.search:thread-summaries-scope", "Search over thread summaries."),
            ("v3:graph.search:auto-scope", "A context assembled from all scopes."),
            ("v3:graph.search:rerankers", "Every reranker answers, each hit with a score."),
            ("v3:graph.search:filters", "Filters on labels, types, dates and ends narrow."),
            ("v3:graph.search:metadata", "A tree of metadata holds of one episode as a whole."),
            ("v3:graph.search:bounds", "Ten hits if unasked, fifty at the most, none if blank."),
            ("v3:graph.search:refusals", "What cannot be searched is 400 with the field's name."),
        ],
    ),
    **_promises(
        f"{RULES} §1.8 Q20",
        [
            ("v3:graph.get_subgraph:budgets", "A cut subgraph names the budget that cut it."),
            ("v3:graph.node.get_neighbors:direction", "Neighbours lie in, out or both ways."),
        ],
    ),
    **_promises(
        f"{RULES} §1.9 B8, B9",
        [("v3:thread.get_user_context:template", "A template shapes the context.")],
    ),
    **_promises(
        f"{RULES} §1.9 B3, B4, B5, B6, B7",
        [
            ("v2:memory.get:min-rating", "Facts below the rating are left out, block included."),
            ("v2:memory.get:summary", "A session that was processed has a summary."),
            ("v3:thread.get_user_context:user-summary-first", "Who the user is comes first."),
            ("v3:thread.get_user_context:mode", "mode=basic is the block of generation 2."),
            ("shared:context-is-data", "What was said cannot get out of its section."),
        ],
    ),
    **_promises(
        f"{V3} §3 filters",
        [
            ("v3:graph.episode.list_by_user_id:filters", "Episodes listed by their metadata."),
            ("v3:graph.node.get_by_user_id:filters", "Nodes listed by labels and dates."),
            ("v3:graph.edge.get_by_user_id:filters", "Edges listed by types and dates."),
        ],
    ),
    **_promises(
        f"{RULES} §1.1 Z3, Z4, Z6, §1.2 M5, M7",
        [
            ("v2:provenance:both-ways", "Edge to episodes, node to episodes, and back."),
            ("v3:provenance:both-ways", "Edge to episodes, node to episodes, and back."),
            ("v3:graph.node:episodes", "A node tells its episodes, and whether these are all."),
            ("v2:memory.add:effective-metadata", "What is derived carries its messages' metadata."),
            ("v3:graph.add:effective-metadata", "What is derived carries its episodes' metadata."),
        ],
    ),
    **_promises(
        f"{RULES} §1.2 M1, M2, §1.3 F8",
        [
            ("v2:memory.add:metadata-limits", "Nested values and eleven keys are refused."),
            ("v3:thread.add_messages:metadata-limits", "As on graph.add, message by message."),
            ("v3:graph.add_batch:metadata-limits", "As on graph.add, episode by episode."),
            ("v3:batch.add:metadata-limits", "As on graph.add, item by item."),
            ("v3:graph.add_fact_triple:metadata-limits", "As on graph.add."),
            ("v3:graph.get_subgraph:no-metadata", "A tree of metadata is refused: 400."),
        ],
    ),
    **_promises(
        f"{RULES} §1.5 D3, D4",
        [
            ("v2:graph.episode.delete:shared", "What other episodes tell as well stays."),
            ("v3:graph.episode.delete:shared", "What other episodes tell as well stays."),
            ("v2:graph.episode.delete:stays-ended", "What it ended stays ended."),
            ("v3:graph.episode.delete:stays-ended", "What it ended stays ended."),
        ],
    ),
    **_promises(
        f"{RULES} §1.9 B1",
        [
            ("v2:memory.get:ranked-by-relevance", "The newest messages decide what is told."),
            ("v3:thread.get_user_context:ranked-by-relevance", "They decide what is told."),
        ],
    ),
}

MEMMACHINE: dict[str, Requirement] = {}
for _source, _rows in requirements_mm.METHODS.items():
    MEMMACHINE |= _methods("mm", _source, _rows, requirements_mm.NOT_OFFERED)
for _source, _told in requirements_mm.PROMISES.items():
    MEMMACHINE |= _promises(_source, _told)

GENERATION_4: dict[str, Requirement] = {}
for _source, _rows in requirements_4.METHODS.items():
    GENERATION_4 |= _methods("v4", _source, _rows, requirements_4.NOT_OFFERED, BASE_PATH_4)
for _source, _told in requirements_4.PROMISES.items():
    GENERATION_4 |= _promises(_source, _told)

REQUIREMENTS: dict[str, Requirement] = {
    **GENERATION_2,
    **GENERATION_3,
    **GENERATION_4,
    **PROMISES,
    **MEMMACHINE,
}
