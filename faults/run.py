#!/usr/bin/env python3
"""Breaks what Kith depends on, under load, and checks that no answered call was lost and none took effect twice."""

import argparse
import asyncio
import os
import sys
import time

import citus_faults
import kith_faults
import network_faults
import report
import rolling_faults
import server_faults
from citus import CitusHarness
from harness import Harness
from world import ROOT, Skipped, has_user, owner


def choose(arguments):
    faults = citus_faults.FAULTS if arguments.citus else [
        *server_faults.FAULTS, *network_faults.FAULTS, *kith_faults.FAULTS, *rolling_faults.FAULTS]
    faults = sorted(faults, key=lambda fault: (int("".join(filter(str.isdigit, fault.name))), fault.name))
    if arguments.only:
        names = arguments.only.split(",")
        return [fault for fault in faults if fault.name in names or fault.name.rstrip("abcdef") in names]
    chosen = [fault for fault in faults if fault.isQuick or not arguments.quick]
    part, parts = map(int, arguments.part.split("/"))
    return chosen[part % parts::parts]


def binary():
    path = os.environ.get("KITH_BIN") or ROOT / ".build" / "debug" / "kith"
    if not os.access(path, os.X_OK):
        sys.exit(f"faults: {path} does not exist; run: make faults")
    return path


async def play(arguments):
    began, results = time.monotonic(), []
    harness = CitusHarness if arguments.citus else Harness
    async with harness(binary(), arguments.rate, arguments.patience) as harness:
        for fault in choose(arguments):
            result = await harness.run(fault)
            results.append(result)
            print(report.line(result), flush=True)
    print(report.summary(results, time.monotonic() - began))
    if arguments.write:
        report.write(ROOT / "docs" / ("scale.md" if arguments.citus else "reliability.md"), results)
    return 0 if all(result.isGood for result in results) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="run only those that break most, for less time each")
    parser.add_argument("--citus", action="store_true",
                        help="break a Citus cluster, which the script in KITH_CITUS_CLUSTER starts, kills and revives")
    parser.add_argument("--part", default="1/1", help="every Nth fault, from the Kth on: 1/2")
    parser.add_argument("--only", help="names of faults, separated by commas: F7,F11")
    parser.add_argument("--write", action="store_true", help="write the table into docs/reliability.md or scale.md")
    parser.add_argument("--rate", type=float, default=8, help="operations a second of each of the 16 clients")
    parser.add_argument("--patience", type=float, help="multiplies all time limits (1, or 5 with --quick)")
    arguments = parser.parse_args()
    arguments.patience = arguments.patience or (5 if arguments.quick else 1)
    if owner() and not has_user("postgres"):
        sys.exit("faults: root cannot run PostgreSQL: create the user postgres")
    if arguments.citus and not os.environ.get("KITH_CITUS_CLUSTER"):
        sys.exit("faults: KITH_CITUS_CLUSTER must name a script that starts a Citus cluster; scripts/test-citus says how")
    sys.exit(asyncio.run(play(arguments)))


if __name__ == "__main__":
    main()
