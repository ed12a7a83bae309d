-- What was chosen for a project in place of the limits in the settings, as JSON.
ALTER TABLE projects ADD COLUMN limits TEXT;

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
