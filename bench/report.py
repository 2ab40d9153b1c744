"""Formats the measurements as tables, and writes them into README.md."""

import platform
import re
from pathlib import Path

import graph

README = Path(__file__).parent / "README.md"
LINKS = ("S ", "N ", "Q ", "R ", "P ", "redirect", "viral link", "Go redirect", "page", "short code", "sign-up", "pgbench sign-up", "Go")
CONNECTIONS = (32, 128)
START, END = "<!-- results: written by `run.py --write` -->", "<!-- end of results -->"


def machine():
    cpu = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", cpu)
    cores = len(re.findall(r"^processor", cpu, re.M))
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) / 1024**2
    system = re.search(r'PRETTY_NAME="(.*)"', Path("/etc/os-release").read_text())[1]
    return (f"{cores} cores ({model[1] if model else platform.machine()}), {memory:.0f} GiB of memory, {system}, "
            f"Linux {platform.release()}")


def limit(static, statements):
    """L: the rate that the server's HTTP half and PostgreSQL's half, each measured alone, allow together."""
    return 1 / (1 / static["rate"] + 1 / statements["rate"]) if static and statements else None


def landing_limit(results, connections, statements="Q pgbench landing, by 10"):
    return limit(results.get(("S static", connections)), results.get((statements, 8)))


def page_limit(results):
    return limit(results.get(graph.STATIC), results.get(graph.PAGE_ALONE))


def by_order(results, order):
    """The keys of the results, in the order of the prefixes in `order`."""
    return sorted(results, key=lambda key: next(i for i, start in enumerate(order) if key[0].startswith(start)))


def rows(results, order, limit_of):
    """Yields the lines of a table, in the order of `order`; `limit_of` returns a line's L, if it has one."""
    for key in by_order(results, order):
        result = results[key]
        latency = [f"{result[p]:.2f}" if p in result else "" for p in ("p50", "p99")]
        of = limit_of(*key)
        yield [f"{key[0]} @{key[1]}", f"{result['rate']:,.0f}", *latency, f"{result['rate'] / of:.2f}" if of else ""]


def row(cells):
    return "|".join(["", *(f" {cell} " if cell else " " for cell in cells), ""])


def table(lines):
    heading = ["| what @connections | rate /s | p50 ms | p99 ms | of L |", "|---|--:|--:|--:|--:|"]
    return heading + [row(cells) for cells in lines]


def beside(name, results, limits):
    """A line of what was measured with each number of connections, with what it is of L if there are limits."""
    of = [result and limit and f"{result['rate'] / limit:.2f}" for result, limit in zip(results, limits)]
    told = [result and text.format(result[what]) for what, text in (("rate", "{:,.0f}"), ("p50", "{:.2f}"), ("p99", "{:.2f}"))
            for result in results]
    return row([name, *told, *of])


