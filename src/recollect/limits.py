"""Every bound, in one file."""

# What a caller may send.
ID_CHARS_MAX = 256
NAME_CHARS_MAX = 1_000
DESCRIPTION_CHARS_MAX = 10_000
BODY_BYTES_MAX = 16 * 1024 * 1024
JSON_DEPTH_MAX = 64
ECHO_CHARS_MAX = 100
REFUSAL_CHARS_MAX = 10_000  # of a whole message
MESSAGES_PER_CALL_MAX = 30
MESSAGE_CHARS_MAX = 4_096
EPISODE_CHARS_MAX = 10_000
EPISODES_PER_BATCH_CALL_MAX = 20
DOCUMENT_ID_CHARS_MAX = 100
METADATA_KEYS_MAX = 10
METADATA_BYTES_MAX = 64 * 1024
SEARCH_QUERY_CHARS_MAX = 8_192

# Memory clients.
MEMORY_MESSAGES_PER_CALL_MAX = 100
MEMORY_EPISODES_PER_CALL_MAX = 1_000  # that the messages of a call make, long ones several
MEMORY_METADATA_KEYS_MAX = 100
MEMORY_SEARCH_LIMIT_MAX = 200  # of episodes from each memory
MEMORY_EXPAND_MAX = 100  # episodes around one that was found
MEMORY_PAGE_MAX = 1_000
MEMORY_DELETED_PER_CALL_MAX = 5_000  # for about two seconds nobody else can write
MEMORY_PROJECTS_LISTED_MAX = 100_000
MEMORY_WINDOW_EPISODES_MAX = 10_000
MEMORY_WINDOW_CHARS_MAX = 4_000_000

# Features: what is known, as memory clients sort it.
FEATURE_CITATIONS_MAX = 100
FEATURE_DELETED_PER_CALL_MAX = 1_000
FEATURE_SET_TYPES_MAX = 100
FEATURE_CATEGORIES_MAX = 1_000
FEATURE_TAGS_MAX = 10_000

# Bulk batches.
BATCH_ITEMS_PER_CALL_MAX = 350
BATCH_ITEMS_MAX = 50_000
BATCH_ITEMS_PER_READ = 500
BATCHES_PER_PAGE_MAX = 20  # waiting, parked and canceled items are counted for each

# Connections.
HEADERS_MAX = 100
HEAD_BYTES_MAX = (
    64 * 1024
)  # of request line and headers; also of what comes between two pieces of a body
TARGET_BYTES_MAX = 16 * 1024  # of path and query
PARSED_BYTES_AT_ONCE = 4 * 1024  # of one connection, however much it sent
HEAD_S_MAX = 20.0  # for a whole head, also the first one of a connection
BODY_PAUSE_S_MAX = 30.0  # without a byte of a body that is still owed
REQUEST_S_MAX = 600.0  # for a whole request
UNREAD_S_MAX = 60.0  # in which a client takes nothing of its answer
UNREAD_BYTES_MAX = 256 * 1024 * 1024  # of answers that clients have not taken, all in all
KEEP_ALIVE_S = 75
DESCRIPTORS_RESERVED = 128  # for the store, the readers and the log
CONNECTIONS_TOLD_EVERY_S = 10.0  # that some were refused

# Document collections.
COLLECTIONS_MAX = 1_000
COLLECTION_DOCUMENTS_PER_CALL_MAX = 1_000
COLLECTION_DOCUMENT_CHARS_MAX = 100_000
COLLECTION_DOCUMENTS_BYTES_PER_READ_MAX = 10 * 1024 * 1024
DOCUMENTS_PER_PAGE = 500  # of a collection that is being searched
DOCUMENT_QUERY_TERMS_MAX = 64
DOCUMENT_VECTOR_CHARS = 2_000  # of a document's beginning, which its vector is made of
DOCUMENT_VECTOR_CHARS_PER_SEARCH = 40_000  # of documents that a search may make vectors of

# User groups.
USER_GROUP_MEMBERS_PER_CALL_MAX = 1_000

