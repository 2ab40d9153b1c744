"""Measures Kith beside its two halves and its peers: `make bench`, or `python3 bench/run.py --quick`."""

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import clicks
import graph
import loads
import overload
import processes
import report

STATIC_PATH = "/robots.txt"  # A constant response that needs no database.
CONNECTIONS = report.CONNECTIONS
LANDING_CLIENTS = 8
SIGNUP_CLIENTS = (8, 32)
SMALL = "small"
BIG = "big"


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="use few users and short runs, only to show that everything works")
    parser.add_argument("--users", type=int, help="users of the big data set, of whom a tenth is renamed (1,000,000)")
    parser.add_argument("--rows", type=int, help="rows of the big graph, two for each friendship (50,000,000)")
    parser.add_argument("--small-users", type=int, help="users of the small data set (10,000)")
    parser.add_argument("--graph-small-users", type=int, help="users of the small graph (20,000)")
    parser.add_argument("--seconds", type=int, help="length of one run (8), after a warm-up of a quarter of it")
    parser.add_argument("--rounds", type=int, help="how often to measure each; the median counts (3)")
    parser.add_argument("--overload-seconds", type=int, help="length of one row of overload (15)")
    parser.add_argument("--only", choices=("links", "graph"), help="run only one of the two parts")
    parser.add_argument("--peers-only", action="store_true", help="leave out Kith")
    parser.add_argument("--write", action="store_true", help="write the tables into bench/README.md")
    chosen = parser.parse_args()
    names = ("users", "rows", "small_users", "graph_small_users", "seconds", "overload_seconds", "rounds")
    defaults = (20_000, 800_000, 2_000, 2_000, 1, 4, 1) if chosen.quick else (1_000_000, 50_000_000, 10_000, 20_000, 8, 15, 3)
    for name, default in zip(names, defaults):
        setattr(chosen, name, getattr(chosen, name) or default)
    return chosen


