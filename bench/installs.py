"""Measures the way through a store: taps, claims among many that wait, and the association files: `python3 bench/installs.py`."""

import argparse
import os
import tempfile
from pathlib import Path

import loads
import processes

NAME, USERS = "installs", 100_000
FILE = "/.well-known/apple-app-site-association"
WAITING = """
    INSERT INTO installs (inviter_id, id, app, platform, name_key, has_uid, facts, tapped_at, expires_at)
    SELECT p.id, gen_random_uuid(), 'standard', 'android', p.username, true, gen_random_uuid(),
           now() - i * interval '2 seconds', now() + interval '30 days' - i * interval '2 seconds'
    FROM generate_series(1, {count}) AS number (i) JOIN bench.people p ON p.n = 1 + i % {users}"""
TOKENS = """
    SELECT rtrim(translate(encode(uuid_send(inviter_id) || uuid_send(id), 'base64'), '+/', '-_'), '=')
    FROM installs WHERE claim_id IS NULL ORDER BY id LIMIT {count}"""


def row(name, connections, run):
    print(f"| {name} | {connections} | {run['rate']:,.0f} | {run['p50']:.2f} | {run['p99']:.2f} |", flush=True)
    if run["failed"]:
        raise SystemExit(f"{run['failed']} answers of {name} were errors")


def measure(kith, database, folder, chosen):
    key = kith.create_key()

    def claims(name, connections):
        tokens = folder / "tokens"
        tokens.write_text(database.psql(NAME, "-c", TOKENS.format(count=40_000 * chosen.seconds)))
        row(name, connections, loads.wrk(kith.origin, connections, chosen.seconds, "claim.lua", tokens, key))

    print("| what | connections | rate /s | p50 ms | p99 ms |\n|---|--:|--:|--:|--:|")
    for turn in range(chosen.rounds):
        for name, path in [("static", "/robots.txt"), ("association file", FILE)]:
            row(name, 64, loads.wrk(kith.origin + path, 64, chosen.seconds))
        # A tap waits for the disk. Few connections measure the disk, many what Kith and PostgreSQL can do meanwhile.
        for connections in (64, 256):
            for name, agent in [("to the store, nothing left", "computer"), ("to the store, a tap left", "android")]:
                row(name, connections, loads.wrk(kith.origin, connections, chosen.seconds, "store.lua", USERS, agent))
        for connections in (8, 32):
            claims(f"claim, {chosen.waiting:,} waiting", connections)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=5, help="length of a run")
    parser.add_argument("--rounds", type=int, default=3, help="how often to measure each")
    parser.add_argument("--waiting", type=int, default=1_000_000, help="taps that wait for their claim")
    chosen = parser.parse_args()
    binary = Path(os.environ.get("KITH_BIN", processes.BENCH.parent / ".build/release/kith")).resolve()
    with tempfile.TemporaryDirectory(prefix="kith-installs-") as folder:
        folder = Path(folder)
        with processes.postgres(folder) as database:
            database.load(NAME, USERS)
            database.psql(NAME, "-c", WAITING.format(count=chosen.waiting, users=USERS), "-c", "VACUUM ANALYZE installs")
            kith = processes.Kith(binary, database.url(NAME), folder)
            kith.environment.update(
                KITH_ANDROID_PACKAGE="com.example.app", KITH_IOS_TEAM_ID="ABCDE12345", KITH_IOS_BUNDLE_ID="com.example.app",
                KITH_INSTALL_MATCHING=os.environ.get("KITH_INSTALL_MATCHING", "exact"))
            with kith.serve():
                loads.check(kith.origin, "GET", FILE, 200)
                measure(kith, database, folder, chosen)


if __name__ == "__main__":
    main()
