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
