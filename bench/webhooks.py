"""Measures deliveries to webhooks, to `kith webhooks listen` on this machine: `python3 bench/webhooks.py`."""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import processes

NAME = "webhooks"
# As changes write them: of each user ten, between those of the others.
EVENTS = """
    INSERT INTO outbox (user_id, type) SELECT id, 'user.renamed' FROM users, generate_series(1, 10) AS n
    ORDER BY n, id LIMIT {count}"""


def measure(database, chosen):
    """Seconds until the endpoint has all."""
    database.psql(NAME, "-c", EVENTS.format(count=chosen.events))
    started = time.monotonic()
    end = started + 300
    while time.monotonic() < end:
        done = database.psql(NAME, "-c", """
            SELECT NOT EXISTS (SELECT FROM outbox) AND position = (SELECT last FROM event_numbers)
                   AND NOT EXISTS (SELECT FROM webhook_deliveries) FROM webhooks""").strip()
        if done == "t":
            return time.monotonic() - started
        time.sleep(0.02)
    raise SystemExit("not all events arrived within 300 s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000, help="events of a run")
    parser.add_argument("--rounds", type=int, default=5, help="how often to measure")
    parser.add_argument("--users", type=int, default=1_000, help="users to whom they happen")
    chosen = parser.parse_args()
    binary = Path(os.environ.get("KITH_BIN", processes.BENCH.parent / ".build/release/kith")).resolve()
    with tempfile.TemporaryDirectory(prefix="kith-webhooks-") as folder:
        folder = Path(folder)
        with processes.postgres(folder) as database:
            database.load(NAME, chosen.users)
            kith = processes.Kith(binary, database.url(NAME), folder)
            kith.environment.update(
                KITH_SECRETS_KEY="AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", KITH_WEBHOOK_PRIVATE_ADDRESSES="allow")
            port = processes.free_port()
            with open(folder / "arrived", "wb") as arrived:
                listener = subprocess.Popen([binary, "webhooks", "listen", "--port", str(port)], env=kith.environment, stdout=arrived)
            try:
                processes.wait_for(listener, port, folder / "arrived")
                kith.run("webhooks", "create", f"http://127.0.0.1:{port}/")
                with kith.serve():
                    measure(database, chosen)  # The worker takes the endpoint, and the connections open.
                    rates = [chosen.events / measure(database, chosen) for _ in range(chosen.rounds)]
            finally:
                listener.terminate()
                listener.wait(10)
            lines = sum(1 for _ in open(folder / "arrived", "rb"))
    print(f"{statistics.median(rates):,.0f} deliveries/s (median of {chosen.rounds} runs of {chosen.events:,}; "
          f"{min(rates):,.0f} to {max(rates):,.0f}); {lines:,} arrived of {chosen.events * (chosen.rounds + 1):,}")


if __name__ == "__main__":
    main()
