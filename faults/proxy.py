"""A TCP proxy that misbehaves on purpose: it cuts, swallows, dribbles and delays data, and resets connections."""

import asyncio
import socket
import struct

from wire import ClientMessages, ServerMessages


class Rule:
    """What to do at every n-th batch that reaches a point.

    Points: `inside` (`depth` statements of the batch were delivered), `commit` (all but its COMMIT were), `answer` (its COMMIT
    was; the proxy has its answer and has not passed it on) and, on plain connections, `reply` (the first bytes of an answer).
    Acts: `cut`, `swallow`, `rollback` (deliver ROLLBACK instead of COMMIT), or a function of the link, after which it is cut.
    """

    def __init__(self, point, act, every=1, depth=0, times=None):
        self.point, self.act, self.every, self.depth, self.times = point, act, every, depth, times
        self.met = self.done = 0

    def applies(self, point, depth=0):
        if point != self.point or depth < self.depth or (self.times is not None and self.done >= self.times):
            return False
        self.met += 1
        if self.met % self.every:
            return False
        self.done += 1
        return True


class Link:
    """One connection through the proxy."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.isSwallowed = False
        self.passed = {"up": 0, "down": 0}
        if proxy.understands:
            self.toServer, self.toClient = ClientMessages(), ServerMessages()
        self.judged = None  # The batch to which a rule was already applied.

    @property
    def backend(self):
        """PostgreSQL's process for this connection."""
        return self.toClient.backend

    def filter(self, way, data):
        """Returns the data to pass on, and the act that ends it, if any."""
        if not self.proxy.understands:
            rule = self.proxy.rule
            isMet = way == "down" and rule is not None and rule.applies("reply")
            return (b"", rule.act) if isMet else (data, None)
        return self._up(data) if way == "up" else self._down(data)

    def _up(self, data):
        out = bytearray()
        for message in self.toServer.feed(data):
            act = self._act(message)
            if act == "rollback":
                self.proxy.acts += 1
                out += self.toServer.as_rollback(message)
            elif act is not None:
                return bytes(out), act
            else:
                out += message.bytes
        return bytes(out), None

    def _act(self, message):
        rule, batch = self.proxy.rule, self.toServer.batch
        if rule is None or batch is None or not message.isStatement or self.judged == batch:
            return None
        if message.isCommit and rule.point == "commit":
            self.judged = batch
            return rule.act if rule.applies("commit") else None
        if not message.isCommit and rule.point == "inside" and self.toServer.executed > rule.depth:
            self.judged = batch
            return rule.act if rule.applies("inside", rule.depth) else None
        return None

    def _down(self, data):
        out = bytearray()
        for message in self.toClient.feed(data):
            rule = self.proxy.rule
            if message.isCommitted and rule is not None and rule.applies("answer"):
                return bytes(out), rule.act
            out += message.bytes
        return bytes(out), None

    def cut(self):
        for writer in (self.client, self.server):
            writer.close()  # Data written before is still delivered.

    def reset(self):
        for writer in (self.client, self.server):
            connection = writer.get_extra_info("socket")
            if connection is not None and connection.fileno() >= 0:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


class Proxy:
    """Listens on a loopback port of its own and forwards to another, as badly as it is told."""

    def __init__(self, target, understands=False):
        self.target, self.understands = target, understands
        self.links = set()
        self.acts = 0
        self.heal()

    def heal(self):
        """Makes it a correct proxy; swallowed connections stay silent."""
        self.rule, self.delay = None, 0
        self.isDribbling = self.isStalled = self.isSwallowing = False
        self.cutAfter = {}  # direction → a function that returns how many bytes a connection may pass

    async def start(self):
        self.listener = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    async def stop(self):
        self.listener.close()
        for link in list(self.links):
            link.reset()

    def reset_all(self):
        for link in list(self.links):
            link.reset()

    async def _accepted(self, reader, writer):
        try:
            fromServer, toServer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        for each in (writer, toServer):
            each.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = Link(self, writer, toServer)
        self.links.add(link)
        limits = {way: draw() for way, draw in self.cutAfter.items()}
        try:
            await asyncio.gather(
                self._pump(link, "up", reader, toServer, limits), self._pump(link, "down", fromServer, writer, limits))
        finally:
            self.links.discard(link)

    async def _pump(self, link, way, source, sink, limits):
        try:
            while data := await source.read(65536):
                if self.delay:
                    await asyncio.sleep(self.delay)
                while self.isStalled:
                    await asyncio.sleep(0.02)
                data, act = link.filter(way, data)
                if not (link.isSwallowed or self.isSwallowing):
                    if way in limits and link.passed[way] + len(data) > limits[way]:
                        data, act = data[:limits[way] - link.passed[way]], "cut"
                    link.passed[way] += len(data)
                    await self._send(sink, data)
                elif self.isSwallowing:
                    link.isSwallowed = True  # A stream with a gap cannot continue.
                if act is not None:
                    self._do(act, link)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            if not link.isSwallowed:
                link.cut()

    async def _send(self, sink, data):
        if not self.isDribbling:
            sink.write(data)
            return await sink.drain()
        for index in range(len(data)):
            sink.write(data[index:index + 1])
            await asyncio.sleep(0)

    def _do(self, act, link):
        self.acts += 1
        if act == "swallow":
            link.isSwallowed = True
            return
        if callable(act):
            act(link)
        link.cut()
