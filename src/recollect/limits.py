"""Every bound, in one file."""

# What a caller may send.
ID_CHARS_MAX = 256
NAME_CHARS_MAX = 1_000
DESCRIPTION_CHARS_MAX = 10_000
BODY_BYTES_MAX = 16 * 1024 * 1024
JSON_DEPTH_MAX = 64
ECHO_CHARS_MAX = 100
REFUSAL_CHARS_MAX = 10_000  # of an error message
MESSAGES_PER_CALL_MAX = 30
MESSAGE_CHARS_MAX = 4_096
EPISODE_CHARS_MAX = 10_000
EPISODES_PER_BATCH_CALL_MAX = 20
DOCUMENT_ID_CHARS_MAX = 100
METADATA_KEYS_MAX = 10
METADATA_BYTES_MAX = 64 * 1024
SEARCH_QUERY_CHARS_MAX = 8_192

# MemMachine's clients.
MEMORY_MESSAGES_PER_CALL_MAX = 100
MEMORY_EPISODES_PER_CALL_MAX = 1_000  # made from the messages of a call; long ones give several
MEMORY_METADATA_KEYS_MAX = 100
MEMORY_SEARCH_LIMIT_MAX = 200  # episodes from each memory
MEMORY_EXPAND_MAX = 100  # episodes around a hit
MEMORY_PAGE_MAX = 1_000
MEMORY_DELETED_PER_CALL_MAX = 5_000  # blocks other writers for about two seconds
MEMORY_PROJECTS_LISTED_MAX = 100_000
MEMORY_WINDOW_EPISODES_MAX = 10_000
MEMORY_WINDOW_CHARS_MAX = 4_000_000

# Features of MemMachine's clients.
FEATURE_CITATIONS_MAX = 100
FEATURE_DELETED_PER_CALL_MAX = 1_000
FEATURE_SET_TYPES_MAX = 100
FEATURE_CATEGORIES_MAX = 1_000
FEATURE_TAGS_MAX = 10_000

# Bulk batches.
BATCH_ITEMS_PER_CALL_MAX = 350
BATCH_ITEMS_MAX = 50_000
BATCH_ITEMS_PER_READ = 500
BATCHES_PER_PAGE_MAX = 20  # waiting, parked and canceled items are counted for each batch

# Connections.
HEADERS_MAX = 100
HEAD_BYTES_MAX = 64 * 1024  # request line and headers; also between two chunks of a body
TARGET_BYTES_MAX = 16 * 1024  # path and query
PARSED_BYTES_AT_ONCE = 4 * 1024  # per connection, however much it sent
HEAD_S_MAX = 20.0  # to receive a whole head, including the first one of a connection
BODY_PAUSE_S_MAX = 30.0  # without a byte of an incomplete body
REQUEST_S_MAX = 600.0  # to receive a whole request
UNREAD_S_MAX = 60.0  # during which a client reads nothing of its response
UNREAD_BYTES_MAX = 256 * 1024 * 1024  # of responses that clients have not read, in total
KEEP_ALIVE_S = 75
DESCRIPTORS_RESERVED = 128  # for the store, the readers and the log
CONNECTIONS_TOLD_EVERY_S = 10.0  # refused ones are logged at most this often

# Document collections.
COLLECTIONS_MAX = 1_000
COLLECTION_DOCUMENTS_PER_CALL_MAX = 1_000
COLLECTION_DOCUMENT_CHARS_MAX = 100_000
COLLECTION_DOCUMENTS_BYTES_PER_READ_MAX = 10 * 1024 * 1024
DOCUMENTS_PER_PAGE = 500  # when searching a collection
DOCUMENT_QUERY_TERMS_MAX = 64
DOCUMENT_VECTOR_CHARS = 2_000  # the start of a document, from which its vector is made
DOCUMENT_VECTOR_CHARS_PER_SEARCH = 40_000  # of documents that one search may embed

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
ONTOLOGY_BYTES_MAX = 64 * 1024  # it is stored once for each scope of a call
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
SEARCH_TERMS_MAX = 256  # distinct words of a query; the embedder does not read more either
INDEX_ROWS_PER_PAGE = 5_000
SNAPSHOT_ROWS_MIN = 10_000  # smaller graphs load quickly from their rows
RERANK_BUDGET_S = 0.25  # for the cross-encoder in one search; enough for about 100 short pairs
INTEGER_MAX = 2**53
RECENT_MESSAGES_DEFAULT = 10

