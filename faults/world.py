"""The targets of faults: PostgreSQL, Kith and PgBouncer, each a process that can be killed, stopped and restarted."""

import asyncio
import csv
import io
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "bench"))
from processes import free_port, write_jwks  # noqa: E402

SUPERUSER, ROLE = "postgres", "app"  # Kith does not run as a superuser.


class Skipped(Exception):
    """This machine cannot run the fault; the text says why."""


class Unclean(Exception):
    """A step of the harness itself failed."""


def owner():
    """Popen options to run PostgreSQL and PgBouncer, which refuse root."""
    return dict(user="postgres", group="postgres", extra_groups=[]) if os.geteuid() == 0 else {}


def program(name):
    folder = Path(subprocess.check_output(["pg_config", "--bindir"], text=True).strip())
    return folder / name if (folder / name).exists() else name


async def run(*command, check=True, **options):
    """Runs a command to its end without blocking the proxies; returns its exit code and both outputs."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    try:
        out, err = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        raise
    if check and process.returncode:
        raise Unclean(f"{command[0]}: {err.decode()[-2000:]}")
    return process.returncode, out.decode(), err.decode()


def family(pid):
    """A process and its children."""
    found = [pid]
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


class Cluster:
    """A PostgreSQL with default durability and its own data."""

    def __init__(self, folder, settings=()):
        self.home, self.port = folder, free_port()
        self.data, self.log = folder / "data", folder / "log"
        self.settings = {"listen_addresses": "127.0.0.1", "max_connections": 150, "shared_buffers": "128MB", **dict(settings)}
        self.process = None

    async def create(self):
        self.home.mkdir(parents=True, exist_ok=True)
        if owner():
            shutil.chown(self.home, "postgres", "postgres")
        await run(program("initdb"), "-D", self.data, "-U", SUPERUSER, "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8",
                  cwd=self.home, **owner())
        return self

    async def start(self, environment=None, seconds=30):
        command = [program("postgres"), "-D", self.data, "-p", self.port, "-k", self.home]
        command += [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdout=log, stderr=log, cwd=self.home,
                env=dict(os.environ, **(environment or {})), **owner())
        end = time.monotonic() + seconds
        while True:
            code, _, _ = await run(program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", self.port, check=False)
            if code == 0:
                return self
            if self.process.poll() is not None or time.monotonic() > end:
                raise Unclean(f"PostgreSQL does not start: {self.log.read_text(errors='replace')[-2000:]}")
            await asyncio.sleep(0.02)

    async def ready(self, seconds=30):
        """Waits until it answers again; its own recovery after a crash takes a moment."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            code, _, _ = await run(program("psql"), *self._address("postgres"), "-c", "SELECT 1", check=False)
            if code == 0:
                return
            await asyncio.sleep(0.02)
        raise Unclean("PostgreSQL does not come back")

    async def settle(self):
        """Waits for what a crash left behind: nothing, when a PostgreSQL answers again."""

    async def stop(self, stop_signal=signal.SIGINT):
        """Stops it: SIGINT is the fast shutdown, SIGQUIT the immediate one."""
        if self.process is None:
            return
        self.process.send_signal(stop_signal)
        while self.process.poll() is None:
            await asyncio.sleep(0.02)
        self.process = None

    async def kill(self):
        """Kills all of its processes at once with -9, like a loss of power, except that the system's disk cache survives."""
        signal_all(self.family(), signal.SIGKILL)
        while self.process.poll() is None:
            await asyncio.sleep(0.01)
        self.process = None
        for left in self.data.glob("postmaster.pid"):
            left.unlink()

    def family(self):
        return family(self.process.pid)

    def _address(self, database):
        return ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", self.port, "-U", SUPERUSER, "-d", database]

    async def sql(self, database, *statements, check=True):
        """Runs the statements as the superuser, each in its own transaction; returns the rows of the last."""
        words = [word for statement in statements for word in ("-c", statement)]
        _, out, _ = await run(program("psql"), *self._address(database), "--csv", *words, check=check)
        return list(csv.DictReader(io.StringIO(out)))

    async def script(self, database, text):
        """Starts psql with a script, for the caller to await or end."""
        return await asyncio.create_subprocess_exec(
            str(program("psql")), *map(str, self._address(database)), "-c", text,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def url(self, database, port=None):
        return f"postgresql://{ROLE}@127.0.0.1:{port or self.port}/{database}?sslmode=disable&gssencmode=disable"


def signal_all(pids, what):
    for pid in pids:
        try:
            os.kill(pid, what)
        except ProcessLookupError:
            pass


class Kith:
    """One `kith serve` with its settings."""

    SETTINGS = {
        "KITH_AUTH_ISSUER": "faults", "KITH_AUTH_AUDIENCE": "faults", "KITH_LOG_FORMAT": "text",
        "KITH_USERNAME_COOLDOWN_DAYS": "0", "KITH_MAX_FRIENDS": "100000", "KITH_MAX_REQUESTS": "100000",
        "KITH_RATE_LIMITS": "off",  # All clients come from one address.
        # Webhooks lead to receivers on this machine.
        "KITH_SECRETS_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "KITH_WEBHOOK_PRIVATE_ADDRESSES": "allow",
    }

    def __init__(self, binary, url, folder, environment={}):
        self.binary, self.url, self.folder = binary, url, folder
        self.port, self.ops = free_port(), free_port()
        self.log = folder / f"kith-{self.port}.log"
        self.options = {}  # of Popen: limits
        self.environment = os.environ | self.SETTINGS | {
            "KITH_AUTH_JWKS": str(write_jwks(folder)), "KITH_DATABASE_URL": url, "KITH_LISTEN": f"127.0.0.1:{self.port}",
            "KITH_OPS_LISTEN": f"127.0.0.1:{self.ops}", "KITH_LINK_URL": f"http://127.0.0.1:{self.port}",
            "KITH_LINK_DOMAINS": f"http://127.0.0.1:{self.port}/l", "KITH_LINK_TARGETS": "example.com"} | environment
        self.process = None

    def spawn(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(self.binary), "serve"], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                **self.options)

    async def start(self, seconds=20):
        self.spawn()
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return self
            except OSError:
                await asyncio.sleep(0.02)
        raise Unclean(f"kith serve does not start: {self.said()}")

    def said(self):
        return self.log.read_text(errors="replace")[-2000:]

    def kill(self):
        self.process.kill()
        self.process.wait()

    async def stop(self, seconds=30):
        """Sends SIGTERM; returns the exit code, or None if it had to be killed."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.terminate()
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            await asyncio.sleep(0.02)
        if self.process.poll() is None:
            self.kill()
            return None
        return self.process.returncode

    def has_died(self):
        return self.process is not None and self.process.poll() is not None

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def command(self, *arguments, url=None, check=True):
        return await run(self.binary, *arguments, check=check,
                         env=dict(self.environment, KITH_DATABASE_URL=url or self.url))

    async def create_key(self, url):
        _, out, _ = await self.command("key", "create", "--name", "faults", "--scope", "server", url=url)
        return re.search(r"kith_\S+", out)[0]


class PgBouncer:
    """A PgBouncer between Kith and PostgreSQL."""

    def __init__(self, folder, cluster, mode):
        if shutil.which("pgbouncer") is None:
            raise Skipped("PgBouncer is not installed (apt-get install pgbouncer)")
        self.folder, self.port = folder, free_port()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "users").write_text(f'"{ROLE}" ""\n"{SUPERUSER}" ""\n')
        (folder / "ini").write_text(
            f"[databases]\n* = host=127.0.0.1 port={cluster.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {self.port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {folder}/users\n"
            f"pool_mode = {mode}\nmax_client_conn = 200\ndefault_pool_size = 40\n"
            "ignore_startup_parameters = extra_float_digits\n")
        if owner():
            for path in (folder, folder / "users", folder / "ini"):
                shutil.chown(path, "postgres", "postgres")

    async def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(["pgbouncer", str(self.folder / "ini")], stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, cwd=self.folder, **owner())
        for _ in range(200):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return self
            except OSError:
                await asyncio.sleep(0.02)
        raise Unclean("PgBouncer does not start")

    async def stop(self):
        self.process.kill()
        self.process.wait()


def make_folder():
    """Creates a temporary folder that PostgreSQL's user can read."""
    import tempfile
    folder = Path(tempfile.mkdtemp(prefix="kith-faults."))
    folder.chmod(0o755)
    return folder


def has_user(name):
    try:
        return pwd.getpwnam(name) is not None
    except KeyError:
        return False
