"""Faults of a Citus cluster: its coordinator and its workers killed, lost for a while, cut off, and shards that move."""

import asyncio

import kith_faults
from stage import Fault
from world import ROLE


def kill(*nodes, times=2, pause=1.0):
    """Kills nodes with -9, and starts them again after a pause; then lets the load go on for a while."""
    async def act(stage):
        for _ in range(times):
            await asyncio.gather(*[stage.cluster.kill(node) for node in nodes])
            await asyncio.sleep(pause)
            for node in reversed(nodes):
                await stage.cluster.revive(node)
            stage.healed()
            await asyncio.sleep(3)
    return act


async def kill_workers_in_turn(stage):
    for node in (1, 2, 1, 2):
        await stage.cluster.kill(node)
        await asyncio.sleep(0.3)
        await stage.cluster.revive(node)
        stage.healed()
        await asyncio.sleep(2)


async def terminate(stage):
    """Ends connections on the workers, of the coordinator's among them those between PREPARE and COMMIT PREPARED."""
    for turn in range(40):
        await stage.cluster.sql(
            "postgres", f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ROLE}' "
            "ORDER BY random() LIMIT 2", node=1 + turn % 2, check=False)
        await asyncio.sleep(0.1)


async def move_shards(stage):
    """Moves all shards from one worker to the other while clients write, and half of them back."""
    ports = stage.cluster.ports
    for source, target in ((ports[1], ports[2]), (ports[2], ports[1])):
        rows = await stage.sql(
            "SELECT min(shardid) AS shardid FROM citus_shards JOIN pg_dist_shard USING (shardid) "
            f"WHERE nodeport = {source} AND citus_table_type = 'distributed' "
            "GROUP BY colocation_id, shardminvalue ORDER BY 1")
        for row in rows[:len(rows) if source == ports[1] else len(rows) // 2]:
            await stage.sql(f"SELECT citus_move_shard_placement({row['shardid']}, '127.0.0.1', {source}, '127.0.0.1', "
                            f"{target}, 'block_writes')")


FAULTS = [
    Fault("C1", "nothing is broken", kith_faults.wait, recovery=1.0, mayRefuseNeighbours=False, isQuick=True),
    Fault("C2", "a worker killed with -9 and restarted after 1 s, twice", kill(1), recovery=8.0, mayLag=True, isQuick=True),
    Fault("C3", "the workers killed with -9 in turn, four times", kill_workers_in_turn, recovery=8.0, mayLag=True),
    Fault("C4", "a worker is away for 6 s", kill(2, times=1, pause=6.0), recovery=8.0, mayLag=True),
    Fault("C5", "the coordinator killed with -9 and restarted after 1 s, twice", kill(0), recovery=8.0, mayLag=True, isQuick=True),
    Fault("C6", "coordinator and a worker killed with -9 at once, twice", kill(0, 1), recovery=8.0, mayLag=True),
    Fault("C7", "all nodes killed with -9 at once, twice", kill(0, 1, 2), recovery=8.0, mayLag=True),
    Fault("C8", "connections between the nodes ended 20 times a second", terminate, recovery=8.0, mayLag=True),
    Fault("C9", "Kith killed with -9 before its COMMIT, three times", kith_faults.killed_at("commit"), recovery=8.0),
    Fault("C10", "20 sign-ups, each sent eight times at once", kith_faults.repeat_eightfold, mayRefuseNeighbours=False),
    Fault("C11", "eight clients on four servers act on one pair from both sides", kith_faults.cross, servers=4,
          mayRefuseNeighbours=False),
    # A move locks shards in an order of its own.
    Fault("C12", "shards move from one worker to the other and back", move_shards, recovery=8.0, mayDeadlock=True),
]
