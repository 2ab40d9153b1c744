"""Faults of PostgreSQL: killed, stopped, slow, full, locked, read-only, or replaced by another server."""

import asyncio
import random
import shutil
import signal
import time
from pathlib import Path

from clients import Client, Connection
from stage import Fault
from world import ROLE, Cluster, Skipped, program, run, signal_all, owner


async def kill_backends(stage):
    """Kills one backend, at which PostgreSQL ends all others and recovers; three times."""
    for _ in range(3):
        signal_all(random.sample(backends(stage.cluster), 1), signal.SIGKILL)
        await asyncio.sleep(0.5)
        await stage.cluster.ready()
        stage.healed()
        await asyncio.sleep(1)


def backends(cluster):
    """PostgreSQL's processes for Kith's connections."""
    return [pid for pid in cluster.family() if f"postgres: {ROLE} ".encode() in Path(f"/proc/{pid}/cmdline").read_bytes()]


async def kill_server(stage):
    for _ in range(2):
        await stage.cluster.kill()
        await asyncio.sleep(0.5)
        await stage.cluster.start()
        stage.healed()
        await asyncio.sleep(2)


def stop_server(how):
    async def act(stage):
        await stage.cluster.stop(how)
        await asyncio.sleep(4)
        await stage.cluster.start()
    return act


async def terminate(stage):
    for _ in range(40):
        await stage.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ROLE}' "
                        "ORDER BY random() LIMIT 1")
        await asyncio.sleep(0.1)


async def freeze_server(stage):
    """Stops all of PostgreSQL, as on a machine that swaps. Kith must soon refuse callers that come while others wait."""
    def calls(number):
        return asyncio.gather(*[Connection(stage.kith.port).call("GET", stage.neighbour.path) for _ in range(number)],
                              return_exceptions=True)
    frozen = stage.cluster.family()
    signal_all(frozen, signal.SIGSTOP)
    try:
        await asyncio.sleep(0.5)
        waiting = calls(30)
        await asyncio.sleep(2.5)
        await asyncio.wait_for(calls(10), 2)
    except asyncio.TimeoutError:
        stage.notes.append("3 s after PostgreSQL fell silent, callers waited more than 2 s for their 503")
    finally:
        signal_all(frozen, signal.SIGCONT)
    stage.healed()
    await waiting


async def lock_table(stage):
    """Locks a table, as a migration may, while many calls read it: calls that need other tables must not wait for them."""
    sent = [f"Authorization: Bearer {stage.shared.key}", "Kith-User: star"]
    others = []

    async def read(path, every, statuses):
        connection = Connection(stage.kith.port)
        try:
            while True:
                statuses.append((await connection.call("GET", path, sent))[0])
                await asyncio.sleep(every)
        finally:
            connection.close()
    reading = [asyncio.create_task(read("/v1/users/meet-0", 0.1, [])) for _ in range(40)]
    reading += [asyncio.create_task(read("/v1/me/invite", 0.05, others)) for _ in range(4)]
    await stage.sql("BEGIN; LOCK TABLE relationships IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(4); COMMIT")
    stage.healed()
    for task in reading:
        task.cancel()
    await asyncio.gather(*reading, return_exceptions=True)
    if refused := [status for status in others if status != 200]:
        stage.notes.append(f"{len(refused)} of {len(others)} reads of other tables were answered with {set(refused)}")


async def oppose(stage):
    """Another session locks two users in alternating order while they befriend each other."""
    # Shorter than any lock_timeout.
    await stage.cluster.sql("postgres", "ALTER SYSTEM SET deadlock_timeout = '100ms'", "SELECT pg_reload_conf()")
    turns = "\n".join(f"""
        BEGIN
            PERFORM FROM users WHERE uid = '{one}' FOR UPDATE; PERFORM pg_sleep(0.02);
            PERFORM FROM users WHERE uid = '{other}' FOR UPDATE; RAISE EXCEPTION 'again';
        EXCEPTION WHEN OTHERS THEN END;""" for one, other in (("meet-0", "meet-1"), ("meet-1", "meet-0")))
    opponent = await stage.cluster.script(stage.database, f"""
        DO $$ DECLARE stop timestamptz := clock_timestamp() + interval '6 s'; BEGIN
            WHILE clock_timestamp() < stop LOOP {turns} END LOOP; END $$""")
    clients = [Client(stage.shared, 80 + n, [stage.web.port], stage.harness.rate) for n in range(4)]

    async def befriend(client, one, other):
        while opponent.returncode is None:
            await client.perform("befriend", one, "PUT", f"/v1/friends/{other}", other=other)
            await asyncio.sleep(0.02)
    await asyncio.gather(opponent.wait(), *[
        befriend(client, *(("meet-0", "meet-1") if n % 2 else ("meet-1", "meet-0"))) for n, client in enumerate(clients)])
    await stage.cluster.sql("postgres", "ALTER SYSTEM RESET deadlock_timeout", "SELECT pg_reload_conf()")
    if "deadlock detected" not in stage.server_log():
        stage.notes.append("the fault did not happen: no deadlock")


