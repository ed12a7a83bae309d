-- What readers found, what was changed by hand, and which graphs have to be folded again.

-- name: reading_put
-- An episode that was read before stays on its side.
INSERT INTO readings (graph_id, seq, episode_id, reader, found, vectors, read_at, side)
SELECT e.graph_id, e.seq, e.id, :reader, :found, :vectors, :now, side(e.metadata, p.guarded)
FROM episodes e JOIN graphs g ON g.id = e.graph_id JOIN projects p ON p.id = g.project_id
WHERE e.id = :episode_id
ON CONFLICT (graph_id, seq) DO UPDATE
SET episode_id = excluded.episode_id, reader = excluded.reader, found = excluded.found,
    vectors = excluded.vectors, read_at = excluded.read_at, remains = NULL;

-- name: reading_side
SELECT side FROM readings WHERE graph_id = :graph_id AND seq = :seq;

-- name: reading_set_side
UPDATE readings SET side = :side WHERE episode_id = :episode_id;

-- name: readings_part
-- Draw other walls in all graphs of a project; those that are divided otherwise now are folded again.
-- What is left of a deleted episode has what it said under the keys that were guarded then.
UPDATE readings SET side = iif(remains IS NOT NULL, side_within(side, :keys),
    (SELECT side(e.metadata, :keys) FROM episodes e WHERE e.id = readings.episode_id))
WHERE graph_id IN (SELECT id FROM graphs WHERE project_id = :project_id);

-- name: remainders_of_no_side
-- What is left of deleted episodes that said something under one of these keys, or of which nobody
-- knows whether they did: nobody knows what they said there.
DELETE FROM readings
WHERE graph_id IN (SELECT id FROM graphs WHERE project_id = :project_id) AND remains IS NOT NULL
  AND (json_type(remains, '$.metadata') IS NOT 'object'
       OR EXISTS (SELECT 1 FROM json_each(readings.remains, '$.metadata') said
                  WHERE said.key IN (SELECT value FROM json_each(:keys))));

-- name: edits_part
-- What was changed by hand on a side is changed on all those that it becomes.
UPDATE edits SET walls = kept.walls, side = coalesce(side_within(edits.side, kept.walls), ''),
    everywhere = json_array_length(kept.walls) < json_array_length(:keys)
FROM (SELECT e.id, (SELECT json_group_array(w.value) FROM json_each(e.walls) w
                    WHERE w.value IN (SELECT value FROM json_each(:keys))) AS walls
      FROM edits e JOIN graphs g ON g.id = e.graph_id
      WHERE g.project_id = :project_id AND (:graph_id IS NULL OR g.id = :graph_id)) AS kept
WHERE edits.id = kept.id;

-- name: graphs_parted
UPDATE graphs SET fold_from = 0, inputs = inputs + 1, changes = changes + 1
WHERE project_id = :project_id
  AND EXISTS (SELECT 1 FROM readings r WHERE r.graph_id = graphs.id);

-- name: reading_of_episode
SELECT * FROM readings WHERE episode_id = :episode_id;

-- name: readings_by_reader
-- How many facts rest on which reader.
SELECT f.extractor AS reader, count(*) AS facts FROM facts f
WHERE f.extractor IS NOT NULL GROUP BY f.extractor ORDER BY f.extractor;

-- name: graph_fold_again
-- From the first of all places that changed.
UPDATE graphs SET fold_from = min(coalesce(fold_from, :seq), :seq), inputs = inputs + 1,
    changes = changes + 1
WHERE id = :graph_id;

-- name: graph_edited
-- Who remembers something of a graph can tell by this number that it is not as it was.
UPDATE graphs SET changes = changes + 1 WHERE id = :graph_id;

-- name: episode_place_in_log
SELECT graph_id, seq FROM episodes WHERE id = :id;

-- name: distance_of_episode
SELECT g.distance FROM episodes e JOIN graphs g ON g.id = e.graph_id WHERE e.id = :id;

-- name: graph_folded
SELECT folded FROM graphs WHERE id = :graph_id;

