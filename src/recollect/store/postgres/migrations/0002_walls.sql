-- The second wall between projects: beside the conditions of every statement, the database itself shows
-- a transaction that a request runs in only the rows of that request's project. Each transaction says
-- whose it is (`recollect.project`): a project's id, or * for what belongs to none, such as the work of
-- workers. Whoever says nothing sees nothing. It binds the owner of the tables, too; a superuser, or a
-- role that may bypass it, is not bound, and `recollect doctor` says so.
--
-- Not behind it: projects and keys, by which it is found out whose a request is, and what keeps the
-- order among all projects (jobs, queue, shares, usage, kept answers), in which nobody's words are.

CREATE FUNCTION is_of_all() RETURNS BOOLEAN LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT coalesce(current_setting('recollect.project', true), '') = '*'
$$;

CREATE FUNCTION is_of_project(project BIGINT) RETURNS BOOLEAN LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT coalesce(current_setting('recollect.project', true), '') IN ('*', project::text)
$$;

DO $$
DECLARE
    walled TEXT[];
    walls CONSTANT TEXT[][] := ARRAY[
        -- the table, its column, and the table that says of which project the row is
        ['graphs', 'project_id', NULL],
        ['users', 'project_id', NULL],
        ['threads', 'project_id', NULL],
        ['guidance', 'project_id', NULL],
        ['batches', 'project_id', NULL],
        ['collections', 'project_id', NULL],
        ['user_groups', 'project_id', NULL],
        ['policy_sets', 'project_id', NULL],
        ['audit_entries', 'project_id', NULL],
        ['erasures', 'project_id', NULL],
        ['session_logs', 'project_id', NULL],
        ['tasks', 'project_id', NULL],
        ['episodes', 'graph_id', 'graphs'],
        ['entities', 'graph_id', 'graphs'],
        ['facts', 'graph_id', 'graphs'],
        ['entity_names', 'graph_id', 'graphs'],
        ['index_rows', 'graph_id', 'graphs'],
        ['index_snapshots', 'graph_id', 'graphs'],
        ['observations', 'graph_id', 'graphs'],
        ['summaries', 'graph_id', 'graphs'],
        ['user_summaries', 'graph_id', 'graphs'],
        ['chapters', 'graph_id', 'graphs'],
        ['readings', 'graph_id', 'graphs'],
        ['rereadings', 'graph_id', 'graphs'],
        ['edits', 'graph_id', 'graphs'],
        ['feature_set_types', 'graph_id', 'graphs'],
        ['feature_categories', 'graph_id', 'graphs'],
        ['feature_categories_off', 'graph_id', 'graphs'],
        ['agents', 'graph_id', 'graphs'],
        ['traces', 'graph_id', 'graphs'],
        ['user_sides', 'entity_id', 'entities'],
        ['mentions', 'entity_id', 'entities'],
        ['supports', 'fact_id', 'facts'],
        ['doubts', 'fact_id', 'facts'],
        ['closings', 'fact_id', 'facts'],
        ['observation_facts', 'observation_id', 'observations'],
        ['summary_facts', 'summary_id', 'summaries'],
        ['chapter_facts', 'chapter_id', 'chapters'],
        ['batch_items', 'batch_id', 'batches'],
        ['documents', 'collection_id', 'collections'],
        ['document_vectors', 'document_id', 'documents'],
        ['user_group_members', 'group_id', 'user_groups'],
        ['user_group_policy_sets', 'group_id', 'user_groups'],
        ['policy_set_versions', 'policy_set_id', 'policy_sets'],
        ['key_policy_sets', 'policy_set_id', 'policy_sets'],
        ['session_log_episodes', 'log_id', 'session_logs'],
        ['session_log_turns', 'log_id', 'session_logs'],
        ['session_log_working', 'turn_key', 'session_log_turns'],
        ['session_log_fed', 'log_episode_id', 'session_log_episodes'],
        ['trace_events', 'log_id', 'session_logs'],
        ['feature_tags', 'category_id', 'feature_categories']
    ];
BEGIN
    FOREACH walled SLICE 1 IN ARRAY walls LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', walled[1]);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', walled[1]);
        IF walled[3] IS NULL THEN
            EXECUTE format('CREATE POLICY walls ON %I USING (is_of_project(%I))', walled[1], walled[2]);
        ELSE
            EXECUTE format(
                'CREATE POLICY walls ON %I USING (is_of_all() OR EXISTS'
                ' (SELECT 1 FROM %I above WHERE above.id = %I.%I))',
                walled[1], walled[3], walled[1], walled[2]);
        END IF;
    END LOOP;
END
$$;
-- The views are looked through with the rights of whoever asks.
ALTER VIEW fact_told SET (security_invoker = true);
ALTER VIEW batch_states SET (security_invoker = true);
