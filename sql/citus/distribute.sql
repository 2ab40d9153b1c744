-- Spreads the tables over the workers of a Citus cluster, each by its home key. `kith migrate --distribute` runs it, and
-- from then on `kith migrate` after each migration. What is spread stays as it is. citus.shard_count says into how many
-- shards. On a filled database writes wait until all rows are copied.

BEGIN;
SET LOCAL lock_timeout = '10s';
-- Citus refuses functions and tables in one transaction otherwise.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

-- Two statements each, of one shard, where PostgreSQL joins. If there is nothing they return a row of NULLs.
DO $$
BEGIN
    IF to_regproc('user_of_name') IS NOT NULL THEN
        CREATE OR REPLACE FUNCTION user_of_name(name text) RETURNS SETOF users LANGUAGE plpgsql STABLE AS $body$
        DECLARE
            owner uuid;
            found users;
        BEGIN
            SELECT n.user_id INTO owner FROM usernames n WHERE n.name_key = name AND n.state = 'active';
            SELECT u.* INTO found FROM users u WHERE u.id = owner;
            RETURN NEXT found;
        END $body$;
    END IF;
    IF to_regproc('invite_and_owner') IS NOT NULL THEN
        CREATE OR REPLACE FUNCTION invite_and_owner(code text) RETURNS TABLE (invite invites, owner users)
        LANGUAGE plpgsql STABLE AS $body$
        BEGIN
            SELECT i.* INTO invite FROM invites i WHERE i.code = invite_and_owner.code;
            SELECT u.* INTO owner FROM users u WHERE u.id = invite.owner_id;
            RETURN NEXT;
        END $body$;
    END IF;
END $$;

DO $$
DECLARE
    -- Name, home key, and the table whose shards it shares. Foreign keys reference only tables further up.
    spread text[];
    tables text[] := ARRAY[
        ['users', 'id', 'none'],
        ['username_periods', 'user_id', 'users'],
        ['relationships', 'user_id', 'users'],
        ['dismissals', 'user_id', 'users'],
        ['signups', 'user_id', 'users'],
        ['acceptances', 'invitee_id', 'users'],
        ['invites_by_owner', 'owner_id', 'users'],
        ['installs', 'inviter_id', 'users'],
        ['outbox', 'user_id', 'users'],
        ['exposures', 'unit', 'users'],
        ['conversions', 'unit', 'users'],
        ['events', 'user_id', 'users'],
        ['referrals', 'invitee_id', 'users'],
        ['reward_actions', 'user_id', 'users'],
        ['reward_signals', 'user_id', 'users'],
        ['rewards', 'user_id', 'users'],
        ['reward_postings', 'user_id', 'users'],
        ['reward_budgets', 'program', 'none'],
        ['usernames', 'name_key', 'none'],
        ['invites', 'code', 'none'],
        ['invite_uses', 'code', 'invites'],
        ['links', 'code', 'invites'],
        ['clicks', 'link', 'invites'],
        ['link_claims', 'link', 'invites'],
        ['offer_campaigns', 'key', 'none'],
        ['offer_codes', 'campaign', 'offer_campaigns'],
        ['purchases', 'original_transaction_id', 'none'],
        ['purchase_periods', 'original_transaction_id', 'purchases'],
        ['appstore_notifications', 'subject', 'purchases'],
        ['client_versions', 'app', 'none'],
        ['left_out_visits', 'experiment', 'none'],
        ['experiment_days', 'experiment', 'left_out_visits'],
        ['experiment_goal_days', 'experiment', 'left_out_visits'],
        ['counts', 'subject', 'none'],
        ['rate_limits', 'key', 'none']
    ];
    -- Small tables that every server reads: each node has all of it.
    copied text;
    copies text[] := ARRAY['secrets', 'api_keys', 'applied_files', 'publications', 'config_drafts', 'test_devices', 'people', 'sign_in_links', 'sessions', 'audit', 'event_numbers', 'count_positions', 'reward_positions', 'visitor_salts', 'webhooks', 'webhook_deliveries', 'schema_migrations'];
    -- Citus brings functions of CHECKs to the workers by itself, but not all that statements call.
    called text;
    functions text[] := ARRAY[
        'fold', 'invite_and_owner', 'link_search_text', 'relationship_after', 'relationship_event', 'require', 'require_row', 'sort_key', 'user_id', 'user_of_name'];
BEGIN
    FOREACH spread SLICE 1 IN ARRAY tables LOOP
        CONTINUE WHEN to_regclass(spread[1]) IS NULL
            OR EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(spread[1]));
        PERFORM create_distributed_table(to_regclass(spread[1]), spread[2], colocate_with => spread[3]);
    END LOOP;

    FOREACH copied IN ARRAY copies LOOP
        CONTINUE WHEN to_regclass(copied) IS NULL
            OR EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(copied));
        PERFORM create_reference_table(to_regclass(copied));
    END LOOP;

    FOREACH called IN ARRAY functions LOOP
        CONTINUE WHEN to_regproc(called) IS NULL
            OR EXISTS (
                SELECT FROM pg_dist_object
                WHERE classid = 'pg_proc'::regclass AND objid = to_regproc(called));
        PERFORM create_distributed_function(to_regproc(called)::regprocedure);
    END LOOP;
END $$;

COMMIT;

-- The coordinator still stores the rows that it sent away, which nothing reads. A table that others reference goes last.
DO $$
DECLARE
    emptied regclass;
BEGIN
    FOR emptied IN
        SELECT oid FROM pg_class
        WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'users'::regclass)
          AND oid IN (SELECT logicalrelid FROM pg_dist_partition)
          AND pg_relation_size(oid) > 0
        ORDER BY EXISTS (SELECT FROM pg_constraint WHERE confrelid = pg_class.oid)
    LOOP
        PERFORM truncate_local_data_after_distributing_table(emptied);
    END LOOP;
END $$;
