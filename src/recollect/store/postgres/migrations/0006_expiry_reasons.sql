-- Why something expires: as JSON who said so, or which type of the ontology, or with which episode.
ALTER TABLE expiries ADD COLUMN because TEXT COLLATE "C" NOT NULL DEFAULT '{}';
