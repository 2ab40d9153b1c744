"""Turns the measurements into tables, and puts them into README.md."""

import platform
import re
from pathlib import Path

README = Path(__file__).parent / "README.md"
ORDER = ("S ", "N ", "Q ", "P ", "redirect", "Go redirect", "page", "short code", "sign-up", "pgbench sign-up", "Go")
START, END = "<!-- results: written by `run.py --write` -->", "<!-- end of results -->"


def machine():
    cpu = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", cpu)
    cores = len(re.findall(r"^processor", cpu, re.M))
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) / 1024**2
    system = re.search(r'PRETTY_NAME="(.*)"', Path("/etc/os-release").read_text())[1]
    return (f"{cores} cores ({model[1] if model else platform.machine()}), {memory:.0f} GiB of memory, {system}, "
            f"Linux {platform.release()}")


def limit(results, connections):
    """L: the rate that the server's HTTP half and PostgreSQL's half alone would allow together."""
    static, statements = results.get(("S static", connections)), results.get(("Q pgbench landing, by 10", 8))
    return 1 / (1 / static["rate"] + 1 / statements["rate"]) if static and statements else None


def main_table(results):
    lines = ["| what | connections | rate /s | p50 ms | p99 ms | of L |", "|---|--:|--:|--:|--:|--:|"]
    place = lambda key: next(i for i, start in enumerate(ORDER) if key[0].startswith(start))
    for name, connections in sorted(results, key=place):
        result = results[name, connections]
        latency = [f"{result[p]:.2f}" if p in result else "–" for p in ("p50", "p99")]
        against = "–"
        if (name.startswith("redirect") or name in ("page", "short code")) and limit(results, connections):
            against = f"{result['rate'] / limit(results, connections):.2f}"
        cells = [name, str(connections), f"{result['rate']:,.0f}", *latency, against]
        lines.append(f"| {' | '.join(cells)} |")
    for connections in (32, 128):
        if limit(results, connections):
            lines.append(f"| L = 1/(1/S + 1/Q) | {connections} | {limit(results, connections):,.0f} | – | – | 1 |")
    return lines


def targets(results, kith):
    """The speed and size to reach, each with what was reached."""
    redirect, go = results["redirect", 128], results["Go redirect", 128]
    small = next(r for (name, _), r in results.items() if name.startswith("redirect, "))
    signups = max(r["rate"] for (name, _), r in results.items() if name == "sign-up")
    signups_alone = max(r["rate"] for (name, _), r in results.items() if name.startswith("pgbench sign-up"))
    slower = 1 - redirect["rate"] / small["rate"]
    rows = [
        ("redirect at 128: of L", "≥ 0.70", redirect["rate"] / limit(results, 128), lambda x: x >= 0.70),
        ("redirect at 128: of Go's rate", "≥ 1.1", redirect["rate"] / go["rate"], lambda x: x >= 1.1),
        ("redirect at 128: p99 of Go's p99", "≤ 0.5", redirect["p99"] / go["p99"], lambda x: x <= 0.5),
        ("sign-up: of pgbench's rate", "≥ 0.5", signups / signups_alone, lambda x: x >= 0.5),
        ("server's memory at its peak, MiB", "< 100", kith["peak_mib"], lambda x: x < 100),
        ("start to first answer, ms", "< 300", kith["first_answer_ms"], lambda x: x < 300),
        ("redirect slower than with few users, %", "< 10", 100 * slower, lambda x: x < 10),
    ]
    return ["| target | wanted | reached | met |", "|---|--:|--:|---|",
            *(f"| {name} | {wanted} | {value:.2f} | {'yes' if met(value) else '**no**'} |"
              for name, wanted, value, met in rows)]


def render(results, about, kith, peak_go_mib):
    lines = [about, "", *main_table(results), ""]
    if kith:
        lines += [*targets(results, kith), ""]
    return "\n".join(lines + [f"Go's memory at its peak: {peak_go_mib:.0f} MiB."])


def write_readme(text):
    readme = README.read_text()
    before, after = readme.split(START)[0], readme.split(END)[1]
    README.write_text(f"{before}{START}\n{text}\n{END}{after}")
