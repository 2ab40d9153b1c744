"""Clients that act as apps do: they sign up users, befriend, rename and make links, and retry calls without an answer."""

import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

PHONE = "User-Agent: Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Mobile Safari/537.36"
ANSWER_WITHIN = 15  # Longer than any deadline of Kith: after that the answer is lost.


@dataclass
class Attempt:
    began: float
    ended: float
    status: int | None  # None: no complete answer came


@dataclass
class Op:
    """One call of a client, with all its attempts. `result`: ok, fail (a 4xx), or info: unknown."""

    kind: str
    who: str
    args: dict
    attempts: list = field(default_factory=list)
    result: str = "info"
    body: dict = field(default_factory=dict)
    headers: dict = field(default_factory=dict)
    mayLag: bool = False  # whether a committed write could still be unseen when the answer came

    @property
    def ended(self):
        return self.attempts[-1].ended


class Connection:
    """One kept-alive connection to a server."""

    def __init__(self, port, tls=None):
        self.port, self.tls, self.writer = port, tls, None

    async def call(self, method, path, headers=(), body=None):
        """Returns status, headers and body; closes the connection on any error."""
        try:
            # Not wait_for: before Python 3.12 it loses a cancel that comes together with the answer.
            async with asyncio.timeout(ANSWER_WITHIN):
                return await self._call(method, path, headers, body)
        except BaseException:
            self.close()
            raise

    async def _call(self, method, path, headers, body):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self.tls)
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *headers]
        content = b"" if body is None else json.dumps(body).encode()
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        status = int(head[0].split()[1])
        found = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        length = int(found.get("content-length", 0)) if method != "HEAD" else 0
        content = await self.reader.readexactly(length)
        if found.get("connection", "").lower() == "close":
            self.close()
        return status, found, content

    def close(self):
        if self.writer is not None:
            self.writer.close()
            self.writer = None


@dataclass
class User:
    uid: str
    names: list
    isSettled: bool = True  # No result of theirs is unknown.


class Shared:
    """What all clients of a run share: the key, the popular user, and the pairs and links that several of them use."""

    def __init__(self, key, seed, tls=None):
        self.key, self.random, self.tls = key, random.Random(seed), tls
        self.ops, self.meetings, self.counter = [], [], 0
        self.star, self.starCode, self.codes = None, None, []  # codes: of links with few uses
        self.mistakes = []  # answers that no fault excuses
        self.mayLag, self.late = False, 0  # whether a committed write may not show yet, and how many answers missed one
        self.isOver = False  # no time is left for unknown results

    def next(self):
        self.counter += 1
        return self.counter


