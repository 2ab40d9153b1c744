"""Writes the table of faults, to the terminal and into docs/reliability.md."""

import os

BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"


def milliseconds(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def neighbours(result):
    (_, _, before), (asked, refused, during) = result.before, result.during
    if not asked:
        return "–"
    return f"{milliseconds(before)} → {milliseconds(during)}" + (f", {refused} of {asked} refused" if refused else "")


def cells(result):
    if result.skipped:
        return [result.fault.name, result.fault.title, f"skipped: {result.skipped}"]
    recovery = "never" if result.recovery is None else f"{result.recovery:.2f}"
    title = result.fault.title + (f"; locks freed after {result.held:.1f} s" if result.held else "")
    title += f"; {result.late} answers came before Citus had ended what was cut short" if result.late else ""
    answered = str(result.answered) if result.answered == result.ops else f"{result.answered} of {result.ops}"
    return [result.fault.name, title, answered, f"{result.outage:.1f}", recovery, neighbours(result)]


def line(result):
    text = f"{'ok  ' if result.isGood else 'FAIL'} {'  '.join(cells(result))}"
    findings = [("lost", result.lost), ("doubled", result.doubled), ("wrong", result.wrong), ("missed", result.missed)]
    for word, found in findings:
        text += "".join(f"\n       {word}: {finding}" for finding in found[:6])
        text += f"\n       {word}: … and {len(found) - 6} more" if len(found) > 6 else ""
    return text


def summary(results, seconds):
    ran = [result for result in results if not result.skipped]
    bad = [result.fault.name for result in ran if not result.isGood]
    return (f"{len(ran)} faults in {seconds:.0f} s, {sum(result.ops for result in ran):,} operations, "
            f"{sum(result.answered for result in ran):,} answered, {sum(len(result.lost) for result in ran)} lost, "
            f"{sum(len(result.doubled) for result in ran)} doubled, {sum(len(result.wrong) for result in ran)} wrong; "
            + (f"failed: {', '.join(bad)}" if bad else "all passed"))


def table(results):
    """Without the time until the first write, of which `latest` tells the longest."""
    rows = ["| fault | what happens | answered | longest outage, s | neighbours' p99, ms: before → during |", "|---|---|--:|--:|---|"]
    return "\n".join(rows + ["| " + " | ".join(cells(result)[:4] + cells(result)[5:]) + " |" for result in results])


def latest(results):
    times = [result.recovery for result in results if not result.skipped]
    if None in times:
        return "After a fault no write came."
    return f"The first write came at most {max(times, default=0):.2f} s after the end of a fault."


def write(path, results):
    text = path.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    note = f"{os.cpu_count()} cores, {summary(results, 0).partition(',')[2].strip()}. {latest(results)}"
    path.write_text(f"{before}{BEGIN}\n{note}\n\n{table(results)}\n{END}{after}")
