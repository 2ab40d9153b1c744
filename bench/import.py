#!/usr/bin/env python3
"""Compares `kith import` with psql's \\copy of ready-made rows into the same empty tables.

Usage: bench/import.py [--users N] [--friendships N]. KITH_BIN names the binary; the default is .build/release/kith.
Both use the same server and the same random order of rows, as another system would export them.
"""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

import processes

# Both ends of a pair prefer a few users: of a million, the first has about 500 friends.
WORLD = """
SELECT setseed(0.42);
CREATE UNLOGGED TABLE people AS
SELECT n, 'provider|' || lpad(n::text, 12, '0') AS uid, 'User' || n AS username, 'Name No. ' || n AS display_name,
       timestamptz '2020-01-01Z' + random() * interval '1000 days' AS created_at,
       substr(sha256(convert_to('provider|' || lpad(n::text, 12, '0'), 'UTF8'))::text, 3, 32)::uuid AS id
FROM generate_series(0, {users} - 1) n;
CREATE UNLOGGED TABLE pairs AS
SELECT least(a, b) AS a, greatest(a, b) AS b, min(since) AS since
FROM (SELECT floor({users} * random() ^ 1.3)::int AS a, floor({users} * random() ^ 1.3)::int AS b,
             timestamptz '2023-01-01Z' + random() * interval '1000 days' AS since
      FROM generate_series(1, {friendships} * 11 / 10)) drawn
WHERE a <> b GROUP BY 1, 2 ORDER BY random() LIMIT {friendships};
ANALYZE people; ANALYZE pairs;
"""
FILES = {
    "users.csv": "SELECT uid, username, display_name, created_at FROM people ORDER BY random()",
    "friendships.csv": """SELECT p.uid, q.uid AS friend_uid, since
        FROM pairs JOIN people p ON p.n = a JOIN people q ON q.n = b ORDER BY random()""",
}
ROWS = {
    "users": ("id, uid, username, display_name, history_complete, created_at",
              "SELECT id, uid, username, display_name, false, created_at FROM people ORDER BY random()"),
    "usernames": ("name_key, user_id, state",
                  "SELECT lower(username), id, 'active' FROM people ORDER BY random()"),
    "username_periods": ("user_id, name_key, username, valid_from",
                         "SELECT id, lower(username), username, created_at FROM people ORDER BY random()"),
    "relationships": ("user_id, other_id, other_uid, other_username, other_display_name, i_want, they_want, since", """
        SELECT p.id, q.id, q.uid, q.username, q.display_name, true, true, since
        FROM (SELECT a, b, since FROM pairs UNION ALL SELECT b, a, since FROM pairs) both_sides
        JOIN people p ON p.n = a JOIN people q ON q.n = b ORDER BY random()"""),
}


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--friendships", type=int, default=10_000_000)
    return parser.parse_args()


def timed(what, rows, work):
    started = time.monotonic()
    work()
    seconds = time.monotonic() - started
    print(f"{what:42} {seconds:8.1f} s  {rows / seconds:12,.0f} rows/s", flush=True)
    return seconds


def fresh(database, name):
    database.psql("postgres", "-c", f"CREATE DATABASE {name}")
    for migration in sorted((processes.BENCH.parent / "sql/migrations").glob("*.sql")):
        database.psql(name, "-1", "-f", migration)
    database.psql(name, "-c", "CHECKPOINT")


def write_files(database, folder, chosen):
    database.psql("postgres", "-c", "CREATE DATABASE world")
    database.psql("world", "-c", WORLD.format(users=chosen.users, friendships=chosen.friendships))
    for name, query in FILES.items():
        database.psql("world", "-c", f"\\copy ({' '.join(query.split())}) TO '{folder / name}' CSV HEADER")
    for table, (columns, query) in ROWS.items():
        database.psql("world", "-c", f"\\copy ({' '.join(query.split())}) TO '{folder / table}' CSV")
    database.psql("postgres", "-c", "DROP DATABASE world", "-c", "CHECKPOINT")


def copy(database, folder, *tables):
    for table in tables:
        database.psql("copied", "-c", f"\\copy {table} ({ROWS[table][0]}) FROM '{folder / table}' CSV")


def import_file(database, binary, folder, kind):
    environment = dict(os.environ, KITH_DATABASE_URL=database.url("imported"))
    subprocess.run([binary, "import", kind, folder / f"{kind}.csv"], env=environment, check=True)


def counts(database, name):
    return database.psql(name, "-c", """SELECT count(*), sum(hashtextextended(concat_ws(' ', user_id, other_id, other_uid,
        other_username, other_display_name, i_want, they_want, since, asked_at, heard_at), 0)::numeric) FROM relationships""")


def main():
    chosen = options()
    binary = Path(os.environ.get("KITH_BIN", processes.BENCH.parent / ".build/release/kith"))
    processes.SHARED_BUFFERS = "2GB"
    with tempfile.TemporaryDirectory() as folder, processes.postgres(Path(folder)) as database:
        folder = Path(folder)
        timed("the files", chosen.friendships, lambda: write_files(database, folder, chosen))
        people, rows = chosen.users * 3, chosen.friendships * 2
        fresh(database, "imported")
        imported = [
            timed("kith import users", people, lambda: import_file(database, binary, folder, "users")),
            timed("kith import friendships", rows, lambda: import_file(database, binary, folder, "friendships"))]
        fresh(database, "copied")
        copied = [
            timed("\\copy of the rows of users", people,
                  lambda: copy(database, folder, "users", "usernames", "username_periods")),
            timed("\\copy of the rows of friendships", rows, lambda: copy(database, folder, "relationships"))]
        for what, ours, theirs in zip(("users", "friendships"), imported, copied):
            print(f"{what}: {theirs / ours:.2f} of \\copy's rate")
        print("the same rows" if counts(database, "imported") == counts(database, "copied") else "ROWS DIFFER")


if __name__ == "__main__":
    main()