# Project settings.
TEMPLATE_ID_CHARS_MAX = 100
TEMPLATE_CHARS_MAX = 1_200
CUSTOM_TYPES_MAX = 10
CUSTOM_TYPE_FIELDS_MAX = 10
CUSTOM_TYPE_ENDS_MAX = 400
EXPIRES_AFTER_DAYS_MAX = 36_500
ONTOLOGY_SCOPES_PER_CALL_MAX = 50
ONTOLOGY_BYTES_MAX = 64 * 1024  # it is written once for each scope of a call
TEMPLATES_MAX = 1_000
TEMPLATE_ITEMS_MAX = 1_000
TEMPLATE_DERIVED_ITEMS_MAX = 20
INSTRUCTIONS_PER_CALL_MAX = 5
INSTRUCTION_SCOPES_PER_CALL_MAX = 50
INSTRUCTION_NAME_CHARS_MAX = 100
EXTRACTION_INSTRUCTIONS_MAX = 50
EXTRACTION_INSTRUCTION_CHARS_MAX = 5_000
SUMMARY_INSTRUCTIONS_MAX = 5
SUMMARY_INSTRUCTION_CHARS_MAX = 100
STEERING_CHARS_MAX = 2_000
OBSERVATION_TYPES_MAX = 10
OBSERVATION_TYPE_NAME_CHARS_MAX = 50
OBSERVATION_TYPE_CHARS_MAX = 500

# Pages.
PAGE_DEFAULT = 100
PAGE_MAX = 1_000
GRAPH_PAGE_MAX = 50
LIST_ALL_DEFAULT = 50
LIST_ALL_MAX = 100
SEARCH_TEXT_CHARS_MAX = 200
SEARCH_LIMIT_DEFAULT = 10
SEARCH_LIMIT_MAX = 50
SEARCH_TERMS_MAX = 256  # distinct words of a question; the embedder reads no more of it either
INDEX_ROWS_PER_PAGE = 5_000
SNAPSHOT_ROWS_MIN = 10_000  # smaller graphs are read from their rows in no time
RERANK_BUDGET_S = 0.25  # of the cross-encoder in one search; 100 short pairs take about that
INTEGER_MAX = 2**53
RECENT_MESSAGES_DEFAULT = 10

# The queue.
JOB_BACKOFF_MAX_S = 300.0
JOB_ERROR_CHARS_MAX = 2_000
LEASE_S = 60.0
OUTSIDE_PAUSE_MAX_S = 30.0  # before it is looked again whether what kept a job waiting is mended
JOB_CHARS_MIN = 200  # that a job counts for in its project's share, besides its own
WEIGHT_MIN, WEIGHT_MAX = 0.01, 100.0  # of a project's share
READER_IDLE_S_MAX = 20.0  # that a reader owes an answer and does nothing at all: it was stopped

# Second readings.
READING_LEASE_S = 600.0  # that an agent has for an answer; nobody renews it
READING_WAIT_S_MAX = 3_600.0  # of any pause or lease: until the budget of an hour has room again
OUTAGE_PAUSE_FIRST_S = 1.0  # before a language model that failed is asked again; it doubles …
OUTAGE_PAUSE_MAX_S = 60.0  # … up to this
JUDGED_NEAR_MAX = 4  # sentences of open facts that a new one is held against …
JUDGED_FACTS_MAX = 12  # … the likeliest of so many facts nearby; several may say the same …
JUDGED_ALIKE_MIN = 0.74  # … and by this cosine at least
READINGS_PER_CLAIM_MAX = 16  # of those that the embedded reader reads again
READINGS_PER_PAGE_DEFAULT = 100
PROGRAM_FAILURES_MAX = 3  # in a row, of a program that reads
PROGRAM_ERROR_CHARS_SHOWN = 300
READINGS_PER_PAGE_MAX = 1_000

# Reading an episode.
TURNS_BEFORE_MAX = 6
TURNS_EARLIER_MAX = 4  # of the conversation before, when this one is young
KNOWN_NAMES_MAX = 50
KNOWN_NAME_WORDS_MAX = 400
NAME_WORDS_MAX = 4  # of a name that is looked for in a text
NAMED_WORDS_MAX = 2_000  # of a text in which names are looked for …
NAMED_CANDIDATES_MAX = 200  # … among so many entities that may be meant …
SHOWN_FACTS_MAX = 40
SHOWN_ENTITIES_MAX = 30
SHOWN_RELATIONS_MAX = 60
SHOWN_GLOSS_CHARS_MAX = 120
PROMPT_CHARS_MAX = 12_000  # beside the text of the episode and the rules
CANDIDATES_PER_KEY_MAX = 16
FACTS_PER_NEED_MAX = 50
JOBS_PER_COMMIT_MAX = 16
READING_S_MAX = 300.0  # of a whole group; what takes longer hangs