def trigger(body, seconds=4):
    """Makes PostgreSQL run `body` in triggers of some writes. It is undone without a lock on the tables."""
    function = "CREATE OR REPLACE FUNCTION strike() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {} RETURN NEW; END $$"

    async def act(stage):
        await stage.sql(
            "CREATE SEQUENCE draw", f"GRANT ALL ON SEQUENCE draw TO {ROLE}", function.format(body),
            *[f"CREATE TRIGGER strike BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION strike()"
              for table in ("users", "relationships", "invites_by_owner")])
        await asyncio.sleep(seconds)
        await stage.sql(function.format(""))
    return act


async def use_up_connections(stage):
    """Ends Kith's connections, and leaves none for its role."""
    await stage.sql(f"ALTER ROLE {ROLE} CONNECTION LIMIT 0",
                    f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ROLE}'")
    await asyncio.sleep(4)
    await stage.sql(f"ALTER ROLE {ROLE} CONNECTION LIMIT -1")


async def on_small_disk(stage):
    """Runs PostgreSQL on a disk of 200 MB in memory."""
    folder = stage.folder / "disk"
    folder.mkdir()
    try:
        code, _, said = await run("mount", "-t", "tmpfs", "-o", "size=200m,mode=755", "tmpfs", folder, check=False)
    except OSError as error:
        code, said = 1, str(error)
    if code:
        raise Skipped(f"cannot mount a small disk here: {said.strip()}")

    async def unmount():
        await run("umount", "-l", folder, check=False)
    stage.on_close(unmount)
    await own_cluster(stage, folder / "postgres", {"max_wal_size": "64MB", "min_wal_size": "32MB"})


async def own_cluster(stage, folder, settings=(), environment=None):
    stage.cluster = await Cluster(folder, settings).create()
    await stage.cluster.start(environment)
    await stage.harness.prepare_cluster(stage.cluster)

    async def stop():
        await stage.cluster.stop(signal.SIGQUIT)
    stage.on_close(stop)


async def fill_disk(stage):
    """Fills the disk, at which PostgreSQL stops because it cannot write its log; then makes room and starts it again."""
    filler = stage.folder / "disk" / "filler"
    with open(filler, "wb") as file:
        try:
            while True:
                file.write(bytes(1 << 16))
                file.flush()
        except OSError:
            pass
    await stage.cluster.sql(stage.database, "CREATE TABLE ballast AS SELECT repeat('x', 900) FROM generate_series(1, 60000)",
                            check=False)
    await asyncio.sleep(4)
    if "No space left on device" not in stage.server_log():
        stage.notes.append("the fault did not happen: there was room left")
    filler.unlink()
    if stage.cluster.process.poll() is not None:
        await stage.cluster.start()
    await stage.cluster.ready()


