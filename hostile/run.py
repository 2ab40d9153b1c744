#!/usr/bin/env python3
"""Attacks the release binary with requests that no honest client sends, and reports its findings: `make hostile`.

Exits with 1 if the process ended, an answer was a 5xx or revealed SQL or sources, memory was not returned, or `kith verify`
found an error. Rate limits are off, or they would refuse nearly all requests. `--quick` takes about three minutes.
"""

import argparse
import contextlib
import itertools
import os
import random
import re
import subprocess
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True

import raw  # noqa: E402
import strings  # noqa: E402
import tokens  # noqa: E402
import world  # noqa: E402

SEED = 20260101
OPERATIONS = re.compile(r"^  (/\S*):\n((?:    .*\n|\n)+)", re.M)


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="use a part of the strings and cases, in about three minutes")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--cases", type=int, help="number of schemathesis cases (50,000, or 2,000 with --quick)")
    parser.add_argument("--seconds", type=int, help="time limit of schemathesis (2,400, or 100 with --quick)")
    parser.add_argument("--beside", action="store_true", help="keep slow clients connected to the server all the time")
    parser.add_argument("--only", choices=["raw", "tokens", "strings", "bodies", "schemathesis", "clients"], action="append")
    chosen = parser.parse_args()
    chosen.cases = chosen.cases or (2_000 if chosen.quick else 50_000)
    chosen.seconds = chosen.seconds or (100 if chosen.quick else 2_400)
    return chosen


def operations():
    """Yields method, path and names of the body's fields for every call in openapi.yaml and docs/links.yaml."""
    texts = [(world.ROOT / name).read_text() for name in ("openapi.yaml", "docs/links.yaml")]
    paths = "".join(text[text.index("\npaths:\n"):text.index("\ncomponents:\n")] for text in texts)
    schemas = texts[0][texts[0].index("\n  schemas:\n"):]
    fields = {name: re.findall(r"^        (\w+):", body, re.M) for name, body in
              re.findall(r"^    (\w+):\n((?:      .*\n|\n)+)", schemas, re.M)}
    for path, body in OPERATIONS.findall(paths):
        for method, part in re.findall(r"^    (get|head|post|put|patch|delete):\n((?:      .*\n|\n)+)", body, re.M):
            schema = re.search(r"schemas/(\w+)", part)
            yield method.upper(), path, fields.get(schema[1], []) if schema else []


def signed_up(it, uid):
    """Signs up a user and returns its Authorization header, so that no call fails for lack of an account."""
    token = it.token(uid)
    world.check_api.call(it.base, token, "POST", "/v1/signup", {"username": uid})
    return b"Authorization: Bearer " + token.encode()


def send_raw(it, chosen):
    for case in raw.cases():
        it.judge(case, it.exchange(case))


def send_tokens(it, chosen):
    good = it.token("hostile-tokens")
    for token in tokens.cases(good):
        # The provider may have a key of that id by now, and is asked once a minute.
        expected = {*range(400, 500)} | ({503} if tokens.names_another_key(token, good) else set())
        answer = it.send("GET", b"/v1/usernames/ann", [b"Authorization: Bearer " + token], expected=expected)
        if answer.startswith(b"HTTP/1.1 2"):
            it.find(f"accepted: {token[:200]!r}")


def send_strings(it, chosen):
    """Sends every string in every part of every path, in queries, in each header that Kith reads, and in each field."""
    draw = random.Random(chosen.seed)
    bearer = signed_up(it, "hostile_strings")
    signed_up(it, "hostile_target")
    json_type = b"Content-Type: application/json"
    world_fields = ["username", "displayName", "invite", "url", "code", "invitedBy", "label", "maxUses", "expiresIn", "friendship", "uids"]
    all_of = strings.FLAT

    def some():
        return draw.sample(all_of, 12) if chosen.quick else all_of

    for method, path, fields in operations():
        if path == "/v1/me" and method == "DELETE":
            continue
        plain = re.sub(r"\{\w+\}", "hostile_target", path).encode()
        if "{" in path:
            for string in some():
                before, after = re.split(r"\{\w+\}", path, maxsplit=1)
                after = re.sub(r"\{\w+\}", "x", after)
                for value in {string, urllib.parse.quote_from_bytes(string, safe="").encode()}:
                    it.send(method, before.encode() + value + after.encode(), [bearer])
        for name in (b"invitedBy", b"after", b"limit", b"order", b"direction", b"username", b"code", b"oldLinks"):
            for string in draw.sample(all_of, 2 if chosen.quick else 25):
                it.send(method, plain + b"?" + name + b"=" + urllib.parse.quote_from_bytes(string, safe="").encode(), [bearer])
        if method not in ("POST", "PUT", "PATCH"):
            continue
        for field in fields or world_fields[:3]:
            for string in some():
                for value in strings.as_json(string):
                    it.send(method, plain, [bearer, json_type], b'{"' + field.encode() + b'":' + value + b"}")
    for header in (b"Idempotency-Key", b"Accept-Language", b"If-None-Match", b"Kith-User", b"X-Forwarded-For", b"Host", b"User-Agent", b"Accept"):
        for string in some():
            for method, target in (("POST", b"/v1/me/invite/rotate"), ("GET", b"/users/ann/qr.svg"), ("GET", b"/v1/me")):
                it.send(method, target, [header + b": " + string, bearer])


def send_bodies(it, chosen):
    bearer = signed_up(it, "hostile_bodies")
    for method, path, fields in operations():
        if method not in ("POST", "PUT", "PATCH") or not fields:
            continue
        plain = re.sub(r"\{\w+\}", "x", path).encode()
        for number, body in enumerate(strings.bodies()):
            if not chosen.quick or number % 4 == 0:
                it.send(method, plain, [bearer, b"Content-Type: application/json"], body)


