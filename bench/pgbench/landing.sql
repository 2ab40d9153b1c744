-- The read of a landing page: :id is that of `invitedBy`, :name the folded name in the path.
-- The product's own statements, written by BenchStatementsTests.swift.
SELECT id, uid, username, display_name, avatar_url, NULL::text, status = 'active', history_complete, CASE WHEN frozen_at IS NULL THEN invites ELSE 'off' END,
       (SELECT severed FROM username_periods p
        WHERE p.user_id = u.id AND p.name_key = (ARRAY[:name]::text[])[array_position(ARRAY[:id]::uuid[], u.id)]
        ORDER BY valid_from DESC LIMIT 1)
FROM users u WHERE id = ANY(ARRAY[:id]::uuid[]);
