"""Compares this checkout with an older one, in turns, so that noise of the machine affects both:
`python3 bench/paired.py FOLDER`, where FOLDER is a checkout of the older commit with a release binary.

Each side has its own server and its own database in one PostgreSQL, made by its own schema and load.sql. The median of the
ratios of the turns counts, not the rates. On a shared machine rates mean little: compare the processor time of an answer.
"""

import argparse
import os
import statistics
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

import loads
import processes

USERS, FRIENDS, PAIRS = 20_000, 100, 200_000


class Side:
    """One of the two checkouts, with its server and its loads."""

    Kith = processes.Kith

    def __init__(self, name, binary, checkout, database, folder, stack):
        self.name, self.database, self.turns, self.acts = name, database, 0, 0
        self.folder = folder / name
        self.folder.mkdir()
        database.load(name, USERS, checkout)
        database.load_graph(name, USERS, USERS * FRIENDS, PAIRS, each=FRIENDS, checkout=checkout)
        kith = self.Kith(binary, database.url(name), self.folder)
        kith.run("migrate")
        self.key, self.origin = kith.create_key(), kith.origin
        self.process = stack.enter_context(kith.serve())
        self.write("codes", "SELECT code FROM bench.people WHERE renamed")
        self.write("listers", "SELECT uid FROM bench.listers")

    def write(self, file, query):
        (self.folder / file).write_text(self.database.psql(self.name, "-c", query))

    def loads(self, seconds):
        def sign_up():
            self.turns += 1
            return self.wrk(seconds, 32, "signup.lua", self.key, USERS, f"{self.name}{self.turns}")

        def befriend():
            first, self.acts = self.acts, self.acts + 3_000 * seconds
            if self.acts > PAIRS:
                raise SystemExit("there are no more strangers to befriend: fewer or shorter rounds, please")
            self.write("strangers", "SELECT low_uid || ' ' || high_uid FROM bench.strangers "
                                    f"WHERE n >= {first} AND n < {first + 3_000 * seconds}")
            return self.wrk(seconds, 32, "befriend.lua", self.folder / "strangers", self.key, 50)
        return {
            "static @128": lambda: self.wrk(seconds, 128, None, path="/robots.txt"),
            "redirect @128": lambda: self.wrk(seconds, 128, "redirect.lua", USERS),
            "redirect @32": lambda: self.wrk(seconds, 32, "redirect.lua", USERS),
            "page @128": lambda: self.wrk(seconds, 128, "page.lua", USERS),
            "short code @128": lambda: self.wrk(seconds, 128, "code.lua", self.folder / "codes"),
            "sign-up @32": sign_up,
            "page of friends @64": lambda: self.wrk(seconds, 64, "friends.lua", self.folder / "listers", self.key),
            "befriend @32": befriend,
        }

    def wrk(self, seconds, connections, script, *arguments, path=""):
        before = self.cpu()
        result = loads.wrk(self.origin + path, connections, seconds, script, *arguments)
        if result["failed"]:
            raise SystemExit(f"{self.name}: {result['failed']} answers of {script or path} were errors")
        kith, postgres = (1e6 * (after - now) / result["answers"] for after, now in zip(self.cpu(), before))
        return dict(result, kith=kith, postgres=postgres)

    def cpu(self):
        """Processor seconds of Kith so far, and of the PostgreSQL of both sides: what the other side does in the background counts."""
        return (processes.cpu_seconds(self.process.pid), processes.cpu_seconds(self.database.pid, children=True))


def arguments(description, seconds, rounds=None):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("older", type=Path, help="a checkout of the older commit")
    if rounds:
        parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seconds", type=int, default=seconds)
    parser.add_argument("--only", default="", help="a load whose name begins so")
    return parser.parse_args()


def binaries(older):
    """Returns the name, the binary and the checkout of the older and the newer side."""
    here = processes.BENCH.parent
    return [("older", Path(os.environ.get("KITH_OLDER_BIN", older / ".build/release/kith")).resolve(), older.resolve()),
            ("newer", Path(os.environ.get("KITH_BIN", here / ".build/release/kith")).resolve(), here)]


@contextmanager
def both_sides(older, Kind=Side):
    """Yields the older and the newer side, each with its server and its database in one PostgreSQL."""
    with tempfile.TemporaryDirectory(prefix="kith-paired-") as folder, ExitStack() as stack:
        folder = Path(folder)
        database = stack.enter_context(processes.postgres(folder, {"shared_buffers": "2GB"}))
        yield [Kind(name, binary, checkout, database, folder, stack) for name, binary, checkout in binaries(older)]


def main():
    chosen = arguments(__doc__, seconds=3, rounds=7)
    with both_sides(chosen.older) as sides:
        sides = [side.loads(chosen.seconds) for side in sides]
        samples = {what: [] for what in sides[0] if what.startswith(chosen.only)}
        for turn in range(chosen.rounds):
            for what in samples:
                # The sides alternate in going first, so that neither always finds the other's leftovers.
                order = (0, 1) if turn % 2 else (1, 0)
                found = {at: sides[at][what]() for at in order}
                samples[what].append((found[0], found[1]))
                print(f"{turn + 1}/{chosen.rounds} {what}: {found[1]['rate'] / found[0]['rate']:.3f}", flush=True)
    print(f"\n| what | older /s | newer /s | ratio, median of {chosen.rounds} | p99 older / newer, ms "
          "| Kith's µs of processor an answer, older / newer | PostgreSQL's |\n|---|--:|--:|--:|--:|--:|--:|")
    for what, pairs in samples.items():
        def middle(value):
            return statistics.median(value(old, new) for old, new in pairs)

        def both(key, digits):
            return " / ".join(f"{middle(lambda *sides: sides[at][key]):,.{digits}f}" for at in (0, 1))
        print(f"| {what} | {middle(lambda old, _: old['rate']):,.0f} | {middle(lambda _, new: new['rate']):,.0f} "
              f"| {middle(lambda old, new: new['rate'] / old['rate']):.3f} | {both('p99', 1)} "
              f"| {both('kith', 1)} | {both('postgres', 1)} |")


if __name__ == "__main__":
    main()
