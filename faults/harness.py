"""Prepares the servers once for all faults, and runs one fault after the other."""

import shutil
import traceback

from stage import Result, Stage
from world import ROLE, SUPERUSER, Cluster, Kith, Skipped, Unclean, make_folder


class Harness:
    """One PostgreSQL for all faults, with a database each."""

    witnesses = True  # whether the database can write down each visit: counted.WITNESS

    def __init__(self, binary, rate, patience):
        self.binary, self.rate, self.patience = binary, rate, patience
        self.environment = {}  # more settings of Kith
        self.folder = make_folder()

    async def __aenter__(self):
        try:
            self.cluster = await self.make_cluster()
            await self.prepare_cluster(self.cluster)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def make_cluster(self):
        return await (await Cluster(self.folder / "postgres").create()).start()

    async def __aexit__(self, *_):
        if getattr(self, "cluster", None):
            await self.end_cluster()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def end_cluster(self):
        if self.cluster.process is not None:
            await self.cluster.stop()

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
