"""Reads just enough of PostgreSQL's protocol to know where in a transaction a connection is."""

from dataclasses import dataclass


@dataclass
class Message:
    bytes: bytes
    isStatement: bool = False  # Parse, Bind or a simple query
    isCommit: bool = False
    isCommitted: bool = False


class Stream:
    """Splits a stream of bytes into messages, each a letter, a length and a body."""

    def __init__(self):
        self.rest = b""

    def messages(self, data):
        self.rest += data
        at = 0
        while len(self.rest) - at >= 5:
            end = at + 1 + int.from_bytes(self.rest[at + 1:at + 5], "big")
            if end > len(self.rest):
                break
            yield self.rest[at:at + 1], self.rest[at:end]
            at = end
        self.rest = self.rest[at:]


class ClientMessages(Stream):
    """Reads a client's messages: which batch is running, and how many of its statements were delivered."""

    def __init__(self):
        super().__init__()
        self.hasStarted = False
        self.statements = {}  # prepared: name → SQL
        self.batch, self.batches, self.executed = None, 0, 0

    def feed(self, data):
        if not self.hasStarted:
            self.rest += data
            if len(self.rest) < 4 or len(self.rest) < (end := int.from_bytes(self.rest[:4], "big")):
                return
            first, data, self.rest, self.hasStarted = self.rest[:end], self.rest[end:], b"", True
            yield Message(first)
        for kind, message in self.messages(data):
            yield self._understand(kind, message)

    def _understand(self, kind, message):
        if kind == b"P":
            name, sql = message[5:].split(b"\0", 2)[:2]
            self.statements[name] = sql
            return Message(message, isStatement=True, isCommit=sql == b"COMMIT")
        if kind == b"B":
            sql = self.statements.get(message[5:].split(b"\0", 2)[1], b"")
            if sql.startswith(b"BEGIN"):
                self.batches += 1
                self.batch, self.executed = self.batches, 0
                return Message(message)
            return Message(message, isStatement=True, isCommit=sql == b"COMMIT")
        if kind == b"E":
            self.executed += 1
        elif kind == b"S":
            self.batch = None
        return Message(message)

    @staticmethod
    def as_rollback(message):
        """Replaces COMMIT by ROLLBACK in a Parse for one use."""
        body = message.bytes[5:].replace(b"COMMIT\0", b"ROLLBACK\0", 1)
        return message.bytes[:1] + (len(body) + 4).to_bytes(4, "big") + body


class ServerMessages(Stream):
    """Reads PostgreSQL's messages: its process, and its reports of a commit."""

    backend = None

    def feed(self, data):
        for kind, message in self.messages(data):
            if kind == b"K":
                self.backend = int.from_bytes(message[5:9], "big")
            yield Message(message, isCommitted=kind == b"C" and message[5:] == b"COMMIT\0")
