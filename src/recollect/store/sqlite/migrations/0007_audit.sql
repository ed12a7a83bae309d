-- What was done, by whom, when and how it ended: one chain of entries for each project.

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
