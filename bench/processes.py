"""Starts and stops the measured programs (PostgreSQL, nginx, the Go peer, Kith), each on a free loopback port."""

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

BENCH = Path(__file__).resolve().parent
SHARED_BUFFERS = "8GB"  # The only raised setting: it holds what a page of friends of any user needs.
# Nothing must survive a crash while data is loaded; then PostgreSQL restarts with its defaults.
LOADING = {"fsync": "off", "wal_level": "minimal", "max_wal_senders": 0, "autovacuum": "off", "max_wal_size": "16GB"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextmanager
def running(command, log, stop_signal=15, **options):
    with open(log, "ab") as output:
        process = subprocess.Popen([str(c) for c in command], stdout=output, stderr=output, **options)
        try:
            yield process
        finally:
            process.send_signal(stop_signal)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(process, port, log, seconds=30):
    """Returns when the process accepts connections on the port."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.001)
    raise SystemExit(f"{process.args[0]} does not answer on port {port}; its log:\n{log.read_text()[-2000:]}")


def peak_mib(process):
    """The most memory the process ever had resident, in MiB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def cpu_seconds(pid, children=False):
    """Processor seconds of the process, or of its living children."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if (int(fields[1]) == pid) if children else (int(stat.parent.name) == pid):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class Database:
    """A temporary PostgreSQL with default durability."""

    def __init__(self, port, pid):
        self.port, self.pid = port, pid
        self.environment = dict(os.environ, PGHOST="127.0.0.1", PGPORT=str(port), PGUSER="kith")

    def url(self, name):
        return f"postgresql://kith@127.0.0.1:{self.port}/{name}?sslmode=disable"

    def psql(self, name, *arguments):
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", name, *map(str, arguments)]
        return subprocess.run(command, env=self.environment, check=True, text=True, stdout=subprocess.PIPE).stdout

    def load(self, name, users, checkout=BENCH.parent):
        """Creates the checkout's schema and users, and vacuums, so that autovacuum has nothing to do during a measurement."""
        self.psql("postgres", "-c", f"CREATE DATABASE {name}")
        for migration in sorted((checkout / "sql/migrations").glob("*.sql")):
            self.psql(name, "-1", "-f", migration)
        started = time.monotonic()
        print(f"loading {users:,} users into {name} …", flush=True)
        subprocess.run(["psql", "-X", "-q", "-d", name, "-v", f"users={users}", "-f", checkout / "bench/load.sql"],
                       env=self.environment, check=True)
        self.psql(name, "-c", "VACUUM ANALYZE", "-c", "CHECKPOINT")
        print(f"loaded in {time.monotonic() - started:.0f} s", flush=True)

    def load_graph(self, name, users, rows, pairs, each=None, checkout=BENCH.parent):
        """Gives the users friends, about `rows` in total or `each` per user, and returns a description of the graph."""
        started = time.monotonic()
        print(f"loading {f'{each} friends each' if each else f'{rows:,} rows'} into {name} …", flush=True)
        variables = [f"users={users}", f"rows={rows}", f"pairs={pairs}"] + ([f"each={each}"] if each else [])
        for script in ("graph.sql", "graph_draws.sql"):
            subprocess.run(["psql", "-X", "-q", "-d", name, *(word for v in variables for word in ("-v", v)),
                            "-f", checkout / "bench" / script], env=self.environment, check=True)
            self.psql(name, "-c", "VACUUM ANALYZE", "-c", "CHECKPOINT")
        found = self.psql(name, "-c", """
            SELECT to_char(sum(friends), 'FM999,999,999'), percentile_disc(0.5) WITHIN GROUP (ORDER BY friends),
                   percentile_disc(0.99) WITHIN GROUP (ORDER BY friends), max(friends),
                   pg_size_pretty(pg_total_relation_size('relationships')) FROM bench.degrees""").strip().split("|")
        seconds = time.monotonic() - started
        text = "{} rows, {} friends at the median, {} at p99, {} at most, {}".format(*found)
        print(f"loaded in {seconds:.0f} s: {text}", flush=True)
        return f"{text}, loaded in {seconds:.0f} s"


@contextmanager
def postgres(folder, settings={}):
    """Starts PostgreSQL on the data in the folder; the first start creates it."""
    programs = Path(subprocess.check_output(["pg_config", "--bindir"], text=True).strip())
    # PostgreSQL refuses to run as root.
    owner = dict(user="postgres", group="postgres", extra_groups=[]) if os.geteuid() == 0 else {}
    home = folder / "postgres"
    data, port = home / "data", free_port()
    if not home.exists():
        home.mkdir()
        if owner:
            folder.chmod(0o711)
            shutil.chown(home, "postgres", "postgres")
        subprocess.run([programs / "initdb", "-D", data, "-U", "kith", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8"],
                       check=True, stdout=subprocess.DEVNULL, cwd=home, **owner)
    command = [programs / "postgres", "-D", data, "-p", port, "-k", home, "-c", "listen_addresses=127.0.0.1",
               "-c", f"shared_buffers={SHARED_BUFFERS}", "-c", "max_connections=200"]
    command += [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    with running(command, folder / "postgres.log", stop_signal=2, cwd=home, **owner) as process:  # SIGINT: fast
        database = Database(port, process.pid)
        while subprocess.run(["pg_isready", "-q"], env=database.environment).returncode:
            if process.poll() is not None:
                raise SystemExit((folder / "postgres.log").read_text())
            time.sleep(0.1)
        yield database


@contextmanager
def nginx(folder):
    port = free_port()
    (folder / "nginx.conf").write_text(f"""
        daemon off; worker_processes 2; pid {folder}/nginx.pid; error_log stderr;
        events {{ worker_connections 1024; }}
        http {{
            access_log off; keepalive_requests 1000000000;
            server {{ listen 127.0.0.1:{port}; location / {{ return 302 http://127.0.0.1/users/user0000010; }} }}
        }}""")
    with running(["nginx", "-p", folder, "-c", folder / "nginx.conf"], folder / "nginx.log") as process:
        wait_for(process, port, folder / "nginx.log")
        yield f"http://127.0.0.1:{port}"


def build_go(source, folder):
    environment = dict(os.environ, GO111MODULE="off", GOPATH="/usr/share/gocode", GOFLAGS="")
    environment.setdefault("GOCACHE", str(folder / "go-cache"))
    program = folder / source.replace("/", "-")
    subprocess.run(["go", "build", "-o", program, "."], cwd=BENCH / source, env=environment, check=True)
    return program


@contextmanager
def go_peer(binary, database_url, folder):
    """A peer in Go; its sessions look rows up as Kith's do, or its sign-ups would keep the plans of empty tables."""
    port = free_port()
    database_url += ("&" if "?" in database_url else "?") + "enable_seqscan=off"
    command = [binary, "-listen", f"127.0.0.1:{port}", "-database", database_url, "-scripts", BENCH / "pgbench"]
    with running(command, folder / "go.log") as process:
        wait_for(process, port, folder / "go.log")
        yield f"http://127.0.0.1:{port}", process


def write_jwks(folder):
    """Writes a JWKS for the server's settings. No token is signed: the sign-ups use an API key."""
    key = subprocess.check_output(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"],
                                  stderr=subprocess.DEVNULL)
    public = subprocess.run(["openssl", "ec", "-pubout", "-outform", "DER"], input=key, check=True,
                            capture_output=True).stdout
    x, y = (base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (public[-64:-32], public[-32:]))
    jwk = {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "bench", "x": x, "y": y}
    path = folder / "jwks.json"
    path.write_text(json.dumps({"keys": [jwk]}))
    return path


class Kith:
    """The binary under test with its settings for one database."""

    def __init__(self, binary, database_url, folder):
        self.binary, self.folder, self.port = binary, folder, free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.environment = dict(
            os.environ, KITH_DATABASE_URL=database_url, KITH_LISTEN=f"127.0.0.1:{self.port}",
            KITH_OPS_LISTEN=f"127.0.0.1:{free_port()}", KITH_LINK_URL=self.origin,
            KITH_AUTH_JWKS=str(write_jwks(folder)), KITH_AUTH_ISSUER="bench", KITH_AUTH_AUDIENCE="bench",
            # All load comes from one machine. Set KITH_RATE_LIMITS=on to measure the cost of limits.
            KITH_RATE_LIMITS=os.environ.get("KITH_RATE_LIMITS", "off"))

    def run(self, *arguments):
        return subprocess.run([self.binary, *arguments], env=self.environment, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def create_key(self):
        return re.search(r"kith_\S+", self.run("key", "create", "--name", "bench", "--scope", "server"))[0]

    @contextmanager
    def serve(self):
        log = self.folder / "kith.log"
        with running([self.binary, "serve"], log, env=self.environment) as process:
            wait_for(process, self.port, log)
            yield process

    def seconds_to_first_answer(self, path):
        """Measures from the start of the process to the first byte of the answer to a request that needs the database."""
        started = time.monotonic()
        with running([self.binary, "serve"], self.folder / "kith.log", env=self.environment) as process:
            while process.poll() is None:
                try:
                    with socket.create_connection(("127.0.0.1", self.port), 1) as s:
                        s.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
                        if s.recv(64).startswith(b"HTTP/1.1 302"):
                            return time.monotonic() - started
                except OSError:
                    pass
                time.sleep(0.001)
        raise SystemExit((self.folder / "kith.log").read_text()[-2000:])
