import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Growth
@testable import Kernel
@testable import Links
@testable import Web

/// A database with many users.
extension PlanTests {
    static let population = """
        CREATE FUNCTION pg_temp.code(n int) RETURNS text LANGUAGE sql IMMUTABLE AS
            $$ SELECT translate(substr(md5('code' || n), 1, 16), '', '') $$;
        CREATE TEMP TABLE people AS
            SELECT n, user_id('u-user' || n) AS id, 'user' || n AS name, now() - n * interval '1 minute' AS at,
                   'https://pictures.example.com/users/' || md5(n::text) || '.jpg' AS avatar
            FROM generate_series(1, \(users)) n;
        CREATE UNIQUE INDEX ON people (n);
        INSERT INTO users (id, uid, username, avatar_url, created_at)
            SELECT id, 'u-' || name, name, avatar, at FROM people;
        INSERT INTO usernames (name_key, user_id, state) SELECT name, id, 'active' FROM people;
        INSERT INTO usernames (name_key, user_id, state) SELECT 'old' || name, id, 'released' FROM people;
        INSERT INTO username_periods (user_id, name_key, username, valid_from, valid_to)
            SELECT id, 'old' || name, 'old' || name, at - interval '1 day', at FROM people;
        INSERT INTO username_periods (user_id, name_key, username, valid_from)
            SELECT id, name, name, at FROM people;
        INSERT INTO signups (user_id, name_key, username, outcome, result)
            SELECT id, name, name, 'none', 'none' FROM people;
        INSERT INTO relationships (user_id, other_id, other_uid, other_username, other_avatar_url, i_want, they_want, since)
            SELECT a.id, b.id, 'u-' || b.name, b.name, b.avatar, true, true, now() - d * interval '1 hour'
            FROM people a, generate_series(1, 15) d, unnest(ARRAY[d, -d]) AS step,
                 LATERAL (SELECT * FROM people p WHERE p.n = 1 + (a.n - 1 + step + \(users)) % \(users)) b;
        INSERT INTO relationships (user_id, other_id, other_uid, i_want, they_want, asked_at, heard_at)
            SELECT a.id, b.id, 'u-' || b.name, step > 0, step < 0,
                   CASE WHEN step > 0 THEN now() END, CASE WHEN step < 0 THEN now() END
            FROM people a, generate_series(16, 20) d, unnest(ARRAY[d, -d]) AS step,
                 LATERAL (SELECT * FROM people p WHERE p.n = 1 + (a.n - 1 + step + \(users)) % \(users)) b;
        INSERT INTO relationships (user_id, other_id, other_uid, i_block, they_block, blocked_at)
            SELECT a.id, b.id, 'u-' || b.name, step > 0, step < 0, CASE WHEN step > 0 THEN now() END
            FROM people a, unnest(ARRAY[21, -21]) AS step,
                 LATERAL (SELECT * FROM people p WHERE p.n = 1 + (a.n - 1 + step + \(users)) % \(users)) b;
        INSERT INTO dismissals (user_id, other_id, other_uid)
            SELECT a.id, b.id, 'u-' || b.name FROM people a JOIN people b ON b.n = a.n + 25;
        INSERT INTO invites (code, owner_id, kind) SELECT pg_temp.code(n), id, 'custom' FROM people;
        INSERT INTO invites_by_owner (owner_id, code, kind, idempotency_key, request_sha256, answer)
            SELECT id, pg_temp.code(n), 'custom', 'key', '', '{}' FROM people;
        INSERT INTO invite_uses (code, user_id)
            SELECT pg_temp.code(a.n), b.id
            FROM people a JOIN people b ON b.n BETWEEN a.n + 1 AND a.n + 3;
        INSERT INTO acceptances (invitee_id, inviter_id, code)
            SELECT b.id, a.id, NULL FROM people a JOIN people b ON b.n = a.n + 1;
        INSERT INTO dismissals (user_id, other_id, other_uid)
            SELECT a.id, b.id, 'u-' || b.name FROM people a JOIN people b ON b.n = a.n + 2;
        INSERT INTO offer_campaigns (key, app_store_id, offer, environment, low_water)
            SELECT 'campaign' || n, '1', 'offer' || n, 'sandbox', 0 FROM generate_series(1, 5000) n;
        INSERT INTO offer_codes (campaign, id, sealed, expires_at)
            SELECT 'campaign' || 1 + n % 5000, md5('offer' || n)::uuid, '', now() + interval '99 days' FROM generate_series(1, 20000) n;
        INSERT INTO offer_codes (campaign, id, sealed, expires_at, dealt_at, deal_id, user_id)
            SELECT 'campaign' || 1 + n % 5000, md5('dealt' || n)::uuid, '', now() + interval '99 days', now(), gen_random_uuid(), id
            FROM people;
        INSERT INTO purchases (original_transaction_id, environment, change_id, bundle_id, type, family_shared, started_at,
                               user_id, tied_at)
            SELECT n::text, 'sandbox', gen_random_uuid(), 'x', 'x', false, now() - n * interval '1 minute', id, now() FROM people;
        INSERT INTO purchase_periods (original_transaction_id, environment, transaction_id, product_id, purchased_at, upgraded,
                                      offer_type, offer_id, signed_at)
            SELECT n::text, 'sandbox', n::text, 'x', now() - n * interval '1 minute', false, 3, 'offer' || n % 5000, now()
            FROM people;
        INSERT INTO appstore_notifications (subject, id, environment, type, signed_at)
            SELECT n::text, n::text, 'sandbox', 'TEST', now() FROM people;
        INSERT INTO exposures (unit, experiment, phase, variation)
            SELECT md5('unit' || n)::uuid, 'experiment' || n % 2000, 1, 'control' FROM generate_series(1, 20000) n;
        INSERT INTO conversions SELECT unit, experiment, phase, 'friend', '', 1, now() FROM exposures;
        INSERT INTO experiment_days SELECT 'experiment' || n % 2000, 1, DATE '2024-01-01' + n / 2000, 'control', 1, 0 FROM generate_series(1, 20000) n;
        INSERT INTO experiment_goal_days SELECT experiment, phase, day, variation, 'friend', 1, 1, 1 FROM experiment_days;
        INSERT INTO left_out_visits SELECT 'experiment' || n % 2000, 1 + n / 2000, 1 FROM generate_series(1, 20000) n;
        INSERT INTO referrals (invitee_id, program, inviter_id, signed_up_at, qualified_at, purchase, made_at)
            SELECT b.id, 'program' || b.n % 200, a.id, b.at, b.at, 'sandbox ' || b.n, b.at FROM people a JOIN people b ON b.n = a.n + 1;
        INSERT INTO reward_actions (user_id, action, id, at) SELECT id, 'played', n::text, at FROM people;
        INSERT INTO reward_signals (user_id, kind, mark, told_at) SELECT id, 'device', md5('device' || n)::uuid, at FROM people;
        INSERT INTO rewards (user_id, id, program, invitee_id, side, other_id, kind, unit, amount, state, change_id, created_at,
                             due_at, approved_at)
            SELECT invitee_id, md5('reward' || invitee_id)::uuid, program, invitee_id, 'invitee', inviter_id, 'offer',
                   'campaign' || program, 1, 'approved', gen_random_uuid(), signed_up_at, signed_up_at, signed_up_at
            FROM referrals;
        INSERT INTO reward_postings (user_id, id, kind, debit, credit, program, unit, amount, reward_id)
            SELECT user_id, md5('posting' || id)::uuid, 'reward', 'program', 'user', program, 'offer:' || unit, 1, id FROM rewards;
        INSERT INTO counts (subject, measure, day, count)
        SELECT 'link' || n % 2000, 'links.page', DATE '2026-01-01' + n / 2000, 1 FROM generate_series(1, 20000) n;
        INSERT INTO clicks (link, event, platform) SELECT 'link' || n % 2000, 'page', 'ios' FROM generate_series(1, 20000) n;
        INSERT INTO links (code, domain, kind, parameters, created_at, tags)
            SELECT 'code' || n, 'https://go' || n % 200 || '.example.com', 'custom',
                   '{"link": "https://example.com/"}', now() - n * interval '1 minute', CASE WHEN n % 1000 = 0 THEN ARRAY['a'] END
            FROM generate_series(1, 20000) n;
        INSERT INTO link_claims (link, installation, expires_at)
            SELECT 'link' || n % 2000, gen_random_uuid(), now() + interval '1 day' FROM generate_series(1, 20000) n;
        INSERT INTO installs (inviter_id, id, app, platform, name_key, has_uid, facts, tapped_at, expires_at)
            SELECT id, gen_random_uuid(), 'standard', 'ios', name, true, gen_random_uuid(), at, at + interval '30 days'
            FROM people;
        SELECT keep_days(30);
        INSERT INTO outbox (user_id, type) SELECT id, 'user.returned' FROM people;
        INSERT INTO events (user_id, id, type, at)
            SELECT id, (extract(epoch FROM now())::bigint + ahead * 86400) * 1000000 + n, 'user.returned', now()
            FROM people, generate_series(0, 2) AS ahead;
        INSERT INTO client_versions (app, day, platform, version, action, count)
            SELECT 'app' || n % 2000, DATE '2026-01-01' + n / 2000, 'ios', '1.0', 'none', 1 FROM generate_series(1, 20000) n;
        INSERT INTO api_keys (id, name, scope, acts_for_users, sha256)
            SELECT substr(md5('key' || n), 1, 12), 'n', 'server', true, '' FROM people;
        INSERT INTO audit (actor, act, user_id, reason, at)
            SELECT 'key:' || substr(md5('key' || n), 1, 12), 'suspend', id, 'x', at FROM people;
        INSERT INTO publications (number, at, actor, source, marked_items, items, effects)
            SELECT n, now() - (20001 - n) * interval '1 minute', 'key:x', 'call', ARRAY['+values.value' || n % 2000],
                   jsonb_build_array(jsonb_build_object('section', 'values', 'key', 'value' || n % 2000, 'after',
                                                        jsonb_build_object('value', n::text))), '[]'
            FROM generate_series(1, 20000) n;
        INSERT INTO public.people (id, email, roles, by_rule, created_at, created_by)
            SELECT id, name || '@example.com', ARRAY['viewer'], false, at, 'command:x' FROM people WHERE n <= 2000;
        INSERT INTO sign_in_links (sha256, person, created_at, created_by, expires_at)
            SELECT sha256(uid::bytea), id, now(), 'x', now() FROM users;
        INSERT INTO sessions (id, sha256, person, method, began_at, seen_at, ends_at)
            SELECT md5('session' || n)::uuid, sha256(n::text::bytea), user_id('u-user' || 1 + n % 2000), 'link', now() - interval '8 days',
                   now() - interval '8 days', now() - interval '1 day'
            FROM generate_series(1, 20000) n;
        ANALYZE;
        """
}
