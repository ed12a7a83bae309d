"""What the released client of generation 4 relies on: its 194 methods, and promises beyond them.

Rows only: `requirements.py` makes entries of them. Of the 77 methods about agents 20 are offered: agents
themselves and the traces of what they did. The rest learns skills or fetches traces from other services:
each is answered with 501 and says so.
"""

from recollect.compat.zep.v4.routes_unsupported import METHODS as AGENT_METHODS

CONTRACT = "contracts/zep-v4-delta.md"
ISSUE = "generation 4"

METHODS: dict[str, list[tuple[str, str, str]]] = {
    f"{CONTRACT} §4 users": [
        ("user.create", "POST users", "A new user, under an id of the caller's or of ours."),
        ("user.list", "POST users/list", "A page of users."),
        ("user.lookup", "POST users/lookup", "A user by the caller's id, or by that of a thread."),
        ("user.get", "GET users/{user_uuid}", "A user by uuid."),
        (
            "user.delete",
            "DELETE users/{user_uuid}",
            "Forget a user with all threads and the graph; the task ends when the files are wiped.",
        ),
        ("user.update", "PATCH users/{user_uuid}", "Change what is given of a user."),
        ("user.get_node", "GET users/{user_uuid}/node", "The user's own node."),
        (
            "user.get_summary_instructions",
            "GET users/{user_uuid}/summary-instructions",
            "The instructions for the summary of a user, or of all users.",
        ),
        (
            "user.set_summary_instructions",
            "PUT users/{user_uuid}/summary-instructions",
            "Replace the instructions for the summary of a user, or of all users.",
        ),
    ],
    f"{CONTRACT} §4 threads": [
        ("thread.list", "GET threads", "A page of threads, of one user if one is named."),
        ("thread.create", "POST threads", "A new thread of a user."),
        ("thread.lookup", "POST threads/lookup", "A thread by the caller's id."),
        (
            "thread.get",
            "GET threads/{thread_uuid}",
            "A thread by uuid, updated when something was last said in it.",
        ),
        (
            "thread.delete",
            "DELETE threads/{thread_uuid}",
            "Remove a thread with its episodes, and what rested on them alone.",
        ),
        (
            "thread.get_context",
            "GET threads/{thread_uuid}/context",
            "The context block of a thread, or the one that a template makes.",
        ),
        (
            "thread.list_episodes",
            "GET threads/{thread_uuid}/episodes",
            "A page of the episodes that a thread gave to its graph, in order.",
        ),
        (
            "thread.list_messages",
            "GET threads/{thread_uuid}/messages",
            "A page of the messages of a thread, the oldest first unless asked otherwise.",
        ),
        (
            "thread.add_messages",
            "POST threads/{thread_uuid}/messages",
            "Messages into a thread; they are on disk when this answers.",
        ),
        (
            "thread.get_summary",
            "GET threads/{thread_uuid}/summary",
            "The summary of a thread, once a message of it was processed.",
        ),
        (
            "thread.message.get",
            "GET threads/{thread_uuid}/messages/{message_uuid}",
            "A message of a thread.",
        ),
        (
            "thread.message.update",
            "PATCH threads/{thread_uuid}/messages/{message_uuid}",
            "Merge metadata into a message's.",
        ),
    ],
    f"{CONTRACT} §4 graphs": [
        ("graph.create", "POST graphs", "A new standalone graph."),
        ("graph.list", "POST graphs/list", "A page of standalone graphs."),
        (
            "graph.lookup",
            "POST graphs/lookup",
            "A graph by the caller's id, or by that of the user or thread whose it is.",
        ),
        (
            "graph.query_stream",
            "POST graphs/query",
            "An answer to a question from what graphs hold, and what the answer rests on.",
        ),
        (
            "graph.query",
            "POST graphs/query",
            "An answer to a question from what graphs hold, and what the answer rests on.",
        ),
        ("graph.get", "GET graphs/{graph_uuid}", "A graph by its uuid, or by that of its user."),
        (
            "graph.delete",
            "DELETE graphs/{graph_uuid}",
            "Remove a standalone graph with all it holds; the task ends when the files are wiped.",
        ),
        ("graph.update", "PATCH graphs/{graph_uuid}", "Change what is given of a graph."),
        (
            "graph.clone",
            "POST graphs/{graph_uuid}/clone",
            "A copy of a graph; that of a user's graph is the graph of a new user.",
        ),
        (
            "graph.get_content_policy",
            "GET graphs/{graph_uuid}/content-policy",
            "The content policy of a graph: an empty one.",
        ),
        (
            "graph.list_content_policy_events",
            "POST graphs/{graph_uuid}/content-policy/events/list",
            "Nothing was ever kept out of a graph.",
        ),
        (
            "graph.get_context",
            "POST graphs/{graph_uuid}/context",
            "What is known for a query, of all kinds, as one text for a prompt.",
        ),
        (
            "graph.get_instructions",
            "GET graphs/{graph_uuid}/instructions",
            "The extraction instructions of a graph or the project.",
        ),
        (
            "graph.set_instructions",
            "PUT graphs/{graph_uuid}/instructions",
            "Replace the extraction instructions of a graph or the project.",
        ),
        (
            "graph.get_observation_steering",
            "GET graphs/{graph_uuid}/observation-steering",
            "What the observations of a graph or the project look for.",
        ),
        (
            "graph.set_observation_steering",
            "PUT graphs/{graph_uuid}/observation-steering",
            "Replace what the observations of a graph or the project look for.",
        ),
        (
            "graph.get_ontology",
            "GET graphs/{graph_uuid}/ontology",
            "The custom types of a graph or the project; a graph without its own has the project's.",
        ),
        (
            "graph.set_ontology",
            "PUT graphs/{graph_uuid}/ontology",
            "Replace the custom types of a graph or the project.",
        ),
        (
            "graph.search_edges",
            "POST graphs/{graph_uuid}/search/edges",
            "The edges that fit a query best.",
        ),
        (
            "graph.search_episodes",
            "POST graphs/{graph_uuid}/search/episodes",
            "The episodes that fit a query best.",
        ),
        (
            "graph.search_nodes",
            "POST graphs/{graph_uuid}/search/nodes",
            "The nodes that fit a query best.",
        ),
        (
            "graph.search_observations",
            "POST graphs/{graph_uuid}/search/observations",
            "The observations that fit a query best.",
        ),
        (
            "graph.search_thread_summaries",
            "POST graphs/{graph_uuid}/search/thread-summaries",
            "The thread summaries that fit a query best.",
        ),
        (
            "graph.get_subgraph",
            "POST graphs/{graph_uuid}/subgraph",
            "What lies around some nodes, breadth first, within budgets.",
        ),
        (
            "graph.warm",
            "POST graphs/{graph_uuid}/warm",
            "Bring a graph into memory ahead of its first search.",
        ),
        (
            "graph.node.add",
            "POST graphs/{graph_uuid}/nodes",
            "Nodes into a graph, each found again or made; with their uuids, if those are known soon.",
        ),
        ("graph.node.list", "POST graphs/{graph_uuid}/nodes/list", "A page of a graph's nodes."),
        ("graph.node.get", "GET graphs/{graph_uuid}/nodes/{node_uuid}", "A node by uuid."),
        (
            "graph.node.delete",
            "DELETE graphs/{graph_uuid}/nodes/{node_uuid}",
            "Remove a node and the edges that touch it.",
        ),
        (
            "graph.node.update",
            "PATCH graphs/{graph_uuid}/nodes/{node_uuid}",
            "Correct a node by hand.",
        ),
        (
            "graph.node.list_neighbors",
            "POST graphs/{graph_uuid}/nodes/{node_uuid}/neighbors",
            "A page of the distinct nodes that edges join with a node.",
        ),
        (
            "graph.edge.add",
            "POST graphs/{graph_uuid}/edges",
            "Facts between nodes; what they did to the graph, if that is known soon.",
        ),
        ("graph.edge.list", "POST graphs/{graph_uuid}/edges/list", "A page of a graph's edges."),
        ("graph.edge.get", "GET graphs/{graph_uuid}/edges/{edge_uuid}", "An edge by uuid."),
        (
            "graph.edge.delete",
            "DELETE graphs/{graph_uuid}/edges/{edge_uuid}",
            "Remove an edge; the nodes it joined stay.",
        ),
        (
            "graph.edge.update",
            "PATCH graphs/{graph_uuid}/edges/{edge_uuid}",
            "Correct an edge by hand.",
        ),
        (
            "graph.hyperedge.add",
            "POST graphs/{graph_uuid}/hyperedges",
            "Not offered: an edge joins two nodes.",
        ),
        (
            "graph.hyperedge.list",
            "POST graphs/{graph_uuid}/hyperedges/list",
            "A graph has no hyperedges.",
        ),
        (
            "graph.hyperedge.get",
            "GET graphs/{graph_uuid}/hyperedges/{hyperedge_uuid}",
            "A graph has no hyperedges.",
        ),
        (
            "graph.hyperedge.delete",
            "DELETE graphs/{graph_uuid}/hyperedges/{hyperedge_uuid}",
            "A graph has no hyperedges.",
        ),
        (
            "graph.hyperedge.update",
            "PATCH graphs/{graph_uuid}/hyperedges/{hyperedge_uuid}",
            "A graph has no hyperedges.",
        ),
        (
            "graph.hyperedge.create_edge",
            "POST graphs/{graph_uuid}/hyperedges/{hyperedge_uuid}/edges",
            "A graph has no hyperedges.",
        ),
        (
            "graph.hyperedge.delete_edge",
            "DELETE graphs/{graph_uuid}/hyperedges/{hyperedge_uuid}/edges/{edge_uuid}",
            "A graph has no hyperedges.",
        ),
        (
            "graph.episode.list_for_document",
            "GET graphs/{graph_uuid}/documents/{document_id}/episodes",
            "A page of the episodes of one document, in order.",
        ),
        (
            "graph.episode.add",
            "POST graphs/{graph_uuid}/episodes",
            "One piece of data into a graph; it is on disk when this answers.",
        ),
        (
            "graph.episode.list",
            "POST graphs/{graph_uuid}/episodes/list",
            "A page of a graph's episodes.",
        ),
        (
            "graph.episode.get",
            "GET graphs/{graph_uuid}/episodes/{episode_uuid}",
            "An episode by uuid.",
        ),
        (
            "graph.episode.delete",
            "DELETE graphs/{graph_uuid}/episodes/{episode_uuid}",
            "Forget an episode, and what rested on it alone; the task ends when the files are wiped.",
        ),
        (
            "graph.episode.update",
            "PATCH graphs/{graph_uuid}/episodes/{episode_uuid}",
            "Merge metadata into an episode's.",
        ),
        (
            "graph.episode.get_debug_logs",
            "GET graphs/{graph_uuid}/episodes/{episode_uuid}/debug-logs",
            "How far the reading of an episode is, and why it failed if it did.",
        ),
        (
            "graph.episode.list_ingestion_traces",
            "GET graphs/{graph_uuid}/episodes/{episode_uuid}/ingestion-traces",
            "What was found in an episode, once it was read.",
        ),
        (
            "graph.observation.list",
            "POST graphs/{graph_uuid}/observations/list",
            "A page of a graph's observations.",
        ),
        (
            "graph.observation.get",
            "GET graphs/{graph_uuid}/observations/{observation_uuid}",
            "An observation by uuid.",
        ),
        (
            "graph.thread_summary.list",
            "POST graphs/{graph_uuid}/thread-summaries/list",
            "A page of the summaries of a graph's threads.",
        ),
        (
            "graph.document_summary.list",
            "POST graphs/{graph_uuid}/document-summaries/list",
            "A page of the summaries of a graph's documents.",
        ),
    ],
    f"{CONTRACT} §4 the rest": [
        ("batch.list", "GET batches", "A page of at most twenty batches, newest first."),
        ("batch.create", "POST batches", "A new, empty draft."),
        ("batch.get", "GET batches/{batch_uuid}", "A batch with its progress."),
        ("batch.delete", "DELETE batches/{batch_uuid}", "Remove a batch that was not processed."),
        (
            "batch.list_items",
            "GET batches/{batch_uuid}/items",
            "A page of a batch's items, in the order they were added.",
        ),
        (
            "batch.add_items",
            "POST batches/{batch_uuid}/items",
            "Items at the end of a draft; those that cannot be taken are named, the others are taken.",
        ),
        (
            "batch.process",
            "POST batches/{batch_uuid}/process",
            "Start a draft; with a target that is gone it becomes invalid instead, and has no task.",
        ),
        ("task.list", "GET tasks", "A page of the project's tasks, newest first."),
        ("task.get", "GET tasks/{task_uuid}", "How far a task is, and what came of it."),
        (
            "context.create_template",
            "POST context-templates",
            "A new context template that can be filled in.",
        ),
        (
            "context.list_templates",
            "POST context-templates/list",
            "A page of the project's context templates, of one name if given.",
        ),
        (
            "context.get_template",
            "GET context-templates/{template_uuid}",
            "A context template by uuid.",
        ),
        (
            "context.update_template",
            "PUT context-templates/{template_uuid}",
            "Replace the text or the name of a context template.",
        ),
        (
            "context.delete_template",
            "DELETE context-templates/{template_uuid}",
            "Remove a context template.",
        ),
        ("project.get", "GET project", "The key's own project."),
        ("project.update", "PATCH project", "Set or clear the project's default time zone."),
        (
            "project.get_content_policy",
            "GET project/content-policy",
            "The project's content policy: an empty one.",
        ),
        (
            "project.set_content_policy",
            "PUT project/content-policy",
            "An empty content policy is what there is; any other is refused.",
        ),
        (
            "project.list_content_policy_revisions",
            "GET project/content-policy/revisions",
            "There was never another content policy.",
        ),
        (
            "project.get_content_policy_revision",
            "GET project/content-policy/revisions/{revision_uuid}",
            "There was never another content policy.",
        ),
        (
            "project.get_instructions",
            "GET project/instructions",
            "The extraction instructions of a graph or the project.",
        ),
        (
            "project.set_instructions",
            "PUT project/instructions",
            "Replace the extraction instructions of a graph or the project.",
        ),
        (
            "project.get_observation_steering",
            "GET project/observation-steering",
            "What the observations of a graph or the project look for.",
        ),
        (
            "project.set_observation_steering",
            "PUT project/observation-steering",
            "Replace what the observations of a graph or the project look for.",
        ),
        (
            "project.get_ontology",
            "GET project/ontology",
            "The custom types of a graph or the project; a graph without its own has the project's.",
        ),
        (
            "project.set_ontology",
            "PUT project/ontology",
            "Replace the custom types of a graph or the project.",
        ),
        (
            "project.get_user_summary_instructions",
            "GET project/user-summary-instructions",
            "The instructions for the summary of a user, or of all users.",
        ),
        (
            "project.set_user_summary_instructions",
            "PUT project/user-summary-instructions",
            "Replace the instructions for the summary of a user, or of all users.",
        ),
        ("user_group.create", "POST user-groups", "A new group without members."),
        ("user_group.list", "POST user-groups/list", "A page of groups, that of all users first."),
        ("user_group.get", "GET user-groups/{group_uuid}", "A group by its uuid."),
        (
            "user_group.delete",
            "DELETE user-groups/{group_uuid}",
            "Remove a group; its members stay users.",
        ),
        (
            "user_group.update",
            "PATCH user-groups/{group_uuid}",
            "Change what is given of a group, if it is still at the version seen.",
        ),
        (
            "user_group.list_member_candidates",
            "POST user-groups/{group_uuid}/member-candidates/list",
            "A page of the users who are not in a group.",
        ),
        (
            "user_group.add_members",
            "POST user-groups/{group_uuid}/members",
            "Put users into a group.",
        ),
        (
            "user_group.list_members",
            "POST user-groups/{group_uuid}/members/list",
            "A page of the users in a group.",
        ),
        (
            "user_group.remove_members",
            "POST user-groups/{group_uuid}/members/remove",
            "Take users out of a group.",
        ),
        (
            "user_group.remove_member",
            "DELETE user-groups/{group_uuid}/members/{user_uuid}",
            "Take one user out of a group.",
        ),
        (
            "user_group.list_for_user",
            "GET users/{user_uuid}/user-groups",
            "A page of the groups a user is in.",
        ),
        ("lookup.batch", "POST lookup", "The uuids behind ids that callers chose."),
        (
            "debug_log.enable",
            "POST debug-logs/enable",
            "How readings went is always kept, so there is nothing to turn on.",
        ),
    ],
    f"{CONTRACT} §5 agents and traces": [
        (
            "agent.create",
            "POST agents",
            "A new agent with an empty graph of its own.",
        ),
        (
            "agent.list",
            "POST agents/list",
            "A page of agents, the newest first unless asked otherwise.",
        ),
        (
            "agent.get",
            "GET agents/{agent_uuid}",
            "An agent by its uuid.",
        ),
        (
            "agent.delete",
            "DELETE agents/{agent_uuid}",
            "Forget an agent with its traces and its graph; the task ends when the files are wiped.",
        ),
        (
            "agent.update",
            "PATCH agents/{agent_uuid}",
            "Change what is given of an agent, unless somebody else did meanwhile.",
        ),
        (
            "agent.get_context",
            "POST agents/{agent_uuid}/context",
            "What an agent's traces taught about an objective, as one text for a prompt.",
        ),
        (
            "agent.trace.create",
            "POST agents/{agent_uuid}/traces",
            "A new trace, or the one that was begun in the same words under the same id.",
        ),
        (
            "agent.trace.list",
            "POST agents/{agent_uuid}/traces/list",
            "A page of an agent's traces, the newest first unless asked otherwise.",
        ),
        (
            "agent.trace.get",
            "GET agents/{agent_uuid}/traces/{trace_uuid}",
            "A trace by its uuid.",
        ),
        (
            "agent.trace.delete",
            "DELETE agents/{agent_uuid}/traces/{trace_uuid}",
            "Erase a trace with its log and what it became in the graph; the task ends when that is wiped.",
        ),
        (
            "agent.trace.update",
            "PATCH agents/{agent_uuid}/traces/{trace_uuid}",
            "Say anew to which family of tasks a trace belongs.",
        ),
        (
            "agent.trace.abandon",
            "POST agents/{agent_uuid}/traces/{trace_uuid}/abandon",
            "End a trace that came to nothing; the task ends when all that was said in it is read.",
        ),
        (
            "agent.trace.close",
            "POST agents/{agent_uuid}/traces/{trace_uuid}/close",
            "End a trace with its outcome; the task ends when all that was said in it is read.",
        ),
        (
            "agent.trace.correct_task_family",
            "POST agents/{agent_uuid}/traces/{trace_uuid}/correct-task-family",
            "The same of a trace that has ended; the task is done when this answers.",
        ),
        (
            "agent.trace.list_events",
            "GET agents/{agent_uuid}/traces/{trace_uuid}/events",
            "A page of the events of a trace, by their sequence.",
        ),
        (
            "agent.trace.append_event",
            "POST agents/{agent_uuid}/traces/{trace_uuid}/events",
            "One more event of a trace; it is on disk when this answers, and told again it is the same.",
        ),
        (
            "agent.trace.delete_event",
            "DELETE agents/{agent_uuid}/traces/{trace_uuid}/events/{event_uuid}",
            "Erase an event from its trace and from the graph; the task ends when that is wiped.",
        ),
        (
            "agent.trace.reopen",
            "POST agents/{agent_uuid}/traces/{trace_uuid}/reopen",
            "Let a trace that has ended go on.",
        ),
        (
            "agent.trace.get_summary",
            "GET agents/{agent_uuid}/traces/{trace_uuid}/summary",
            "What was said in a trace, in a few sentences, once some of it is read.",
        ),
        (
            "agent.trace.list_summary_versions",
            "GET agents/{agent_uuid}/traces/{trace_uuid}/summary/versions",
            "The summary of a trace as it stands; earlier ones are not kept.",
        ),
        *(
            (
                method,
                f"{verb} {path[1:]}",
                "Is answered with 501, which says what there is instead.",
            )
            for method, verb, path in AGENT_METHODS
        ),
    ],
}

