-- The whole schema as it stands after the last migration; a test compares the two.
-- Times are whole microseconds since 1970 in UTC, JSON is text. AUTOINCREMENT where an id may be
-- held outside a transaction (a claim, a cache): SQLite would otherwise give it out again.

CREATE TABLE projects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    description TEXT,
    default_time_zone TEXT,
    created_at INTEGER NOT NULL,
    guarded TEXT NOT NULL DEFAULT '[]',  -- the keys of metadata that its policies name
    limits TEXT  -- what was chosen for it in place of the limits in the settings
);

CREATE TABLE api_keys (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    is_admin INTEGER NOT NULL DEFAULT 0,
    role TEXT NOT NULL DEFAULT 'default_allow'
        CHECK (role IN ('default_allow', 'default_deny')),
    mode TEXT NOT NULL DEFAULT 'enforce'
        CHECK (mode IN ('off', 'report_only', 'enforce')),
    logs_reads INTEGER NOT NULL DEFAULT 0,
    mcp_write INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX api_keys_by_project ON api_keys (project_id);

CREATE TABLE graphs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'standalone')),
    graph_id TEXT NOT NULL,
    name TEXT,
    description TEXT,
    time_zone TEXT,
    rating TEXT,
    last_seq INTEGER NOT NULL DEFAULT 0,
    index_version INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    edits INTEGER NOT NULL DEFAULT 0,  -- how many were made before they were written down
    index_epoch INTEGER NOT NULL DEFAULT 0,
    condenses INTEGER NOT NULL DEFAULT 0,  -- whether chapters are made of its log
    condensed INTEGER NOT NULL DEFAULT 0,  -- of how many runs of episodes they were made
    folded INTEGER NOT NULL DEFAULT 0,  -- the last place of the log that the graph knows
    fold_from INTEGER,  -- the first place from which it has to be folded again, if it has to
    inputs INTEGER NOT NULL DEFAULT 0,  -- how many changes made it so
    distance INTEGER NOT NULL DEFAULT 0,  -- of a copy's uuids from those its readings speak of
    changes INTEGER NOT NULL DEFAULT 0,  -- how many were made to what is known already
    UNIQUE (project_id, kind, graph_id)
);
CREATE INDEX graphs_to_fold ON graphs (id) WHERE fold_from IS NOT NULL;

CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    entity_uuid TEXT NOT NULL,
    email TEXT,
    first_name TEXT,
    last_name TEXT,
    metadata TEXT,
    time_zone TEXT,
    disable_default_ontology INTEGER NOT NULL DEFAULT 0,
    thread_count INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, user_id)
);
CREATE INDEX users_by_graph ON users (graph_id);

CREATE TABLE threads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    thread_id TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    metadata TEXT,
    rating TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    UNIQUE (project_id, thread_id)
);
CREATE INDEX threads_by_user ON threads (user_id);
CREATE INDEX threads_by_graph ON threads (graph_id);

-- The log. A row is written once; only metadata, processed_at and thread_id may change later.
CREATE TABLE episodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    role TEXT,
    speaker TEXT,
    source_description TEXT,
    thread_id INTEGER REFERENCES threads (id) ON DELETE SET NULL,
    document_id TEXT,
    metadata TEXT,
    ignored INTEGER NOT NULL DEFAULT 0,
    strict_ontology INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    processed_at INTEGER,
    task_uuid TEXT,
    producer TEXT,
    addressee TEXT,
    extra TEXT,
    kept_for TEXT,
    failure TEXT,
    UNIQUE (graph_id, seq)
);
CREATE INDEX episodes_by_thread ON episodes (thread_id, seq, kind) WHERE thread_id IS NOT NULL;
CREATE INDEX episodes_by_document ON episodes (graph_id, document_id, seq)
    WHERE document_id IS NOT NULL;
-- What was said before in the same talk: memory clients have no threads, but name their sessions.
CREATE INDEX episodes_by_talk ON episodes
    (graph_id, json_extract(metadata, '$.session_id'), json_extract(metadata, '$.user_id'), seq)
    WHERE producer IS NOT NULL AND thread_id IS NULL;

