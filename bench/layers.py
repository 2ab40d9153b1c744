"""Draws where the processor time of an answer goes, beside an older commit: `python3 bench/layers.py FOLDER`.

FOLDER is a checkout of the older commit with a release binary, as for `paired.py`. `perf` says in which function each sample of
Kith is; its module says the layer. PostgreSQL's time is that of its processes. The picture goes to `bench/layers.svg`, and the
table to standard output.
"""

import argparse
import os
import re
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

import paired
import processes

LOADS = ("redirect @32", "redirect @128", "page @128", "page of friends @64", "sign-up @32")
# The first pattern that matches the library and the function, as the linker knows it. What Kith adds to a type of another module
# is Kith's. Only the innermost function of a sample counts, so a `malloc` that Kith causes is the last layer's, as are templates (Mustache).
LAYERS = (
    ("kernel", "#7a8599", r"^\[kernel|^\[vdso"),
    ("Kith", "#3a9a5f", r" \$s(4Kith|7KithCLI|\w+?4KithE)"),
    ("driver", "#2f6fb5", r"^libpq| \$s8Postgres"),
    ("HTTP (NIO, Hummingbird)", "#d9822b", r" (\$s\d+(NIO|Hummingbird|HTTPTypes|DequeModule|Logging|ServiceLifecycle)|c_nio_)"),
    ("Swift runtime, memory, other libraries", "#8c5fb0", r""),
)
POSTGRESQL = ("PostgreSQL", "#c0504d")


def layer(function):
    return next(name for name, _, pattern in LAYERS if re.search(pattern, function))


def shares(recorded):
    """The layers of the samples in a file of `perf record`, as parts of one."""
    report = subprocess.run(["perf", "report", "-i", recorded, "--no-children", "-g", "none", "--no-demangle", "-t", "|", "-F",
                             "sample,dso,symbol", "--stdio"], check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    counts = {}
    for line in report.stdout.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if line.startswith("#") or len(fields) < 3:
            continue
        symbol = re.sub(r"^\[\.\] ", "", fields[2])
        name = layer(f"{fields[1]} {symbol}")
        counts[name] = counts.get(name, 0) + int(fields[0])
    return {name: count / sum(counts.values()) for name, count in counts.items()}


def measure(side, what, load, seconds, folder):
    """Microseconds an answer of each layer."""
    load()
    recorded = folder / "perf.data"
    perf = subprocess.Popen(["perf", "record", "-q", "-F", "1999", "-p", str(side.process.pid), "-o", recorded, "--", "sleep", str(seconds)],
                            stderr=subprocess.DEVNULL)
    result = load()
    perf.wait()
    found = {name: share * result["kith"] for name, share in shares(recorded).items()}
    found[POSTGRESQL[0]] = result["postgres"]
    print(f"{side.name} {what}: {result['rate']:,.0f} a second, {sum(found.values()):.0f} µs", flush=True)
    return found


def drawn(rows):
    """An SVG of bars, two for each load."""
    layers = [(name, color) for name, color, _ in LAYERS] + [POSTGRESQL]
    left, width, height = 230, 620, 24
    groups = []
    for what, found in rows:
        # A sign-up is mostly PostgreSQL's, and a redirect would vanish beside it.
        scale = width / max(sum(one.values()) for one in found.values())
        groups.append((what, found, scale))
    parts, y = [], 64
    for number, (name, color) in enumerate(layers):
        x = 16 + number % 3 * 280
        parts.append(f'<rect x="{x}" y="{12 + number // 3 * 22}" width="14" height="14" fill="{color}"/>'
                     f'<text x="{x + 22}" y="{24 + number // 3 * 22}">{name}</text>')
    for what, found, scale in groups:
        y += 20
        for side, one in found.items():
            parts.append(f'<text x="{left - 10}" y="{y + 17}" text-anchor="end">{what}, {side}</text>')
            x = left
            for name, color in layers:
                part = one.get(name, 0) * scale
                parts.append(f'<rect x="{x:.1f}" y="{y}" width="{part:.1f}" height="{height}" fill="{color}"/>')
                if part > 26:
                    parts.append(f'<text x="{x + part / 2:.1f}" y="{y + 17}" text-anchor="middle" fill="#fff">{one[name]:.0f}</text>')
                x += part
            parts.append(f'<text x="{x + 8:.1f}" y="{y + 17}">{sum(one.values()):,.0f} µs</text>')
            y += height + 4
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 940 {y + 16}" font-family="sans-serif" font-size="14" role="img" '
            f'aria-label="Microseconds of processor time an answer, by layer">'
            f'<rect width="940" height="{y + 16}" fill="#fff"/><g fill="#222">{"".join(parts)}</g></svg>\n')


def table(rows):
    names = [name for name, *_ in LAYERS] + [POSTGRESQL[0]]
    lines = ["| µs an answer | " + " | ".join(names) + " | all |", "|---|" + "--:|" * (len(names) + 1)]
    for what, found in rows:
        older, newer = found.values()
        cells = [f"{older.get(name, 0):.0f} / {newer.get(name, 0):.0f}" for name in names]
        lines.append(f"| {what} | " + " | ".join(cells) + f" | {sum(older.values()):,.0f} / {sum(newer.values()):,.0f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("older", type=Path, help="a checkout of the older commit")
    parser.add_argument("--seconds", type=int, default=6)
    chosen = parser.parse_args()
    here = processes.BENCH.parent
    checkouts = {"older": (chosen.older.resolve(), os.environ.get("KITH_OLDER_BIN")), "newer": (here, os.environ.get("KITH_BIN"))}
    with tempfile.TemporaryDirectory(prefix="kith-layers-") as folder, ExitStack() as stack:
        folder = Path(folder)
        database = stack.enter_context(processes.postgres(folder, {"shared_buffers": "2GB"}))
        sides = {name: paired.Side(name, Path(binary or checkout / ".build/release/kith").resolve(), checkout, database, folder, stack)
                 for name, (checkout, binary) in checkouts.items()}
        loads = {name: side.loads(chosen.seconds) for name, side in sides.items()}
        rows = [(what, {name: measure(side, what, loads[name][what], chosen.seconds, folder) for name, side in sides.items()})
                for what in LOADS]
    (processes.BENCH / "layers.svg").write_text(drawn(rows))
    print("\n" + table(rows))


if __name__ == "__main__":
    main()
