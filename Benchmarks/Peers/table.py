"""Reads lines of rotload's and prints a table in Markdown: medians over the rounds, CPU beside the first server's."""
import re
import statistics
import sys

runs = {}
for line in sys.stdin:
    figures = dict(re.findall(r"(\w+)=([\d.]+|\w+)", line))
    if "rps" in figures and int(figures["errors"]) == 0:
        runs.setdefault(line.split()[0], {}).setdefault(figures["op"], []).append(figures)


def median(of, figure):
    return statistics.median(float(run[figure]) for run in of) if of else None


def text(value, form):
    return "" if value is None else form.format(value)


if not runs:
    sys.exit("no server gave a figure")
ours = next(iter(runs))
own = median(runs[ours].get("refresh", []), "srv_cpu_ms")
print("| server | refreshes/s | CPU a refresh, µs | of ours | p50 / p99, ms | GETs/s | CPU a GET, µs | memory, MB |")
print("|---|---|---|---|---|---|---|---|")
for name, operations in sorted(runs.items(), key=lambda run: median(run[1].get("refresh", []), "srv_cpu_ms") or 0):
    refresh, get = operations.get("refresh", []), operations.get("protected", [])
    cpu = median(refresh, "srv_cpu_ms")
    delays = " / ".join(text(median(refresh, figure), "{:.2f}") for figure in ("p50_ms", "p99_ms"))
    cells = [
        f"**{name}**" if name == ours else name,
        text(median(refresh, "rps"), "{:,.0f}"),
        text(cpu and cpu * 1000, "{:,.0f}"),
        text(cpu and own and cpu / own, "{:.2f}"),
        delays,
        text(median(get, "rps"), "{:,.0f}"),
        text(get and median(get, "srv_cpu_ms") * 1000, "{:,.0f}"),
        text(median(refresh, "srv_pss_MB"), "{:.0f}"),
    ]
    print("| " + " | ".join(cells) + " |")
