"""Faults of the network: connections that are cut, swallow data or are slow, and a pooler."""

import asyncio
import random
import time

from proxy import Rule
from stage import Fault
from world import ROLE, PgBouncer


def rule(seconds=4, **settings):
    """Applies a rule to connections to PostgreSQL for some seconds."""
    async def act(stage):
        stage.db.rule = Rule(**settings)
        await asyncio.sleep(seconds)
        stage.db.rule = None
        if not stage.db.acts:
            stage.notes.append("the fault did not happen")
    return act


def condition(seconds=4, **settings):
    """Sets a condition of all connections to PostgreSQL for some seconds."""
    async def act(stage):
        for name, value in settings.items():
            setattr(stage.db, name, value)
        await asyncio.sleep(seconds)
    return act


HELD = f"""SELECT coalesce(max(extract(epoch FROM clock_timestamp() - state_change)), 0) AS seconds FROM pg_stat_activity
           WHERE usename = '{ROLE}' AND state = 'active' AND wait_event = 'ClientRead' AND xact_start IS NOT NULL"""


async def hold(stage):
    """Cuts the end off batches, and measures for how many seconds they hold their locks, until their process is ended."""
    stage.db.rule = Rule("inside", "swallow", depth=4, times=2)
    end, longest = time.monotonic() + 8, 0.0
    while time.monotonic() < end:
        began = time.monotonic()
        longest = max(longest, float((await stage.sql(HELD))[0]["seconds"]))
        await asyncio.sleep(max(0, began + 0.1 - time.monotonic()))
    stage.db.rule = None
    if longest == 0:
        stage.notes.append("the fault did not happen: no process waited for the end of a batch")
    stage.held = longest


async def stall(stage):
    """Delays all data in both directions, then delivers all of it."""
    stage.db.isStalled = True
    await asyncio.sleep(4)


async def forget(stage):
    """Acts like a router that lost its state: existing connections stay silent forever, new ones work afterwards."""
    stage.db.isSwallowing = True
    await asyncio.sleep(4)
    stage.db.heal()
    stage.healed()


async def reset(stage):
    for _ in range(8):
        stage.db.reset_all()
        await asyncio.sleep(0.5)


async def lost_answers(stage):
    stage.web.rule = Rule("reply", "cut", every=5)
    await asyncio.sleep(4)


async def cut_clients(stage):
    """Cuts client connections after a random number of bytes sent or received."""
    stage.web.cutAfter = {"up": lambda: random.randrange(900), "down": lambda: random.randrange(1200)}
    stage.web.reset_all()
    await asyncio.sleep(5)
    stage.web.heal()
    stage.web.reset_all()


async def pool(stage, mode):
    bouncer = await PgBouncer(stage.folder / "pgbouncer", stage.cluster, mode).start()
    stage.on_close(bouncer.stop)
    return bouncer


async def behind_session_pool(stage):
    stage.bouncer = await pool(stage, "session")
    stage.url = stage.cluster.url(stage.database, stage.bouncer.port)


async def behind_shared_pool(stage):
    stage.bouncer = await pool(stage, "transaction")
    stage.url = stage.cluster.url(stage.database, stage.bouncer.port)
    stage.kithSettings = {"KITH_DATABASE_POOLER": "transaction"}


async def restart_pool(stage):
    await asyncio.sleep(2)
    await stage.bouncer.stop()
    await asyncio.sleep(0.5)
    await stage.bouncer.start()
    stage.healed()


async def behind_transaction_pool(stage):
    """Kith must refuse to start, and say why."""
    bouncer = await pool(stage, "transaction")
    code, said = await stage.try_serve(stage.cluster.url(stage.database, bouncer.port))
    if code in (0, None):
        stage.notes.append("kith serve started behind transaction pooling")
    if "pool" not in said.lower() and "bouncer" not in said.lower():
        stage.notes.append(f"kith serve behind transaction pooling does not say what is wrong: {said[-200:]}")


FAULTS = [
    Fault("F5a", "cut after only BEGIN was delivered", rule(point="inside", depth=0, act="cut", every=5)),
    Fault("F5b", "cut before COMMIT is delivered", rule(point="commit", act="cut", every=5), isQuick=True),
    Fault("F6a", "cut after COMMIT, before its answer", rule(point="answer", act="cut", every=5), isQuick=True),
    Fault("F6b", "COMMIT is replaced by ROLLBACK", rule(point="commit", act="rollback", every=5), isQuick=True),
    Fault("F7a", "black hole in the middle of a batch", hold, maxHeld=5.0),
    Fault("F7b", "black hole after COMMIT", rule(point="answer", act="swallow", times=2)),
    Fault("F7c", "the network delivers nothing for 4 s", stall, recovery=1.0),
    Fault("F7d", "a router forgets all connections, and new ones for 4 s", forget),
    Fault("F8", "connections reset twice a second", reset, isQuick=True),
    Fault("F9a", "50 ms of latency each way", condition(delay=0.05)),
    Fault("F9b", "200 ms of latency each way", condition(delay=0.2)),
    Fault("F10", "one byte at a time", condition(isDribbling=True), isQuick=True),
    Fault("F19a", "PgBouncer, session pooling, restarted", restart_pool, behind_session_pool),
    Fault("F19b", "PgBouncer, transaction pooling without its setting: Kith refuses to start", behind_transaction_pool),
    Fault("F19c", "PgBouncer, transaction pooling, restarted", restart_pool, behind_shared_pool),
    Fault("F29a", "answers never reach the client", lost_answers, isQuick=True),
    Fault("F29b", "clients vanish at any byte", cut_clients),
]
