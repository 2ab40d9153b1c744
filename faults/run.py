#!/usr/bin/env python3
"""Breaks what Kith depends on, under load, and checks that no answered call was lost and none took effect twice."""

import argparse
import asyncio
import os
import shutil
import sys
import time
import traceback

import kith_faults
import network_faults
import report
import server_faults
from stage import Result, Stage
from world import ROLE, ROOT, SUPERUSER, Cluster, Kith, Skipped, Unclean, has_user, make_folder, owner


class Harness:
    """One PostgreSQL for all faults, with a database each."""

    def __init__(self, binary, rate, patience):
        self.binary, self.rate, self.patience = binary, rate, patience
        self.environment = {}  # more settings of Kith
        self.folder = make_folder()

    async def __aenter__(self):
        try:
            self.cluster = await Cluster(self.folder / "postgres").create()
            await self.cluster.start()
            await self.prepare_cluster(self.cluster)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_):
        if getattr(self, "cluster", None) and self.cluster.process is not None:
            await self.cluster.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def prepare_cluster(self, cluster):
        await cluster.sql("postgres", f"ALTER ROLE {SUPERUSER} SET default_transaction_read_only = off",
                          f"CREATE ROLE {ROLE} LOGIN", f"CREATE DATABASE kith_template OWNER {ROLE}")
        await Kith(self.binary, cluster.url("kith_template"), self.folder).command("migrate")

    async def make_database(self, cluster, name):
        await cluster.sql("postgres", f"CREATE DATABASE {name} TEMPLATE kith_template OWNER {ROLE}")
        await cluster.sql(name, f"GRANT CREATE, USAGE ON SCHEMA public TO {ROLE}")

    async def run(self, fault):
        try:
            return await Stage(self, fault).run()
        except Skipped as reason:
            return Result(fault, skipped=str(reason))
        except Exception as error:  # One fault's trouble must not hide the others'.
            result = Result(fault)
            text = "" if isinstance(error, Unclean) else traceback.format_exc()
            result.wrong.append(f"the harness failed: {error} {text}")
            return result
        finally:
            await self._mend()

    async def _mend(self):
        """Restarts the cluster if the fault stopped it."""
        if self.cluster.process is None or self.cluster.process.poll() is not None:
            await self.cluster.start()
        await self.cluster.ready()


def choose(arguments):
    faults = [*server_faults.FAULTS, *network_faults.FAULTS, *kith_faults.FAULTS]
    faults.sort(key=lambda fault: (int("".join(filter(str.isdigit, fault.name))), fault.name))
    if arguments.only:
        names = arguments.only.split(",")
        return [fault for fault in faults if fault.name in names or fault.name.rstrip("abcdef") in names]
    return [fault for fault in faults if fault.isQuick or not arguments.quick]


def binary():
    path = os.environ.get("KITH_BIN") or ROOT / ".build" / "debug" / "kith"
    if not os.access(path, os.X_OK):
        sys.exit(f"faults: {path} does not exist; run: make faults")
    return path


async def play(arguments):
    began, results = time.monotonic(), []
    async with Harness(binary(), arguments.rate, arguments.patience) as harness:
        for fault in choose(arguments):
            result = await harness.run(fault)
            results.append(result)
            print(report.line(result), flush=True)
    print(report.summary(results, time.monotonic() - began))
    if arguments.write:
        report.write(ROOT / "docs" / "reliability.md", results)
    return 0 if all(result.isGood for result in results) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="run only a part, in about three minutes")
    parser.add_argument("--only", help="names of faults, separated by commas: F7,F11")
    parser.add_argument("--write", action="store_true", help="write the table into docs/reliability.md")
    parser.add_argument("--rate", type=float, default=8, help="operations a second of each of the 16 clients")
    parser.add_argument("--patience", type=float, help="multiplies all time limits (1, or 5 with --quick)")
    arguments = parser.parse_args()
    arguments.patience = arguments.patience or (5 if arguments.quick else 1)
    if owner() and not has_user("postgres"):
        sys.exit("faults: root cannot run PostgreSQL: create the user postgres")
    sys.exit(asyncio.run(play(arguments)))


if __name__ == "__main__":
    main()