# The queue.
JOB_BACKOFF_MAX_S = 300.0
JOB_ERROR_CHARS_MAX = 2_000
LEASE_S = 60.0
OUTSIDE_PAUSE_MAX_S = 30.0  # between checks whether what holds up a job is fixed
JOB_CHARS_MIN = 200  # added to each job's own characters in its project's share
WEIGHT_MIN, WEIGHT_MAX = 0.01, 100.0  # of a project's share
READER_IDLE_S_MAX = 20.0  # a reader that owes an answer and is idle this long was stopped

# Second readings.
READING_LEASE_S = 600.0  # for an agent to answer; it is not renewed
READING_WAIT_S_MAX = 3_600.0  # for any pause or lease: an hourly budget has room again by then
OUTAGE_PAUSE_FIRST_S = 1.0  # before a failed language model is called again; it doubles …
OUTAGE_PAUSE_MAX_S = 60.0  # … up to this
JUDGED_NEAR_MAX = 4  # sentences of open facts that a new one is compared with …
JUDGED_FACTS_MAX = 12  # … chosen from this many facts nearby, several of which may say the same …
JUDGED_ALIKE_MIN = 0.74  # … with at least this cosine similarity
READINGS_PER_CLAIM_MAX = 16  # for the embedded reader
READINGS_PER_PAGE_DEFAULT = 100
PROGRAM_FAILURES_MAX = 3  # in a row, of a reading program
PROGRAM_ERROR_CHARS_SHOWN = 300
READINGS_PER_PAGE_MAX = 1_000

# Reading an episode.
TURNS_BEFORE_MAX = 6
TURNS_EARLIER_MAX = 4  # from the previous conversation, if this one is young
KNOWN_NAMES_MAX = 50
KNOWN_NAME_WORDS_MAX = 400
NAME_WORDS_MAX = 4  # of a name to look for in a text
NAMED_WORDS_MAX = 2_000  # of a text to look for names in …
NAMED_CANDIDATES_MAX = 200  # … among this many candidate entities
SHOWN_FACTS_MAX = 40
SHOWN_ENTITIES_MAX = 30
SHOWN_RELATIONS_MAX = 60
SHOWN_GLOSS_CHARS_MAX = 120
PROMPT_CHARS_MAX = 12_000  # besides the text of the episode and the rules
CANDIDATES_PER_KEY_MAX = 16
FACTS_PER_NEED_MAX = 50
JOBS_PER_COMMIT_MAX = 16
READING_S_MAX = 300.0  # for a whole group; what takes longer is stuck

# The store.
COMMIT_GROUP_MAX = 256
START_CHECK_S = 2.0  # a start waits this long for the file check, which then runs in background
DISK_FREE_BYTES_MIN = 8 * 1024 * 1024  # with less, the next large write would fail
RESERVE_BYTES = 4 * 1024 * 1024  # reserved next to the store, and freed to start on a full disk

# Readiness.
READY_WRITE_EVERY_S = 10.0
READY_ANSWER_S_MAX = 5.0

# The audit log.
AUDIT_ENTRIES_PER_READ = 5_000  # when verifying the log
AUDIT_HEADS_MAX = 10_000  # projects whose last entry is cached
AUDIT_PAGE_DEFAULT = 100
AUDIT_PAGE_MAX = 1_000
AUDIT_FAILURES_AT_ONCE = 100  # per key; more are only counted …
AUDIT_FAILURES_PER_S = 1.0  # … until this refill rate makes room again

# Limits on what keys and projects use, and on guessing keys.
USAGE_DAYS_KEPT = 31
RATES_REMEMBERED_MAX = 20_000
GUESSERS_REMEMBERED_MAX = 10_000
GUESS_FORGIVEN_S = 60.0  # after this time one wrong key is forgotten
GUESS_PAUSE_FIRST_S = 1.0  # after one wrong key too many; it doubles with each further one …
GUESS_PAUSE_S_MAX = 60.0  # … up to this
GUESSED_NEVER_CHARS = 32  # keys of this length cannot be found by guessing
ISSUER_BYTES_MAX = 1_000_000  # of a document from the token issuer
ISSUER_KEYS_KEPT_S = 600.0
ISSUER_PAUSE_S = 10.0  # between two reads of the issuer's keys, whoever causes them
ISSUER_TIMEOUT_S = 5.0
TOKEN_LEEWAY_S = 30  # for differences between its clock and ours

# What is kept of an entity.
ENTITY_NAMES_MAX = 32
ENTITY_SUMMARY_CHARS_MAX = 500
ENTITY_SUMMARY_FACTS_MAX = 500  # read to build a summary for a caller who may not see all of them