CREATE TABLE entities (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    labels TEXT NOT NULL,
    summary TEXT NOT NULL DEFAULT '',
    attributes TEXT,
    is_user INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    kind TEXT,
    is_assistant INTEGER NOT NULL DEFAULT 0,
    names TEXT NOT NULL DEFAULT '[]',
    given TEXT,
    side TEXT NOT NULL DEFAULT ''  -- of the walls that policies draw; one that is the user's is on all
);
CREATE INDEX entities_by_graph ON entities (graph_id, uuid);
CREATE INDEX entities_who ON entities (graph_id) WHERE is_user = 1 OR is_assistant = 1;

-- The keys under which an entity is looked up: its normalised names, and parts of them.
CREATE TABLE entity_names (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    PRIMARY KEY (graph_id, key, entity_id)
) WITHOUT ROWID;
CREATE INDEX entity_names_by_entity ON entity_names (entity_id);

CREATE TABLE facts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    source_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    target_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    fact TEXT NOT NULL,
    attributes TEXT,
    rating REAL,
    created_at INTEGER NOT NULL,
    expired_at INTEGER,
    valid_at INTEGER,
    invalid_at INTEGER,
    predicate TEXT NOT NULL DEFAULT '',
    gist TEXT NOT NULL DEFAULT '',
    negated INTEGER NOT NULL DEFAULT 0,
    ends INTEGER NOT NULL DEFAULT 0,
    slot TEXT,
    confidence REAL NOT NULL DEFAULT 1,
    extractor TEXT,
    event_at INTEGER,  -- when it happens or is due, where that is another time than since when it is so
    kept_against TEXT,  -- marks, in JSON, of what may not close it again
    side TEXT NOT NULL DEFAULT ''
);
CREATE INDEX facts_by_graph ON facts (graph_id, uuid);
CREATE INDEX facts_by_source ON facts (source_id, predicate, invalid_at);
CREATE INDEX facts_by_pair ON facts (source_id, target_id);
CREATE INDEX facts_by_gist ON facts (source_id, gist);
CREATE INDEX facts_by_slot ON facts (source_id, slot, invalid_at) WHERE slot IS NOT NULL;
CREATE INDEX facts_by_target ON facts (target_id, predicate, invalid_at);
CREATE INDEX facts_open_of_entity ON facts (source_id) WHERE invalid_at IS NULL;

-- Provenance: which episodes mention an entity, which state, restate or close a fact, and where in
-- their text.
CREATE TABLE mentions (
    entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    PRIMARY KEY (entity_id, episode_id)
) WITHOUT ROWID;
CREATE INDEX mentions_by_episode ON mentions (episode_id);

CREATE TABLE supports (
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    role TEXT NOT NULL DEFAULT 'states',
    span_start INTEGER,
    span_end INTEGER,
    PRIMARY KEY (fact_id, episode_id)
) WITHOUT ROWID;
CREATE INDEX supports_by_episode ON supports (episode_id);

-- A fact as it is told: with both of its ends and the episodes behind it. What a caller wrote as
-- a fact names its episode, too, though no list shows that one.
CREATE VIEW fact_told AS
SELECT f.*, s.uuid AS source_uuid, s.name AS source_name, s.labels AS source_labels,
    d.uuid AS target_uuid, d.name AS target_name, d.labels AS target_labels,
    (SELECT json_group_array(uuid) FROM
        (SELECT e.uuid FROM supports p JOIN episodes e ON e.id = p.episode_id
         WHERE p.fact_id = f.id AND e.kind <> 'nodes'
         ORDER BY e.seq)) AS episodes
FROM facts f JOIN entities s ON s.id = f.source_id JOIN entities d ON d.id = f.target_id;

-- What is owed to episodes: at most one job each, which bears the episode's id. Jobs of one
-- graph run in the order of their ids. graph_id is the episode's and references nothing: jobs go
-- with their episodes, and a reference would want one more index on the way in.
-- run is set while a job is worked on: with others of its graph, as the only one of its graph, or
-- as the only one of all. Found set on a pending job that nobody holds, it tells of a process
-- that died. attempts counts failures that were reported, lost the deaths while it ran alone.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    graph_id INTEGER NOT NULL,
    task_uuid TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'parked')),
    run TEXT CHECK (run IN ('group', 'single', 'alone')),
    attempts INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    completed_at INTEGER
);
CREATE INDEX jobs_pending ON jobs (graph_id, id) WHERE status = 'pending';
CREATE INDEX jobs_parked ON jobs (graph_id, id) WHERE status = 'parked';
CREATE INDEX jobs_by_task ON jobs (task_uuid, status, completed_at);

