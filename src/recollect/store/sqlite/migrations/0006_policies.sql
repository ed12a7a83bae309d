-- Access policies: sets of rules, attached to keys and to groups of users.

ALTER TABLE api_keys ADD COLUMN is_admin INTEGER NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN role TEXT NOT NULL DEFAULT 'default_allow'
    CHECK (role IN ('default_allow', 'default_deny'));
ALTER TABLE api_keys ADD COLUMN mode TEXT NOT NULL DEFAULT 'enforce'
    CHECK (mode IN ('off', 'report_only', 'enforce'));
ALTER TABLE api_keys ADD COLUMN logs_reads INTEGER NOT NULL DEFAULT 0;

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