# The store.
COMMIT_GROUP_MAX = 256
START_CHECK_S = (
    2.0  # that a start waits for a look at the file; a longer one goes on in the background
)
DISK_FREE_BYTES_MIN = 8 * 1024 * 1024  # with less, the next large write fails
RESERVE_BYTES = 4 * 1024 * 1024  # kept beside the store, and given up for a start on a full disk

# Readiness.
READY_WRITE_EVERY_S = 10.0
READY_ANSWER_S_MAX = 5.0

# The audit log.
AUDIT_ENTRIES_PER_READ = 5_000  # of one that is being checked
AUDIT_HEADS_MAX = 10_000  # projects whose last entry is remembered
AUDIT_PAGE_DEFAULT = 100
AUDIT_PAGE_MAX = 1_000
AUDIT_FAILURES_AT_ONCE = 100  # of one key; more are only counted …
AUDIT_FAILURES_PER_S = 1.0  # … until this rate has made room again

# Limits on what keys and projects use, and on guessing keys.
USAGE_DAYS_KEPT = 31
RATES_REMEMBERED_MAX = 20_000
GUESSERS_REMEMBERED_MAX = 10_000
GUESS_FORGIVEN_S = 60.0  # one wrong key is forgotten in this time
GUESS_PAUSE_FIRST_S = 1.0  # after one too many; it doubles with each further one …
GUESS_PAUSE_S_MAX = 60.0  # … up to this
GUESSED_NEVER_CHARS = 32  # keys of this length cannot be found by guessing
ISSUER_BYTES_MAX = 1_000_000  # of a document of the issuer of tokens
ISSUER_KEYS_KEPT_S = 600.0
ISSUER_PAUSE_S = 10.0  # between two looks at the issuer's keys, whoever asks for them
ISSUER_TIMEOUT_S = 5.0
TOKEN_LEEWAY_S = 30  # between its clock and ours

# What is kept of an entity.
ENTITY_NAMES_MAX = 32
ENTITY_SUMMARY_CHARS_MAX = 500
ENTITY_SUMMARY_FACTS_MAX = 500  # that are looked at to tell a summary to who may not see all

# What an episode may yield.
FOUND_FACTS_MAX = 150
PROSE_FACTS_MAX = 60
# A longer sentence is told in its own words or not at all: the rules follow its parse, clause in clause.
SENTENCE_TOKENS_MAX = 150
DATED_TOKENS_MAX = (
    500  # of a sentence in which times are looked for: each is held against all words
)
FACT_NAME_CHARS_MAX = 50
JSON_VALUE_CHARS_MAX = 160  # of a value inside a fact's sentence

# Knowledge that a caller writes down directly.
DIRECT_FACT_CHARS_MAX = 250
DIRECT_NAME_CHARS_MAX = 50
DIRECT_SUMMARY_CHARS_MAX = 500
NODES_PER_CALL_MAX = 100
DIRECT_WAIT_S = 10.0

# Reading a session.
SESSION_FACTS_PER_CALL_MAX = 100
SESSION_CLASSES_MAX = 100
SESSION_CLASS_CHARS_MAX = 200
SESSION_INSTRUCTION_CHARS_MAX = 2_000
SESSION_MESSAGES_DEFAULT = 4
SESSION_MESSAGES_MAX = 200
SESSION_SCHEMA_CHARS_MAX = 64 * 1024
SESSION_SUMMARY_CHARS_MAX = 1_000

# Filters.
FILTER_LIST_MAX = 256
FILTER_TREE_DEPTH_MAX = 8
FILTER_TESTS_MAX = 100  # of one tree, of one date field, or of properties
FILTER_VALUE_CHARS_MAX = 10_000
FILTER_TEXT_CHARS_MAX = 64 * 1024  # of a filter written in the language of memory clients
FILTER_TEXT_DEPTH_MAX = 32
EPISODES_PER_LOOK = 1_000  # of a graph, when conditions are asked of every one

# Searching.
SEARCH_QUERY_SHORT_CHARS_MAX = 400
SEARCH_ORIGINS_MAX = 256
SEARCH_SESSIONS_MAX = 100
THREADS_PER_SEARCH_MAX = 10_000  # of one user, the newest ones
CONTEXT_CHARS_DEFAULT = 2_500
CONTEXT_CHARS_MAX = 50_000