-- One row while a graph has pending jobs. place: the order in which graphs came, which no clock can
-- turn round. wait_until: before that its next job is not tried again; pauses: how often in a row
-- something outside of its jobs kept them from being done, and reason: what. lease: who holds it,
-- and alone whether nobody else may work meanwhile. project_id is that of the graph.
CREATE TABLE queue (
    graph_id INTEGER PRIMARY KEY REFERENCES graphs (id) ON DELETE CASCADE,
    project_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    wait_until INTEGER NOT NULL DEFAULT 0,
    pauses INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    lease TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    alone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX queue_by_project ON queue (project_id, place);
CREATE INDEX queue_by_place ON queue (place);
CREATE INDEX queue_held ON queue (lease_until) WHERE lease IS NOT NULL;

-- What each project had of the workers. used grows with what is done for it, the slower the greater
-- its weight; whoever used least is next. begun: where it stood when its last turn began, so that
-- nobody saves up turns by being idle.
CREATE TABLE shares (
    project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    weight REAL NOT NULL DEFAULT 1,
    begun REAL NOT NULL DEFAULT 0,
    used REAL NOT NULL DEFAULT 0
);
CREATE INDEX shares_by_begun ON shares (begun);

-- What search segments are built from. A row whose terms are NULL says that its item is gone.
-- Versions of one epoch belong together: a graph that is learned anew begins another.
CREATE TABLE index_rows (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    item_kind TEXT NOT NULL,
    item_id INTEGER NOT NULL,
    terms BLOB,
    vector BLOB,
    PRIMARY KEY (graph_id, version)
) WITHOUT ROWID;
CREATE UNIQUE INDEX index_rows_by_item ON index_rows (graph_id, item_kind, item_id);

-- Segments of large graphs as they were at some version, in chunks. They go with the first item
-- that is removed: what is forgotten must not live on here.
CREATE TABLE index_snapshots (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    chunk INTEGER NOT NULL,
    version INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (graph_id, chunk)
);

-- What a project tells the memory: ontology, instructions, steering, templates.
-- scope is '' for the project, 'user:<uuid>' or 'graph:<uuid>' for a narrower one.
CREATE TABLE guidance (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT '',
    graph_id INTEGER REFERENCES graphs (id) ON DELETE CASCADE,
    name TEXT NOT NULL DEFAULT '',
    value TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, kind, scope, name)
);
CREATE INDEX guidance_by_graph ON guidance (graph_id) WHERE graph_id IS NOT NULL;

-- Bulk ingestion: drafted item by item, processed in one go.
CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('draft', 'invalid', 'queued')),
    ignore_roles TEXT,
    strict_ontology INTEGER NOT NULL DEFAULT 0,
    metadata TEXT,
    item_count INTEGER NOT NULL DEFAULT 0,
    skipped_count INTEGER NOT NULL DEFAULT 0,
    failed_count INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    processed_at INTEGER,
    UNIQUE (project_id, number)
);

-- Names and content are cleared once the item is an episode, and once what it names is deleted;
-- content also goes when the batch is found invalid. What is forgotten must not live on here.
-- The uuid is given to the item when it is added, and to its episode later on.
CREATE TABLE batch_items (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    batch_id INTEGER NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    sequence_index INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('graph_episode', 'thread_message')),
    status TEXT NOT NULL CHECK (status IN ('pending', 'queued', 'skipped', 'failed')),
    episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    error TEXT,
    user_id TEXT,
    graph_id TEXT,
    thread_id TEXT,
    content TEXT,
    UNIQUE (batch_id, sequence_index)
);
CREATE INDEX batch_items_by_episode ON batch_items (episode_id) WHERE episode_id IS NOT NULL;
CREATE INDEX batch_items_canceled ON batch_items (batch_id)
    WHERE status = 'queued' AND episode_id IS NULL;