-- name: graph_has_folded
UPDATE graphs SET folded = :seq WHERE id = :graph_id AND folded < :seq;

-- name: graph_fold_from_start
UPDATE graphs SET folded = 0, condensed = 0 WHERE id = :graph_id;

-- name: steps_next
-- The next places of a log: episodes that were read, and what remains of deleted ones.
SELECT e.*, t.thread_id AS thread_name, r.seq AS place, r.found, r.vectors, r.reader, r.read_at,
    r.remains, r.graph_id AS in_graph
FROM readings r JOIN graphs g ON g.id = r.graph_id
LEFT JOIN episodes e ON e.id = r.episode_id LEFT JOIN threads t ON t.id = e.thread_id
WHERE r.graph_id = :graph_id AND r.seq > g.folded
  AND (r.remains IS NOT NULL OR e.processed_at IS NOT NULL)
ORDER BY r.seq LIMIT :limit;

-- name: edit_insert
-- After a place of the log, or the last one that the graph has folded.
INSERT INTO edits (graph_id, seq, kind, subject, near, mark, change, vector, at, side, walls)
SELECT g.id, coalesce(:seq, g.folded), :kind, :subject, :near, :mark, :change, :vector, :now, :side,
    p.guarded
FROM graphs g JOIN projects p ON p.id = g.project_id WHERE g.id = :graph_id;

-- name: edits_first
SELECT seq FROM edits WHERE graph_id = :graph_id ORDER BY seq LIMIT 1;

-- name: edits_due
-- Those after places before one, or with NULL after any.
SELECT * FROM edits WHERE graph_id = :graph_id AND (:before IS NULL OR seq < :before)
ORDER BY seq, id;

-- name: edit_drop
DELETE FROM edits WHERE id = :id;

