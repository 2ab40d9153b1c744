"""Offers twice the load that the database can take: `python3 bench/overload.py`. Kith must still answer what the database can
take, refuse the rest at once, and serve whoever comes a second after the end as before.

A trigger makes every sign-up take 20 ms in PostgreSQL, so that the limit is the database and not the processor, which the
load shares with the server.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from pathlib import Path

import processes

NAME, USERS, CLOSED = "overload", 2_000, 64
SLOW = """
    CREATE FUNCTION bench.rest() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END $$;
    CREATE TRIGGER rest BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION bench.rest()"""


class Load:
    """Sends sign-ups over kept-alive connections; `samples` holds (status, when asked, when answered) of each, with status 0 for
    no answer."""

    def __init__(self, port, key):
        self.port, self.key, self.made, self.idle, self.samples = port, key, 0, [], []

    def sign_up(self):
        self.made += 1
        inviter = self.made * 7919 % USERS + 1
        body = json.dumps({"username": f"over{self.made}",
                           "invite": {"username": f"user{inviter:07}", "invitedBy": f"u{inviter:07}"}})
        return (f"POST /v1/signup HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {self.key}\r\nKith-User: o-{self.made}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()

    async def ask(self, request):
        began = time.monotonic()
        try:
            async with asyncio.timeout(20):
                reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(request)
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                self.idle.append((reader, writer))
                status = int(head[9:12])
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            status = 0
        self.samples.append((status, began, time.monotonic()))
        return status

    async def closed(self, seconds):
        """Sends sign-ups as fast as answers come; returns when it began and ended."""
        began = time.monotonic()

        async def client():
            while time.monotonic() < began + seconds:
                if await self.ask(self.sign_up()) != 201:
                    await asyncio.sleep(0.1)
        await asyncio.gather(*(client() for _ in range(CLOSED)))
        return began, time.monotonic()

    async def open(self, rate, seconds):
        """Sends `rate` sign-ups a second, however long answers take; returns when that began and ended. Then it goes on as fast as
        answers come, to show how soon the server recovers."""
        began, asked = time.monotonic(), []
        for n in range(int(rate * seconds)):
            if (wait := began + n / rate - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            asked.append(asyncio.create_task(self.ask(self.sign_up())))
        ended = time.monotonic()
        await self.closed(3)
        await asyncio.gather(*asked)
        return began, ended

    def result(self, began, ended, asked_then=False):
        """Rates of the answers that came within this time, or with `asked_then` of those that were asked for within it, and
        latencies of the latter; None if there were none."""
        came = [status for status, at, answered in self.samples if began <= (at if asked_then else answered) < ended]
        asked = [(status, answered - at) for status, at, answered in self.samples if began <= at < ended]

        def late(part, status):
            times = sorted(took for found, took in asked if found == status)
            return 1000 * times[int(part * (len(times) - 1))] if times else None
        return {"good": came.count(201) / (ended - began), "refused": came.count(503) / (ended - began),
                "other": sum(status not in (201, 503) for status, _ in asked),
                "good p99": late(0.99, 201), "refused p50": late(0.5, 503), "refused p99": late(0.99, 503)}


async def measure(port, key, seconds):
    """Returns a row for each load."""
    load = Load(port, key)
    await load.closed(1)
    peak = load.result(*await load.closed(seconds / 2))
    rows = {"peak": peak}
    for times in (0.8, 2, 4):
        began, ended = await load.open(times * peak["good"], seconds)
        rows[f"{times} × peak"] = load.result(began, ended)
        if times > 1:
            rows[f"asked as answers come, from 1 to 2 s after {times} × peak"] = load.result(ended + 1, ended + 2, asked_then=True)
    return rows


def table(rows):
    peak = rows["peak"]["good"]
    tell = lambda time: "–" if time is None else f"{time:.0f}"
    lines = ["Wanted at 2 × peak: at least 0.9 of the peak answered, then and from the next second on, p99 of answers below 2000 ms and "
             "soon below twice the peak's, p50 of refusals below 50 ms, and never anything but 201 and 503.", "",
             "| offered | answered /s | of the peak | refused /s | p99 of answers, ms | p50, p99 of refusals, ms | else |",
             "|---|--:|--:|--:|--:|--:|--:|"]
    for name, row in rows.items():
        lines.append(f"| {name} | {row['good']:.0f} | {row['good'] / peak:.2f} | {row['refused']:.0f} | {tell(row['good p99'])} "
                     f"| {tell(row['refused p50'])}, {tell(row['refused p99'])} | {row['other']} |")
    return lines


def targets(rows):
    """(name, wanted, value, whether it is met) of what overload must not do."""
    peak, twice, after = rows["peak"]["good"], rows["2 × peak"], rows["asked as answers come, from 1 to 2 s after 2 × peak"]
    return [
        ("sign-ups answered at twice the bearable load: of the peak", "≥ 0.9", twice["good"] / peak, lambda x: x >= 0.9),
        ("p50 of refusals meanwhile, ms", "< 50", twice["refused p50"], lambda x: x < 50),
        ("p99 of answers meanwhile, ms", "< 2000", twice["good p99"], lambda x: x < 2000),
        ("asked for one second later, and answered: of the peak", "≥ 0.9", after["good"] / peak, lambda x: x >= 0.9),
        ("their p99: of that at the peak", "< 2", after["good p99"] and after["good p99"] / rows["peak"]["good p99"], lambda x: x < 2),
        ("answers that were neither 201 nor 503", "0", sum(row["other"] for row in rows.values()), lambda x: x == 0),
    ]


def missed(rows):
    return [target for target in targets(rows) if target[2] is None or not target[3](target[2])]


def run(binary, folder, seconds):
    """Returns the rows of a server and a database of its own."""
    with processes.postgres(folder, {"shared_buffers": "256MB"}) as database:
        database.load(NAME, USERS)
        database.psql(NAME, "-c", SLOW)
        kith = processes.Kith(binary, database.url(NAME), folder)
        kith.run("migrate")
        key = kith.create_key()
        with kith.serve():
            rows = asyncio.run(measure(kith.port, key, seconds))
        kith.run("verify")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=15, help="length of one row")
    chosen = parser.parse_args()
    binary = Path(os.environ.get("KITH_BIN", processes.BENCH.parent / ".build/release/kith")).resolve()
    with tempfile.TemporaryDirectory(prefix="kith-overload-") as folder:
        rows = run(binary, Path(folder), chosen.seconds)
    print("\n".join(table(rows)))
    if names := [name for name, *_ in missed(rows)]:
        raise SystemExit(f"missed: {'; '.join(names)}")


if __name__ == "__main__":
    main()
