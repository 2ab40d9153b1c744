"""Measures how long numbers of a year take: `python3 bench/measures.py`.

The world is made of sums as the server writes them: 100,000 links with 10 million clicks, a million users of whom a third
brought somebody, and all measures of everything, whose dimensions have as many values as a sum keeps.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import loads
import processes

NAME = "numbers"
PARTS = """
    (SELECT json_object_agg(dimension, (SELECT json_object_agg(dimension || value, 1 + (value * 7 + d) % 90) FROM generate_series(1, {values}) value))
     FROM unnest(ARRAY['platform', 'country', 'referrer', 'utm_source', 'utm_medium', 'utm_campaign', 'language', 'browser',
                       'kind', 'cause', 'item', 'app', 'seconds']) AS dimension)::jsonb"""
WORLD = [
    # Everything, of each day.
    f"""
    INSERT INTO counts (subject, measure, day, count, parts, members)
    SELECT '', measure, current_date - d, 25000 + d, {PARTS.format(values=100)},
           CASE WHEN measure ~ '(page|redirect)$' THEN '\\x01'::bytea || decode(repeat(encode(sha256(d::text::bytea), 'hex'), 512), 'hex') END
    FROM generate_series(0, 364) AS d, unnest(ARRAY[
        'links.page', 'links.redirect', 'links.install', 'invites.page', 'invites.redirect', 'invites.tap', 'people.sign_ups',
        'links.sign_ups', 'invites.sign_ups', 'invites.friendships', 'friendships.made', 'cohorts.joined_7', 'cohorts.joined_30',
        'invites.time_to_share', 'offers.dealt', 'rewards.earned']) AS measure""",
    # 100,000 links, of which each was opened on 10 days, 10 times a day.
    """
    INSERT INTO links (code, domain, kind, parameters, tags)
    SELECT 'code' || n, 'https://go.example.com', 'custom', '{"link": "https://app.example.com/"}',
           CASE WHEN n % 1000 = 0 THEN ARRAY['spring'] END
    FROM generate_series(1, 100000) n""",
    f"""
    INSERT INTO counts (subject, measure, day, count, parts)
    SELECT 'https://go.example.com/code' || n, 'links.redirect', current_date - (n % 36) * 10 - d, 10, {PARTS.format(values=3)}
    FROM generate_series(1, 100000) n, generate_series(0, 9) d""",
    # A million users, a third of whom brought three people each on days of their own.
    """
    INSERT INTO users (id, uid, username)
    SELECT user_id('u' || n), 'u' || n, 'user' || n FROM generate_series(1, 1000000) n""",
    """
    INSERT INTO counts (subject, measure, day, count)
    SELECT user_id('u' || 3 * n)::text, 'invites.sign_ups', current_date - (n + 7 * d) % 365, 1 + n % 4
    FROM generate_series(1, 333333) n, generate_series(0, 2) d""",
    """
    INSERT INTO counts (subject, measure, day, count)
    SELECT subject, measure, 'infinity', sum(count) FROM counts WHERE measure = 'invites.sign_ups' AND subject <> '' GROUP BY subject, measure""",
    """
    INSERT INTO acceptances (invitee_id, inviter_id, accepted_at)
    SELECT user_id('u' || n), user_id('u' || n / 3), now() - interval '31 s' * (1000000 - n)
    FROM generate_series(4, 1000000) n WHERE n % 3 <> 0 ORDER BY n""",
    "VACUUM ANALYZE counts", "VACUUM ANALYZE links", "VACUUM ANALYZE users", "VACUUM ANALYZE acceptances", "CHECKPOINT",
]
YEAR = "from={first}&to={last}"
CALLS = [
    "numbers/links.clicks?{year}", "numbers/links.clicks?{year}&by=country", "numbers/links.clicks?{year}&by=country&limit=100",
    "numbers/links.clicks?{year}&by=country&per=week", "numbers/links.visitors?{year}",
    "numbers/links.clicks?{year}&link=https://go.example.com/code7", "numbers/links.clicks?{year}&tag=spring",
    "numbers/links.clicks?{year}&tag=spring&by=country", "numbers/people.sign_ups?{year}&by=utm_campaign",
    "numbers/invites.sign_ups?{year}&per=month&by=kind", "numbers/cohorts.joined_30?{year}&per=week",
    "numbers/invites.time_to_share?{year}", "numbers/rewards.earned?{year}&by=item", "numbers/invites.funnel?{year}&country=country7",
    "inviters", "inviters?{year}", "inviters?{year}&limit=100",
    "inviters/growing?minutes=60", "inviters/growing?minutes=1440",
]


def measure(kith, key, path, times):
    """Returns the milliseconds of some calls, one after the other, shortest first."""
    took = []
    for _ in range(times):
        started = time.monotonic()
        loads.check(kith.origin, "GET", path, 200, headers={"Authorization": f"Bearer {key}"})
        took.append((time.monotonic() - started) * 1000)
    return sorted(took)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100, help="how often to ask for each")
    chosen = parser.parse_args()
    binary = Path(os.environ.get("KITH_BIN", processes.BENCH.parent / ".build/release/kith")).resolve()
    with tempfile.TemporaryDirectory(prefix="kith-numbers-") as folder, processes.postgres(Path(folder)) as database:
        database.load(NAME, 1000)
        database.psql(NAME, "-c", "TRUNCATE users CASCADE")
        started = time.monotonic()
        for statement in WORLD:
            database.psql(NAME, "-c", statement)
        print(f"the world was loaded in {time.monotonic() - started:.0f} s", flush=True)
        kith = processes.Kith(binary, database.url(NAME), Path(folder))
        kith.environment.update(KITH_LINK_DOMAINS="https://go.example.com")
        key = kith.run("key", "create", "--name", "bench", "--scope", "admin").split()[-1]
        last, first = database.psql(NAME, "-c", "SELECT current_date || ' ' || current_date - 364").split()
        with kith.serve():
            print("| call | p50 ms | p99 ms (< 100) |\n|---|--:|--:|")
            for call in CALLS:
                path = "/v1/admin/" + call.replace("{year}", YEAR.format(first=first, last=last))
                took = measure(kith, key, path, chosen.times)
                print(f"| `{call.replace('{year}', 'a year')}` | {statistics.median(took):.1f} | {took[int(len(took) * 0.99) - 1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