def send_schemathesis(it, chosen):
    """Sends enough cases generated from openapi.yaml and docs/links.yaml, with only the check for server errors.

    Generating cases takes most of the time, so each processor runs its own tester with its own seed, every third one the links.
    The first runs all phases, the others only those that depend on the seed.
    """
    token = world.check_api.make_world(it.base, it.token)
    world.check_api.tool("schemathesis")
    seeds, end = itertools.count(chosen.seed), time.monotonic() + chosen.seconds
    first = it.sent

    def test():
        while it.sent - first < chosen.cases and (left := end - time.monotonic()) > 5 and not it.findings:
            seed = next(seeds)
            phases = () if seed == chosen.seed else ("--phases", "fuzzing,stateful")
            file = "docs/links.yaml" if (seed - chosen.seed) % 3 == 2 else "openapi.yaml"
            cases, problem = run_schemathesis(it, file, token, seed, phases, min(left, 240))
            with it.lock:
                it.sent += cases
            if problem:
                it.find(f"schemathesis, seed {seed}: {problem}")
            if not cases:
                return

    testers = [threading.Thread(target=test) for _ in range(os.cpu_count() or 1)]
    for tester in testers:
        tester.start()
    for tester in testers:
        tester.join()
    if it.sent - first < chosen.cases:
        print(f"schemathesis: {it.sent - first:,} of {chosen.cases:,} cases in {chosen.seconds} s", flush=True)


def run_schemathesis(it, file, token, seed, phases, seconds):
    """Returns how many cases it sent, and what it found."""
    command = [
        world.check_api.tool("schemathesis"), "run", world.ROOT / file, "--url", it.base, "--header", f"Authorization: Bearer {token}",
        "--seed", seed, "--workers", "1", "--max-time", int(seconds), "--max-examples", "300", "--request-timeout", "10", *phases,
        "--checks", "not_a_server_error", "--exclude-operation-id", "deleteMe", "--mode", "all", "--continue-on-failure", "--no-shrink",
        "--generation-database", "none", "--suppress-health-check", "all", "--no-color"]
    done = subprocess.run([str(word) for word in command], cwd=world.ROOT / ".build", stdin=subprocess.DEVNULL, capture_output=True, text=True)
    cases = re.search(r"([\d,]+) generated", done.stdout)
    problem = f"{done.stdout[-3000:]} {done.stderr[-500:]}" if done.returncode else ""
    return int(cases[1].replace(",", "")) if cases else 0, problem


def send_clients(it, chosen):
    """Runs scripts/hostile-clients: many clients that are slow or do not read."""
    script = world.ROOT / "scripts" / "hostile-clients"
    if not script.exists():
        return print("skipped: scripts/hostile-clients does not exist")
    done = subprocess.run([script, it.base, str(it.server.pid), *(["--quick"] if chosen.quick else [])])
    if done.returncode:
        it.find("scripts/hostile-clients found something: see above")


@contextlib.contextmanager
def beside(it, chosen):
    """Keeps slow clients connected to the server, again and again, while the other parts run."""
    is_over = threading.Event()

    def hold():
        while not is_over.is_set():
            send_clients(it, chosen)

    holding = threading.Thread(target=hold)
    holding.start()
    try:
        yield
    finally:
        is_over.set()
        holding.join()


PARTS = {"raw": send_raw, "tokens": send_tokens, "strings": send_strings, "bodies": send_bodies, "schemathesis": send_schemathesis, "clients": send_clients}


def check_the_judge(it):
    """Checks that the judge finds errors: it must find these made-up ones."""
    bad = (b"HTTP/1.1 500 Internal Server Error\r\n\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\nrelation invite_uses",
           b"HTTP/1.1 200 OK\r\n\r\nSELECT uid FROM users", b"HTTP/1.1 404 Not Found\r\n\r\nLandingStore.swift:35")
    it.is_rehearsal = True
    for answer in bad:
        it.judge(b"GET /", answer)
    it.is_rehearsal = False
    if len(it.findings) != len(bad):
        raise SystemExit("hostile: the judge does not find the made-up errors")
    it.findings.clear()


def main():
    chosen = options()
    binary = os.environ.get("KITH_BIN", str(world.ROOT / ".build" / "release" / "kith"))
    rows = []
    with world.world(binary) as it:
        check_the_judge(it)
        it.send("GET", b"/users/nobody")
        start = it.memory()
        print(f"{binary}, seed {chosen.seed}, {start} MiB at the start", flush=True)
        parts = [name for name in chosen.only or PARTS if not (chosen.beside and name == "clients")]
        with beside(it, chosen) if chosen.beside else contextlib.nullcontext():
            for name in parts:
                sent, found, began = it.sent, len(it.findings), time.monotonic()
                PARTS[name](it, chosen)
                it.sound(name)
                time.sleep(2)
                rows.append((name, it.sent - sent, time.monotonic() - began, it.memory(), len(it.findings) - found))
                if not chosen.beside and it.memory() > start + world.MEMORY_BACK:
                    it.find(f"after {name} it uses {it.memory()} MiB, compared with {start} at the start")
        print("\n| part | requests | seconds | memory afterwards, MiB | findings |\n|---|---|---|---|---|")
        for name, sent, seconds, memory, found in rows:
            print(f"| {name} | {sent:,} | {seconds:.0f} | {memory} | {found} |")
        return 1 if it.findings else 0


if __name__ == "__main__":
    sys.exit(main())