NOT_OFFERED: dict[str, str] = {
    "graph.hyperedge.add": "An edge joins two nodes here.",
    **{
        method: "No skills are learned here, and no traces fetched from other services."
        for method, _, _ in AGENT_METHODS
    },
}

PROMISES: dict[str, list[tuple[str, str]]] = {
    f"{CONTRACT} §1": [
        ("v4:transport:errors", "A failure has a code, a message and the field it is about."),
        ("v4:transport:unauthorized", "A key that is not known is refused with 401, typed."),
        ("v4:transport:pages", "The client follows the cursors of a list to its end by itself."),
        ("v4:transport:conflict", "An id that is taken is refused with 409, typed."),
        ("v4:idempotency:same", "The same key gets the same answer, and nothing is done twice."),
        ("v4:idempotency:differs", "Another body under the same key is refused with 422."),
        ("v4:idempotency:erased", "What was erased is not told again by a kept answer."),
        ("v4:idempotency:own", "Keys of one caller mean nothing to another."),
        ("v4:idempotency:killed", "A client that retries through kills writes each message once."),
        ("v4:task.get:delete", "A deletion is done when its task says so, and not before."),
        (
            "v4:task.get:gone",
            "A task whose episodes were deleted is over without an error, and says that they were.",
        ),
        ("v4:task.list:everybody", "Tasks of other generations are listed as well."),
    ],
    f"{ISSUE}, traces": [
        ("v4:trace:remembered", "A trace is a session log whose turns are read like any episode."),
        ("v4:trace:once", "A trace that is imported again is there once."),
        ("v4:trace:own", "A trace is its agent's alone, and feeds nobody else's graph."),
    ],
    f"{CONTRACT} §2": [
        ("v4:graph.query:rests", "An answer names the edges, nodes and episodes it rests on."),
        ("v4:graph.query:model", "With a language model configured, that writes the sentence."),
        ("v4:graph.query_stream:events", "The events come in order and end with the result."),
        ("v4:graph:user-uuid", "A user's uuid stands for the user's graph."),
        ("v4:graph:own-graph", "Nothing is found through the uuid of another graph."),
        (
            "v4:filters:spellings",
            "Filters narrow lists and searches in the spellings of generation 4.",
        ),
        ("v4:batch.add_items:rejected", "Items that cannot be taken are named one by one."),
    ],
    ISSUE: [
        ("v4:shared:older", "What generation 4 writes, generations 2 and 3 read."),
        ("v4:shared:memmachine", "What generation 4 writes, memory clients read."),
        ("v4:shared:mcp", "What generation 4 writes, the tools of MCP read."),
        ("v4:shared:newer", "What generation 3 writes, generation 4 reads."),
    ],
}