RECALL_CANDIDATES_PER_EPISODE = 5  # hits whose contexts are compared, for each episode wanted …
RECALL_CANDIDATES_MAX = 200  # … but no more than these, unless as many are wanted

# Walking through a graph.
NODE_EPISODES_MAX = 100
SUBGRAPH_SEEDS_MAX = 20
SUBGRAPH_DEPTH_MAX = 3
SUBGRAPH_NODES_DEFAULT = 100
SUBGRAPH_NODES_MAX = 500
SUBGRAPH_EDGES_DEFAULT = 200
SUBGRAPH_EDGES_MAX = 1_000
WALKED_FACTS_MAX = 20_000  # that one walk reads, however few of them its filters let by
NEIGHBOUR_EDGES_MAX = 1_000
MAP_NODES_DEFAULT = 500
MAP_NODES_MAX = 2_000  # as many as can be drawn and dragged
MAP_EDGES_DEFAULT = 1_500
MAP_EDGES_MAX = 8_000
DOUBTS_PER_PAGE_MAX = 200
PATTERN_SEEDS_MAX = 10_000
PATTERN_FACTS_MAX = 20_000
PATTERNS_DEFAULT = 50
PATTERNS_MAX = 200
PATTERN_OCCURRENCES_DEFAULT = 2
PATTERN_QUERY_DEFAULT = 10
PATTERN_QUERY_MAX = 50
PATTERN_EDGES_DEFAULT = 10
PATTERN_EDGES_MAX = 100
PATTERN_HOPS_DEFAULT = 3
PATTERN_HOPS_MAX = 5
PATTERN_STEPS_MAX = 100_000  # of the search for one shape, however dense the graph is
HUB_DEGREE_DEFAULT = 3

# Summaries and observations.
SUMMARY_CHARS_MAX = 1_000
SUMMARY_WEIGHTY_FACTS_MAX = 32
SUMMARY_NEWEST_FACTS_MAX = 16
SUMMARY_MESSAGES_MAX = 24  # of a thread that yielded no facts
USER_SUMMARY_CHARS_MAX = 600
WRITTEN_AFTER_EPISODES = 6  # before a language model is asked again; the query says it, too
WRITTEN_MESSAGES_MAX = 60
USER_SUMMARY_FACTS_MAX = 200
OBSERVATION_OPEN_FACTS_MAX = 32
OBSERVATION_CLOSED_FACTS_MAX = 12
OBSERVATION_NAMES_MAX = 8
OBSERVATION_EPISODES_MAX = 100
TOPIC_EPISODES_MAX = 200  # the newest of a graph, in which a topic has to come up to be noticed
TOPIC_FACTS_MAX = 1_000  # that they say

# The context block.
BLOCK_MESSAGES_2 = 4  # newest ones that say what a block of generation 2 is about
BLOCK_MESSAGES_3 = 2
BLOCK_QUERY_CHARS_MAX = 1_000  # about 250 tokens of the 512 that the embedder reads
BLOCK_FACTS_MAX = 30
BLOCK_ENTITIES_MAX = 12
# Beside episodes: those hold more of what answers a question, for their length, than more facts do.
BLOCK_FACTS_BESIDE_MAX = 50
BLOCK_ENTITIES_BESIDE_MAX = 8
BLOCK_EPISODES_MAX = 50
BLOCK_OBSERVATIONS_MAX = 4
BLOCK_THREAD_SUMMARIES_MAX = 2
BLOCK_EPISODE_CHARS_MAX = 800  # of one episode inside a block; a longer one is cut, and says so
TEMPLATE_ITEMS_DEFAULT = 10

# Access policies.
POLICY_BYTES_MAX = 64 * 1024  # of a policy set as it is written
POLICY_DEPTH_MAX = 12
POLICY_SETS_MAX = 1_000  # of a project …
POLICY_BYTES_PER_PROJECT_MAX = 4 * 1024 * 1024  # … and of all of them, which a change of one reads
GUARDED_KEYS_MAX = 1_000  # keys of metadata that they name: each episode is asked for them
POLICY_SETS_PER_KEY_MAX = 20
POLICY_VERSIONS_SHOWN_MAX = 1_000

