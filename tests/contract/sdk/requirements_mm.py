"""What the released MemMachine client relies on: its 52 methods, and promises beyond them.

Rows only: `requirements.py` makes entries of them. A method is named after the object it belongs
to: the client, a project, a memory or the configuration.
"""

CONTRACT = "contracts/memmachine.md"
RULES = "behaviour.md"

METHODS: dict[str, list[tuple[str, str, str]]] = {
    f"{CONTRACT} §2 client and project": [
        ("client.health_check", "GET health", "Says that the server is up."),
        ("client.get_metrics", "GET metrics", "Answers counts and latencies as plain text."),
        ("client.create_project", "POST projects", "Makes a project and answers it."),
        ("client.get_project", "POST projects/get", "Reads a project."),
        (
            "client.get_or_create_project",
            "POST projects/get",
            "Reads a project, or makes it when it is not there.",
        ),
        ("client.list_projects", "POST projects/list", "Names all projects of the key."),
        ("project.refresh", "POST projects/get", "Reads a project anew."),
        ("project.delete", "POST projects/delete", "Removes a project with all it holds."),
        (
            "project.get_episode_count",
            "POST projects/episode_count/get",
            "Counts the episodes of a project.",
        ),
    ],
    f"{CONTRACT} §2 episodes": [
        ("memory.add", "POST memories", "Adds a message and answers its id."),
        ("memory.search", "POST memories/search", "Searches both memories and the features."),
        ("memory.list", "POST memories/list", "Lists episodes or features in pages."),
        ("memory.delete_episodic", "POST memories/episodic/delete", "Removes episodes by id."),
        ("memory.delete_semantic", "POST memories/semantic/delete", "Removes features by id."),
    ],
    f"{CONTRACT} §2 features, sets, categories, tags": [
        ("memory.add_feature", "POST memories/semantic/feature", "Writes a feature down."),
        ("memory.get_feature", "POST memories/semantic/feature/get", "Reads a feature."),
        ("memory.update_feature", "POST memories/semantic/feature/update", "Changes a feature."),
        (
            "memory.create_semantic_set_type",
            "POST memories/semantic/set_type",
            "Names the metadata that sets are made by.",
        ),
        (
            "memory.list_semantic_set_types",
            "POST memories/semantic/set_type/list",
            "Lists the types of sets.",
        ),
        (
            "memory.delete_semantic_set_type",
            "POST memories/semantic/set_type/delete",
            "Removes a type of sets.",
        ),
        (
            "memory.get_semantic_set_id",
            "POST memories/semantic/set_id/get",
            "Answers the set of some metadata, always the same one.",
        ),
        ("memory.list_semantic_set_ids", "POST memories/semantic/set_id/list", "Lists sets."),
        (
            "memory.configure_semantic_set",
            "POST memories/semantic/set/configure",
            "Chooses the models of a set among those that are there.",
        ),
        (
            "memory.get_semantic_category",
            "POST memories/semantic/category/get",
            "Reads a category.",
        ),
        (
            "memory.add_semantic_category",
            "POST memories/semantic/category",
            "Adds a category to a set.",
        ),
        (
            "memory.add_semantic_category_template",
            "POST memories/semantic/category/template",
            "Adds a category to a type of sets.",
        ),
        (
            "memory.list_semantic_category_templates",
            "POST memories/semantic/category/template/list",
            "Lists the categories of a type of sets.",
        ),
        (
            "memory.disable_semantic_category",
            "POST memories/semantic/category/disable",
            "Switches a category off for one set.",
        ),
        (
            "memory.get_semantic_category_set_ids",
            "POST memories/semantic/category/set_ids/get",
            "Names the sets that use a category.",
        ),
        (
            "memory.delete_semantic_category",
            "POST memories/semantic/category/delete",
            "Removes a category.",
        ),
        ("memory.add_semantic_tag", "POST memories/semantic/category/tag", "Adds a tag."),
        (
            "memory.delete_semantic_tag",
            "POST memories/semantic/category/tag/delete",
            "Removes a tag.",
        ),
    ],
    f"{CONTRACT} §2 episodic configuration per project": [
        (
            "memory.get_episodic_memory_config",
            "POST memory/episodic/config/get",
            "Says which memories of a project are on.",
        ),
        (
            "memory.configure_episodic_memory",
            "POST memory/episodic/config",
            "Switches memories of a project on or off.",
        ),
    ],
    f"{CONTRACT} §2 config": [
        ("config.get_config", "GET config", "Answers the whole configuration."),
        ("config.get_resources", "GET config/resources", "Lists models and stores by name."),
        ("config.update_memory_config", "PUT config/memory", "Changes several memories at once."),
        (
            "config.get_episodic_memory_config",
            "GET config/memory/episodic",
            "Answers the configuration of both memories.",
        ),
        (
            "config.update_episodic_memory_config",
            "PUT config/memory/episodic",
            "Changes the configuration of both memories.",
        ),
        (
            "config.get_long_term_memory_config",
            "GET config/memory/episodic/long_term",
            "Answers the configuration of the long-term memory.",
        ),
        (
            "config.get_short_term_memory_config",
            "GET config/memory/episodic/short_term",
            "Answers the size of the window and whether it is on.",
        ),
        (
            "config.update_long_term_memory_config",
            "PUT config/memory/episodic/long_term",
            "Switches the long-term memory, among resources that are there.",
        ),
        (
            "config.update_short_term_memory_config",
            "PUT config/memory/episodic/short_term",
            "Sizes and switches the window.",
        ),
        (
            "config.get_semantic_memory_config",
            "GET config/memory/semantic",
            "Answers the configuration of features.",
        ),
        (
            "config.update_semantic_memory_config",
            "PUT config/memory/semantic",
            "Switches features, among resources that are there.",
        ),
        ("config.add_embedder", "POST config/resources/embedders", "Adds an embedder."),
        (
            "config.add_language_model",
            "POST config/resources/language_models",
            "Adds a language model.",
        ),
        (
            "config.delete_embedder",
            "DELETE config/resources/embedders/{name}",
            "Removes an embedder.",
        ),
        (
            "config.delete_language_model",
            "DELETE config/resources/language_models/{name}",
            "Removes a language model.",
        ),
        (
            "config.retry_embedder",
            "POST config/resources/embedders/{name}/retry",
            "Says whether an embedder is ready.",
        ),
        (
            "config.retry_language_model",
            "POST config/resources/language_models/{name}/retry",
            "Says whether a language model is ready.",
        ),
        (
            "config.retry_reranker",
            "POST config/resources/rerankers/{name}/retry",
            "Says whether a reranker is ready.",
        ),
    ],
}

