"""Four servers behind nginx, set up by examples/nginx.conf, and restarted one after the other."""

import asyncio
import re
import shutil
import ssl
import subprocess
import time

from clients import Connection
from stage import Fault
from world import ROOT, Skipped, Unclean, free_port, run

FAIL_TIMEOUT = 2  # seconds, as examples/nginx.conf has it


def program():
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


class Nginx:
    """An nginx with the configuration of examples/nginx.conf; only addresses and paths are replaced."""

    def __init__(self, folder, ports):
        self.folder, self.port, self.process = folder, free_port(), None
        self.certificate, self.key = folder / "nginx.pem", folder / "nginx.key"
        documented = (ROOT / "examples/nginx.conf").read_text()
        servers = iter(ports)
        text = self._replace(documented, r"(?<=server )\d[\d.]+:8080", lambda _: f"127.0.0.1:{next(servers)}", len(ports))
        text = self._replace(text, r"(?<=listen )443", f"127.0.0.1:{self.port}", 1)
        text = self._replace(text, r"(?<=ssl_certificate )\S+(?=;)", str(self.certificate), 1)
        text = self._replace(text, r"(?<=ssl_certificate_key )\S+(?=;)", str(self.key), 1)
        self._replace(text, rf"fail_timeout={FAIL_TIMEOUT}s", "", len(ports))
        temporary = "".join(f"{what}_temp_path {what};" for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            f"daemon off; worker_processes 2; pid {folder}/nginx.pid; error_log stderr;\n"
            f"events {{ worker_connections 1024; }}\nhttp {{ access_log off; {temporary}\n{text}\n}}\n")

    @staticmethod
    def _replace(text, pattern, new, times):
        text, count = re.subn(pattern, new, text)
        if count != times:
            raise Unclean(f"examples/nginx.conf has {pattern} {count} times, not {times}")
        return text

    @property
    def tls(self):
        context = ssl.create_default_context(cafile=self.certificate)
        context.check_hostname = False
        return context

    async def start(self):
        await run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=example.org",
                  "-keyout", self.key, "-out", self.certificate)
        with open(self.folder / "nginx.log", "ab") as log:
            self.process = subprocess.Popen([program(), "-p", self.folder, "-c", self.folder / "nginx.conf"],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(500):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return self
            except OSError:
                await asyncio.sleep(0.02)
        raise Unclean(f"nginx does not start: {self.said()}")

    def said(self):
        return (self.folder / "nginx.log").read_text(errors="replace")[-2000:]

    async def stop(self):
        self.process.terminate()
        while self.process.poll() is None:
            await asyncio.sleep(0.02)


async def behind_nginx(stage):
    if program() is None:
        raise Skipped("nginx is not installed (apt-get install nginx-light)")
    # Bad tokens are counted by address; so few are let through that the test below sees the limit.
    stage.kithSettings = {"KITH_TRUSTED_PROXIES": "127.0.0.1/32", "KITH_RATE_LIMITS": "unauthenticated=5/m"}

    async def front(ports):
        nginx = await Nginx(stage.folder, ports).start()
        stage.on_close(nginx.stop)
        stage.nginx = nginx
        return nginx.port, nginx.tls
    stage.front = front


async def restart_in_turn(stage):
    await pass_addresses(stage)
    for number, kith in enumerate(stage.kiths):
        if (code := await kith.stop()) != 0:
            stage.notes.append(f"server {number} exited with {code} after SIGTERM")
        await kith.start()
        await ready(kith)
        await asyncio.sleep(FAIL_TIMEOUT + 1)
        if not await answered(kith):
            stage.notes.append(f"server {number} was asked nothing after its restart")
    opened, refused, _ = stage.neighbour.between(stage.began, time.monotonic())
    if refused:
        stage.notes.append(f"{refused} of {opened} redirects were refused")
    if told := [line for line in stage.nginx.said().split("\n") if "no live upstreams" in line]:
        stage.notes.append(f"nginx: {told[0]}")


async def ready(kith, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if (await Connection(kith.ops).call("GET", "/readyz"))[0] == 200:
                return
        except OSError:
            pass  # It does not listen there yet.
        await asyncio.sleep(0.05)
    raise Unclean(f"kith does not become ready: {kith.said()}")


async def pass_addresses(stage):
    """The servers must count a client by the address that nginx passes on; Kith does not count loopback."""
    connection = Connection(*stage.entry)
    sent = ["Authorization: Bearer bad", "X-Forwarded-For: 203.0.113.7"]
    statuses = {(await connection.call("GET", "/v1/me", sent))[0] for _ in range(15 * len(stage.kiths))}
    connection.close()
    if statuses != {401, 429}:
        stage.notes.append(f"bad tokens from one address were answered with {statuses}, not with 401 and then 429")


async def answered(kith):
    """How many requests the server has answered since its start."""
    _, _, text = await Connection(kith.ops).call("GET", "/metrics")
    counts = re.findall(r"^kith_http_request_duration_seconds_count\S* (\d+)", text.decode(), re.M)
    return sum(map(int, counts))


FAULTS = [
    Fault("F40", "four servers behind nginx are restarted, one after the other", restart_in_turn, behind_nginx, servers=4,
          maxUnanswered=0),
]