-- name: edits_drop_of_gone
-- Words that someone gave what is no longer there; that it was deleted is kept, with marks of them.
DELETE FROM edits WHERE graph_id = :graph_id AND (
    kind IN ('fact.update', 'fact.end', 'fact.reopen')
    AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.uuid = edits.subject)
    OR kind = 'entity.update'
    AND NOT EXISTS (SELECT 1 FROM entities n WHERE n.uuid = edits.subject)
    AND NOT EXISTS (SELECT 1 FROM entity_names k WHERE k.graph_id = edits.graph_id
                    AND (k.key = 'was:' || edits.subject
                         OR k.key >= 'was:' || edits.subject || '['
                            AND k.key < 'was:' || edits.subject || '\')));

-- name: edits_drop_of_unborn
-- Words that someone gave what was merged into another, and what a graph that was folded again has
-- not even to be merged.
DELETE FROM edits WHERE graph_id = :graph_id AND kind = 'entity.update'
  AND EXISTS (SELECT 1 FROM edits m WHERE m.graph_id = edits.graph_id AND m.kind = 'entity.merge'
              AND m.subject = edits.subject)
  AND NOT EXISTS (SELECT 1 FROM entities n WHERE n.uuid = edits.subject)
  AND NOT EXISTS (SELECT 1 FROM entity_names k WHERE k.graph_id = edits.graph_id
                  AND (k.key = 'was:' || edits.subject
                       OR k.key >= 'was:' || edits.subject || '['
                          AND k.key < 'was:' || edits.subject || '\'));

-- name: edit_newest_of
-- The last change by hand of some kinds to a fact or an entity.
SELECT e.id, e.graph_id, e.seq, e.kind, e.near, e.everywhere
FROM edits e JOIN graphs g ON g.id = e.graph_id
WHERE e.subject = :subject AND g.project_id = :project_id
  AND e.kind IN (SELECT value FROM json_each(:kinds))
ORDER BY e.seq DESC, e.id DESC LIMIT 1;

-- name: merges_of_graph
SELECT id, subject, at FROM edits WHERE graph_id = :graph_id AND kind = 'entity.merge'
ORDER BY id DESC;

-- name: entities_that_took_in
-- On whatever side of the walls, which comes after the uuid.
SELECT n.* FROM entity_names k JOIN entities n ON n.id = k.entity_id
WHERE k.graph_id = :graph_id
  AND (k.key = 'was:' || :uuid OR k.key >= 'was:' || :uuid || '[' AND k.key < 'was:' || :uuid || '\')
ORDER BY n.id;

-- name: edits_of_subject
SELECT mark FROM edits WHERE subject = :subject ORDER BY id;

-- name: facts_from
SELECT * FROM facts WHERE source_id = :entity_id ORDER BY id DESC LIMIT :limit;

-- name: facts_of_graph
SELECT * FROM facts WHERE graph_id = :graph_id ORDER BY id;

-- name: entities_of_graph
SELECT * FROM entities WHERE graph_id = :graph_id AND is_user = 0 ORDER BY id;

-- name: fact_keep_against
UPDATE facts SET kept_against = :marks WHERE id = :id;

-- name: closing_put_by_hand
INSERT INTO closings (fact_id, ended_at, expired_at, judge)
VALUES (:fact_id, :ended_at, :expired_at, :judge);

-- name: closers_of_fact
-- The sentences that gave a fact an end or cast doubt on it: those of other facts, or its own where
-- it tells its end.
SELECT DISTINCT coalesce(b.fact, f.fact) AS fact
FROM closings c JOIN facts f ON f.id = c.fact_id LEFT JOIN facts b ON b.id = c.by_fact_id
WHERE c.fact_id = :id AND (c.by_fact_id IS NOT NULL OR c.episode_id IS NOT NULL)
UNION
SELECT b.fact FROM doubts d JOIN facts b ON b.id = d.by_fact_id WHERE d.fact_id = :id;

-- name: readings_of_episodes
SELECT e.*, t.thread_id AS thread_name, r.found, r.vectors, r.read_at, r.side
FROM readings r JOIN episodes e ON e.id = r.episode_id LEFT JOIN threads t ON t.id = e.thread_id
WHERE r.episode_id IN (SELECT value FROM json_each(:episodes)) ORDER BY r.graph_id, r.seq;

-- name: remainders_of_graph
SELECT * FROM readings WHERE graph_id = :graph_id AND remains IS NOT NULL ORDER BY seq;

-- name: remainder_put
INSERT INTO readings (graph_id, seq, reader, found, vectors, read_at, remains, side)
VALUES (:graph_id, :seq, :reader, :found, :vectors, :now, :remains, :side)
ON CONFLICT (graph_id, seq) DO UPDATE SET found = excluded.found, vectors = excluded.vectors;

-- name: remainder_delete
DELETE FROM readings WHERE graph_id = :graph_id AND seq = :seq AND remains IS NOT NULL;

-- name: entity_answers
-- Whether an entity on a side has a name to the letter; the key is one it is looked up by. The user's
-- own node has those that nobody taught it, or the side did.
SELECT 1 FROM entity_names k JOIN entities n ON n.id = k.entity_id
JOIN json_each(n.names) a ON a.value = :name
WHERE k.graph_id = :graph_id AND k.key = :key AND (:side IS NULL OR iif(n.is_user,
    coalesce((SELECT max(s.side = :side) FROM user_sides s JOIN json_each(s.names) t ON t.value = :name
              WHERE s.entity_id = n.id), 1),
    n.side = :side)) LIMIT 1;

-- name: closings_without_reason
-- Ends that lose whoever or whatever gave them, once these episodes and facts are deleted, and after
-- which place of the log they can be said again.
SELECT f.graph_id, f.uuid, f.fact, f.side, s.uuid AS source_uuid, c.ended_at, c.expired_at, c.judge,
    max(coalesce((SELECT min(e.seq) FROM supports p JOIN episodes e ON e.id = p.episode_id
                  WHERE p.fact_id = f.id), 0),
        coalesce((SELECT e.seq FROM episodes e WHERE e.id = c.episode_id), 0)) AS seq
FROM closings c JOIN facts f ON f.id = c.fact_id JOIN entities s ON s.id = f.source_id
WHERE (c.episode_id IN (SELECT value FROM json_each(:episodes))
       OR c.by_fact_id IN (SELECT value FROM json_each(:facts)))
  AND (c.by_fact_id IS NULL OR c.by_fact_id IN (SELECT value FROM json_each(:facts)))
  AND (c.episode_id IS NULL OR c.episode_id IN (SELECT value FROM json_each(:episodes)))
  AND c.fact_id NOT IN (SELECT value FROM json_each(:facts));

-- name: steps_unread
-- Places of a log that were processed before readings were kept.
SELECT e.id AS job_id, 0 AS attempts, e.*, t.thread_id AS thread_name
FROM episodes e LEFT JOIN threads t ON t.id = e.thread_id
LEFT JOIN readings r ON r.graph_id = e.graph_id AND r.seq = e.seq
WHERE e.graph_id = :graph_id AND e.processed_at IS NOT NULL AND e.ignored = 0 AND r.seq IS NULL
ORDER BY e.seq LIMIT :limit;

-- name: graphs_to_fold
SELECT id FROM graphs WHERE fold_from IS NOT NULL ORDER BY id;

-- name: graph_fold_state
SELECT fold_from, folded, inputs, uuid FROM graphs WHERE id = :graph_id;

-- name: facts_unsupported
-- What only a deleted episode stood behind. What a user's record tells has no episode.
SELECT id, graph_id, source_id, target_id FROM facts
WHERE graph_id = :graph_id AND extractor IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = facts.id);

-- name: entities_unsupported
SELECT id FROM entities WHERE graph_id = :graph_id AND is_user = 0
  AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = entities.id);

-- name: edits_newest
SELECT coalesce(max(id), 0) AS id FROM edits WHERE graph_id = :graph_id;

-- name: graph_folded_again
UPDATE graphs SET folded = :folded, condensed = :condensed, fold_from = NULL, changes = changes + 1
WHERE id = :graph_id;

-- name: facts_stated_by
-- The facts that an episode states, how each is found, and whether it says itself when it ended.
SELECT f.*, p.span_start, p.span_end, e.created_at AS said_at, i.vector,
    EXISTS (SELECT 1 FROM closings c WHERE c.fact_id = f.id AND c.episode_id = e.id
            AND c.by_fact_id IS NULL) AS ended_itself
FROM supports p JOIN facts f ON f.id = p.fact_id JOIN episodes e ON e.id = p.episode_id
LEFT JOIN index_rows i ON i.graph_id = f.graph_id AND i.item_kind = 'fact' AND i.item_id = f.id
WHERE p.episode_id = :episode_id AND p.role = 'states' ORDER BY f.id;

-- name: entities_mentioned_by
SELECT n.* FROM mentions m JOIN entities n ON n.id = m.entity_id
WHERE m.episode_id = :episode_id ORDER BY n.id;

-- name: graph_has_walls
SELECT 1 FROM readings WHERE graph_id = :graph_id AND side IS NOT NULL LIMIT 1;

-- name: entities_taking_in
-- Who has taken in others by hand, by the keys that those left.
SELECT n.*, k.key AS taken_key FROM entity_names k JOIN entities n ON n.id = k.entity_id
WHERE k.graph_id = :graph_id AND k.key IN (SELECT value FROM json_each(:keys)) ORDER BY n.id;

-- name: mentions_of_entity
SELECT episode_id FROM mentions WHERE entity_id = :entity_id ORDER BY episode_id;

-- name: facts_join_sources
UPDATE facts SET source_id = :kept WHERE source_id = :gone;

-- name: facts_join_targets
UPDATE facts SET target_id = :kept WHERE target_id = :gone;

-- name: mentions_join
INSERT INTO mentions (entity_id, episode_id)
SELECT :kept, episode_id FROM mentions WHERE entity_id = :gone ON CONFLICT DO NOTHING;

-- name: observations_about
-- What was observed of an entity, or of others with it; the third part of a key is its uuid then.
SELECT * FROM observations WHERE graph_id = (SELECT graph_id FROM entities WHERE id = :entity_id)
  AND (entity_id = :entity_id OR json_extract(key, '$[2]') = :uuid)
ORDER BY id;

-- name: observation_move
UPDATE observations SET entity_id = :entity_id, key = :key WHERE id = :id;
