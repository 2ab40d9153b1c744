"""Runs one fault on one database: the servers, the proxies between them, the clients, and the result."""

import asyncio
import time
from dataclasses import dataclass, field

import counted
import told
from checker import Checker
from clients import Client, Neighbour, Shared, User
from proxy import Proxy
from world import Kith, Unclean

CLIENTS = 16
CALM, AFTER = 1.5, 1.0  # seconds
PATIENCE = 20  # seconds for unknown results after the fault


@dataclass
class Fault:
    """One row of the table. `act` causes the fault and undoes it; `prepare` runs before anything is started."""

    name: str
    title: str
    act: object
    prepare: object = None
    servers: int = 1
    recovery: float = 3.0  # most seconds from the end of the fault to the first answered write
    mayRefuseNeighbours: bool = True  # if not, their p99 must stay within a second, too
    mayDeadlock: bool = False
    maxHeld: float | None = None  # most seconds until the locks of a batch that was cut in the middle are free
    maxUnanswered: float = 1.0  # most of the attempts, as a share, that may be answered with 503
    mayLag: bool = False  # whether an answer may miss a committed write until Citus has ended what the crash cut short
    mayForget: bool = False  # whether operations may stay without an answer
    isQuick: bool = False


@dataclass
class Result:
    fault: Fault
    skipped: str = ""
    ops: int = 0
    answered: int = 0
    unknown: int = 0
    refused: int = 0  # attempts answered with a 5xx, or not at all
    lost: list = field(default_factory=list)
    doubled: list = field(default_factory=list)
    wrong: list = field(default_factory=list)
    missed: list = field(default_factory=list)  # limits
    outage: float = 0
    recovery: float | None = None
    held: float | None = None
    late: int = 0  # answers that missed a committed write, for a while
    before: tuple = (0, 0, 0)  # what the neighbour measured: links opened, refused, p99 in ms
    during: tuple = (0, 0, 0)

    @property
    def isGood(self):
        return not (self.lost or self.doubled or self.wrong or self.missed)