CREATE INDEX batch_items_by_user ON batch_items (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX batch_items_by_graph ON batch_items (graph_id) WHERE graph_id IS NOT NULL;
CREATE INDEX batch_items_by_thread ON batch_items (thread_id) WHERE thread_id IS NOT NULL;

-- Where a batch stands, read off its jobs, which carry its uuid as their task: nothing of it is
-- written down, so nothing of it can be stale. Every question but one is one look into an index;
-- whether a batch of which nothing has ended was started is asked of its waiting jobs one by one.
CREATE VIEW batch_states AS
SELECT b.*,
    CASE
        WHEN b.status <> 'queued' THEN b.status
        WHEN EXISTS (SELECT 1 FROM jobs WHERE task_uuid = b.uuid AND status = 'pending') THEN
            CASE WHEN EXISTS (SELECT 1 FROM jobs WHERE task_uuid = b.uuid
                             AND status IN ('succeeded', 'parked'))
                OR EXISTS (SELECT 1 FROM jobs WHERE task_uuid = b.uuid AND status = 'pending'
                           AND started_at IS NOT NULL)
            THEN 'processing' ELSE 'queued' END
        WHEN b.skipped_count = b.item_count THEN 'succeeded'
        WHEN NOT EXISTS (SELECT 1 FROM jobs WHERE task_uuid = b.uuid) THEN 'canceled'
        WHEN NOT EXISTS (SELECT 1 FROM jobs WHERE task_uuid = b.uuid AND status = 'succeeded')
            THEN 'failed'
        WHEN EXISTS (SELECT 1 FROM jobs WHERE task_uuid = b.uuid AND status = 'parked')
            OR EXISTS (SELECT 1 FROM batch_items WHERE batch_id = b.id AND status = 'queued'
                       AND episode_id IS NULL)
            THEN 'partial'
        ELSE 'succeeded'
    END AS state
FROM batches b;

-- Document collections of generation 2 clients.
CREATE TABLE collections (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT,
    metadata TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, name)
);

CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    collection_id INTEGER NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    document_id TEXT,
    content TEXT NOT NULL,
    metadata TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (collection_id, document_id)
);
CREATE INDEX documents_by_collection ON documents (collection_id);

-- What documents of a collection are found by. The vector comes with a search.
CREATE TABLE document_vectors (
    document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    terms BLOB NOT NULL,
    vector BLOB
);

-- Groups of users, who will be principals of access policies.
CREATE TABLE user_groups (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT,
    version INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, name)
);

CREATE TABLE user_group_members (
    group_id INTEGER NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
) WITHOUT ROWID;
CREATE INDEX user_group_members_by_user ON user_group_members (user_id);

-- A pattern over the facts of one entity. kind and key say which pattern: it is found again by
-- them, and keeps its uuid. label is the type of observation that the project asked for.
CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    summary TEXT NOT NULL,
    label TEXT NOT NULL,
    start_at INTEGER,
    latest_evidence_at INTEGER,
    end_at INTEGER,
    created_at INTEGER NOT NULL,
    UNIQUE (entity_id, kind, key)
);
CREATE INDEX observations_by_graph ON observations (graph_id, uuid);

CREATE TABLE observation_facts (
    observation_id INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    PRIMARY KEY (observation_id, fact_id)
) WITHOUT ROWID;
CREATE INDEX observation_facts_by_fact ON observation_facts (fact_id);

-- What a thread or a document is about: summary is put together from its facts; written is what a
-- language model made of it, when it was asked last, at written_count of its episode_count episodes
-- and at the fact written_fact_id.
CREATE TABLE summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    thread_id INTEGER REFERENCES threads (id) ON DELETE CASCADE,
    document_id TEXT,
    summary TEXT NOT NULL,
    written TEXT,
    written_count INTEGER NOT NULL DEFAULT 0,
    written_fact_id INTEGER NOT NULL DEFAULT 0,
    episode_count INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    covered_at INTEGER,
    CHECK ((thread_id IS NULL) <> (document_id IS NULL))
);
CREATE INDEX summaries_by_graph ON summaries (graph_id, uuid);
CREATE UNIQUE INDEX summaries_by_thread ON summaries (thread_id) WHERE thread_id IS NOT NULL;
CREATE UNIQUE INDEX summaries_by_document ON summaries (graph_id, document_id)
    WHERE document_id IS NOT NULL;
CREATE INDEX summaries_unwritten ON summaries (updated_at)
    WHERE thread_id IS NOT NULL AND episode_count >= written_count + 6;

-- The facts that a summary may speak of: the weightiest and the newest.
CREATE TABLE summary_facts (
    summary_id INTEGER NOT NULL REFERENCES summaries (id) ON DELETE CASCADE,
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    PRIMARY KEY (summary_id, fact_id)
) WITHOUT ROWID;
CREATE INDEX summary_facts_by_fact ON summary_facts (fact_id);

