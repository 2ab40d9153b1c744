"""Measures how soon events arrive, and what streams cost: `python3 bench/events.py`.

First many open streams, on which nothing happens but a request now and then; then a webhook, while people sign up by invites. Each
sign-up makes four events: for the newcomer, for the inviter, and for both as friends.
"""

import argparse
import asyncio
import os
import re
import resource
import tempfile
import time
from pathlib import Path

import processes
from overload import Load

NAME, USERS = "events", 20_000


def percentile(times, part):
    return 1000 * sorted(times)[int(part * (len(times) - 1))]


def told(what, times):
    print(f"{what}: p50 {percentile(times, 0.5):.0f} ms, p99 {percentile(times, 0.99):.0f} ms, "
          f"max {percentile(times, 1):.0f} ms, of {len(times):,}", flush=True)


def memory_mib(process):
    """What it holds now."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


class Stream(asyncio.Protocol):
    """A user's stream; notes when an event comes."""

    def __init__(self, key, uid, arrived):
        self.key, self.uid, self.arrived, self.opened = key, uid, arrived, asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport
        transport.write(f"GET /v1/me/stream HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {self.key}\r\n"
                        f"Kith-User: {self.uid}\r\n\r\n".encode())

    def data_received(self, data):
        if not self.opened.done():
            self.opened.set_result(data.startswith(b"HTTP/1.1 200"))
        if b"friend.requested" in data:
            self.arrived[self.uid] = time.monotonic()

    def connection_lost(self, error):
        if not self.opened.done():
            self.opened.set_result(False)


async def open_streams(port, key, count, arrived):
    loop, streams = asyncio.get_running_loop(), []
    for first in range(0, count, 200):
        made = await asyncio.gather(*(
            loop.create_connection(lambda n=n: Stream(key, f"u{n:07}", arrived), "127.0.0.1", port)
            for n in range(first + 1, min(first + 200, count) + 1)))
        streams += [protocol for _, protocol in made]
        if not all(await asyncio.gather(*(protocol.opened for _, protocol in made))):
            raise SystemExit(f"a stream was not opened, of {len(streams)}")
    return streams


async def ask(port, key, me, other):
    """A friend request; returns when it was answered, and so committed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"PUT /v1/friends/{other} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\nKith-User: {me}\r\n"
                 "Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n")
    answered = time.monotonic()
    writer.close()
    if b" 200 " not in head:
        raise SystemExit(f"a request was answered with {head}")
    return answered


async def measure_streams(kith, process, key, count, requests):
    before, arrived = memory_mib(process), {}
    streams = await open_streams(kith.port, key, count, arrived)
    await asyncio.sleep(5)
    held = memory_mib(process)
    cpu = processes.cpu_seconds(process.pid)
    await asyncio.sleep(10)
    cpu = (processes.cpu_seconds(process.pid) - cpu) / 10
    print(f"{count:,} idle streams: {held - before:.0f} MiB more than the {before:.0f} before, {100 * cpu:.1f} % of a core", flush=True)
    asked = {}
    for n in range(requests):
        # Somebody without a stream asks somebody with one.
        uid = f"u{n * 7919 % count + 1:07}"
        asked[uid] = await ask(kith.port, key, f"u{count + n + 1:07}", uid)
        await asyncio.sleep(0.02)
    end = time.monotonic() + 30
    while len(arrived) < len(asked) and time.monotonic() < end:
        await asyncio.sleep(0.1)
    if missing := asked.keys() - arrived.keys():
        raise SystemExit(f"{len(missing)} events did not arrive, such as that of {min(missing)}")
    told("from the answer of a request to its event in a stream", [max(0, arrived[uid] - asked[uid]) for uid in asked])
    print(f"with them: {memory_mib(process):.0f} MiB", flush=True)
    for stream in streams:
        stream.transport.close()


class Receiver(asyncio.Protocol):
    """A connection to a webhook's endpoint; notes how old events are when they arrive. It does as little as it can: the load, the
    server and the database have the same processors."""
    LENGTH, MINUTE = re.compile(rb"(?i)content-length: *(\d+)"), re.compile(rb'"timestamp":"[^"]{14}(\d\d):([\d.]+)Z"')

    def __init__(self, ages):
        self.ages, self.rest = ages, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.rest += data
        while (end := self.rest.find(b"\r\n\r\n") + 4) > 3:
            stop = end + int(self.LENGTH.search(self.rest, 0, end)[1])
            if len(self.rest) < stop:
                return
            minutes, seconds = self.MINUTE.search(self.rest, end, stop).groups()
            # Its day and hour are those of now.
            self.ages.append((time.time() - 60 * int(minutes) - float(seconds)) % 3600)
            self.rest = self.rest[stop:]
            self.transport.write(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")


async def measure_webhook(kith, database, key, rate, seconds):
    ages = []
    server = await asyncio.get_running_loop().create_server(lambda: Receiver(ages), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    await asyncio.to_thread(kith.run, "webhooks", "create", f"http://127.0.0.1:{port}/")
    await asyncio.sleep(3)
    load = Load(kith.port, key)
    # Connections open, and tables that were empty get the plans of tables that are not, as autovacuum gives them within a minute.
    await load.open(rate, 4)
    await asyncio.to_thread(database.psql, NAME, "-c", "ANALYZE")
    await load.open(rate, 2)
    await asyncio.sleep(2)
    ages.clear()
    result = await load.open(rate, seconds)
    await asyncio.sleep(5)
    print(f"{result['good']:.0f} sign-ups a second were answered, of {rate}")
    told("from a sign-up to its events at a webhook", ages)
    server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=10_000, help="open streams")
    parser.add_argument("--requests", type=int, default=500, help="events on them")
    parser.add_argument("--rate", type=int, default=500, help="sign-ups a second")
    parser.add_argument("--seconds", type=int, default=20, help="for how long")
    chosen = parser.parse_args()
    binary = Path(os.environ.get("KITH_BIN", processes.BENCH.parent / ".build/release/kith")).resolve()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    with tempfile.TemporaryDirectory(prefix="kith-events-") as folder:
        folder = Path(folder)
        with processes.postgres(folder) as database:
            database.load(NAME, USERS)
            kith = processes.Kith(binary, database.url(NAME), folder)
            kith.environment.update(
                KITH_MAX_CONNECTIONS=str(chosen.streams + 200),
                KITH_SECRETS_KEY="AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", KITH_WEBHOOK_PRIVATE_ADDRESSES="allow")
            key = kith.create_key()
            with kith.serve() as process:
                asyncio.run(measure_streams(kith, process, key, chosen.streams, chosen.requests))
            with kith.serve() as process:
                asyncio.run(measure_webhook(kith, database, key, chosen.rate, chosen.seconds))


if __name__ == "__main__":
    main()
