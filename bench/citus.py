#!/usr/bin/env python3
"""Compares a Citus cluster on this machine with plain PostgreSQL on the same disk, turn by turn; prints the table of ratios.

KITH_CITUS_URL is an empty database at the coordinator, for a superuser; KITH_BIN is the binary that makes the schema."""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from loads import BATCH, copies, pgbench
from processes import BENCH, Database, postgres

FRIENDS = 50
LOAD = """
INSERT INTO users (id, uid, username) SELECT user_id('u' || i), 'u' || i, 'user' || i FROM generate_series(1, {users}) i;
INSERT INTO usernames (name_key, user_id, state) SELECT 'user' || i, user_id('u' || i), 'active' FROM generate_series(1, {users}) i;
INSERT INTO username_periods (user_id, name_key, username)
SELECT user_id('u' || i), 'user' || i, 'user' || i FROM generate_series(1, {users}) i;
INSERT INTO relationships (user_id, other_id, other_uid, i_want, they_want, since, other_username)
SELECT user_id('u' || i), user_id('u' || j), 'u' || j, true, true, now(), 'user' || j
FROM generate_series(1, {users}) i, generate_series(-{half}, {half}) step, LATERAL (SELECT (i + step + {users} - 1) % {users} + 1 AS j) other
WHERE step <> 0;
VACUUM ANALYZE;
CHECKPOINT;
"""
# What is measured: the statements, how many clients, what is pipelined, what is drawn for each person, and the ratio wanted.
ONE = ("", "user_id('u' || :i{n}) AS id{n}, 'user' || :i{n} AS name{n}")
PAIR = ("least(a{n}, b{n}) AS low_id{n}, greatest(a{n}, b{n}) AS high_id{n}, CASE WHEN a{n} < b{n} THEN x{n} ELSE y{n} END AS low_uid{n}, "
        "CASE WHEN a{n} < b{n} THEN y{n} ELSE x{n} END AS high_uid{n}", "user_id({x}) AS a{n}, user_id({y}) AS b{n}, {x} AS x{n}, {y} AS y{n}")
NEWCOMER = (PAIR[0] + ", a{n} AS id{n}, x{n} AS uid{n}, 'p' || :m{n} AS name{n}, left(md5(x{n}), 16) AS code{n}, b{n} AS inviter_id{n}, 'user' || :i{n} AS inviter_name{n}", PAIR[1])
MEASURES = [
    ("landing", "landing.sql", "all", ONE, {}, 0.4),
    ("page of 50 friends", "friends.sql", "all", ONE, {}, 0.4),
    ("sign-up", "signup.sql", "each", NEWCOMER, {"x": "('n' || :m{n})", "y": "('u' || :i{n})"}, 0.15),
    ("befriend", "befriend.sql", "each", PAIR, {"x": "('u' || :i{n})", "y": "('u' || :j{n})"}, 0.15),
]


def draws(columns, people, users):
    """Computes the keys of ten random people, or pairs; users know one another only if their numbers are near."""
    lines, outer, inner = [], [], []
    for n in range(BATCH):
        lines += [rf"\set i{n} random(1, {users})", rf"\set j{n} (:i{n} + random({FRIENDS}, {users} / 2)) % {users} + 1",
                  rf"\set m{n} random(1, 1000000000000)"]
        words = {name: text.format(n=n) for name, text in people.items()}
        outer.append(columns[0].format(n=n))
        inner.append(columns[1].format(n=n, **words))
    chosen = ", ".join(outer) if columns[0] else "*"
    return "\n".join([*lines, f"SELECT {chosen} FROM (SELECT {', '.join(inner)}) drawn \\gset", ""])


def prepare(database, name, url, binary, users, *options):
    subprocess.run([binary, "migrate", *options], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, KITH_DATABASE_URL=url))
    for statement in LOAD.format(users=users, half=FRIENDS // 2).split(";\n")[:-1]:
        database.psql(name, "-c", statement)


def cluster(url):
    parts = urlsplit(url)
    database = Database(parts.port, None)
    database.environment |= {"PGHOST": parts.hostname, "PGUSER": parts.username or "postgres", "PGPASSWORD": parts.password or ""}
    name = parts.path.lstrip("/")
    of_postmaster = "split_part(pg_read_file('postmaster.pid'), chr(10), 1)"
    workers = database.psql(name, "-c", f"SELECT result FROM run_command_on_workers($$SELECT {of_postmaster}$$)").split()
    return database, name, [database.psql(name, "-c", f"SELECT {of_postmaster}").strip()], workers


def cpu(pids):
    """Processor seconds of these postmasters' sessions that have ended."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(of[13]) + int(of[14]) for of in fields) / os.sysconf("SC_CLK_TCK")


def cost(engine, script, clients, seconds, folder):
    """Seconds of the clock, and of the processors of each group of nodes, that one run of the script takes."""
    database, name, *groups = engine
    before = [cpu(pids) for pids in groups]
    # Citus plans with the values at hand, so nothing is forced here.
    rate = pgbench(database, name, script, clients, seconds, folder, "")
    time.sleep(1)  # for the sessions to end
    return [1 / rate, *((cpu(pids) - past) / rate / seconds for pids, past in zip(groups, before))]


def measure(engine, draw, script, chosen, folder):
    alone = cost(engine, draw, chosen.clients, max(1, chosen.seconds // 2), folder)
    both = cost(engine, draw + script, chosen.clients, chosen.seconds, folder)
    return [(whole - part) / BATCH * 1e6 for whole, part in zip(both, alone)]


def row(title, wanted, turns):
    rate = statistics.median(plain[0] / citus[0] for plain, citus in turns)
    plain, coordinator, workers = (statistics.median(turn[engine][place] for turn in turns)
                                   for engine, place in ((0, 1), (1, 1), (1, 2)))
    return (f"| {title} | {rate:.2f} | {plain / (coordinator + workers):.2f} | {wanted} | "
            f"{plain:,.0f} | {coordinator:,.0f} | {workers:,.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=4)
    chosen = parser.parse_args()
    binary = os.environ.get("KITH_BIN", BENCH.parent / ".build/release/kith")
    with tempfile.TemporaryDirectory(prefix="kith-bench.") as folder, \
            postgres(Path(folder), {"shared_buffers": "512MB"}) as plain:
        folder = Path(folder)
        plain.psql("postgres", "-c", "CREATE DATABASE kith")
        engines = (plain, "kith", [plain.pid]), cluster(os.environ["KITH_CITUS_URL"])
        prepare(*engines[0][:2], plain.url("kith"), binary, chosen.users)
        prepare(*engines[1][:2], os.environ["KITH_CITUS_URL"], binary, chosen.users, "--distribute")
        print("| | rate, of plain | processor time, of plain | wanted | µs: plain | coordinator | workers |")
        print("|---|--:|--:|--:|--:|--:|--:|")
        for title, script, pipelined, columns, people, wanted in MEASURES:
            draw, statements = draws(columns, people, chosen.users), copies(script, pipelined)
            turns = [[measure(engine, draw, statements, chosen, folder) for engine in engines] for _ in range(chosen.turns)]
            print(row(title, f"≥ {wanted}", turns), flush=True)


if __name__ == "__main__":
    main()
