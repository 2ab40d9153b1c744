"""Measures the graph: pages of friends, new friendships, walks, and how walks slow down redirects."""

import itertools
import json
import subprocess

import loads
import processes

BIG, SMALL = "graph", "graph_small"
EACH = 100  # Friends of each user in the small graph.
CONNECTIONS, CLIENTS = 64, 8  # The numbers with which the peers were measured.
PACED = 32
PAIRS = 300_000  # Strangers to befriend; the first half over HTTP.
# Walks, and how many to send in a second: well below the machine's limit, so that times do not include queueing.
WALKS = {
    "mutual friends": 300,
    "path": 200,
    "suggestions, median user": 100,
    "suggestions, best connected": 10,
}
MOST = {"mutual friends": 2, "path": 10, "suggestions, median user": 10, "suggestions, best connected": 50}  # Most p99, in ms.
REDIRECTS = 2000  # A second, with and without walks.

STATIC = "static, small graph", CONNECTIONS
PAGE_ALONE = "pgbench page of 50 friends, small graph, by 10", CLIENTS
GO_PAGE = "Go page of 50 friends, small graph", CONNECTIONS
SMALL_PAGE = "page of 50 friends, small graph", CONNECTIONS
BIG_PAGE = "page of 50 friends", CONNECTIONS
BEFRIEND_ALONE = [("pgbench befriend", CLIENTS), ("pgbench befriend", PACED)]  # The better one counts.
BEFRIEND = "befriend", PACED
WALKED = "paced redirect during walks", PACED
ORDER = ("static, small", "pgbench page of 50", "Go page of 50", "page of 50 friends, small", "page of 50", "pgbench befriend",
         "befriend", *WALKS, "paced redirect")
# Fills the cache as on a server that has run for a while; otherwise the first read of a user's friends waits for the disk.
PREWARM = "SELECT pg_prewarm(name::regclass) FROM unnest('{relationships_friends,users,users_pkey}'::text[]) name"
TARGETS = {
    "mutual friends": """
        SELECT '/v1/friends/' || other.uid || '/mutual?limit=1 ' || me.uid
        FROM (SELECT id, uid FROM bench.degrees ORDER BY random() LIMIT 2000) me,
             LATERAL (SELECT other_id FROM relationships WHERE user_id = me.id ORDER BY random() LIMIT 1) friend,
             LATERAL (SELECT r.other_uid AS uid FROM relationships r
                      WHERE r.user_id = friend.other_id AND r.other_id <> me.id ORDER BY random() LIMIT 1) other""",
    "path": """
        SELECT '/v1/friends/' || other.uid || '/path ' || me.uid
        FROM (SELECT uid, row_number() OVER (ORDER BY random()) AS n FROM bench.degrees LIMIT 2000) me
        JOIN (SELECT uid, row_number() OVER (ORDER BY random()) AS n FROM bench.degrees LIMIT 2000) other USING (n)
        WHERE me.uid <> other.uid""",
    "suggestions, median user": """
        SELECT '/v1/suggestions ' || uid FROM bench.degrees
        WHERE friends = (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY friends) FROM bench.degrees)
        ORDER BY random() LIMIT 2000""",
    "suggestions, best connected": """
        SELECT '/v1/suggestions ' || uid FROM (
            SELECT uid FROM bench.degrees ORDER BY friends DESC LIMIT 100) best ORDER BY random()""",
    "redirect": """
        SELECT '/users/' || old_name || '?invitedBy=' || uid || '&utm_source=qr'
        FROM bench.people WHERE renamed ORDER BY random() LIMIT 20000""",
}


def load(database, chosen):
    database.load(SMALL, chosen.graph_small_users)
    database.load_graph(SMALL, chosen.graph_small_users, chosen.graph_small_users * EACH, pairs=1000, each=EACH)
    database.load(BIG, chosen.users)
    return database.load_graph(BIG, chosen.users, chosen.rows, pairs=PAIRS)


