"""Measures preview cards, and redirects while cards are drawn: `python3 bench/cards.py`."""

import argparse
import http.client
import os
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import loads
import processes

NAME, USERS = "cards", 20_000


class Cards:
    """Asks for the cards of users over kept-alive connections, one a thread."""

    def __init__(self, port):
        self.port, self.local = port, threading.local()

    def ask(self, user):
        """Returns the status and the seconds."""
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        began = time.monotonic()
        self.local.connection.request("GET", f"/users/user{user:07}/card.jpg?invitedBy=u{user:07}")
        answer = self.local.connection.getresponse()
        answer.read()
        return answer.status, time.monotonic() - began

    def row(self, name, users, clients):
        began = time.monotonic()
        with ThreadPoolExecutor(clients) as pool:
            answers = list(pool.map(self.ask, users))
        seconds = time.monotonic() - began
        good = sorted(took for status, took in answers if status == 200)
        refused = sum(status == 503 for status, _ in answers)
        assert len(good) + refused == len(answers), {status for status, _ in answers}
        print(f"| {name} | {clients} | {len(good) / seconds:,.0f} | {1000 * good[len(good) // 2]:.1f} "
              f"| {1000 * good[int(0.99 * (len(good) - 1))]:.1f} | {refused} |", flush=True)


def redirects(name, kith, seconds):
    run = loads.wrk(kith.origin, 32, seconds, "redirect.lua", USERS)
    print(f"| {name} | 32 | {run['rate']:,.0f} | {run['p50']:.1f} | {run['p99']:.1f} | {run['failed']} |", flush=True)


def measure(kith, process, seconds):
    cards, users = Cards(kith.port), iter([n for n in range(1, USERS) if n % 10])  # Every tenth has another name now.

    def some(count):
        return [next(users) for _ in range(count)]
    print("| what | connections | rate /s | p50 ms | p99 ms | refused |\n|---|--:|--:|--:|--:|--:|")
    cards.row("cards, warm-up", some(20), 4)
    first = some(1000)
    cards.row("cards, cold", first[:300], 8)
    cards.row("cards, warm", first[:300] * 10, 8)
    loads.wrk(kith.origin, 32, 1, "redirect.lua", USERS)
    redirects("redirects alone", kith, seconds)
    stop = threading.Event()

    def ask_on():
        while not stop.is_set():
            cards.ask(next(users))
    askers = [threading.Thread(target=ask_on) for _ in range(4)]
    for asker in askers:
        asker.start()
    redirects("redirects while 4 clients ask for cards", kith, seconds)
    stop.set()
    for asker in askers:
        asker.join()
    cards.row("1,000 cards at once", first[:300] + some(700), 1000)
    print(f"\nmemory at its peak: {processes.peak_mib(process):.0f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=8, help="length of a run of redirects")
    chosen = parser.parse_args()
    binary = Path(os.environ.get("KITH_BIN", processes.BENCH.parent / ".build/release/kith")).resolve()
    with tempfile.TemporaryDirectory(prefix="kith-cards-") as folder:
        folder = Path(folder)
        with processes.postgres(folder, {"shared_buffers": "256MB"}) as database:
            database.load(NAME, USERS)
            kith = processes.Kith(binary, database.url(NAME), folder)
            with kith.serve() as process:
                measure(kith, process, chosen.seconds)


if __name__ == "__main__":
    main()
