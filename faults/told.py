"""Receivers of webhooks, and whether what they were told is what happened."""

import asyncio
import datetime
import json
import random
import re
import time
from collections import Counter, defaultdict

PATIENCE = 240  # seconds until everything has arrived: a lease of a killed server, and what a moody receiver refused, user by user
TABLES = {
    "events": "SELECT id, user_id, type, other_id FROM events ORDER BY id",
    "numbers": "SELECT last FROM event_numbers",
    "users": "SELECT id, uid FROM users",
    "periods": "SELECT user_id FROM username_periods",
    "relationships": "SELECT user_id, other_id, since FROM relationships",
}
UNUSUAL = {"friend.updated"}  # types that an endpoint gets only by name
LEFT = """SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM webhook_deliveries WHERE dead_at IS NULL)
    + (SELECT count(*) FROM webhooks WHERE position < (SELECT last FROM event_numbers)) AS left"""


class Receiver:
    """Takes events. A moody one refuses some at first, takes some and hangs up, and takes its time."""

    def __init__(self, seed, isMoody):
        self.random, self.isMoody = random.Random(seed), isMoody
        self.trouble = None  # hang: it answers nobody for now; refuse: it takes nothing
        self.arrivals = []  # (id, uid, type, whether it was taken), in order; also of events that it did not take
        self.ages = []  # (when an event arrived, seconds since it happened)
        self.seen = set()

    async def start(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}/"
        return self

    async def stop(self):
        self.server.close()

    async def _serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = re.search(r"(?i)^content-length: *(\d+)", head, re.MULTILINE)
                event = json.loads(await reader.readexactly(int(length[1])))
                isNew = event["id"] not in self.seen
                now = time.time()
                happened = datetime.datetime.fromisoformat(event["timestamp"]).timestamp()
                self.ages.append((now, now - happened))
                self.seen.add(event["id"])
                what = int(event["id"]), event["data"].get("user", {}).get("uid"), event["type"]
                self.arrivals.append((*what, False))
                # An event fails once at most: a second time it would wait for five minutes.
                mood = self.random.random() if self.isMoody and isNew else 1
                if mood < 0.01:
                    break
                if mood < 0.1:
                    await asyncio.sleep(self.random.random())
                while self.trouble == "hang":
                    await asyncio.sleep(0.05)
                isRefused = self.trouble == "refuse" or mood < 0.02
                status = "500 Internal Server Error" if isRefused else "204 No Content"
                if not isRefused:
                    self.arrivals.append((*what, True))
                writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()


async def settle(cluster, database):
    """Waits until everything is delivered; returns how much is not."""
    left = None
    for turn in range(PATIENCE * 4):
        if turn and turn % 90 == 0:
            # What failed twice is tried again minutes later: an operator resumes, as `kith webhooks resume` does. That makes
            # nothing due that has no time, so an event that was forgotten is still lost.
            await cluster.sql(
                database,
                "UPDATE webhooks SET revision = revision + 1, failing_since = NULL, probe_at = NULL, failures = 0",
                "UPDATE webhook_deliveries SET due_at = now() WHERE due_at IS NOT NULL AND dead_at IS NULL")
        left = int((await cluster.sql(database, LEFT))[0]["left"])
        if left == 0:
            break
        await asyncio.sleep(0.25)
    return left


async def check(cluster, database, receivers, mayForget):
    """Compares what was told with the tables and with what arrived. Returns errors, each a sentence: what is lost, and what is wrong."""
    lost, wrong = [], []
    left = await settle(cluster, database)
    if left:
        webhooks = await cluster.sql(database, "SELECT position, failures, failing_since, probe_at, paused_at, last_error FROM webhooks")
        return [f"{left} events or endpoints wait after {PATIENCE} s: {webhooks}"], wrong
    tables = {name: await cluster.sql(database, sql) for name, sql in TABLES.items()}
    _as_tables(tables, lost, wrong)
    usual = {int(row["id"]) for row in tables["events"] if row["type"] not in UNUSUAL}
    for receiver in receivers:
        arrived = {id for id, _, _, _ in receiver.arrivals}
        lost += [f"event {id} did not arrive" for id in sorted(usual - arrived)]
        if not mayForget:
            wrong += [f"event {id} arrived, but did not happen" for id in sorted(arrived - usual)]
        if not mayForget:
            wrong += list(_out_of_order(receiver.arrivals))
    return lost, wrong


def _out_of_order(arrivals):
    """Events of a user that came before one that happened earlier was taken. They may come again."""
    last, taken, waiting = defaultdict(int), set(), defaultdict(set)
    for id, uid, type, isTaken in arrivals:
        if isTaken:
            taken.add(id)
            waiting[uid].discard(id)
        elif id not in taken:
            if id < last[uid] or any(other < id for other in waiting[uid]):
                yield f"{type} {id} of {uid} came after {last[uid]}, or before {sorted(waiting[uid])} were taken"
            waiting[uid].add(id)
            last[uid] = max(last[uid], id)


def _as_tables(tables, lost, wrong):
    """Whether the events are what happened to users, names and friendships."""
    ids = Counter(row["id"] for row in tables["events"])
    wrong += [f"event {id} is there {count} times" for id, count in ids.items() if count > 1]
    if ids and max(map(int, ids)) > int(tables["numbers"][0]["last"]):
        wrong.append("an event has a number that was not given")
    told, stories = Counter(), defaultdict(list)
    for row in tables["events"]:
        told[row["user_id"], row["type"]] += 1
        if row["type"] in ("friend.created", "friend.ended"):
            stories[row["user_id"], row["other_id"]].append(row["type"])
    names = Counter(row["user_id"] for row in tables["periods"])
    for user in tables["users"]:
        id, who = user["id"], user["uid"]
        for type, count in (("user.signed_up", 1), ("user.renamed", names[id] - 1)):
            if told[id, type] != count:
                (lost if told[id, type] < count else wrong).append(f"{type} of {who}: told {told[id, type]} times of {count}")
    users = {row["id"]: row["uid"] for row in tables["users"]}
    wrong += [f"{type} of nobody ({id})" for id, type in told if id not in users]
    friends = {(row["user_id"], row["other_id"]) for row in tables["relationships"] if row["since"]}
    for pair in friends | stories.keys():
        story, who = stories[pair], f"{users.get(pair[0])} and {users.get(pair[1])}"
        if any(type != ("friend.created", "friend.ended")[n % 2] for n, type in enumerate(story)):
            wrong.append(f"{who} were told {story}")
        elif (len(story) % 2 == 1) != (pair in friends):
            lost.append(f"{who} are {'' if pair in friends else 'no '}friends, and were told {story}")
