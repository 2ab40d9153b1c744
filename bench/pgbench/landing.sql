-- The read of a landing page: :id is that of `invitedBy`, :name the folded name in the path.
-- The product's own statements, written by BenchStatementsTests.swift.
SELECT uid, username, display_name, avatar_url, NULL::text, status = 'active', history_complete,
       (SELECT severed FROM username_periods WHERE user_id = :id::uuid AND name_key = :name::text
        ORDER BY valid_from DESC LIMIT 1),
       CASE WHEN frozen_at IS NULL THEN invites ELSE 'off' END
FROM users WHERE id = :id::uuid;
