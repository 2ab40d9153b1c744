"""A Kith server to attack, and the checks that must hold for every request."""

import contextlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

import strings

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEMORY_BACK = 32  # MiB above the start.


def load(path):
    """A script without .py as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


check_api = load(ROOT / "scripts" / "check-api")
TABLES = re.findall(r"CREATE TABLE public\.(\w+)", (ROOT / "sql" / "schema.sql").read_text())
# What no answer may contain: SQL, the word SQLSTATE, names of tables that the API does not use, and names of sources.
LEAKS = re.compile(
    rb"SQLSTATE|\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM) \w+ ?(?:FROM|SET|\(|WHERE)|PostgresError|\.swift\b|libpq|"
    rb"Fatal error|violates|\bpg_\w+|"
    + b"|".join(rb"\b%s\b" % name.encode() for name in TABLES if "_" in name))

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
SENT_AS_ESCAPES = b"\n".join(strings.FLAT)


class World:
    """The server under attack, and the findings."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.findings, self.sent, self.is_rehearsal = binary, folder, [], 0, False
        self.lock = threading.Lock()
        port, ops = check_api.free_ports()
        self.port, self.base, self.ops = port, f"http://127.0.0.1:{port}", f"http://127.0.0.1:{ops}"
        self.environment = os.environ | {
            "KITH_DEV_FOLDER": f"{folder}/dev", "KITH_LISTEN": f"127.0.0.1:{port}", "KITH_LINK_URL": self.base,
            "KITH_OPS_LISTEN": f"127.0.0.1:{ops}", "KITH_LOG_LEVEL": "error", "KITH_USERNAME_COOLDOWN_DAYS": "0",
            "KITH_RATE_LIMITS": "off",  # They would refuse nearly all requests.
        }
        self.environment.pop("KITH_DATABASE_URL", None)
        self.log = open(f"{folder}/log", "wb")
        self.server = subprocess.Popen(
            [binary, "dev"], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)

    def run(self, *arguments):
        return subprocess.run([self.binary, *arguments], env=self.environment | {"KITH_DATABASE_URL": self.database},
                              capture_output=True, text=True)

    @property
    def database(self):
        lines = next(pathlib.Path(self.folder).rglob("postmaster.pid")).read_text().split("\n")
        return f"postgresql:///kith?host={lines[4]}&port={lines[3]}&user=postgres"

    def token(self, uid):
        return self.run("token", "--uid", uid).stdout.strip()

    def key(self, scope):
        return self.run("key", "create", "--name", "hostile", "--scope", scope).stdout.strip()

    def memory(self):
        """Of its own, in MiB. Pages of files, such as fonts and the program, are the system's to take back."""
        status = pathlib.Path(f"/proc/{self.server.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", status)[1]) // 1024

    def find(self, what):
        self.findings.append(what)
        if not self.is_rehearsal:
            print(f"FOUND: {what[:600]}", flush=True)

    def exchange(self, data, seconds=15):
        """Sends raw bytes; returns everything that comes back until the server closes or is silent."""
        self.sent += 1
        answer = b""
        try:
            with socket.create_connection(("127.0.0.1", self.port), seconds) as connection:
                with contextlib.suppress(OSError):
                    connection.sendall(data)
                    connection.shutdown(socket.SHUT_WR)
                # A stream of events begins, and has no end.
                while b"text/event-stream" not in answer and (chunk := connection.recv(65536)):
                    answer += chunk
        except TimeoutError:
            self.find(f"neither answered nor closed within {seconds} s: {data[:300]!r}")
        except OSError:
            pass  # The server closed with unread data: that is an end.
        return answer

    def send(self, method, target, headers=(), body=b"", expected=range(200, 500)):
        """Sends one request with target, headers and body as raw bytes; returns the answer."""
        head = [f"{method} ".encode() + target + b" HTTP/1.1", b"Host: hostile", b"Connection: close", *headers]
        if body:
            head.append(b"Content-Length: %d" % len(body))
        request = b"\r\n".join(head) + b"\r\n\r\n" + body
        answer = self.exchange(request)
        self.judge(request, answer, expected)
        return answer

    def judge(self, request, answer, expected=range(200, 500)):
        shown = repr(request[:300])
        answer = answer.removeprefix(CONTINUE)
        match = re.match(rb"HTTP/1\.[01] (\d\d\d)", answer)
        if self.server.poll() is not None:
            raise SystemExit(f"FOUND: the process ended with {self.server.returncode} at {shown}")
        # RFC 9112, section 6.1, asks for a 501 for an unknown transfer coding.
        is_told = bool(match) and match[1] == b"501" and b'"transfer_coding_unsupported"' in answer
        if match and int(match[1]) not in expected and not is_told:
            self.find(f"{int(match[1])} at {shown}: {answer[:300]!r}")
        # An answer may repeat what was sent, even as escapes: only other text is a leak.
        told = [leak for leak in LEAKS.findall(answer) if leak not in request and leak not in SENT_AS_ESCAPES]
        if told:
            self.find(f"{told[:3]} in the answer to {shown}")
        return int(match[1]) if match else None

    def sound(self, part):
        """Checks after each part that it runs and answers, its data is sound, and nothing failed inside."""
        if self.server.poll() is not None:
            raise SystemExit(f"FOUND: after {part} the process had ended with {self.server.returncode}")
        if not self.exchange(b"GET /robots.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200"):
            self.find(f"after {part} it does not answer")
        verified = self.run("verify")
        if verified.returncode:
            self.find(f"after {part} kith verify says: {verified.stdout[-500:]} {verified.stderr[-500:]}")
        log = pathlib.Path(f"{self.folder}/log").read_bytes()
        for line in log.splitlines():
            if b"request failed" in line:
                self.find(f"in the log after {part}: {line.decode(errors='replace')}")
                break


@contextlib.contextmanager
def world(binary):
    folder = tempfile.mkdtemp(prefix="kith-hostile.")
    os.chmod(folder, 0o755)  # If this is root, PostgreSQL runs as another user, who must have access.
    it = World(binary, folder)
    try:
        check_api.wait_until_ready(it.server, f"{it.ops}/readyz")
        yield it
    finally:
        it.server.send_signal(signal.SIGTERM)
        try:
            it.server.wait(timeout=40)
        except subprocess.TimeoutExpired:
            it.server.kill()
        it.log.close()
        shutil.rmtree(folder, ignore_errors=True)


def json_body(value):
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
