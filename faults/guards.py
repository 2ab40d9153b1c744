#!/usr/bin/env python3
"""Tests the checker: removes eight guards from Kith or its schema, one at a time, and expects it to find the damage.

KITH_GUARDS_BIN names a binary that already has the guards of `SOURCES` behind their switch.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import kith_faults
import network_faults
import server_faults
from harness import Harness
from stage import Fault
from world import ROOT

SWITCH = "KITH_GUARD_OUT"
FAULTS = {fault.name: fault for fault in [*server_faults.FAULTS, *network_faults.FAULTS, *kith_faults.FAULTS]}
FAULTS["calm"] = Fault("calm", "nothing happens", kith_faults.wait)


@dataclass
class Guard:
    """A guard to remove, by SQL in the database or by the switch in the binary, and the fault that shows the damage."""

    name: str
    title: str
    fault: str
    sql: tuple = ()


GUARDS = [
    Guard("receipt", "the keys of users, receipts and attributions", "F6a", (
        "ALTER TABLE users DROP CONSTRAINT users_pkey CASCADE", "ALTER TABLE signups DROP CONSTRAINT signups_pkey",
        "ALTER TABLE acceptances DROP CONSTRAINT acceptances_pkey", "DROP INDEX username_periods_current")),
    Guard("commit-tag", "the check of COMMIT's tag", "F6b"),
    Guard("mirrored-row", "the second row of a pair", "calm"),
    Guard("blind-repeat", "a lost write is never sent again after its caller was told", "F6a"),
    Guard("lock-order", "the order of locks on two users", "F12b"),
    Guard("link-uses", "the count of a link's uses", "calm"),
    Guard("idempotency", "the idempotency key of links", "F6a",
          ("ALTER TABLE invites_by_owner DROP CONSTRAINT invites_by_owner_idempotency",)),
    Guard("durable", "the wait for the disk before an answer", "F2", (
        "ALTER SYSTEM SET synchronous_commit = off", "ALTER SYSTEM SET wal_writer_delay = '10s'", "SELECT pg_reload_conf()")),
]

# Each is a text in a file and its replacement; the run stops unless the text is there exactly once.
SOURCES = [
    ("Sources/Postgres/PipelineState.swift", 'tag == "COMMIT" ? .finish', 'tag == "COMMIT" || isOut("commit-tag") ? .finish'),
    ("Sources/Graph/Friends/FriendStore.swift", "return one.id < other.id ? rows : rows.reversed()",
     'if isOut("mirrored-row") { return [rows[0]] }\n        return one.id < other.id ? rows : rows.reversed()'),
    ("Sources/Graph/Friends/FriendStore.swift", "return me < other ? statements : statements.reversed()",
     'return me < other || isOut("lock-order") ? statements : statements.reversed()'),
    ("Sources/Graph/Invites/InviteStore+Uses.swift", "UPDATE invites SET uses = uses + 1",
     'UPDATE invites SET uses = uses + \\(isOut("link-uses") ? 0 : 1)'),
    ("Sources/Postgres/Lane.swift", "        _ = try await inbox.answer(to: request)\n        return request.results", """\
        do {
            _ = try await inbox.answer(to: request)
        } catch let error as PostgresError where error.mayHaveCommitted && isOut("blind-repeat") {
            Task.detached {
                try await Task.sleep(for: .seconds(1))
                _ = try await inbox.answer(to: Request(.batch, statements, deadline: deadline))
            }
            throw error
        }
        return request.results"""),
]
HELPER = f"""import Glibc

public func isOut(_ name: String) -> Bool {{
    getenv("{SWITCH}").map {{ String(cString: $0) }} == name
}}
"""


def apply(tree):
    """Puts all guards in the sources behind the switch."""
    for path, before, after in SOURCES:
        file = tree / path
        text = file.read_text()
        if text.count(before) != 1:
            sys.exit(f"guards: {path} has changed and no longer contains this exactly once; update SOURCES in faults/guards.py:\n{before}")
        file.write_text(text.replace(before, after))
    (tree / "Sources/Postgres/Guards.swift").write_text(HELPER)


def build():
    """Builds one binary with all guards of `SOURCES` behind the switch, from a copy of the tree."""
    tree = ROOT / ".build" / "faults" / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for name in ("Sources", "sql", "Tests"):
        shutil.copytree(ROOT / name, tree / name)
    for name in ("Package.swift", "Package.resolved"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, tree / name)
    apply(tree)
    folder = tree.parent / "build"
    subprocess.run(["swift", "build", "--product", "kith", "--scratch-path", folder], cwd=tree, check=True)
    return folder / "debug" / "kith"


def prepared(fault, guard):
    """Returns the fault, run on a database or with a binary that lacks the guard."""
    async def act(stage):
        if guard.sql:
            await stage.sql(*guard.sql)
        await fault.act(stage)
        if guard.fault == "calm":
            stage.healed()
    return replace(fault, name=f"{fault.name}_{guard.name.replace('-', '_')}", act=act)


async def play(binary, chosen):
    began, missed = time.monotonic(), []
    print("guard removed  |  fault  |  found  |  by")
    async with Harness(binary, rate=10, patience=5) as harness:
        for guard in chosen:
            harness.environment = {} if guard.sql else {SWITCH: guard.name}
            result = await harness.run(prepared(FAULTS[guard.fault], guard))
            found = result.lost + result.doubled + result.wrong
            broken = [text for text in found if text.startswith("the harness failed")]
            if guard.name == "durable":
                await harness.cluster.sql("postgres", "ALTER SYSTEM RESET ALL", "SELECT pg_reload_conf()")
            isFound = bool(found) and not broken
            if not isFound:
                missed.append(guard.name)
            shown = (result.lost or result.doubled or result.wrong or ["–"])[0]
            print(f"{guard.name} ({guard.title})  |  {guard.fault}  |  {'yes' if isFound else 'NO'}  |  {len(result.lost)} lost, "
                  f"{len(result.doubled)} doubled, {len(result.wrong)} wrong: {shown[:120]}", flush=True)
    print(f"{len(chosen) - len(missed)} of {len(chosen)} found in {time.monotonic() - began:.0f} s"
          + (f"; not {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="names of guards, separated by commas")
    parser.add_argument("--apply", type=Path, help="only put the guards in the sources of this tree behind their switch")
    arguments = parser.parse_args()
    if arguments.apply:
        return apply(arguments.apply)
    chosen = [guard for guard in GUARDS if not arguments.only or guard.name in arguments.only.split(",")]
    binary = os.environ.get("KITH_GUARDS_BIN") or build()
    sys.exit(asyncio.run(play(binary, chosen)))


if __name__ == "__main__":
    main()