class Graph:
    """Adds the measurements of the graph to a bench."""

    def __init__(self, bench, stack, folder, peer):
        self.bench, self.stack, self.folder, self.peer = bench, stack, folder, peer
        self.database, self.chosen = bench.database, bench.chosen
        self.pairs_used = 0
        folder.mkdir()
        for name in (BIG, SMALL):
            self.database.psql(name, "-c", "CREATE EXTENSION pg_prewarm", "-c", PREWARM)
            self.write(f"listers-{name}", name, "SELECT uid FROM bench.listers")
        for name, query in TARGETS.items():
            self.write(name, BIG, query)

    def write(self, file, database, query):
        """Writes rows into a file for wrk or the pacer."""
        (self.folder / file).write_text(self.database.psql(database, "-c", query))

    def add_pages(self, name, origin, key, *, of, connections=(CONNECTIONS,)):
        loads.check_page(origin, key, (self.folder / f"listers-{of}").read_text().split())
        self.bench.add_http(name, origin, "friends.lua", self.folder / f"listers-{of}", key, connections=connections)

    def add_peers(self):
        batches = int(self.database.psql(SMALL, "-c", "SELECT count(*) FROM bench.lister_draws"))
        self.add_alone(PAGE_ALONE, SMALL, loads.draw_listers(batches), "friends.sql", "all")
        for place in BEFRIEND_ALONE:
            self.add_alone(place, BIG, loads.draw_strangers("befriended"), "befriend.sql", "each",
                           loads.draw_strangers("only_drawn"))
        go, _ = self.stack.enter_context(processes.go_peer(self.peer, self.database.url(SMALL), self.folder))
        self.add_pages(GO_PAGE[0], go, "kith_bench", of=SMALL)

    def add_alone(self, place, database, draw, script, pipelined, draw_alone=None):
        self.bench.add(*place, lambda: loads.statements_alone(
            self.database, database, draw, script, pipelined, place[1], self.chosen.seconds, self.folder, draw_alone))

    def add_kith(self, kith, small, static_path):
        self.key, self.kith = kith.create_key(), kith
        process = self.stack.enter_context(kith.serve())
        self.stack.enter_context(small.serve())
        self.pace = processes.build_go("pace", self.folder)
        self.bench.add_http(STATIC[0], small.origin + static_path, connections=(CONNECTIONS,))
        self.add_pages(SMALL_PAGE[0], small.origin, small.create_key(), of=SMALL)
        self.add_pages(BIG_PAGE[0], kith.origin, self.key, of=BIG, connections=(CONNECTIONS, 32))
        self.bench.add(*BEFRIEND, lambda: self.checked_friendships(BEFRIEND[1]))
        for name, rate in WALKS.items():
            self.bench.add(name, PACED, lambda name=name, rate=rate: self.paced(name, rate))
        self.bench.add("paced redirect", PACED, lambda: self.paced("redirect", REDIRECTS))
        self.bench.add(*WALKED, self.redirects_during_walks)
        return lambda: {"graph_peak_mib": processes.peak_mib(process)}

    def pacer(self, targets, rate, connections=PACED, seconds=None):
        return [self.pace, "-origin", self.kith.origin, "-targets", self.folder / targets, "-key", self.key, "-rate", rate,
                "-connections", connections, "-seconds", seconds or self.chosen.seconds,
                "-warmup", max(1, self.chosen.seconds // 4)]

    def paced(self, targets, rate):
        output = subprocess.check_output(list(map(str, self.pacer(targets, rate))), text=True)
        return json.loads(output)

    def redirects_during_walks(self):
        """Measures redirects while suggestions for the best connected users keep both connections of the lane `walks` busy."""
        command = self.pacer("suggestions, best connected", 0, connections=4, seconds=3600)
        with processes.running(command, self.folder / "walks.log") as walks:
            result = self.paced("redirect", REDIRECTS)
            if walks.poll() is not None:
                raise SystemExit((self.folder / "walks.log").read_text())
        return result

    def checked_friendships(self, connections):
        """Measures befriending, and checks that each answered act is in both rows of its pair."""
        result = {}
        for seconds in (max(1, self.chosen.seconds // 4), self.chosen.seconds):
            count = min(PAIRS // 2 - self.pairs_used, 5_000 * seconds)
            first, self.pairs_used = self.pairs_used, self.pairs_used + count
            span = f"n >= {first} AND n < {first + count}"
            self.write("strangers", BIG, f"SELECT low_uid || ' ' || high_uid FROM bench.strangers WHERE {span} ORDER BY n")
            result = loads.wrk(self.kith.origin, connections, seconds, "befriend.lua", self.folder / "strangers", self.key, 50)
            friends, asked, torn = map(int, self.database.psql(BIG, "-c", f"""
                SELECT count(*) FILTER (WHERE one.since IS NOT NULL), count(*) FILTER (WHERE one.since IS NULL),
                       count(*) FILTER (WHERE (one.since, one.i_want, one.they_want)
                                  IS DISTINCT FROM (two.since, two.they_want, two.i_want))
                FROM bench.strangers JOIN relationships one ON (one.user_id, one.other_id) = (low_id, high_id)
                LEFT JOIN relationships two ON (two.user_id, two.other_id) = (high_id, low_id) WHERE {span}""").split("|"))
            answered = result["answers"] - result["failed"]
            if torn or not answered <= 2 * friends + asked <= answered + connections:
                raise SystemExit(f"{answered} acts answered, but {friends} friendships and {asked} requests written, "
                                 f"{torn} of them different in their two rows")
        return dict(result, rate=result["rate"] / 2)
