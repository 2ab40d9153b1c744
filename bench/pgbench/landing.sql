-- The read behind a landing, as in LinkStore.swift: :id is that of `invitedBy`, :name the folded name in the path.
SELECT uid, username, display_name, status = 'active', history_complete,
       coalesce(period.forwards, false), coalesce(period.severs, false),
       CASE WHEN period.forwards IS NULL
            THEN EXISTS (SELECT FROM usernames WHERE name_key = :name) ELSE true END,
       frozen_at IS NOT NULL
FROM users, LATERAL (
    SELECT bool_or(NOT severed) AS forwards, bool_or(severed) AS severs
    FROM username_periods WHERE user_id = :id AND name_key = :name) period
WHERE id = :id;