class Client:
    def __init__(self, shared, number, ports, rate):
        self.shared, self.number, self.rate = shared, number, rate
        self.random = random.Random(f"{shared.random.random()} {number}")
        self.connections = [Connection(port, shared.tls) for port in (ports * 2)[:2]]
        self.users, self.pairs = [], []
        self.isStopping = self.isPaused = False

    async def perform(self, kind, user, method, path, body=None, headers=(), connection=0, isRepeated=True, **args):
        """Sends the same call until an answer is definite, as an app would; or only once."""
        op = Op(kind, user, args)
        self.shared.ops.append(op)
        sent = [f"Authorization: Bearer {self.shared.key}", f"Kith-User: {quote(user)}", *headers]
        while True:
            began, status = time.monotonic(), None
            try:
                status, op.headers, content = await self.connections[connection].call(method, path, sent, body)
                op.body = json.loads(content) if "json" in op.headers.get("content-type", "") else {}
            except (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError, ValueError, IndexError):
                status = None
            op.attempts.append(Attempt(began, time.monotonic(), status))
            if self._isDefinite(op, status) or not isRepeated or self.shared.isOver:
                return op
            await asyncio.sleep(self.random.uniform(0.05, 0.2))

    def _isDefinite(self, op, status):
        if status is None or status == 429:
            return False
        if status >= 500:
            if status != 503:
                self.shared.mistakes.append(f"{op.kind} was answered with {status} {op.body.get('code', '')}")
            elif "retry-after" not in op.headers:
                self.shared.mistakes.append(f"{op.kind}: a 503 without Retry-After")
            return False
        op.result, op.mayLag = "ok" if status < 400 else "fail", self.shared.mayLag
        return True

    async def work(self):
        """Runs a closed loop at a bounded rate until it is told to stop."""
        acts = [self.sign_up] * 5 + [self.befriend] * 2 + [self.end] * 2 + [self.meet] * 2 + [self.accept] + [
            self.rename] * 2 + [self.contest] + [self.make_link] * 2 + [self.make_link_once] + [
            self.open_link] * 3 + [self.visit] * 3
        while not self.isStopping:
            began = time.monotonic()
            if not self.isPaused:
                await self.random.choice(acts)()
            left = self.random.uniform(0.5, 1.5) / self.rate - (time.monotonic() - began)
            await asyncio.sleep(max(left, 0))
        for connection in self.connections:
            connection.close()

    def _settled(self):
        return [user for user in self.users if user.isSettled]

    async def sign_up(self):
        uid = f"u{self.number}-{self.shared.next()}"
        name = f"n{uid[1:].replace('-', '_')}"
        inviter, body, code = None, {"username": name}, None
        draw = self.random.random()
        if draw < 0.3 and self.shared.star:
            inviter = self.shared.star
        elif draw < 0.6 and self._settled():
            inviter = self.random.choice(self._settled())
        elif draw < 0.8 and self.shared.codes:
            code = self.random.choice(self.shared.codes)
            body["invite"] = {"code": code}
        if inviter:
            body["invite"] = {"username": self.random.choice(inviter.names), "invitedBy": inviter.uid}
        op = await self.perform("sign up", uid, "POST", "/v1/signup", body, name=name, code=code,
                                inviter=inviter and inviter.uid)
        if op.result == "ok":
            self.users.append(User(uid, [name]))

    async def befriend(self):
        """Two users send each other a request at the same instant, over two connections."""
        if len(self._settled()) < 2:
            return
        one, other = self.random.sample(self._settled(), 2)
        await self._cross(one.uid, other.uid)

    async def _cross(self, one, other):
        ops = await asyncio.gather(
            self.perform("befriend", one, "PUT", f"/v1/friends/{other}", other=other),
            self.perform("befriend", other, "PUT", f"/v1/friends/{one}", connection=1, other=one))
        if all(op.result == "ok" for op in ops):
            self.pairs.append((one, other))

    async def meet(self):
        """Like befriend, but another client sends the other side's request."""
        if not self.shared.meetings:
            return
        mine, others = self.random.choice(self.shared.meetings)
        if self.random.random() < 0.5:
            mine, others = others, mine
        await self.perform("befriend", mine, "PUT", f"/v1/friends/{others}", other=others)

    async def end(self):
        """Ends a friendship, and sometimes begins it again: the last answer counts."""
        if not self.pairs:
            return
        one, other = self.pairs.pop(self.random.randrange(len(self.pairs)))
        op = await self.perform("end", one, "DELETE", f"/v1/friends/{other}", other=other)
        if op.result == "ok" and self.random.random() < 0.5:
            await self._cross(one, other)

    async def accept(self):
        if not self._settled() or not self.shared.star:
            return
        user = self.random.choice(self._settled())
        await self.perform("accept", user.uid, "POST", "/v1/invites/accept", {"code": self.shared.starCode},
                           other=self.shared.star.uid)

    async def rename(self):
        users = [user for user in self._settled() if len(user.names) < 3]
        if users:
            user = self.random.choice(users)
            await self._rename(user, f"r{self.number}_{self.shared.next()}")

    async def contest(self):
        """Several clients want the same name: only one may get it."""
        users = [user for user in self._settled() if len(user.names) < 3]
        if users:
            await self._rename(self.random.choice(users), f"contested_{self.shared.counter // 40}")

    async def _rename(self, user, name):
        user.isSettled = False
        op = await self.perform("rename", user.uid, "PUT", "/v1/me/username", {"username": name}, name=name)
        if op.result == "ok" and name not in user.names:
            user.names.append(name)
        user.isSettled = op.result != "info"

    async def make_link(self):
        """Makes a link with a key, so that the call is safe to retry."""
        if self._settled():
            user, key = self.random.choice(self._settled()), f"key-{self.number}-{self.shared.next()}"
            uses = self.random.choice([None, 2, 3])
            op = await self.perform("make link", user.uid, "POST", "/v1/invites", {"maxUses": uses} if uses else {},
                                    [f"Idempotency-Key: {key}"], key=key, uses=uses)
            if op.result == "ok" and uses:
                self.shared.codes = self.shared.codes[-5:] + [op.body["code"]]

    async def make_link_once(self):
        """Makes a link without a key: sends the call once and never retries it."""
        if self._settled():
            user, label = self.random.choice(self._settled()), f"once {self.number} {self.shared.next()}"
            await self.perform("make link once", user.uid, "POST", "/v1/invites", {"label": label}, isRepeated=False, label=label)

    async def open_link(self):
        """Opens a user's first link, which must lead to their current name."""
        if self._settled():
            user = self.random.choice(self._settled())
            user.isSettled = False
            path = f"/users/{user.names[0]}?invitedBy={user.uid}"
            op = await self.perform("open link", user.uid, "GET", path + "&from=app", connection=1, name=user.names[0])
            user.isSettled = True
            self.judge_landing(op, user)

    async def visit(self):
        """Opens a page or a deep link as a phone does. Nobody repeats that, since each time counts."""
        kind, path = self.random.choice([
            ("open page", "/users/star?invitedBy=star"), ("open deep link", "/l/?link=https%3A%2F%2Fexample.com%2F")])
        if self.shared.star:
            op = await self.perform(kind, "star", "GET", path, headers=[PHONE], isRepeated=False)
            if op.attempts[-1].status not in (200, 302, 503, None):
                self.shared.mistakes.append(f"{kind} was answered with {op.attempts[-1].status}")

    def judge_landing(self, op, user):
        status, wanted = op.attempts[-1].status, user.names[-1]
        led = urlsplit(op.headers.get("location", "")).path.rpartition("/")[2] if status == 302 else user.names[0]
        isRight = status in (200, 302) and led == wanted
        if not isRight and op.mayLag and (status == 404 or led in user.names):
            self.shared.late += 1
        elif op.result != "info" and not isRight:
            self.shared.mistakes.append(f"a link of {user.uid} led to {led} with {status}, not to {wanted}")


class Neighbour:
    """Opens an old link of a user whom nobody changes, again and again, and measures what other users notice of a fault."""

    def __init__(self, entry, user, every=0.01):
        self.connection, self.every = Connection(*entry), every
        self.path = f"/users/{user.names[0]}?invitedBy={user.uid}&from=neighbour"
        self.felt = []  # (began, seconds, status)
        self.isStopping = False

    async def work(self):
        while not self.isStopping:
            began, status = time.monotonic(), None
            try:
                status, _, _ = await self.connection.call("GET", self.path)
            except (OSError, EOFError, asyncio.TimeoutError, ValueError, IndexError):
                pass
            self.felt.append((began, time.monotonic() - began, status))
            await asyncio.sleep(self.every)
        self.connection.close()

    def between(self, began, ended):
        """Returns how many links were opened, how many were refused, and the 99th percentile in milliseconds."""
        felt = [(seconds, status) for at, seconds, status in self.felt if at < ended and at + seconds > began]
        refused = sum(status != 302 for _, status in felt)
        times = sorted(seconds for seconds, _ in felt)
        return len(felt), refused, 1000 * times[min(len(times) - 1, len(times) * 99 // 100)] if times else 0