-- What a run of episodes says, as the facts that are worth keeping of it. Level 0 holds 32 places of
-- the log, every level above it 8 of the one below; numbers begin at 1. No words are kept here: what
-- a chapter says is put together from its facts, or else its messages.
CREATE TABLE chapters (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    level INTEGER NOT NULL,
    number INTEGER NOT NULL,
    UNIQUE (graph_id, level, number)
);

CREATE TABLE chapter_facts (
    chapter_id INTEGER NOT NULL REFERENCES chapters (id) ON DELETE CASCADE,
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    PRIMARY KEY (chapter_id, fact_id)
) WITHOUT ROWID;
CREATE INDEX chapter_facts_by_fact ON chapter_facts (fact_id);

-- What a language model wrote about a user, and a digest of what it was asked with.
CREATE TABLE user_summaries (
    graph_id INTEGER PRIMARY KEY REFERENCES graphs (id) ON DELETE CASCADE,
    summary TEXT NOT NULL,
    basis TEXT NOT NULL,
    episode_count INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);

-- spec is the set as it stands, in JSON; every version of it is kept.
CREATE TABLE policy_sets (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('off', 'report_only', 'enforce')),
    spec TEXT NOT NULL,
    for_all_users INTEGER NOT NULL DEFAULT 0,  -- attached to the group that has no row
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, name)
);

