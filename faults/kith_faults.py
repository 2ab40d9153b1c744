"""Faults of Kith itself and of its machine: killed, stopped, run several times, and short of resources."""

import asyncio
import glob
import os
import resource
import signal
import sys
import time
from pathlib import Path

from clients import Connection
from proxy import Rule
from server_faults import own_cluster
from stage import Fault
from world import Skipped, run

DESCRIPTORS = 192


def killed_at(point, depth=0):
    """Kills Kith at a named point of a request, three times, and restarts it at once."""
    async def act(stage):
        proxy = stage.web if point == "reply" else stage.db
        for _ in range(3):
            struck = asyncio.Event()

            def strike(_):
                stage.kith.kill()
                struck.set()
            proxy.rule = Rule(point, strike, depth=depth, times=1)
            await asyncio.wait_for(struck.wait(), 10)
            proxy.rule = None
            await stage.kith.start()
            stage.healed()
            await asyncio.sleep(1)
    return act


async def terminate(stage):
    """Sends SIGTERM under load: Kith must answer all accepted requests, and exit with 0."""
    for _ in range(2):
        told = time.monotonic()
        code = await stage.kith.stop()
        if code != 0:
            stage.notes.append(f"kith exited with {code} after SIGTERM")
        unanswered = [op.kind for op in stage.shared.ops for attempt in op.attempts
                      if attempt.status is None and attempt.began < told - 0.1 and attempt.ended >= told]
        if unanswered:
            stage.notes.append(f"{len(unanswered)} requests were accepted before SIGTERM but not answered: {unanswered[0]}")
        await stage.kith.start()
        stage.healed()
        await asyncio.sleep(1)


async def freeze(stage):
    stage.kith.process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(5)
    stage.kith.process.send_signal(signal.SIGCONT)


async def wait(stage):
    await asyncio.sleep(5)


async def trouble_receiver(stage):
    """One webhook's receiver hangs, then refuses everything. The other one must not feel it."""
    quiet, moody = stage.receivers
    began = time.time()
    for trouble in ("hang", "refuse"):
        moody.trouble = trouble
        await asyncio.sleep(4)
    moody.trouble = None
    slowest = max((age for at, age in quiet.ages if at >= began), default=None)
    if slowest is None or slowest > 2 * stage.harness.patience:
        stage.notes.append(f"the other receiver got its events after {slowest} s")


async def repeat_eightfold(stage):
    """Sends each of these sign-ups eight times at the same instant."""
    client = stage.clients[0]
    copies = [type(client)(stage.shared, 90 + n, [stage.web.port], stage.harness.rate) for n in range(8)]
    for _ in range(20):
        uid = f"eight-{stage.shared.next()}"
        name, star = uid.replace("-", "_"), stage.shared.star
        body = {"username": name, "invite": {"username": star.names[0], "invitedBy": star.uid}}
        await asyncio.gather(*[
            copy.perform("sign up", uid, "POST", "/v1/signup", body, name=name, code=None, inviter=star.uid)
            for copy in copies])


async def cross(stage):
    """Eight clients on several servers act on one pair from both sides, as fast as they get answers."""
    first, second = stage.shared.meetings[0]
    end = time.monotonic() + 5

    async def act(number, one, other):
        client = type(stage.clients[0])(stage.shared, 90 + number, [stage.kiths[number % len(stage.kiths)].port], 1)
        while time.monotonic() < end:
            await client.perform("befriend", one, "PUT", f"/v1/friends/{other}", other=other)
    await asyncio.gather(*[
        act(number, *((first, second) if number in (0, 3, 4, 7) else (second, first))) for number in range(8)])


def with_limit(what, amount):
    async def prepare(stage):
        stage.kithOptions = {"preexec_fn": lambda: resource.setrlimit(what, (amount, amount))}
    return prepare


async def share_of_core(kith, work):
    """Awaits the work, and returns how much of one core Kith used meanwhile; 0 if it died."""
    before, began = kith.cpu_seconds(), time.monotonic()
    await work
    if kith.has_died():
        return 0
    return (kith.cpu_seconds() - before) / (time.monotonic() - began)


async def idle_connections(stage):
    """Opens more connections than Kith may have, sends requests that need another connection to PostgreSQL, and closes all.

    One descriptor must always be free: without any, Swift's thread pool ends the process sooner or later.
    """
    most = 0

    async def watch():
        nonlocal most
        while not stage.kith.has_died():
            most = max(most, len(os.listdir(f"/proc/{stage.kith.process.pid}/fd")))
            await asyncio.sleep(0.005)
    watching = asyncio.create_task(watch())
    served = Connection(stage.kith.port)
    await served.call("GET", stage.neighbour.path)
    # The load goes on, and costs a debug build most of a core. What counts is what comes on top.
    usual = await share_of_core(stage.kith, asyncio.sleep(2))
    idle = []
    for _ in range(250):
        try:
            idle.append((await asyncio.open_connection("127.0.0.1", stage.kith.port))[1])
        except OSError:
            break

    async def ask():
        nonlocal served
        await asyncio.sleep(2)
        headers = [f"Authorization: Bearer {stage.shared.key}", "Kith-User: star"]
        for path in ("/v1/friends", "/v1/suggestions", "/v1/requests"):
            try:
                await asyncio.wait_for(served.call("GET", path, headers), 5)
            except (OSError, EOFError, asyncio.TimeoutError):
                served = Connection(stage.kith.port)
        await asyncio.sleep(1)
    share = await share_of_core(stage.kith, ask())
    if stage.kith.has_died():
        return stage.notes.append("it died without free descriptors")
    if share > usual + 0.5:
        stage.notes.append(f"it used {share:.0%} of a core without free descriptors, {usual:.0%} before")
    for writer in idle:
        writer.close()
    watching.cancel()
    if most >= DESCRIPTORS:
        stage.notes.append("no descriptor was free")


