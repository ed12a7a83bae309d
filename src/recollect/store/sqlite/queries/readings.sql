-- What readers found, what was changed by hand, and which graphs have to be folded again.

-- name: reading_put
INSERT INTO readings (graph_id, seq, episode_id, reader, found, vectors, read_at)
SELECT graph_id, seq, id, :reader, :found, :vectors, :now FROM episodes WHERE id = :episode_id
ON CONFLICT (graph_id, seq) DO UPDATE
SET episode_id = excluded.episode_id, reader = excluded.reader, found = excluded.found,
    vectors = excluded.vectors, read_at = excluded.read_at, remains = NULL;

-- name: reading_of_episode
SELECT * FROM readings WHERE episode_id = :episode_id;

-- name: readings_by_reader
-- How many facts rest on which reader.
SELECT f.extractor AS reader, count(*) AS facts FROM facts f
WHERE f.extractor IS NOT NULL GROUP BY f.extractor ORDER BY f.extractor;

-- name: graph_fold_again
-- From the first of all places that changed.
UPDATE graphs SET fold_from = min(coalesce(fold_from, :seq), :seq), inputs = inputs + 1
WHERE id = :graph_id;

-- name: episode_place_in_log
SELECT graph_id, seq FROM episodes WHERE id = :id;

-- name: graph_as_if_folded
-- TEMPORARY: what the folder does as long as it folds nothing.
UPDATE graphs SET fold_from = NULL WHERE id = :graph_id;