class Stage:
    def __init__(self, harness, fault):
        self.harness, self.fault, self.folder = harness, fault, harness.folder / fault.name
        self.folder.mkdir(exist_ok=True)
        self.cluster, self.database = harness.cluster, f"kith_{fault.name.lower()}"
        self.kiths, self.closing, self.kithOptions, self.kithSettings = [], [], {}, {}
        self.url = None  # The database's URL for Kith, if not that of the proxy.
        self.front = None  # Starts what stands before all servers, and returns its port and TLS.
        self.began = self.ended = self.held = None
        self.notes = []

    # For faults

    @property
    def kith(self):
        return self.kiths[0]

    def healed(self):
        """Marks the end of the fault: recovery counts from now."""
        self.ended = time.monotonic()

    async def sql(self, *statements, **options):
        return await self.cluster.sql(self.database, *statements, **options)

    def server_log(self):
        """PostgreSQL's log since this fault began."""
        with open(self.cluster.log, errors="replace") as log:
            log.seek(self.offset)
            return log.read()

    async def try_serve(self, url, seconds=8):
        """Starts another Kith on another database; returns its exit code, None if it kept running, and its output."""
        kith = Kith(self.harness.binary, url, self.folder, self.harness.environment)
        kith.spawn()
        end = time.monotonic() + seconds
        while kith.process.poll() is None and time.monotonic() < end:
            await asyncio.sleep(0.05)
        code = kith.process.poll()
        if code is None:
            kith.kill()
        return code, kith.said()

    def on_close(self, action):
        self.closing.append(action)

    # The run

    async def run(self):
        result = Result(self.fault)
        try:
            if self.fault.prepare:
                await self.fault.prepare(self)
            await self._open()
            await self._play()
            await self._judge(result)
        finally:
            await self._close()
        return result

    async def _open(self):
        await self.harness.make_database(self.cluster, self.database)
        if self.harness.witnesses:
            await self.sql(*counted.WITNESS)
        self.offset = self.cluster.log.stat().st_size
        self.db = await Proxy(self.cluster.port, understands=True).start()
        self.on_close(self.db.stop)
        self.direct = self.cluster.url(self.database)
        self.url = self.url or self.cluster.url(self.database, self.db.port)
        for _ in range(self.fault.servers):
            kith = Kith(self.harness.binary, self.url, self.folder, self.harness.environment | self.kithSettings)
            kith.options = self.kithOptions
            self.kiths.append(await kith.start())
        self.web = await Proxy(self.kith.port).start()
        self.on_close(self.web.stop)
        ports = [self.web.port, *(kith.port for kith in self.kiths[1:])]
        self.entry = (self.kith.port, None)  # for those who see no faults of the proxy
        if self.front:
            self.entry = await self.front([kith.port for kith in self.kiths])
            ports = [self.entry[0]]
        self.receivers = [await told.Receiver(self.fault.name, isMoody).start() for isMoody in (False, True)]
        for receiver in self.receivers:
            self.on_close(receiver.stop)
            await self.kith.command("webhooks", "create", receiver.url, url=self.direct)
        self.shared = Shared(await self.kith.create_key(self.direct), self.fault.name, self.entry[1])
        self.clients = [
            Client(self.shared, number, ports[number % len(ports):] + ports[:number % len(ports)], self.harness.rate)
            for number in range(CLIENTS)]
        try:
            async with asyncio.timeout(PATIENCE):
                await self._populate()
        except TimeoutError:
            raise Unclean(f"cannot create the first users: {self.shared.mistakes[-1:]} {self.shared.ops[-1]}") from None

    async def _populate(self):
        """Creates a popular user, pairs that will meet, links with few uses, and a neighbour with a former name."""
        founder = self.clients[0]

        async def user(uid, *names):
            await founder.perform("sign up", uid, "POST", "/v1/signup", {"username": names[0]}, name=names[0],
                                  code=None, inviter=None)
            for name in names[1:]:
                await founder.perform("rename", uid, "PUT", "/v1/me/username", {"username": name}, name=name)
            return User(uid, list(names))

        self.shared.star = await user("star", "star")
        self.neighbour = Neighbour(self.entry, await user("neighbour", "neighbour_1", "neighbour_2"))
        uids = [(await user(f"meet-{n}", f"meet_{n}")).uid for n in range(12)]
        self.shared.meetings = list(zip(uids[::2], uids[1::2]))
        for n, uses in enumerate([None, 3, 3, 3]):
            op = await founder.perform("make link", "star", "POST", "/v1/invites", {"maxUses": uses} if uses else {},
                                       [f"Idempotency-Key: first-{n}"], key=f"first-{n}", uses=uses)
            self.shared.codes.append(op.body["code"])
        self.shared.starCode = self.shared.codes.pop(0)
        if any(op.result != "ok" for op in self.shared.ops):
            raise Unclean(f"cannot create the first users: {self.shared.ops[-1]}")

    async def _play(self):
        tasks = [asyncio.create_task(worker.work()) for worker in [*self.clients, self.neighbour]]
        try:
            await asyncio.sleep(CALM)
            self.began, self.shared.mayLag = time.monotonic(), self.fault.mayLag
            await self.fault.act(self)
            if self.ended is None:
                self.healed()
            self.db.heal()
            self.web.heal()
            await asyncio.sleep(AFTER)
            self.stopped = time.monotonic()
            for worker in [*self.clients, self.neighbour]:
                worker.isStopping = True
            _, waiting = await asyncio.wait(tasks, timeout=PATIENCE)
            self.shared.isOver = True
            if waiting:
                _, waiting = await asyncio.wait(waiting, timeout=PATIENCE)
        finally:
            for task in tasks:
                task.cancel()
        for task in tasks:
            if task.done() and not task.cancelled() and task.exception():
                raise task.exception()

    async def _judge(self, result):
        ops, attempts = self.shared.ops, [attempt for op in self.shared.ops for attempt in op.attempts]
        result.ops, result.answered = len(ops), sum(op.result != "info" for op in ops)
        result.unknown = result.ops - result.answered
        result.refused = sum(attempt.status is None or attempt.status >= 500 for attempt in attempts)
        answers = [self.began, *sorted(a.ended for a in attempts if a.status and a.status < 500 and a.ended > self.began)]
        result.outage = max((later - sooner for sooner, later in zip(answers, answers[1:])), default=0)
        writes = [op.ended for op in ops if op.result == "ok" and op.kind not in ("open link", *counted.KINDS) and op.ended >= self.ended]
        result.recovery = min(writes) - self.ended if writes else None
        result.held = self.held
        result.before = self.neighbour.between(self.began - CALM, self.began)
        result.during = self.neighbour.between(self.began, self.ended)
        await self._look(result)
        self._bounds(result, len(attempts))

    async def _look(self, result):
        await self.cluster.settle()
        self.shared.mayLag = False
        checker = (await Checker.read(self.shared.ops, self.cluster, self.database)).check()
        result.late = self.shared.late + checker.late
        untold, mistold = await told.check(self.cluster, self.database, self.receivers, self.fault.mayForget)
        uncounted, recounted = await counted.check(
            self.cluster, self.database, self.shared.ops, self.began, self.harness.witnesses, self.fault.mayForget)
        result.lost, result.doubled = checker.lost + untold + uncounted, checker.doubled + recounted
        odd = {status for _, _, status in self.neighbour.felt if status not in (302, 503, None)}
        result.wrong = checker.wrong + mistold + self.shared.mistakes + self.notes + [f"a neighbour was answered with {s}" for s in odd]
        for kith in self.kiths:
            if kith.has_died():
                result.wrong.append(f"kith died with {kith.process.returncode}: {kith.said()[-600:]}")
        deadlocks = sum(self.server_log().count(words) for words in ("deadlock detected", "in a distributed deadlock"))
        if deadlocks and not self.fault.mayDeadlock:
            result.wrong.append(f"{deadlocks} deadlocks")
        await self._landings(result)
        code, out, err = await self.kith.command("verify", url=self.direct, check=False)
        if code:
            result.wrong.append(f"kith verify: {(out + err).strip()[:400]}")

    async def _landings(self, result):
        """Opens old links once more at the end."""
        renamed = [user for client in self.clients for user in client.users if len(user.names) > 1 and user.isSettled]
        reader = Client(self.shared, 99, [self.entry[0]], self.harness.rate)
        before = len(self.shared.mistakes)
        for user in renamed[:60]:
            op = await reader.perform("open link", user.uid, "GET", f"/users/{user.names[0]}?invitedBy={user.uid}",
                                      name=user.names[0])
            reader.judge_landing(op, user)
            if op.result == "info":
                result.missed.append("at the end, a link was not answered")
                break
        result.wrong += self.shared.mistakes[before:]

    def _bounds(self, result, attempts):
        fault, patience = self.fault, self.harness.patience
        left = [op for op in self.shared.ops if op.result == "info" and op.kind not in ("make link once", "read", *counted.KINDS)]
        if left and not fault.mayForget:
            result.missed.append(f"{len(left)} operations had no answer {PATIENCE} s after the fault: {left[0].kind} of {left[0].who}")
        if result.recovery is None or result.recovery > fault.recovery * patience:
            shown = "never" if result.recovery is None else f"after {result.recovery:.1f} s"
            result.missed.append(f"recovered {shown}, instead of within {fault.recovery:g} s")
        if fault.maxHeld and result.held and result.held > fault.maxHeld * patience:
            result.missed.append(f"locks were held for {result.held:.1f} s, more than {fault.maxHeld:g} s")
        if result.during[1] and not fault.mayRefuseNeighbours:
            result.missed.append(f"{result.during[1]} of {result.during[0]} redirects of others were refused")
        if result.during[2] > 1000 * patience and not fault.mayRefuseNeighbours:
            result.missed.append(f"redirects of others took {result.during[2] / 1000:.1f} s at the 99th percentile")
        if result.refused > fault.maxUnanswered * attempts:
            result.missed.append(f"{result.refused} of {attempts} attempts were refused")

    async def _close(self):
        for kith in self.kiths:
            if kith.process is not None and kith.process.poll() is None:
                kith.kill()
        for action in reversed(self.closing):
            await action()
