"""Compares what counting costs with an older checkout: `python3 bench/counting.py FOLDER`, where FOLDER has a release binary.

The processor time of Kith and PostgreSQL together, of a visit of a short link and of a sign-up by an invite, with all that a server does
afterwards until they are counted. Visits are of 20,000 links that were opened before on that day, of links that nobody opened yet, or all
of one. Each side has a PostgreSQL of its own; the sides take turns, and the median of the ratios counts. What an idle second takes is
subtracted.
"""

import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import clicks
import loads
import paired
import processes

NAME, USERS, LINKS, KNOWN, TURN = clicks.NAME, 20_000, 1_000_000, 20_000, 100_000


class Side:
    """One of the two checkouts, with its server, its database and its loads."""

    def __init__(self, name, binary, checkout, folder, stack):
        self.name, self.turns, self.folder = name, 0, folder / name
        self.folder.mkdir()
        self.database = stack.enter_context(processes.postgres(self.folder, {"shared_buffers": "1GB"}))
        self.database.load(NAME, USERS, checkout)
        kith = processes.Kith(binary, self.database.url(NAME), self.folder)
        domain = f"{kith.origin}/l"
        kith.environment.update(
            KITH_LINK_DOMAINS=domain, KITH_APP_URL="https://app.example.com/", KITH_ANDROID_PACKAGE="com.example.app",
            KITH_IOS_TEAM_ID="ABCDE12345", KITH_IOS_BUNDLE_ID="com.example.app")
        self.database.psql(NAME, "-c", clicks.LINKS.format(domain=domain, count=LINKS), "-c", "VACUUM ANALYZE links", "-c", "CHECKPOINT")
        self.codes = self.database.psql(NAME, "-c", "SELECT code FROM links ORDER BY md5(code)").split()
        self.key, self.origin = kith.create_key(), kith.origin
        self.process = stack.enter_context(kith.serve())
        self.write("one", self.codes[:1])
        known, self.codes = self.codes[:KNOWN], self.codes[KNOWN:]
        self.write("known", known)
        # Connections, salts and caches are there before anything is measured.
        loads.wrk(self.origin, 32, 1, "visit.lua", self.folder / "one", "person")
        loads.wrk(self.origin, 32, 15, "visit.lua", self.folder / "known", "person")
        loads.wrk(self.origin, 32, 1, "signup.lua", self.key, USERS, f"{name}warm")
        self.settle()
        started = self.cpu()
        time.sleep(5)
        self.idle = (self.cpu() - started) / 5

    def write(self, file, codes):
        (self.folder / file).write_text("".join(f"/l/{code}\n" for code in codes))

    def cpu(self):
        """Processor seconds of Kith and PostgreSQL so far."""
        return processes.cpu_seconds(self.process.pid) + processes.cpu_seconds(self.database.pid, children=True)

    def settle(self):
        """Waits until nothing waits for being numbered or counted."""
        time.sleep(3)
        for _ in range(100):
            waiting = "SELECT (SELECT count(*) FROM outbox)"
            if self.database.psql(NAME, "-c", "SELECT to_regclass('counts')").strip():
                waiting += """ + (SELECT count(*) FROM clicks) + (
                    SELECT count(*) FROM events WHERE id > (SELECT position FROM count_positions WHERE source = 'events'))"""
            if self.database.psql(NAME, "-c", waiting).strip() == "0":
                return
            time.sleep(0.2)
        raise SystemExit(f"{self.name}: visits or events still wait")

    def measure(self, what, seconds):
        """Returns the microseconds of an answer."""
        self.turns += 1
        if what == "sign-up":
            script, arguments = "signup.lua", (self.key, USERS, f"{self.name}{self.turns}")
        elif what == "visit of one link":
            script, arguments = "visit.lua", (self.folder / "one", "person")
        elif what == "visit of a link that was opened that day":
            script, arguments = "visit.lua", (self.folder / "known", "person")
        else:
            if len(self.codes) < TURN:
                raise SystemExit("there are no more links: fewer rounds, please")
            fresh, self.codes = self.codes[:TURN], self.codes[TURN:]
            self.write("links", fresh)
            script, arguments = "visit.lua", (self.folder / "links", "person")
        started, at = self.cpu(), time.monotonic()
        result = loads.wrk(self.origin, 32, seconds, script, *arguments)
        if result["failed"]:
            raise SystemExit(f"{self.name}: {result['failed']} answers of {what} were errors")
        self.settle()
        return 1e6 * (self.cpu() - started - self.idle * (time.monotonic() - at)) / result["answers"]


def main():
    chosen = paired.arguments(__doc__, seconds=4, rounds=7)
    with tempfile.TemporaryDirectory(prefix="kith-counting-") as folder, ExitStack() as stack:
        Path(folder).chmod(0o711)  # PostgreSQL may run as another user.
        sides = [Side(name, binary, checkout, Path(folder), stack)
                 for name, binary, checkout in paired.binaries(chosen.older)]
        names = ["visit of a link that was opened that day", "visit of a link that nobody opened that day", "visit of one link",
                 "sign-up"]
        samples = {what: [] for what in names if what.startswith(chosen.only)}
        for turn in range(chosen.rounds):
            for what, pairs in samples.items():
                # The sides alternate in going first.
                found = {at: sides[at].measure(what, chosen.seconds) for at in ((0, 1) if turn % 2 else (1, 0))}
                pairs.append((found[0], found[1]))
                print(f"{turn + 1}/{chosen.rounds} {what}: {found[0]:.1f} µs, {found[1]:.1f}, {found[1] / found[0]:.3f}", flush=True)
    print("\n| what | older, µs | newer, µs | ratio |\n|---|--:|--:|--:|")
    for what, pairs in samples.items():
        older, newer = (statistics.median(pair[at] for pair in pairs) for at in (0, 1))
        print(f"| {what} | {older:.1f} | {newer:.1f} | {statistics.median(new / old for old, new in pairs):.3f} |")


if __name__ == "__main__":
    main()
