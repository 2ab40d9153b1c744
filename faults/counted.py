"""Whether numbers are what happened: each visit and each event in its sum once."""

import asyncio
from collections import Counter

PATIENCE = 30  # seconds until everything is counted
# Kith deletes a visit when it is counted, so the database writes down each that was committed. Not on Citus, which has no such trigger.
WITNESS = (
    "CREATE SCHEMA faults CREATE TABLE visits (event text NOT NULL)",
    "CREATE FUNCTION faults.witness() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS "
    "$$ BEGIN INSERT INTO faults.visits VALUES (NEW.event); RETURN NULL; END $$",
    "CREATE TRIGGER witness AFTER INSERT ON clicks FOR EACH ROW WHEN (NEW.link !~ '^[0-9a-z]{16,32}$') EXECUTE FUNCTION faults.witness()",
)
LEFT = """SELECT (SELECT count(*) FROM clicks) + (SELECT count(*) FROM outbox)
    + (SELECT count(*) FROM count_positions WHERE source = 'events' AND position < (SELECT last FROM event_numbers)) AS left"""
SUMS = "SELECT measure, sum(count) AS count FROM counts WHERE subject = '' GROUP BY measure"
EVENTS = """SELECT CASE type WHEN 'user.signed_up' THEN 'people.sign_ups' WHEN 'user.renamed' THEN 'people.renames'
        WHEN 'invite.created' THEN 'invites.made' WHEN 'friend.requested' THEN 'friendships.requested'
        WHEN 'friend.created' THEN 'friendships.made' WHEN 'friend.ended' THEN 'friendships.ended' END AS measure, count(*)
    FROM events
    WHERE type IN ('user.signed_up', 'user.renamed', 'invite.created', 'friend.requested')
       OR type IN ('friend.created', 'friend.ended') AND user_id < other_id
    GROUP BY type"""
KINDS = {"open page": ("invites.page",), "open deep link": ("links.page", "links.redirect")}


async def check(cluster, database, ops, calmUntil, isWitnessed, mayForget):
    """Compares sums with the rows they are of, and with what visitors were answered. Returns errors, each a sentence: lost, and doubled."""
    for _ in range(PATIENCE * 4):
        left = int((await cluster.sql(database, LEFT))[0]["left"])
        if left == 0:
            break
        await asyncio.sleep(0.25)
    else:
        return [f"{left} visits or events are not counted after {PATIENCE} s"], []
    sums = Counter({row["measure"]: int(row["count"]) for row in await cluster.sql(database, SUMS)})
    # Each measure with how often it happened at least and at most.
    bounds = {row["measure"]: (int(row["count"]),) * 2 for row in await cluster.sql(database, EVENTS)}
    if isWitnessed:
        rows = await cluster.sql(database, "SELECT event, count(*) FROM faults.visits GROUP BY event")
        bounds["visits"] = (sum(int(row["count"]) for row in rows),) * 2
        sums["visits"] = sum(sums[measure] for measures in KINDS.values() for measure in measures)
    for kind, measures in KINDS.items():
        visits = [op for op in ops if op.kind == kind]
        # A visitor gets an answer also if the database does not take the visit.
        certain = 0 if mayForget else sum(op.result == "ok" and op.ended < calmUntil for op in visits)
        bounds[kind] = certain, sum(len(op.attempts) for op in visits)
        sums[kind] = sum(sums[measure] for measure in measures)
    lost = [f"{name}: counted {sums[name]} of {least}" for name, (least, _) in bounds.items() if sums[name] < least]
    return lost, [f"{name}: counted {sums[name]}, of {most}" for name, (_, most) in bounds.items() if sums[name] > most]