def links_table(results):
    """What has latencies as a table, with 32 and 128 connections side by side; statements alone as a sentence."""
    # The small data set has another Q.
    has_limit = lambda name: name in ("redirect", "page", "short code")
    keys = by_order(results, LINKS)
    alone = [f"{name.replace('pgbench ', '')} @{n}: {results[name, n]['rate']:,.0f}" for name, n in keys if "p50" not in results[name, n]]
    lines = ["| what | rate /s @32 | @128 | p50 ms @32 | @128 | p99 ms @32 | @128 | of L @32 | @128 |",
             "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    limits = [landing_limit(results, n) for n in CONNECTIONS]
    for name in dict.fromkeys(name for name, n in keys if "p50" in results[name, n]):
        lines.append(beside(name, [results.get((name, n)) for n in CONNECTIONS], limits if has_limit(name) else (None, None)))
    grouped = [landing_limit(results, n, "R pgbench landing, ten in one statement") for n in CONNECTIONS]
    for name, mosts in (("L = 1/(1/S + 1/Q)", limits), ("1/(1/S + 1/R)", grouped)):
        if all(mosts) and all(limits):
            of = [f"{most / limit:.3g}" for most, limit in zip(mosts, limits)]
            lines.append(row([name, *(f"{most:,.0f}" for most in mosts), *[""] * 4, *of]))
    return lines + (["", f"Pgbench alone, a second, @clients: {'; '.join(alone)}."] if alone else [])


def graph_table(results):
    lines = list(rows(results, graph.ORDER, lambda *key: page_limit(results) if key == graph.SMALL_PAGE else None))
    of = page_limit(results)
    return table(lines + ([[f"L of a page, small graph @{graph.CONNECTIONS}", f"{of:,.0f}", "", "", "1"]] if of else []))


def mark(text, is_met):
    """What misses its target is bold."""
    return text if is_met else f"**{text}**"


def targets(lines):
    """`value` is None if there was nothing to measure: then the target is missed, too."""
    tell = lambda value, met: mark("", False) if value is None else mark(f"{value:.2f}", met(value))
    return ["| target | wanted | reached |", "|---|--:|--:|",
            *(f"| {name} | {wanted} | {tell(value, met)} |" for name, wanted, value, met in lines)]


def links_targets(results, sizes):
    """The targets of speed and size, each with the measured value."""
    redirect, go = results["redirect", 128], results["Go redirect", 128]
    small = next(r for (name, _), r in results.items() if name.startswith("redirect, "))
    signups = max(r["rate"] for (name, _), r in results.items() if name == "sign-up")
    signups_alone = max(r["rate"] for (name, _), r in results.items() if name.startswith("pgbench sign-up"))
    slower = 1 - redirect["rate"] / small["rate"]
    static, nginx = results["S static", 128], results["N nginx return 302", 128]
    few = results["redirect", 32]["rate"] / landing_limit(results, 32)
    viral = results["viral link", 128]["rate"] / static["rate"]
    return targets([
        ("static at 128: of nginx", "≥ 0.42", static["rate"] / nginx["rate"], lambda x: x >= 0.42),
        ("redirect at 128: of L", "≥ 0.95", redirect["rate"] / landing_limit(results, 128), lambda x: x >= 0.95),
        ("redirect at 32: of L", "≥ 0.85", few, lambda x: x >= 0.85),
        ("redirect at 128: of Go's rate", "≥ 2", redirect["rate"] / go["rate"], lambda x: x >= 2),
        ("redirect at 128: p99 of Go's p99", "≤ 0.33", redirect["p99"] / go["p99"], lambda x: x <= 0.33),
        ("one viral link at 128: of static", "≥ 0.9", viral, lambda x: x >= 0.9),
        ("sign-up: of pgbench's rate", "≥ 1", signups / signups_alone, lambda x: x >= 1),
        ("server's memory at its peak, MiB", "< 64", sizes["peak_mib"], lambda x: x < 64),
        ("start to first answer, ms", "< 150", sizes["first_answer_ms"], lambda x: x < 150),
        (f"redirect slower with {sizes['users']:,} users than with {sizes['small_users']:,}, %", "< 10", 100 * slower,
         lambda x: x < 10),
    ])


def graph_targets(results, sizes):
    page, go = results[graph.SMALL_PAGE], results[graph.GO_PAGE]
    dearer = page["rate"] / results[graph.BIG_PAGE]["rate"] - 1
    befriend = results[graph.BEFRIEND]["rate"] / max(results[place]["rate"] for place in graph.BEFRIEND_ALONE)
    p99 = {name: results[name, graph.PACED]["p99"] for name in graph.WALKS}
    walks = [(f"{name}: p99, ms", f"< {most}", p99[name], lambda x, most=most: x < most)
             for name, most in graph.MOST.items()]
    return targets([
        ("page of 50 friends: of L", "≥ 0.8", page["rate"] / page_limit(results), lambda x: x >= 0.8),
        ("page of 50 friends: of Go's rate", "≥ 1.1", page["rate"] / go["rate"], lambda x: x >= 1.1),
        ("page of 50 friends dearer in the big graph, %", "< 15", 100 * dearer, lambda x: x < 15),
        ("befriend: of pgbench's rate", "≥ 1", befriend, lambda x: x >= 1),
        *walks,
        ("server's memory at its peak, MiB", "< 64", sizes["graph_peak_mib"], lambda x: x < 64),
    ])


def render(results, about, graph_is, sizes, more=()):
    """`more` has a heading, a table that says what is wanted, and the targets missed, of each program that measures on its own."""
    of_graph = {key: result for key, result in results.items() if key[0].startswith(graph.ORDER)}
    of_links = {key: result for key, result in results.items() if key not in of_graph}
    lines = [about, ""]
    if of_links:
        lines += [*links_table(of_links), ""]
    if "peak_mib" in sizes:
        lines += [*links_targets(of_links, sizes), ""]
    if "go_peak_mib" in sizes:
        lines += [f"Go's memory at its peak: {sizes['go_peak_mib']:.0f} MiB.", ""]
    if of_graph:
        lines += ["### The graph", "", f"The big graph: {graph_is}.", "", *graph_table(of_graph), ""]
    if "graph_peak_mib" in sizes:
        lines += [*graph_targets(of_graph, sizes), ""]
    for heading, rows, wanted in more:
        lines += [f"### {heading}", "", *rows, ""] + ([*targets(wanted), ""] if wanted else [])
    return "\n".join(lines).rstrip()


def write_readme(text):
    readme = README.read_text()
    before, after = readme.split(START)[0], readme.split(END)[1]
    README.write_text(f"{before}{START}\n{text}\n{END}{after}")