class Bench:
    """The measurements as a list of (name, connections, function), run round by round."""

    def __init__(self, chosen, folder, database):
        self.chosen, self.folder, self.database = chosen, folder, database
        self.measurements, self.samples, self.signup_runs = [], {}, 0

    def add(self, name, connections, measure):
        self.measurements.append((name, connections, measure))

    def add_http(self, name, url, script=None, *arguments, connections=CONNECTIONS):
        for count in connections:
            self.add(name, count, lambda count=count: self.warm_wrk(url, count, script, *arguments))

    def add_signups(self, name, url, key):
        for count in CONNECTIONS:
            self.add(name, count, lambda count=count: self.checked_signups(url, count, key))

    def warm_wrk(self, url, connections, script, *arguments):
        loads.wrk(url, connections, max(1, self.chosen.seconds // 4), script, *arguments)
        return loads.wrk(url, connections, self.chosen.seconds, script, *arguments)

    def written(self):
        """Counts users, acceptances and relationships in one snapshot: some sign-ups are still running when wrk ends."""
        counts = "SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM acceptances), (SELECT count(*) FROM relationships)"
        return [int(count) for count in self.database.psql(BIG, "-c", counts).strip().split("|")]

    def checked_signups(self, url, connections, key):
        """Measures sign-ups, and checks that each answered one is complete: one attribution and two rows of friendship."""
        before = self.written()
        runs = []
        for seconds in (max(1, self.chosen.seconds // 4), self.chosen.seconds):
            self.signup_runs += 1
            runs.append(loads.wrk(url, connections, seconds, "signup.lua", key, self.chosen.users, self.signup_runs))
        users, acceptances, relationships = (new - old for new, old in zip(self.written(), before))
        answered = sum(run["answers"] - run["failed"] for run in runs)
        if not answered <= users == acceptances == relationships / 2:
            raise SystemExit(f"{answered} sign-ups answered, but {users} users, {acceptances} acceptances, "
                             f"{relationships} relationships written")
        return runs[-1]

    def add_statements_alone(self):
        batches = self.chosen.users // 10 // loads.BATCH

        def add(name, clients, *what):
            self.add(name, clients, lambda: loads.statements_alone(
                self.database, BIG, *what, clients, self.chosen.seconds, self.folder))
        draw = loads.draw_renamed(batches)
        add("Q pgbench landing, by 10", LANDING_CLIENTS, draw, "landing.sql", "all")
        add("R pgbench landing, ten in one statement", LANDING_CLIENTS, draw, "landing.sql", "one")
        add("P pgbench landing, one by one", LANDING_CLIENTS, draw, "landing.sql", None)
        for clients in SIGNUP_CLIENTS:
            add("pgbench sign-up, pipelined", clients, loads.draw_newcomers(), "signup.sql", "each")

    def run(self):
        for turn in range(self.chosen.rounds):
            for name, connections, measure in self.measurements:
                result = measure()
                self.samples.setdefault((name, connections), []).append(result)
                print(f"{turn + 1}/{self.chosen.rounds} {name} @{connections}: {result['rate']:,.0f}/s", flush=True)
                if result.get("failed"):
                    raise SystemExit(f"{result['failed']} answers of {name} were errors")
        return {key: sorted(samples, key=lambda s: s["rate"])[len(samples) // 2]
                for key, samples in self.samples.items()}


def prepare_kith(binary, name, database, folder):
    folder.mkdir()
    kith = processes.Kith(binary, database.url(name), folder)
    kith.run("migrate")  # Only records that the migrations which psql applied are the binary's own.
    return kith


def add_links(bench, stack, database, folder, chosen, peer):
    """Starts Kith and its peers on both data sets, checks their answers, and adds their measurements."""
    bench.add_http("N nginx return 302", stack.enter_context(processes.nginx(folder)))
    bench.add_statements_alone()
    go, go_process = stack.enter_context(processes.go_peer(peer, database.url(BIG), folder))
    loads.check_answers(go, chosen.users)
    bench.add_http("Go redirect", go, "redirect.lua", chosen.users, connections=(32, 128))
    kith = None if chosen.peers_only else add_kith(bench, stack, database, folder, chosen)
    bench.add_signups("Go sign-up", go, "kith_bench")
    return lambda: {**(kith() if kith else {}), "go_peak_mib": processes.peak_mib(go_process)}


def add_kith(bench, stack, database, folder, chosen):
    kith = prepare_kith(chosen.binary, BIG, database, folder / "kith-big")
    small = prepare_kith(chosen.binary, SMALL, database, folder / "kith-small")
    old = "/users/old0000010?invitedBy=u0000010"
    starts = [kith.seconds_to_first_answer(old) for _ in range(3)]
    key = kith.create_key()
    process = stack.enter_context(kith.serve())
    stack.enter_context(small.serve())

    codes = [(code, int(n)) for code, n in
             (line.split("|") for line in database.psql(
                 BIG, "-c", "SELECT code, n FROM bench.people WHERE renamed ORDER BY random() LIMIT 20000").split())]
    (folder / "codes").write_text("".join(f"{code}\n" for code, _ in codes))
    loads.check(kith.origin, "GET", STATIC_PATH, 200)
    loads.check_answers(kith.origin, chosen.users, codes)
    loads.check_answers(small.origin, chosen.small_users)
    loads.check(kith.origin, "POST", "/v1/signup", 201, body={
        "username": "bench_check", "invite": {"username": "user0000001", "invitedBy": "u0000001"}},
        headers={"Authorization": f"Bearer {key}", "Kith-User": "bench-check", "Content-Type": "application/json"})

    bench.add_http("S static", kith.origin + STATIC_PATH)
    bench.add_http(f"redirect, {chosen.small_users:,} users", small.origin, "redirect.lua", chosen.small_users,
                   connections=(128,))
    bench.add_http("redirect", kith.origin, "redirect.lua", chosen.users, connections=(128, 32))
    # Of ten users only the tenth is renamed.
    bench.add_http("viral link", kith.origin, "redirect.lua", 10)
    bench.add_http("page", kith.origin, "page.lua", chosen.users)
    bench.add_http("short code", kith.origin, "code.lua", folder / "codes")
    bench.add_signups("sign-up", kith.origin, key)
    return lambda: {"peak_mib": processes.peak_mib(process), "first_answer_ms": 1000 * max(starts), "users": chosen.users,
                    "small_users": chosen.small_users}


def add_graph(bench, stack, database, folder, chosen, peer):
    """Does the same for the graph."""
    part = graph.Graph(bench, stack, folder / "graph", peer)
    part.add_peers()
    if chosen.peers_only:
        return dict
    kith, small = (prepare_kith(chosen.binary, name, database, folder / f"kith-{name}") for name in (graph.BIG, graph.SMALL))
    return part.add_kith(kith, small, STATIC_PATH)


def load(chosen, folder):
    """Fills the databases of the chosen parts; returns a description of the big graph."""
    with processes.postgres(folder, processes.LOADING) as database:
        if chosen.only != "graph":
            database.load(SMALL, chosen.small_users)
            database.load(BIG, chosen.users)
        return graph.load(database, chosen) if chosen.only != "links" else None


def verify(chosen, database, folder):
    """Runs `kith verify` on the data written under load."""
    names = {"links": (BIG, SMALL), "graph": (graph.BIG, graph.SMALL), None: (BIG, SMALL, graph.BIG, graph.SMALL)}
    if "verify" not in processes.Kith(chosen.binary, "", folder).run("--help"):
        print("kith verify: this binary has none", flush=True)
        return
    for name in names[chosen.only]:
        started = time.monotonic()
        processes.Kith(chosen.binary, database.url(name), folder).run("verify")
        print(f"kith verify: {name} is whole ({time.monotonic() - started:.0f} s)", flush=True)


def measure(chosen, folder):
    load_before = os.getloadavg()[0]  # Other load on the machine lowers every rate.
    graph_is = load(chosen, folder)
    peer = processes.build_go("peers/go", folder)
    with ExitStack() as stack:
        database = stack.enter_context(processes.postgres(folder))
        bench = Bench(chosen, folder, database)
        add = {"links": [add_links], "graph": [add_graph], None: [add_links, add_graph]}[chosen.only]
        ends = [part(bench, stack, database, folder, chosen, peer) for part in add]
        results = bench.run()
        sizes = {key: value for end in ends for key, value in end().items()}
        if not chosen.peers_only:
            verify(chosen, database, folder)
        version = database.psql("postgres", "-c", "SHOW server_version").strip()
    about = (f"`bench/run.py {' '.join(sys.argv[1:])}`, {date.today()}, {report.machine()}, PostgreSQL {version}; {chosen.users:,} users, "
             f"{chosen.seconds} s a run, median of {chosen.rounds}; load average before: {load_before:.1f}.")
    return results, about, graph_is, sizes, bench.samples


def measure_more(chosen):
    """What has a server and a database of its own: overload, and visits that are counted."""
    if chosen.peers_only or chosen.only == "graph":
        return []
    quick = {"links": 20_000} if chosen.quick else {"links": 1_000_000}
    settings = argparse.Namespace(seconds=chosen.seconds, rounds=chosen.rounds, **quick)
    with tempfile.TemporaryDirectory(prefix="kith-clicks-") as folder:
        runs = clicks.run(chosen.binary, Path(folder), settings)
    with tempfile.TemporaryDirectory(prefix="kith-overload-") as folder:
        rows = overload.run(chosen.binary, Path(folder), chosen.overload_seconds)
    return [("Visits that are counted", clicks.table(runs, settings), ()),
            ("Overload", overload.table(rows), overload.missed(rows))]


def main():
    chosen = options()
    chosen.binary = Path(os.environ.get("KITH_BIN", processes.BENCH.parent / ".build/release/kith")).resolve()
    if not chosen.peers_only and not chosen.binary.exists():
        raise SystemExit(f"{chosen.binary} does not exist: build it with `make bench`, or use --peers-only")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # So that started processes are stopped.
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
        results, about, graph_is, sizes, samples = measure(chosen, Path(folder))
    print("\n" + report.render(results, about, graph_is, sizes), flush=True)
    text = report.render(results, about, graph_is, sizes, measure_more(chosen))
    print("\n" + text)
    runs = [{"name": name, "connections": connections, "samples": found}
            for (name, connections), found in samples.items()]
    (processes.BENCH / "results.json").write_text(json.dumps(
        {"about": about, "graph": graph_is, "sizes": sizes, "runs": runs}, indent=1))
    if chosen.write:
        report.write_readme(text)


if __name__ == "__main__":
    main()
