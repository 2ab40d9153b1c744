"""A Citus cluster as the target of faults: it stands where `Cluster` stands for one PostgreSQL."""

import asyncio
import csv
import io
import os
from urllib.parse import urlsplit

from harness import Harness
from world import ROLE, SUPERUSER, Kith, Unclean, program, run


class CitusCluster:
    """A coordinator and two workers, which the script in KITH_CITUS_CLUSTER starts, kills and revives. Node 0 coordinates."""

    def __init__(self, folder):
        self.script, self.folder = os.environ["KITH_CITUS_CLUSTER"], folder
        self.log = folder / "0.log"

    async def _call(self, *words):
        # To files: a server that the script leaves running would hold a pipe open.
        out = self.folder.with_suffix(".out")
        with open(out, "wb") as file:
            process = await asyncio.create_subprocess_exec(
                self.script, words[0], str(self.folder), *map(str, words[1:]), stdin=asyncio.subprocess.DEVNULL,
                stdout=file, stderr=file)
            if await process.wait():
                raise Unclean(f"{self.script} {words[0]}: {out.read_text(errors='replace')[-1000:]}")
        return out.read_text().strip()

    async def start(self):
        url = urlsplit((await self._call("start")).splitlines()[-1])
        self.port, self.origin = url.port, url.path[1:]
        rows = await self.sql(self.origin, "SELECT nodeport FROM pg_dist_node ORDER BY groupid")
        self.ports = [int(row["nodeport"]) for row in rows]
        self.log.touch()
        return self

    async def stop(self):
        await self._call("stop")

    async def kill(self, node):
        await self._call("kill", node)

    async def revive(self, node):
        await self._call("revive", node)

    async def sql(self, database, *statements, node=0, check=True):
        """Runs the statements as the superuser on a node, each in its own transaction; returns the rows of the last."""
        words = [word for statement in statements for word in ("-c", statement)]
        port = self.ports[node] if node else self.port
        _, out, _ = await run(program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", port, "-U",
                              SUPERUSER, "-d", database, "--csv", *words, check=check)
        return list(csv.DictReader(io.StringIO(out)))

    async def everywhere(self, database, *statements):
        for node in range(len(self.ports)):
            await self.sql(database, *statements, node=node)

    async def settle(self, seconds=40):
        """Waits until Citus has ended every transaction that a crash left prepared; it looks every 5 s."""
        for _ in range(seconds * 5):
            left = 0
            for node in range(len(self.ports)):
                left += len(await self.sql("postgres", "SELECT FROM pg_prepared_xacts", node=node, check=False))
            if not left:
                return
            await asyncio.sleep(0.2)
        raise Unclean(f"{left} prepared transactions are left {seconds} s after the fault")

    def url(self, database, port=None):
        return f"postgresql://{ROLE}@127.0.0.1:{port or self.port}/{database}?sslmode=disable&gssencmode=disable"


class CitusHarness(Harness):
    """One cluster for all faults, with a distributed database each, copied on every node from the same template."""

    TEMPLATE = "kith_template"
    witnesses = False

    async def make_cluster(self):
        return await CitusCluster(self.folder / "citus").start()

    async def end_cluster(self):
        await self.cluster.stop()

    async def prepare_cluster(self, cluster):
        await cluster.everywhere(
            "postgres", f"DO $$ BEGIN CREATE ROLE {ROLE} LOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
            f"CREATE DATABASE {self.TEMPLATE} OWNER {ROLE}")
        await cluster.everywhere(self.TEMPLATE, "CREATE EXTENSION citus")
        await cluster.sql(self.TEMPLATE, f"SELECT citus_set_coordinator_host('127.0.0.1', {cluster.port})",
                          *[f"SELECT citus_add_node('127.0.0.1', {port})" for port in cluster.ports[1:]])
        kith = Kith(self.binary, cluster.url(self.TEMPLATE), self.folder, {"PGOPTIONS": "-c citus.shard_count=8"})
        await kith.command("migrate", "--distribute")
        # Nobody may be connected to a template, nor may Citus's own daemon come back.
        await cluster.everywhere(
            "postgres", f"ALTER DATABASE {self.TEMPLATE} ALLOW_CONNECTIONS false",
            f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{self.TEMPLATE}'")

    async def make_database(self, cluster, name):
        await cluster.everywhere("postgres", f"CREATE DATABASE {name} TEMPLATE {self.TEMPLATE} OWNER {ROLE}")

    async def _mend(self):
        """Removes the databases of the faults, since each node has places for the daemons of only a few."""
        for node in range(len(self.cluster.ports)):
            if not await self.cluster.sql("postgres", "SELECT 1", node=node, check=False):
                await self.cluster.revive(node)
            rows = await self.cluster.sql(
                "postgres", "SELECT datname FROM pg_database WHERE datname ~ '^kith_c[0-9]'", node=node)
            for row in rows:
                await self.cluster.sql("postgres", f"DROP DATABASE {row['datname']} WITH (FORCE)", node=node)