CREATE TABLE policy_set_versions (
    policy_set_id INTEGER NOT NULL REFERENCES policy_sets (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    mode TEXT NOT NULL,
    spec TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (policy_set_id, version)
) WITHOUT ROWID;

CREATE TABLE key_policy_sets (
    key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    policy_set_id INTEGER NOT NULL REFERENCES policy_sets (id) ON DELETE CASCADE,
    PRIMARY KEY (key_id, policy_set_id)
) WITHOUT ROWID;
CREATE INDEX key_policy_sets_by_set ON key_policy_sets (policy_set_id);

CREATE TABLE user_group_policy_sets (
    group_id INTEGER NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    policy_set_id INTEGER NOT NULL REFERENCES policy_sets (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, policy_set_id)
) WITHOUT ROWID;
CREATE INDEX user_group_policy_sets_by_set ON user_group_policy_sets (policy_set_id);

-- hash covers the hash before it and every other column but target and salt; of those two only
-- target_digest = SHA-256(salt, target) counts, so that a name can be taken out later.
CREATE TABLE audit_entries (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused', 'failed')),
    status INTEGER,
    target TEXT,
    salt BLOB,
    target_digest BLOB,
    detail TEXT,
    hash BLOB NOT NULL,
    PRIMARY KEY (project_id, number)
) WITHOUT ROWID;
CREATE INDEX audit_entries_by_target ON audit_entries (project_id, target)
    WHERE target IS NOT NULL;

CREATE TRIGGER audit_entries_stay BEFORE DELETE ON audit_entries
BEGIN
    SELECT RAISE(ABORT, 'audit entries are never deleted');
END;

CREATE TRIGGER audit_entries_keep BEFORE UPDATE ON audit_entries
WHEN NEW.target IS NOT NULL OR NEW.salt IS NOT NULL
    OR NEW.project_id IS NOT OLD.project_id OR NEW.number IS NOT OLD.number
    OR NEW.at IS NOT OLD.at OR NEW.actor IS NOT OLD.actor OR NEW.action IS NOT OLD.action
    OR NEW.outcome IS NOT OLD.outcome OR NEW.status IS NOT OLD.status
    OR NEW.target_digest IS NOT OLD.target_digest OR NEW.detail IS NOT OLD.detail
    OR NEW.hash IS NOT OLD.hash
BEGIN
    SELECT RAISE(ABORT, 'of an audit entry only the target can be taken out');
END;

-- Everything that gives a fact an end, also an end that another one precedes: an episode that says
-- so itself, or a fact that holds instead. Deleting leaves the row without its reason, and the fact
-- ended for good; only forgetting takes rows away, and then those that are left decide.
CREATE TABLE closings (
    id INTEGER PRIMARY KEY,
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    by_fact_id INTEGER REFERENCES facts (id) ON DELETE SET NULL,
    episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
    ended_at INTEGER,
    expired_at INTEGER,
    judge TEXT,  -- on whose word
    sure REAL
);
CREATE INDEX closings_by_fact ON closings (fact_id);
CREATE INDEX closings_by_reason ON closings (by_fact_id) WHERE by_fact_id IS NOT NULL;
CREATE INDEX closings_by_episode ON closings (episode_id) WHERE episode_id IS NOT NULL;

-- Facts that may be over because of another one: the judge was not sure enough to end them. Such a
-- doubt goes with either fact, and when the one in doubt is said again.
CREATE TABLE doubts (
    fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    by_fact_id INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
    judge TEXT NOT NULL,
    sure REAL NOT NULL,
    PRIMARY KEY (fact_id, by_fact_id)
) WITHOUT ROWID;
CREATE INDEX doubts_by_reason ON doubts (by_fact_id);
CREATE INDEX doubts_by_episode ON doubts (episode_id);

-- What a reader found in the episode at one place of a log: found is JSON, vectors are those of its
-- facts one behind the other. read_at is when it was read. A place whose episode was deleted, though
-- not forgotten, keeps in remains what it takes to fold what others still stand behind.
CREATE TABLE readings (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    episode_id INTEGER REFERENCES episodes (id) ON DELETE CASCADE,
    reader TEXT NOT NULL,
    found TEXT NOT NULL,
    vectors BLOB,
    read_at INTEGER NOT NULL,
    remains TEXT,
    side TEXT,
    PRIMARY KEY (graph_id, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX readings_by_episode ON readings (episode_id) WHERE episode_id IS NOT NULL;

-- Walls inside a graph: what episodes say under the keys of metadata that policies name sets them apart.
-- The side of a reading is what its episode says there, empty for nothing, NULL where no policy names
-- any key; what is learned from it is on that side, and meets only what is on the same one. A user's
-- own node is one for all sides; this is what each of them taught it.
CREATE TABLE user_sides (
    entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    side TEXT NOT NULL,
    names TEXT NOT NULL,
    attributes TEXT,
    PRIMARY KEY (entity_id, side)
) WITHOUT ROWID;

-- What was changed by hand, after the place seq of the log. subject is the uuid of a fact or an
-- entity; mark tells whether it still is the one that was meant. near is an entity among whose facts
-- it is looked for if not.
CREATE TABLE edits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    near TEXT,
    mark TEXT NOT NULL,
    change TEXT,
    vector BLOB,
    at INTEGER NOT NULL,
    everywhere INTEGER NOT NULL DEFAULT 0,  -- made before a wall was drawn: it is one on all sides of it
    side TEXT NOT NULL DEFAULT '',  -- of its subject, under the keys of walls
    walls TEXT NOT NULL DEFAULT '[]'  -- the keys that policies have named ever since it was made
);
CREATE INDEX edits_by_graph ON edits (graph_id, seq, id);
CREATE INDEX edits_by_subject ON edits (subject);

-- Episodes that are to be read again: by whom and since when, who is at it, and the facts and entities
-- that were shown to whoever is. ready_at is when the next try is due. A parked one waits for someone
-- to look. The reading that an episode has meanwhile counts.
CREATE TABLE rereadings (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    reader TEXT NOT NULL CHECK (reader IN ('embedded', 'model', 'agent')),
    status TEXT NOT NULL CHECK (status IN ('waiting', 'parked')),
    reason TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    ready_at INTEGER NOT NULL,
    lease TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    shown TEXT,
    created_at INTEGER NOT NULL
);
CREATE INDEX rereadings_due ON rereadings (reader, ready_at) WHERE status = 'waiting';
CREATE INDEX rereadings_by_graph ON rereadings (graph_id, episode_id);

-- What was erased, what was not and why. subject is the uuid of what was erased; no word of it is
-- kept. scrubbed: whether the files were wiped of it as well.
CREATE TABLE erasures (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('delete', 'forget')),
    removed TEXT NOT NULL,
    kept TEXT NOT NULL,
    scrubbed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX erasures_by_project ON erasures (project_id, id);

-- last_number is the highest id given so far. feeds: whether what is said from now on becomes part
-- of the graph of the user that the session is bound to, or will be.
CREATE TABLE session_logs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
    feeds INTEGER NOT NULL DEFAULT 0,
    metadata TEXT,
    context TEXT,
    last_number INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, session_id)
);
CREATE INDEX session_logs_by_user ON session_logs (user_id, session_id) WHERE user_id IS NOT NULL;

-- What is committed. meta and payload are JSON as it was written; turn_id is that of meta.
CREATE TABLE session_log_episodes (
    id INTEGER PRIMARY KEY,
    log_id INTEGER NOT NULL REFERENCES session_logs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('item', 'boundary', 'meta')),
    turn_id TEXT,
    meta TEXT NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (log_id, number)
);
CREATE INDEX session_log_episodes_by_turn ON session_log_episodes (log_id, turn_id, number)
    WHERE turn_id IS NOT NULL;