# What an episode may yield.
FOUND_FACTS_MAX = 150
PROSE_FACTS_MAX = 60
# A longer sentence is kept verbatim or not at all: the rules recurse into its parse, clause by clause.
SENTENCE_TOKENS_MAX = 150
DATED_TOKENS_MAX = 500  # of a sentence to look for times in: each is compared with all words
FACT_NAME_CHARS_MAX = 50
JSON_VALUE_CHARS_MAX = 160  # of a value in a fact's sentence

# Facts and entities that a caller writes directly.
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
FILTER_TESTS_MAX = 100  # per tree, per date field, or of properties
FILTER_VALUE_CHARS_MAX = 10_000
FILTER_TEXT_CHARS_MAX = 64 * 1024  # of a filter in MemMachine's language
FILTER_TEXT_DEPTH_MAX = 32
EPISODES_PER_LOOK = 1_000  # of a graph, when every one is checked against conditions

# Searching.
SEARCH_QUERY_SHORT_CHARS_MAX = 400
SEARCH_ORIGINS_MAX = 256
SEARCH_SESSIONS_MAX = 100
THREADS_PER_SEARCH_MAX = 10_000  # of one user, the newest ones
CONTEXT_CHARS_DEFAULT = 2_500
CONTEXT_CHARS_MAX = 50_000

RECALL_CANDIDATES_PER_EPISODE = 5  # hits whose contexts are compared, per requested episode …
RECALL_CANDIDATES_MAX = 200  # … but no more than this, unless as many are requested

# Walking through a graph.
NODE_EPISODES_MAX = 100
SUBGRAPH_SEEDS_MAX = 20
SUBGRAPH_DEPTH_MAX = 3
SUBGRAPH_NODES_DEFAULT = 100
SUBGRAPH_NODES_MAX = 500
SUBGRAPH_EDGES_DEFAULT = 200
SUBGRAPH_EDGES_MAX = 1_000
WALKED_FACTS_MAX = 20_000  # that one walk reads, however few pass its filters
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
PATTERN_STEPS_MAX = 100_000  # of the search for one pattern, however dense the graph
HUB_DEGREE_DEFAULT = 3

# Summaries and observations.
SUMMARY_CHARS_MAX = 1_000
SUMMARY_WEIGHTY_FACTS_MAX = 32
SUMMARY_NEWEST_FACTS_MAX = 16
SUMMARY_MESSAGES_MAX = 24  # of a thread that yielded no facts
USER_SUMMARY_CHARS_MAX = 600
WRITTEN_AFTER_EPISODES = 6  # before a language model writes again; the query has this number, too
WRITTEN_MESSAGES_MAX = 60
USER_SUMMARY_FACTS_MAX = 200
OBSERVATION_OPEN_FACTS_MAX = 32
OBSERVATION_CLOSED_FACTS_MAX = 12
OBSERVATION_NAMES_MAX = 8
OBSERVATION_EPISODES_MAX = 100
TOPIC_EPISODES_MAX = 200  # newest of a graph; a topic is noticed only among these
TOPIC_FACTS_MAX = 1_000  # stated in those episodes

# The context block.
BLOCK_MESSAGES_2 = 4  # newest ones, which determine what a Zep v2 block is about
BLOCK_MESSAGES_3 = 2
BLOCK_QUERY_CHARS_MAX = 1_000  # about 250 tokens of the 512 that the embedder reads
BLOCK_FACTS_MAX = 30
BLOCK_ENTITIES_MAX = 12
# In a block with episodes: for their length, these hold more of the answer than further facts do.
BLOCK_FACTS_BESIDE_MAX = 50
BLOCK_ENTITIES_BESIDE_MAX = 8
BLOCK_EPISODES_MAX = 50
BLOCK_OBSERVATIONS_MAX = 4
BLOCK_THREAD_SUMMARIES_MAX = 2
BLOCK_EPISODE_CHARS_MAX = 800  # of one episode in a block; a longer one is cut, and marked
TEMPLATE_ITEMS_DEFAULT = 10

# Access policies.
POLICY_BYTES_MAX = 64 * 1024  # of a policy set as written
POLICY_DEPTH_MAX = 12
POLICY_SETS_MAX = 1_000  # per project …
POLICY_BYTES_PER_PROJECT_MAX = 4 * 1024 * 1024  # … for all of them, because changing one reads all
GUARDED_KEYS_MAX = 1_000  # metadata keys that policies name: each episode is checked for them
POLICY_SETS_PER_KEY_MAX = 20
POLICY_VERSIONS_SHOWN_MAX = 1_000