async def turn_read_only(stage):
    await stage.cluster.sql("postgres", "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
    await asyncio.sleep(4)
    await stage.cluster.sql("postgres", "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")


async def with_standby(stage):
    """Runs two servers; the standby has everything that the primary has confirmed."""
    await own_cluster(stage, stage.folder / "primary", {"wal_level": "replica", "hot_standby": "on"})
    primary = stage.cluster
    standby = Cluster(stage.folder / "standby", primary.settings)
    standby.home.mkdir()
    if owner():
        shutil.chown(standby.home, "postgres", "postgres")
    await run(program("pg_basebackup"), "-h", "127.0.0.1", "-p", primary.port, "-U", "postgres", "-D", standby.data, "-R",
              "-c", "fast", "-X", "stream", cwd=standby.home, **owner())
    await standby.start()
    await primary.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
    stage.standby = standby

    async def stop():
        if standby.process is not None:
            await standby.stop(signal.SIGQUIT)
    stage.on_close(stop)
    # Both hosts, without the proxy: libpq finds the one that takes writes.
    stage.url = (f"postgresql://{ROLE}@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{stage.database}"
                 "?sslmode=disable&gssencmode=disable&target_session_attrs=read-write")


async def promote(stage):
    await stage.cluster.kill()
    await asyncio.sleep(1)
    stage.cluster = stage.standby
    stage.offset = stage.cluster.log.stat().st_size
    stage.direct = stage.cluster.url(stage.database)
    await stage.cluster.sql("postgres", "SELECT pg_promote()",)
    await stage.cluster.sql("postgres", "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()", check=False)
    stage.healed()
    await asyncio.sleep(2)


async def change_schema(stage):
    """Changes a type, a column and an index, as a migration would, while all statements are prepared."""
    for kind in ("varchar(100)", "text", "varchar(100)", "text"):
        await stage.sql(f"SET lock_timeout = '2s'; ALTER TABLE users ALTER COLUMN display_name TYPE {kind}")
        await stage.sql(f"SET lock_timeout = '2s'; ALTER TABLE invites ALTER COLUMN label TYPE {kind}")
        await asyncio.sleep(0.4)
    await stage.sql("ALTER TABLE users ADD COLUMN later integer", "CREATE INDEX CONCURRENTLY later ON users (later)",
                    "ALTER TABLE users DROP COLUMN later")


async def restore(stage):
    """Restores yesterday's dump. Writes answered since are lost; all other data must be sound."""
    file = stage.folder / "dump"
    to = ["-h", "127.0.0.1", "-p", stage.cluster.port, "-U", "postgres"]
    await asyncio.sleep(1)
    dumped = time.monotonic()
    await run(program("pg_dump"), *to, "-Fc", "-f", file, stage.database)
    await asyncio.sleep(1)
    for client in stage.clients:
        client.isPaused = True
    await asyncio.sleep(1)
    await stage.cluster.sql("postgres", f"DROP DATABASE {stage.database} WITH (FORCE)",
                            f"CREATE DATABASE {stage.database} OWNER {ROLE}")
    # As docs/backup.md says: otherwise Kith would answer from half a database meanwhile.
    await run(program("pg_restore"), *to, "--single-transaction", "-d", stage.database, file)
    stage.healed()
    stage.shared.codes = []
    for op in stage.shared.ops:
        op.result = op.result if op.ended < dumped else "info"
    for client in stage.clients:
        client.users, client.pairs, client.isPaused = [], [], False
    await asyncio.sleep(2)


RAISE = "IF random() < 0.2 THEN RAISE EXCEPTION USING ERRCODE = '{}', MESSAGE = 'forced'; END IF;"
FAULTS = [
    Fault("F1", "a PostgreSQL backend killed with -9 every 1.5 s", kill_backends, isQuick=True),
    Fault("F2", "all of PostgreSQL killed with -9 and restarted, twice", kill_server, recovery=1.0, isQuick=True),
    Fault("F3a", "PostgreSQL stopped (fast) for 4 s", stop_server(signal.SIGINT), recovery=1.0, isQuick=True),
    Fault("F3b", "PostgreSQL stopped (immediate) for 4 s", stop_server(signal.SIGQUIT), recovery=1.0),
    Fault("F3c", "PostgreSQL is stopped (SIGSTOP) for 3 to 5 s", freeze_server, recovery=1.0, isQuick=True),
    Fault("F4", "backends terminated ten times a second", terminate, isQuick=True),
    Fault("F11", "a table that hundreds of calls read is locked for 4 s", lock_table, mayRefuseNeighbours=False, isQuick=True),
    Fault("F12a", "deadlocks with another session", oppose, mayDeadlock=True, mayRefuseNeighbours=False, maxUnanswered=0.02),
    Fault("F13a", "40001 at one write in five", trigger(RAISE.format("40001")), maxUnanswered=0.02,
          mayRefuseNeighbours=False, isQuick=True),
    Fault("F13b", "40P01 at one write in five", trigger(RAISE.format("40P01")), maxUnanswered=0.02,
          mayRefuseNeighbours=False),
    Fault("F14", "statements that run into their timeout",
          trigger("IF nextval('draw') % 40 = 0 THEN PERFORM pg_sleep(30); END IF;", 12), mayRefuseNeighbours=False,
          recovery=12.0),  # Statements that sleep then do so until their timeout.
    Fault("F15", "all connections of PostgreSQL used up", use_up_connections),
    Fault("F16", "the disk is full", fill_disk, on_small_disk),
    Fault("F17", "PostgreSQL turns read-only", turn_read_only, isQuick=True),
    Fault("F18", "the standby is promoted, the primary lost", promote, with_standby),
    Fault("F38", "the schema changes under load", change_schema),
    Fault("F39", "yesterday's dump is restored under a running Kith", restore, mayForget=True),
]