CREATE TRIGGER session_log_episodes_stay BEFORE UPDATE ON session_log_episodes
BEGIN
    SELECT RAISE(ABORT, 'a session log is only appended to');
END;

-- Which episode of a graph came from which episode of a log. A long one comes in several parts.
CREATE TABLE session_log_fed (
    episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
    log_episode_id INTEGER NOT NULL REFERENCES session_log_episodes (id) ON DELETE CASCADE
);
CREATE INDEX session_log_fed_by_log ON session_log_fed (log_episode_id);

-- Turns that are neither merged nor dropped. forked_at is what the log was at, last_number what
-- the turn is at; owner is the process that opened it and without which it does not go on.
CREATE TABLE session_log_turns (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    log_id INTEGER NOT NULL REFERENCES session_logs (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    forked_at INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    owner TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (log_id, turn_id)
);

CREATE TABLE session_log_working (
    id INTEGER PRIMARY KEY,
    turn_key INTEGER NOT NULL REFERENCES session_log_turns (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('item', 'boundary', 'meta')),
    meta TEXT NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (turn_key, number)
);

-- How memory clients sort what is known of a graph: kinds of sets, categories with their tags, and
-- what a set leaves out. set_key is what a set is, as canonical JSON: its level and the metadata
-- that its episodes share. Sets themselves have no rows.
CREATE TABLE feature_set_types (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    is_org_level INTEGER NOT NULL,
    tags TEXT NOT NULL,
    name TEXT,
    description TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (graph_id, is_org_level, tags)
);

-- A category belongs to one set, or as a template to all sets of a type.
CREATE TABLE feature_categories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    set_key TEXT,
    set_type_id INTEGER REFERENCES feature_set_types (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    prompt TEXT NOT NULL,
    description TEXT,
    created_at INTEGER NOT NULL,
    CHECK ((set_key IS NULL) <> (set_type_id IS NULL)),
    UNIQUE (graph_id, set_key, name)
);
CREATE UNIQUE INDEX feature_categories_by_type ON feature_categories (set_type_id, name)
    WHERE set_type_id IS NOT NULL;

CREATE TABLE feature_tags (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    category_id INTEGER NOT NULL REFERENCES feature_categories (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    UNIQUE (category_id, name)
);

CREATE TABLE feature_categories_off (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    set_key TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (graph_id, set_key, name)
) WITHOUT ROWID;

-- What callers poll, whoever asked for it. What stands for episodes is as far as their jobs are; what
-- erased something has the uuid of its receipt, and is done when the files are wiped; anything else
-- was done when it was written down.
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    graph_id INTEGER REFERENCES graphs (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    owed INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
);
CREATE INDEX tasks_by_project ON tasks (project_id, id);
CREATE INDEX tasks_by_graph ON tasks (graph_id) WHERE graph_id IS NOT NULL;

-- What was used of a day (the ordinal of a date in UTC), where that is limited: by a key, or under an
-- empty key_uuid by the whole project.
CREATE TABLE usage (
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key_uuid TEXT NOT NULL,
    day INTEGER NOT NULL,
    episodes INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, key_uuid, day)
);
CREATE INDEX usage_by_day ON usage (day);

-- Answers to writes that came with an idempotency key: whoever sends one again is told the same, and
-- nothing is done twice. Kept for a day; without its words as soon as something of its graph is erased.
CREATE TABLE kept_answers (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key_uuid TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request TEXT NOT NULL,
    graph_id INTEGER REFERENCES graphs (id) ON DELETE SET NULL,
    answer BLOB,
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, key_uuid, idempotency_key)
);
CREATE INDEX kept_answers_by_age ON kept_answers (created_at);
CREATE INDEX kept_answers_by_graph ON kept_answers (graph_id) WHERE graph_id IS NOT NULL;

-- Agents: each has a standalone graph, whose caller's id and name are the agent's.
CREATE TABLE agents (
    graph_id INTEGER PRIMARY KEY REFERENCES graphs (id) ON DELETE CASCADE,
    security_domain TEXT NOT NULL,
    deployment_id TEXT,
    version TEXT,
    metadata TEXT,
    revision INTEGER NOT NULL DEFAULT 1
);