# Session logs.
LOG_EPISODES_PER_CALL_MAX = 1_000
LOG_EPISODE_BYTES_MAX = 1024 * 1024  # of meta and payload together, as JSON
LOG_IMPORTED_EPISODES_MAX = 20_000  # per call: blocks other writers for one or two seconds
LOG_FED_ITEMS_MAX = 20_000  # of a log that is bound to a user afterwards
LOG_FED_CHARS_MAX = 32 * 1024 * 1024  # of these items as JSON: all are fed in one transaction
LOG_ASSEMBLED_EPISODES_MAX = 100_000  # of a log that model input is made from
LOG_EPISODES_PER_PAGE = 500  # held in memory at a time, however many are requested
LOG_PAGE_CHARS = 4 * 1024 * 1024  # a page ends beyond this; it always has at least one episode
LOG_TURNS_OPEN_MAX = 16  # per session
LOG_TURN_EPISODES_MAX = 10_000  # per open turn
LOG_LISTENERS_MAX = 1_000  # per process …
LOG_LISTENERS_KEPT = 100  # … of which the last this many are reserved for projects with fewer
LOG_POLL_S = 5.0  # between polls for what another process may have written
LOG_HEARTBEAT_S = 15.0  # of silence before a listener gets a heartbeat
LOG_STREAM_S_MAX = 600.0  # then the listener has to reconnect, and its key is checked again

# Instances of memories.
INSTANCE_CLOSE_S_MAX = 10.0  # then the next one is closed
INSTANCE_WAIT_S = 10.0  # of a deletion for its holders, and of callers for a deletion
INSTANCE_WINDOWS_MAX = 4  # cached per instance, for different bounds, filters or limits

# The window, and the summary of what left it.
WINDOW_SUMMARY_SHARE = 8  # 1/8 of the characters is reserved for the summary
WINDOW_SUMMARY_CHARS_SMALL = 200  # in a small window the summary may take more, up to a half …
WINDOW_SUMMARY_CHARS_MIN = 20  # … and with less room than this there is none
WINDOW_SUMMARY_CHARS_MAX = 2_000
WINDOW_EPISODES_PER_READ = 64
WINDOW_LOOK_BACK_EPISODES = 1_024  # before the window, where chapters do not cover them

# Chapters. The first two numbers are also in queries and in the schema.
CHAPTER_EPISODES = 32
CHAPTER_PARTS = 8  # of one level make one of the next
CHAPTERS_PER_COMMIT_MAX = 8
CHAPTERS_PER_PAGE_DEFAULT = 20
CHAPTERS_PER_PAGE_MAX = 100

# MCP.
MCP_RESOURCES_PER_PAGE = 100
HOOK_TIMEOUT_S = 10.0  # an agent waits for its hooks
HOOK_TRANSCRIPT_BYTES = 1_000_000  # the end of a transcript, which has the last answer

# Export and import files.
EXCHANGE_ROWS_PER_PAGE = 200  # held in memory at a time by an export
EXCHANGE_LINE_BYTES_MAX = 64 * 1024 * 1024
IMPORT_EPISODES_PER_COMMIT = 200  # from another product's file

# Idempotency keys.
IDEMPOTENCY_KEY_CHARS_MAX = 255
KEPT_ANSWERS_S = 24 * 60 * 60

# Webhooks.
WEBHOOKS_PER_PROJECT_MAX = 20
WEBHOOK_GRACE_H_DEFAULT = 24  # during which the old secret also signs after a rotation
WEBHOOK_GRACE_H_MAX = 24 * 30
WEBHOOK_URL_CHARS_MAX = 2_048
WEBHOOK_WAITING_MAX = 10_000  # pending deliveries per webhook; further events are only counted
WEBHOOK_LOG_MAX = 1_000  # past deliveries kept per webhook, and as many that were given up
WEBHOOK_TRIES_KEPT = 20  # per delivery
WEBHOOK_BACKOFF_FACTOR = 4
WEBHOOK_BACKOFF_MAX_S = 6 * 60 * 60
WEBHOOK_JITTER = 0.25  # of a pause at most, in either direction
WEBHOOK_LANES_MAX = 8  # webhooks that are called concurrently
WEBHOOK_ANSWER_BYTES_MAX = 16 * 1024  # of the head of a response; the rest is not read
WEBHOOK_DELIVERIES_PER_PAGE_DEFAULT = 100
WEBHOOK_DELIVERIES_PER_PAGE_MAX = 1_000
