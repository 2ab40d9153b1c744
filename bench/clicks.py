"""Measures what the record of a click costs, and statistics over many clicks: `python3 bench/clicks.py`."""

import argparse
import os
import statistics
import tempfile
import time
import urllib.parse
from pathlib import Path

import loads
import processes
import report

NAME, USERS, CONNECTIONS = "clicks", 100_000, 128
LANDING = f"Q pgbench landing of {USERS:,} users, by 10"
LINKS = """
    INSERT INTO links (code, domain, kind, parameters)
    SELECT substr(translate(encode(sha256(('link' || n)::bytea), 'base64'), '+/=', 'xyz'), 1, 8), '{domain}', 'short',
           jsonb_build_object('link', 'https://app.example.com/party?id=' || n)
    FROM generate_series(1, {count}) AS n"""
VIRAL = """
    INSERT INTO links (code, domain, kind, parameters)
    VALUES ('viral', '{domain}', 'custom', '{{"link": "https://app.example.com/party"}}')"""
# The clicks of one link, evenly over the last year.
CLICKS = """
    INSERT INTO counts (subject, measure, day, count, parts)
    SELECT '{url}', 'links.' || event, current_date - ago, {count} / 730,
           format('{{"platform":{{"ios":%1$s,"android":%1$s,"desktop":%1$s,"other":%1$s}}}}', {count} / 2920)
    FROM generate_series(0, 364) AS ago, unnest(ARRAY['page', 'redirect']) AS event;"""


def measure(kith, database, folder, chosen):
    """Returns the runs of each load by its name."""
    def visit(file, kind):
        return lambda: loads.wrk(kith.origin, CONNECTIONS, chosen.seconds, "visit.lua", folder / file, kind)

    def write(file, lines):
        (folder / file).write_text("".join(f"{line}\n" for line in lines))
    codes = database.psql(NAME, "-c", "SELECT code FROM links ORDER BY random() LIMIT 20000").split()
    write("links", (f"/l/{code}" for code in codes))
    write("one", [f"/l/{codes[0]}"])
    write("pages", (f"/users/user{n:07}?invitedBy=u{n:07}" for n in range(1, USERS + 1, 10)))
    loads.check(kith.origin, "GET", f"/l/{codes[0]}", 302, headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0 Safari/537.36"})
    measurements = {
        "S static": lambda: loads.wrk(kith.origin + "/robots.txt", CONNECTIONS, chosen.seconds),
        LANDING: lambda: loads.statements_alone(
            database, NAME, loads.draw_renamed(USERS // 10 // loads.BATCH), "landing.sql", "all", 8, chosen.seconds, folder),
    }
    for what, file in [("short link", "links"), ("one short link", "one"), ("page of an invite", "pages")]:
        measurements[f"{what}, not counted"] = visit(file, "ahead")
        measurements[f"{what}, counted"] = visit(file, "person")
    runs = {name: [] for name in measurements}
    for turn in range(chosen.rounds):
        for name, run in measurements.items():
            found = run()
            if found.get("failed"):
                raise SystemExit(f"{found['failed']} answers of {name} were errors")
            runs[name].append(found)
            print(f"{turn + 1}/{chosen.rounds} {name}: {found['rate']:,.0f}/s", flush=True)
    return runs


def middle(runs, name, key="rate"):
    return statistics.median(run[key] for run in runs[name])


def ratio(runs, name, of):
    return statistics.median(run["rate"] / other["rate"] for run, other in zip(runs[name], runs[of]))


def bound(runs):
    """L of a landing; a short link is one look-up by a key, too."""
    return report.limit({"rate": middle(runs, "S static")}, {"rate": middle(runs, LANDING)})


def table(runs, chosen):
    lines = [f"{CONNECTIONS} connections, {USERS:,} users and {chosen.links:,} short links; rates and ratios are each the median of "
             f"{chosen.rounds} runs of {chosen.seconds} s. L is that of a landing. In brackets is what is wanted of what is counted.", "",
             "| what | rate /s | p50 ms | p99 ms (< 20) | of not counted (≥ 0.6) | of L (≥ 0.5) |", "|---|--:|--:|--:|--:|--:|"]
    for name in runs:
        other = name.replace(", counted", ", not counted")
        is_counted = name != other
        cell = lambda value, met: report.mark(f"{value:.2f}", met or not is_counted)
        p50, p99 = (middle(runs, name, key) if key in runs[name][0] else None for key in ("p50", "p99"))
        cells = [f"{p50:.2f}", cell(p99, p99 < 20)] if p50 else ["", ""]
        cells += [cell(ratio(runs, name, other), ratio(runs, name, other) >= 0.6)] if is_counted else [""]
        of_limit = middle(runs, name) / bound(runs)
        cells += [cell(of_limit, of_limit >= 0.5)] if "short link," in name else [""]
        lines.append(f"| {name} | {middle(runs, name):,.0f} | {' | '.join(cells)} |")
    return [*lines, f"| L = 1/(1/S + 1/Q) | {bound(runs):,.0f} | | | | 1 |"]


def tell_statistics(kith, database, key, domain, chosen):
    url, started = f"{domain}/viral", time.monotonic()
    database.psql(NAME, "-c", VIRAL.format(domain=domain), "-c", CLICKS.format(url=url, count=chosen.clicks), "-c", "VACUUM ANALYZE counts")
    print(f"\n{chosen.clicks:,} clicks of one link over a year, loaded in {time.monotonic() - started:.0f} s")
    path = f"/fdl/v1/{urllib.parse.quote(url, safe='')}/linkStats?durationDays=365&key={key}"
    loads.check(kith.origin, "GET", path, 200)
    found = loads.wrk(kith.origin + path, 2, chosen.seconds)
    print(f"linkStats of 365 days: p50 {found['p50']:.2f} ms, p99 {found['p99']:.2f} ms; "
          f"{len(loads.request(kith.origin, 'GET', path)[2]):,} bytes")


def run(binary, folder, chosen, then=lambda *_: None):
    """Returns the runs of each load, of a server and a database of its own; `then` may measure more of them."""
    with processes.postgres(folder) as database:
        database.load(NAME, USERS)
        kith = processes.Kith(binary, database.url(NAME), folder)
        domain = f"{kith.origin}/l"
        kith.environment.update(
            KITH_LINK_DOMAINS=domain, KITH_APP_URL="https://app.example.com/", KITH_ANDROID_PACKAGE="com.example.app",
            KITH_IOS_TEAM_ID="ABCDE12345", KITH_IOS_BUNDLE_ID="com.example.app")
        database.psql(NAME, "-c", LINKS.format(domain=domain, count=chosen.links),
                      "-c", "VACUUM ANALYZE links", "-c", "CHECKPOINT")
        key = kith.create_key()
        with kith.serve():
            runs = measure(kith, database, folder, chosen)
            then(runs, kith, database, key, domain)
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=5, help="length of a run")
    parser.add_argument("--rounds", type=int, default=5, help="how often to measure each")
    parser.add_argument("--links", type=int, default=1_000_000, help="short links of the domain")
    parser.add_argument("--clicks", type=int, default=10_000_000, help="clicks of one link")
    chosen = parser.parse_args()
    binary = Path(os.environ.get("KITH_BIN", processes.BENCH.parent / ".build/release/kith")).resolve()

    def then(runs, kith, database, key, domain):
        print("\n" + "\n".join(table(runs, chosen)))
        tell_statistics(kith, database, key, domain, chosen)
    with tempfile.TemporaryDirectory(prefix="kith-clicks-") as folder:
        run(binary, Path(folder), chosen, then)


if __name__ == "__main__":
    main()