-- What agents did: each is a session log, whose metadata is the trace's. parent is the uuid of the
-- trace that it tries again, family that of the first one. task_uuid is that of the jobs of its turns.
CREATE TABLE traces (
    log_id INTEGER PRIMARY KEY REFERENCES session_logs (id) ON DELETE CASCADE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    trace_id TEXT,
    objective TEXT NOT NULL,
    task_family TEXT,
    parent TEXT,
    family TEXT NOT NULL,
    learn_from INTEGER NOT NULL DEFAULT 1,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed', 'abandoned')),
    outcome TEXT,
    verification TEXT,
    closing_sequence INTEGER,
    ended_at INTEGER,
    task_uuid TEXT NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1,
    UNIQUE (graph_id, trace_id)
);
CREATE INDEX traces_by_agent ON traces (graph_id, log_id);

-- Which episodes of a trace's log are its events, under the caller's ids and in the caller's order. Of
-- one that was erased the place is kept, and its id as a hash, so that it is not told again.
CREATE TABLE trace_events (
    log_id INTEGER NOT NULL REFERENCES session_logs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    uuid TEXT NOT NULL UNIQUE,
    event_id TEXT,
    erased_id TEXT,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (log_id, number),
    UNIQUE (log_id, event_id),
    UNIQUE (log_id, sequence),
    CHECK ((event_id IS NULL) <> (erased_id IS NULL))
);

-- Where a project wants to be told what happened. events: which kinds of it, as JSON; with_text: whether
-- in words, too. The secret signs what is sent, so it cannot be kept as a hash only; for a while
-- after a change the old one signs as well. off: why nothing is sent for now; missed: how many deliveries
-- were never written because too many waited.
CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    with_text INTEGER NOT NULL DEFAULT 0,
    secret TEXT NOT NULL,
    off TEXT,
    missed INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    old_secret TEXT,
    old_secret_until INTEGER
);
CREATE INDEX webhooks_by_project ON webhooks (project_id);

-- What webhooks are owed, and for a while what became of it: written with what it tells of, in ids and
-- times only. It goes with the episode and the fact that it names. due_at: when to try next; attempts:
-- how often it failed since it was owed; tries: the last of them, as JSON.
CREATE TABLE webhook_deliveries (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    uuid TEXT NOT NULL,
    webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event TEXT NOT NULL,
    episode_uuid TEXT,
    fact_uuid TEXT,
    data TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given_up')),
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    tries TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL,
    PRIMARY KEY (graph_id, uuid)
) WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_id, state, uuid);

-- When episodes and facts cease to be known. At expires_at what it names is forgotten; told has what it
-- was, as JSON, and hidden_at since when, for the operator and for as long as the settings say; because
-- is who said so, or which type of the ontology, or with which episode.
CREATE TABLE expiries (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    uuid TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('episode', 'fact')),
    expires_at INTEGER NOT NULL,
    hidden_at INTEGER,
    told TEXT,
    because TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (graph_id, uuid)
) WITHOUT ROWID;
CREATE INDEX expiries_due ON expiries (expires_at) WHERE hidden_at IS NULL;
CREATE INDEX expiries_hidden ON expiries (hidden_at) WHERE hidden_at IS NOT NULL;

-- What went into a context that somebody was given: when, for which key, graph and thread, in which
-- form, and the question if that is kept. Old ones go by number and by age.
CREATE TABLE injections (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    thread_id INTEGER REFERENCES threads (id) ON DELETE CASCADE,
    key_uuid TEXT NOT NULL,
    at INTEGER NOT NULL,
    form TEXT NOT NULL,
    question TEXT
);
CREATE INDEX injections_by_project ON injections (project_id, id);
CREATE INDEX injections_by_graph ON injections (graph_id, id);
CREATE INDEX injections_by_thread ON injections (thread_id) WHERE thread_id IS NOT NULL;

-- The pieces of such a context in their order: lines that tell of something, by its kind and uuid, and
-- why they are there; and between them the words of the block itself, which have no kind.
CREATE TABLE injection_lines (
    graph_id INTEGER NOT NULL REFERENCES graphs (id) ON DELETE CASCADE,
    injection_id INTEGER NOT NULL REFERENCES injections (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    kind TEXT,
    item_uuid TEXT,
    text TEXT NOT NULL,
    score REAL,
    reason TEXT,
    PRIMARY KEY (graph_id, injection_id, place)
);
CREATE INDEX injection_lines_by_injection ON injection_lines (injection_id);
