"""The loads: wrk over HTTP, pgbench over the statements alone, and checks that answers are right."""

import http.client
import json
import os
import random
import re
import subprocess

from processes import BENCH

SCRIPTS = BENCH / "wrk"
MILLISECONDS = {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}
# As in Kith's sessions: a plan that was made while a table was empty would read all of it later.
LOOK_UP = "-c enable_seqscan=off"
BATCH = 10  # People that a pgbench script draws at a time, and statements that Q sends together.


def wrk(url, connections, seconds, script=None, *arguments):
    """Runs wrk once; returns the rate, latencies in ms, and the number of failed requests."""
    command = ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "10s"]
    command += ["-s", SCRIPTS / script] if script else []
    output = subprocess.run([*map(str, command), url, "--", *map(str, arguments)], check=True, text=True,
                            stdout=subprocess.PIPE, env=dict(os.environ, WRK_SCRIPTS=str(SCRIPTS))).stdout
    latency = {percent: float(value) * MILLISECONDS[unit]
               for percent, value, unit in re.findall(r"^\s+(50|99)%\s+([\d.]+)(us|ms|s|m) *$", output, re.M)}
    failed = sum(map(int, re.findall(r"Non-2xx or 3xx responses: (\d+)", output)))
    failed += sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", output)))
    return {"rate": float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]),
            "answers": int(re.search(r"(\d+) requests in", output)[1]),
            "p50": latency["50"], "p99": latency["99"], "failed": failed}


def pgbench(database, name, script, clients, seconds, folder, options=f"-c plan_cache_mode=force_generic_plan {LOOK_UP}"):
    """Runs pgbench; returns scripts a second."""
    path = folder / "script.sql"
    path.write_text(script)
    command = ["pgbench", "-n", "-M", "prepared", "-c", clients, "-j", 2, "-T", seconds, "-f", path, name]
    # PostgreSQL plans a prepared statement anew for its first five executions, which would distort a short run.
    environment = dict(database.environment, PGOPTIONS=options)
    done = subprocess.run([*map(str, command)], env=environment, text=True, capture_output=True)
    if done.returncode or "number of failed transactions: 0 " not in done.stdout:
        raise SystemExit(done.stderr[-2000:] or done.stdout)
    rate = re.search(r"^tps = ([\d.]+)", done.stdout, re.M)
    if not rate or not float(rate[1]):
        raise SystemExit(f"pgbench completed nothing in {seconds} s:\n{done.stdout}")
    return float(rate[1])


def copies(script, pipelined):
    """Repeats the statements for each person of a batch: `:id` becomes `:id0` … `:id9`. A pipeline holds all copies, or one
    transaction. If they are one statement, its arrays hold all people."""
    text = re.sub(r"(?m)^--.*\n", "", (BENCH / "pgbench" / script).read_text())
    if pipelined == "one":
        return re.sub(r"ARRAY\[:([a-z_]+)\]", lambda name: f"ARRAY[{', '.join(f':{name[1]}{i}' for i in range(BATCH))}]", text)
    each = [re.sub(r"(?<!:):([a-z_]+)\b", rf":\g<1>{i}", text) for i in range(BATCH)]
    if pipelined == "each":
        each = [re.sub(r"(?s)BEGIN;.*?COMMIT;\n", r"\\startpipeline\n\g<0>\\endpipeline\n", one) for one in each]
    joined = "".join(each)
    return f"\\startpipeline\n{joined}\\endpipeline\n" if pipelined == "all" else joined


def draw_renamed(batches):
    columns = ", ".join(f"ids[{i + 1}] AS id{i}, names[{i + 1}] AS name{i}" for i in range(BATCH))
    return f"\\set batch random(1, {batches})\nSELECT {columns} FROM bench.draws WHERE batch = :batch \\gset\n"


def draw_newcomers():
    names = "uid id name code inviter_id inviter_name low_id low_uid high_id high_uid".split()
    columns = ", ".join(f"p{i}.{name} AS {name}{i}" for i in range(BATCH) for name in names)
    people = ", ".join(f"bench.newcomer() p{i}" for i in range(BATCH))
    return f"SELECT {columns} FROM {people} \\gset\n"


def draw_listers(batches):
    columns = ", ".join(f"ids[{i + 1}] AS id{i}" for i in range(BATCH))
    return f"\\set batch random(1, {batches})\nSELECT {columns} FROM bench.lister_draws WHERE batch = :batch \\gset\n"


def draw_strangers(sequence):
    columns = ", ".join(f"{name}s[{i + 1}] AS {name}{i}"
                        for i in range(BATCH) for name in ("low_id", "low_uid", "high_id", "high_uid"))
    return (f"SELECT {columns} FROM bench.stranger_draws\n"
            f"WHERE batch = (SELECT nextval('bench.{sequence}')) \\gset\n")


def statements_alone(database, name, draw, script, pipelined, clients, seconds, folder, draw_alone=None):
    """Measures people served a second, without the time for drawing them, which is measured separately and subtracted."""
    draws = pgbench(database, name, draw_alone or draw, clients, max(1, seconds // 2), folder)
    both = pgbench(database, name, draw + copies(script, pipelined), clients, seconds, folder)
    return {"rate": BATCH / (1 / both - 1 / draws), "raw": BATCH * both}


def request(origin, method, path, body=None, headers={}):
    connection = http.client.HTTPConnection(origin.removeprefix("http://"), timeout=10)
    try:
        connection.request(method, path, body and json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, response.getheader("Location", ""), response.read()
    finally:
        connection.close()


def check(origin, method, path, status, location="", **options):
    found = request(origin, method, path, **options)
    if found[0] != status or not found[1].endswith(location):
        raise SystemExit(f"wrong answer of {origin} to {method} {path}: {found}, not {status} {location}")


def check_answers(origin, users, codes=(), samples=50):
    """Checks on a sample that redirects lead to the right place; wrk itself counts only error statuses."""
    for _ in range(samples):
        n = random.randrange(10, users + 1, 10)
        query = f"?invitedBy=u{n:07}&utm_source=qr&x=%2f+%C3%A9"
        check(origin, "GET", f"/users/old{n:07}{query}", 302, f"/users/user{n:07}{query}")
        check(origin, "GET", f"/users/user{n:07}?invitedBy=u{n:07}", 200)
        check(origin, "GET", f"/users/old{n:07}?invitedBy=u{n - 1:07}", 404)
    for code, n in random.sample(codes, min(samples, len(codes))):
        check(origin, "GET", f"/{code}", 302, f"/users/user{n:07}?invitedBy=u{n:07}&code={code}")


def check_page(origin, key, uids, samples=20):
    """Checks that a page of friends has 50 of them, newest first."""
    for uid in random.sample(uids, min(samples, len(uids))):
        status, _, body = request(origin, "GET", "/v1/friends?limit=50",
                                  headers={"Authorization": f"Bearer {key}", "Kith-User": uid})
        friends = json.loads(body)["friends"] if status == 200 else []
        times = [friend["since"] for friend in friends]
        if len({friend["uid"] for friend in friends}) != 50 or times != sorted(times, reverse=True):
            raise SystemExit(f"wrong page of friends of {uid} from {origin}: {status}, {body[:200]}")