# Session logs.
LOG_EPISODES_PER_CALL_MAX = 1_000
LOG_EPISODE_BYTES_MAX = 1024 * 1024  # of meta and payload together, as JSON
LOG_IMPORTED_EPISODES_MAX = 20_000  # of one call: for one or two seconds nobody else can write
LOG_FED_ITEMS_MAX = 20_000  # of a log that is bound to a user after they were said
LOG_FED_CHARS_MAX = 32 * 1024 * 1024  # of these items as JSON: they are fed in one transaction
LOG_ASSEMBLED_EPISODES_MAX = 100_000  # of a log that model input is made of
LOG_EPISODES_PER_PAGE = 500  # that are held in memory at a time, however many are asked for
LOG_PAGE_CHARS = 4 * 1024 * 1024  # from so many on, a page ends; one episode is always in it
LOG_TURNS_OPEN_MAX = 16  # of one session
LOG_TURN_EPISODES_MAX = 10_000  # of one open turn
LOG_LISTENERS_MAX = 1_000  # of one process …
LOG_LISTENERS_KEPT = 100  # … of which the last so many are for projects that have fewer
LOG_POLL_S = 5.0  # between looks for what another process may have written
LOG_HEARTBEAT_S = 15.0  # of silence before a listener is told that we are still here
LOG_STREAM_S_MAX = 600.0  # then a listener comes again, and its key is looked at anew

# Instances of memories.
INSTANCE_CLOSE_S_MAX = 10.0  # then the next one's turn is come
INSTANCE_WAIT_S = 10.0  # of a deletion for those who hold one, and of holders for a deletion
INSTANCE_WINDOWS_MAX = 4  # that one remembers, each for other bounds, filters or limits

# The window, and what is told of what left it.
WINDOW_SUMMARY_SHARE = 8  # one part in so many of the characters is kept free for the summary
WINDOW_SUMMARY_CHARS_SMALL = 200  # of a small window the summary may take more, up to a half …
WINDOW_SUMMARY_CHARS_MIN = 20  # … and in less room than this there is none
WINDOW_SUMMARY_CHARS_MAX = 2_000
WINDOW_EPISODES_PER_READ = 64
WINDOW_LOOK_BACK_EPISODES = 1_024  # before the window, where chapters cannot tell of them

# Chapters. The numbers of the first two are in queries and in the schema, too.
CHAPTER_EPISODES = 32
CHAPTER_PARTS = 8  # of one level that make one of the next
CHAPTERS_PER_COMMIT_MAX = 8
CHAPTERS_PER_PAGE_DEFAULT = 20
CHAPTERS_PER_PAGE_MAX = 100

# Resources that one page of a list names to an MCP client.
MCP_RESOURCES_PER_PAGE = 100
HOOK_TIMEOUT_S = 10.0  # an agent waits for its hooks
HOOK_TRANSCRIPT_BYTES = 1_000_000  # the end of a transcript, in which the last answer is

# Files that memory is carried in.
EXCHANGE_ROWS_PER_PAGE = 200  # that an export holds in memory at a time
EXCHANGE_LINE_BYTES_MAX = 64 * 1024 * 1024
IMPORT_EPISODES_PER_COMMIT = 200  # of another memory's file

# Idempotency keys.
IDEMPOTENCY_KEY_CHARS_MAX = 255
KEPT_ANSWERS_S = 24 * 60 * 60

# Webhooks.
WEBHOOKS_PER_PROJECT_MAX = 20
WEBHOOK_GRACE_H_DEFAULT = 24  # for which the old secret signs as well after a change
WEBHOOK_GRACE_H_MAX = 24 * 30
WEBHOOK_URL_CHARS_MAX = 2_048
WEBHOOK_WAITING_MAX = 10_000  # deliveries that one is owed; what happens then is only counted
WEBHOOK_LOG_MAX = 1_000  # deliveries of one that are remembered, and as many that were given up
WEBHOOK_TRIES_KEPT = 20  # of one delivery
WEBHOOK_BACKOFF_FACTOR = 4
WEBHOOK_BACKOFF_MAX_S = 6 * 60 * 60
WEBHOOK_JITTER = 0.25  # of a pause, at most, in either direction
WEBHOOK_LANES_MAX = 8  # webhooks that are told something at the same time
WEBHOOK_ANSWER_BYTES_MAX = 16 * 1024  # of the head of an answer; nothing more of it is read
WEBHOOK_DELIVERIES_PER_PAGE_DEFAULT = 100
WEBHOOK_DELIVERIES_PER_PAGE_MAX = 1_000