async def in_small_memory(stage):
    """Runs Kith in a control group of 256 MB, including swap if that is counted."""
    for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = Path(root) / f"kith-faults-{os.getpid()}"
        try:
            group.mkdir()
            (group / limit).write_text(str(256 << 20))
        except OSError:
            if group.exists():
                group.rmdir()
            continue
        stage.kithOptions = {"preexec_fn": lambda: (group / "cgroup.procs").write_text(str(os.getpid()))}

        async def remove():
            stage.kith.process.wait()
            group.rmdir()
        stage.on_close(remove)
        return
    raise Skipped("cannot create a control group here to limit memory")


async def large_bodies(stage):
    """Sends 2,000 bodies of 64 KiB, a hundred at a time."""
    headers = [f"Authorization: Bearer {stage.shared.key}", "Kith-User: star"]
    body = {"urls": ["x" * 1000] * 64}

    async def send():
        connection = Connection(stage.kith.port)
        for _ in range(20):
            try:
                await connection.call("POST", "/v1/invites/resolve", headers, body)
            except (OSError, EOFError, asyncio.TimeoutError):
                pass
        connection.close()
    await asyncio.gather(*[send() for _ in range(100)])


async def hog(stage):
    """Runs two busy loops beside Kith for 3 s; it must still answer health checks."""
    loops = [await asyncio.create_subprocess_exec(sys.executable, "-c", "while True: pass") for _ in range(2)]
    try:
        for _ in range(6):
            began = time.monotonic()
            status, _, _ = await Connection(stage.kith.ops).call("GET", "/livez")
            if status != 200 or time.monotonic() - began > stage.harness.patience:
                stage.notes.append(f"/livez: {status} after {time.monotonic() - began:.1f} s")
            await asyncio.sleep(0.5)
    finally:
        for loop in loops:
            loop.kill()
            await loop.wait()


def clock(folder):
    """Returns a file, and the environment of a process that reads its clock from that file."""
    libraries = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not libraries:
        raise Skipped("libfaketime is not installed (apt-get install faketime)")
    file = folder / "clock"
    file.write_text("+0")
    # Without FAKETIME_SHARED the library moves the environment, where Swift looks for a program's arguments.
    return file, {"LD_PRELOAD": libraries[0], "FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1",
                  "FAKETIME_SHARED": "/none /none", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


async def kith_with_clock(stage):
    stage.clock, environment = clock(stage.folder)
    stage.kithSettings = environment | {"KITH_RATE_LIMITS": "on"}  # They use the clock, too.


async def postgres_with_clock(stage):
    stage.clock, environment = clock(stage.folder)
    stage.clock.write_text("+600")
    await own_cluster(stage, stage.folder / "postgres", environment=environment)


async def time_of_kith(stage):
    """The time that a program sees in Kith's environment; the Date header would not do, since Kith caches it for a second."""
    _, out, _ = await run("date", "+%s", env=stage.kith.environment)
    return float(out)


async def time_of_postgres(stage):
    return float((await stage.sql("SELECT extract(epoch FROM now()) AS now"))[0]["now"])


def stepped(read, *offsets):
    async def act(stage):
        for offset in offsets:
            stage.clock.write_text(offset)
            await asyncio.sleep(1.5)
            off = await read(stage) - time.time()
            if abs(off - int(offset)) > 60:
                stage.notes.append(f"the fault did not happen: the clock is off by {off:.0f} s, not {offset}")
    return act


FAULTS = [
    Fault("F12b", "eight clients act on one pair from both sides", cross, servers=4, mayRefuseNeighbours=False),
    Fault("F20", "Kith's clock steps by 5 minutes and 25 hours, forward and back",
          stepped(time_of_kith, "+300", "-300", "+90000", "-90000", "+0"), kith_with_clock),
    Fault("F21", "PostgreSQL's clock is 10 minutes ahead, then set back", stepped(time_of_postgres, "+600", "+0", "+0"), postgres_with_clock),
    Fault("F22a", "kith killed with -9 after BEGIN", killed_at("inside")),
    Fault("F22b", "kith killed with -9 in the middle of a batch", killed_at("inside", 4)),
    Fault("F22c", "kith killed with -9 before COMMIT", killed_at("commit"), isQuick=True),
    Fault("F22d", "kith killed with -9 after COMMIT, before its answer", killed_at("answer"), isQuick=True),
    Fault("F22e", "kith killed with -9 before the client gets its answer", killed_at("reply")),
    Fault("F23", "SIGTERM under load", terminate, isQuick=True),
    Fault("F24", "Kith is stopped (SIGSTOP) for 5 s", freeze),
    Fault("F25", "four servers on one database", wait, servers=4),
    Fault("F26", f"{DESCRIPTORS} descriptors, 250 idle connections", idle_connections,
          with_limit(resource.RLIMIT_NOFILE, DESCRIPTORS), isQuick=True),
    Fault("F27", "256 MB of memory, 2,000 bodies of 64 KiB", large_bodies, in_small_memory),
    Fault("F28", "two busy loops on the same machine", hog),
    Fault("F34", "a webhook's receiver hangs for 4 s, then refuses for 4 s", trouble_receiver, servers=2,
          mayRefuseNeighbours=False, isQuick=True),
    Fault("F31", "each sign-up eight times at once", repeat_eightfold, servers=2, isQuick=True),
]