_MODELS = "the models are part of the program and chosen by whoever runs it: answered with 501"
NOT_OFFERED = {
    "config.add_embedder": _MODELS,
    "config.add_language_model": _MODELS,
    "config.delete_embedder": _MODELS,
    "config.delete_language_model": _MODELS,
}

PROMISES: dict[str, list[tuple[str, str]]] = {
    f"{CONTRACT} §1 transport": [
        ("mm:transport:bearer", "A key is taken as a bearer token; without one it is 401."),
        ("mm:transport:origin", "The bare origin is the address, with or without a slash."),
        ("mm:transport:content-type", "A type of content without content is no content."),
        ("mm:transport:no-slash-redirect", "No path of this client is ever redirected."),
        ("mm:transport:not-retried", "What is not offered or not there is told once."),
        ("mm:transport:keep-alive", "Answers without a body keep the connection in step."),
        ("mm:transport:unknown-ignored", "Fields of newer clients are ignored."),
        ("mm:client:cli", "The client's command line works."),
        ("mm:client:tools", "The client's tools for graphs of agents work."),
    ],
    f"{CONTRACT} §1 errors": [
        ("mm:errors:shape", "Every refusal is one object, detail, with code and message."),
        ("mm:errors:statuses", "Missing is 404, taken is 409, malformed is 422."),
        ("mm:errors:names-field", "A malformed request names the field that is wrong."),
        ("mm:errors:422-is-value-error", "get_project turns 422 into ValueError."),
        ("mm:errors:404-is-none", "A feature or category that is not there is None."),
    ],
    f"{CONTRACT} §1 client defects": [
        ("mm:defects:after-close", "A memory that outlives its client still gets answers."),
        ("mm:defects:null-feature", "get_feature never gets null, which the client cannot read."),
        ("mm:defects:semantic-ids", "Several features are deleted when the first is named twice."),
        ("mm:defects:raw-names", "Resource names of any spelling reach one resource or none."),
    ],
    f"{CONTRACT} §2, {RULES} W3, L5": [
        (
            "mm:client.create_project:config",
            "What a project is made of is kept, whatever it names.",
        ),
        ("mm:client.create_project:ids", "Ids of other letters are refused with 422."),
        ("mm:client.get_or_create_project:race", "Who comes second gets the first one's project."),
        ("mm:project.delete:wipes", "Nothing of a deleted project is found under any name."),
        ("mm:project.delete:again", "A project that is gone can be made anew, and is empty."),
        ("mm:projects:isolated", "A project of another key does not exist."),
    ],
    f"{CONTRACT} §3, {RULES} §4.1": [
        ("mm:memory.add:creates", "Adding to a project that is not there makes it."),
        ("mm:memory.add:uids", "One uuid for each episode, in order; a long message is several."),
        ("mm:memory.add:fields", "Producer, addressee, role and time are answered as sent."),
        ("mm:memory.add:defaults", "Producer user, no addressee, type message, time now."),
        ("mm:memory.add:timestamps", "Every accepted form of time is one point in UTC."),
        ("mm:memory.add:zoned", "Times that were sent without a zone are answered with one."),
        ("mm:memory.add:roles", "A known role or none is kept as it is, any other refused."),
        ("mm:memory.add:metadata", "Metadata come back, those of the memory merged in."),
        ("mm:memory.add:episode-type", "A type is kept, and copied into the metadata."),
        ("mm:memory.add:refusals", "What cannot be stored is 422, and nothing of it is stored."),
        ("mm:memory.add:types", "A message for one memory alone is not in the other."),
        ("mm:memory.add:durable", "What was answered is there after a crash."),
    ],
    f"{CONTRACT} §2, {RULES} W5, §4.1 H1": [
        ("mm:memory.list:session-key", "Listed episodes name organisation and project."),
        ("mm:memory.list:pages", "Pages are numbered from 0, oldest first, without gaps."),
        ("mm:memory.list:type", "Only the memory that was asked for is answered."),
        ("mm:memory.delete_episodic:several", "One id, several ids, or both."),
        ("mm:memory.delete_episodic:gone", "What is deleted is not found in any memory."),
        ("mm:memory.delete_episodic:refusals", "No id at all is 422, an unknown one is 404."),
    ],
    f"{CONTRACT} §4, {RULES} W2": [
        ("mm:filters:context", "A memory finds and lists what its own metadata carry."),
        ("mm:filters:override", "A filter for the same key replaces that of the memory."),
        ("mm:filters:quotes", "Doubled quotes are one quote."),
        ("mm:filters:operators", "Every operator narrows as it says."),
        ("mm:filters:fields", "System fields and metadata are told apart by their prefix."),
        ("mm:filters:refusals", "What cannot be read, and what nobody knows, is 422."),
    ],
    f"{RULES} §4.3": [
        ("mm:short-term:window", "The newest episodes, oldest of them first."),
        ("mm:short-term:capacity", "No more messages than the configuration says."),
        ("mm:short-term:summary", "What left the window is told in a summary."),
        ("mm:short-term:restart", "The window after a restart is the window before."),
    ],
    f"{RULES} §4.4": [
        ("mm:long-term:score", "Each hit has a score."),
        ("mm:long-term:time-order", "Hits are in the order of time."),
        ("mm:long-term:limit", "Ten if unasked or asked for none, else as many as asked."),
        ("mm:long-term:expand", "The episodes around a hit come with it when asked for."),
        ("mm:long-term:threshold", "Below the score nothing is answered."),
    ],
    f"{RULES} §4.5": [
        ("mm:memory.search:no-duplicates", "No episode is in both memories."),
        ("mm:memory.search:unknown", "A project that is not there is empty, and stays so."),
        ("mm:memory.search:refusals", "A limit below one or a broken filter is refused."),
        ("mm:memory.search:agent-mode", "The mode for agents answers the same."),
    ],
    f"{RULES} W4": [
        ("mm:toggles:short-term", "A window that is off is empty, and whole when on again."),
        ("mm:toggles:long-term", "A long-term memory that is off answers nothing."),
        ("mm:toggles:episodic", "With both off there is no episodic memory in the answer."),
        ("mm:toggles:server-wide", "What the server is told holds for projects that do not say."),
        ("mm:toggles:parts", "Routes for one memory alone switch that one and size its window."),
        ("mm:toggles:unknown", "A project that is not there is 404."),
        ("mm:config:round-trip", "What is written is read back, and the rest is left alone."),
        ("mm:config:refusals", "A resource or a key that is not there, or no size, is 422."),
    ],
    f"{RULES} §4.6": [
        ("mm:semantic:facts", "What was learned from episodes is listed as features."),
        ("mm:semantic:citations", "A feature cites the episodes it came from."),
        ("mm:semantic:search", "A search answers features that fit."),
        ("mm:semantic:other-clients", "A feature is a fact to the other clients."),
        ("mm:semantic:sets", "Features are listed by the set they are of."),
        ("mm:semantic:refusals", "A set, category or citation that is not there is refused."),
        ("mm:semantic:deleted", "A feature that was deleted is found no more."),
    ],
    "issue 7, one memory beneath": [
        ("mm:shared:project-is-graph", "A project is a graph to the other clients."),
        ("mm:shared:graph-is-project", "A graph is a project here."),
        ("mm:shared:users", "The graph of a user is a project of an organisation of its own."),
        ("mm:shared:search", "Each client finds what the others have added."),
        ("mm:shared:deletion", "What one client deletes is gone for all."),
        ("mm:shared:restricted", "A key sees here what it may see there, and no more."),
    ],
}
