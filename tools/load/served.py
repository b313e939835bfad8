#!/usr/bin/env python3
"""Compares `anamne serve` with the engine in one run, or soaks it. See README.md."""

import argparse
import concurrent.futures
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
SPACE = "/v1/spaces/benchmark"


class Server:
    """`anamne serve` with a store."""

    def __init__(self, anamne, store, port=0):
        command = [anamne, "--store", store, "serve", "--listen", f"127.0.0.1:{port}", "--log", "error"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.address = None
        for line in self.process.stderr:
            found = re.search(r"http://[0-9.:]+", line)
            if found:
                self.address = found.group()
                break
        if self.address is None:
            raise SystemExit("the server did not start")
        self.port = int(self.address.rsplit(":", 1)[1])
        # Its log must not fill the pipe.
        drain = threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True)
        drain.start()

    def resident_kib(self):
        """Memory of its own; pages of mapped files are shared and can be dropped at any time."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", status).group(1))

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=60)


def load(options, server, path, bodies, connections, seconds, rate=None, numbered=False):
    task = {
        "url": server.address, "path": path, "bodies": bodies, "connections": connections,
        "seconds": seconds, "rate": rate, "numbered": numbered,
    }
    node = [options.node, str(Path(options.generator).resolve() / "load.mjs")]
    done = subprocess.run(node, input=json.dumps(task), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:])
    return json.loads(done.stdout)


def compare(options):
    """Recall and writes, the engine first, then the server with the same questions."""
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/place"
        command = [options.eval, "served", "--folder", place, "--records", str(options.records)]
        engine = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        requests = json.loads(Path(f"{place}/requests.json").read_text())
        questions = [json.dumps({"query": question}) for question in requests["questions"]]
        drafts = [json.dumps({"content": text + " #"}) for text in requests["texts"]]
        server = Server(options.anamne, f"{place}/store")
        recall = f"{SPACE}/recall"
        load(options, server, recall, questions, 1, 3)
        alone = load(options, server, recall, questions, 1, options.seconds)
        most = load(options, server, recall, questions, 8, options.seconds)
        half = load(options, server, recall, questions, 8, options.seconds, rate=max(1, int(most["requests_per_second"] / 2)))
        writes = load(options, server, f"{SPACE}/memories", drafts, 64, options.seconds, numbered=True)
        server.end()
    per_second = most["requests_per_second"]
    figures = {
        "engine": engine, "alone": alone, "most": most, "half": half, "writes": writes,
        "added_p50_ms": alone["p50_ms"] - engine["recall_p50_ms"],
        "throughput_ratio": per_second / engine["recalls_per_second"],
        "p99_over_p50_at_half": half["p99_ms"] / half["p50_ms"],
        "write_ratio": writes["requests_per_second"] / engine["writes_per_second"],
    }
    print(json.dumps(figures, indent=1))


def post(address, path, body, timeout=30, key=None):
    data = json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    if key:
        headers["authorization"] = f"Bearer {key}"
    request = urllib.request.Request(address + path, data, headers)
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return answer.status, json.loads(answer.read())


class Client(threading.Thread):
    """Writes and asks until told to end; keeps what was acknowledged."""

    def __init__(self, number, soak):
        super().__init__(daemon=True)
        self.number, self.soak = number, soak
        self.acknowledged, self.asked, self.errors = {}, 0, []

    def run(self):
        chance = random.Random(self.number)
        count = 0
        while not self.soak.over.is_set():
            try:
                if chance.random() < self.soak.share_of_writes:
                    text = f"Client {self.number} noted item {count} of {chance.randrange(10**9)}"
                    count += 1
                    _, told = post(self.soak.server.address, f"{SPACE}/memories", {"content": text})
                    self.acknowledged[told["id"]] = text
                else:
                    words = f"what did client {chance.randrange(100)} note of item {chance.randrange(50)}?"
                    post(self.soak.server.address, f"{SPACE}/recall", {"query": words, "limit": 5})
                    self.asked += 1
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    self.errors.append(f"{error.code}: {error.read()[:200]}")
                time.sleep(0.2)
            except OSError as error:
                # While the server is down, nothing is acknowledged.
                if not self.soak.down.is_set() and time.monotonic() > self.soak.up_since + 2:
                    self.errors.append(repr(error))
                time.sleep(0.2)
            time.sleep(self.soak.pause)


class Soak:
    """Many clients for some minutes, and a server that is killed meanwhile."""

    def __init__(self, options):
        self.options = options
        self.over, self.down = threading.Event(), threading.Event()
        self.up_since = time.monotonic()
        self.pause = 0.2
        self.share_of_writes = 0.3

    def read_only(self, seconds):
        """The same clients ask only, so that the store stays as large: memory that grows now is lost."""
        self.share_of_writes = 0
        memory, until = [], time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(1)
            memory.append(self.server.resident_kib())
        return memory

    def start_again(self, how):
        """Another process for the same clients and store."""
        port = self.server.port
        self.down.set()
        self.server.end(how)
        self.server = Server(self.options.anamne, self.store, port)
        self.up_since = time.monotonic()
        self.down.clear()

    def run(self):
        options = self.options
        with tempfile.TemporaryDirectory() as folder:
            self.store = f"{folder}/store"
            self.server = Server(options.anamne, self.store)
            clients = [Client(number, self) for number in range(options.clients)]
            post(self.server.address, f"{SPACE}/memories", {"content": "The soak begins"})
            for client in clients:
                client.start()
            started, memory = time.monotonic(), []
            kills = [started + options.seconds * (turn + 1) / (options.kills + 1) for turn in range(options.kills)]
            while time.monotonic() < started + options.seconds:
                time.sleep(1)
                memory.append(self.server.resident_kib())
                if kills and time.monotonic() > kills[0]:
                    kills.pop(0)
                    self.start_again(signal.SIGKILL)
            steady = self.read_only(options.steady)
            self.start_again(signal.SIGTERM)
            new_process = self.read_only(min(options.steady, 60))
            self.over.set()
            for client in clients:
                client.join(timeout=60)
            lost = []
            for client in clients:
                for known, text in client.acknowledged.items():
                    path = f"{self.server.address}{SPACE}/memories/{known}"
                    with urllib.request.urlopen(path, timeout=30) as answer:
                        if json.loads(answer.read())["content"] != text:
                            lost.append(known)
            self.server.end()
            verified = subprocess.run([options.anamne, "--store", self.store, "--space", "benchmark", "verify"], check=False)
            errors = [error for client in clients for error in client.errors]
            figures = {
                "clients": options.clients, "seconds": options.seconds, "kills": options.kills,
                "acknowledged": sum(len(client.acknowledged) for client in clients),
                "asked": sum(client.asked for client in clients),
                "lost": lost, "errors": len(errors), "first_errors": errors[:5],
                "own_memory_kib": {"begin": memory[: 3], "end": memory[-3:], "most": max(memory),
                    "each_minute": memory[::60], "read_only_each_minute": steady[::60] + steady[-1:],
                    "new_process": new_process[-1:]},
                "verified": verified.returncode == 0,
            }
            print(json.dumps(figures, indent=1))
            sys.exit(0 if not lost and not errors and verified.returncode == 0 else 1)


class Many:
    """Many tenants, of which few are open, asked under a Zipf distribution."""

    def __init__(self, options):
        self.options = options
        self.keys = []

    def run(self):
        options = self.options
        with tempfile.TemporaryDirectory() as folder:
            self.server = Server(options.anamne, f"{folder}/store")
            administrator = {"name": "load", "all_spaces": True, "admin": True}
            self.admin = post(self.server.address, "/v1/admin/keys", administrator)[1]["key"]
            began = time.monotonic()
            self.in_threads(self.create, range(options.tenants))
            created = time.monotonic() - began
            after_creation = self.server.resident_kib()
            # A new process: nothing is open.
            self.server.end()
            self.server = Server(options.anamne, f"{folder}/store")
            self.cold, self.warm, self.most, self.asked_of = [], [], 0, set()
            self.chance = random.Random(7)
            ranks = list(range(1, options.tenants + 1))
            self.chance.shuffle(self.keys)
            weights = [1 / rank for rank in ranks]
            tenants = self.chance.choices(range(options.tenants), weights, k=options.requests)
            began = time.monotonic()
            self.in_threads(self.ask_twice, tenants)
            asked = time.monotonic() - began
            # Then one at a time, those first that nobody has asked: an answer waits for nothing but itself.
            different = len(self.asked_of)
            quiet = [tenant for tenant in range(options.tenants) if tenant not in self.asked_of][:200]
            loaded = {"cold": quantiles(self.cold), "warm": quantiles(self.warm)}
            self.cold, self.warm = [], []
            for tenant in quiet:
                self.ask_twice(tenant)
            alone = {"cold": quantiles(self.cold), "warm": quantiles(self.warm)}
            figures = {
                "tenants": options.tenants, "memories_each": MEMORIES, "created_per_second": options.tenants / created,
                "own_memory_kib_after_creation": after_creation, "asked": 2 * len(tenants), "of": different,
                "seconds": asked, "eight_clients_ms": loaded, "one_client_ms": alone, "own_memory_kib_most": self.most,
                "resident_kib": resident_kib(self.server.process.pid),
            }
            self.server.end()
            print(json.dumps(figures, indent=1))

    def in_threads(self, work, values):
        """Does the work for all values on eight threads; the first error ends everything."""
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            for _ in threads.map(work, values):
                pass

    def create(self, number):
        address, name = self.server.address, f"tenant-{number}"
        post(address, "/v1/admin/tenants", {"name": name}, key=self.admin)
        wanted = {"name": name, "tenant": name, "all_spaces": True}
        key = post(address, "/v1/admin/keys", wanted, key=self.admin)[1]["key"]
        noted = [{"content": f"Tenant {number} noted fact {fact}: {WORDS[(number + fact) % len(WORDS)]} matters"} for fact in range(MEMORIES)]
        post(address, f"{SPACE}/memories/batch", {"memories": noted}, key=key)
        self.keys.append(key)

    def ask_twice(self, tenant):
        """The first question of a tenant that is not open opens it; the second one finds it open."""
        question = {"query": f"what did the tenant note about {WORDS[tenant % len(WORDS)]}?", "limit": 5}
        is_first = tenant not in self.asked_of
        self.asked_of.add(tenant)
        for times in (self.cold if is_first else None, self.warm):
            began = time.monotonic()
            _, answer = post(self.server.address, f"{SPACE}/recall", question, key=self.keys[tenant])
            if times is not None:
                times.append(1000 * (time.monotonic() - began))
            if not answer["results"]:
                raise SystemExit("a tenant's memories were not found")
        self.most = max(self.most, self.server.resident_kib())


MEMORIES = 20
WORDS = "garden bridge letter harbour engine winter doctor candle market violin glacier recipe passport lantern".split()


def quantiles(times):
    times = sorted(times)
    at = lambda part: round(times[min(len(times) - 1, int(part * len(times)))], 2)
    return {"count": len(times), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "most": round(times[-1], 2)} if times else None


def resident_kib(process):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text()).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["compare", "soak", "tenants"])
    parser.add_argument("--anamne", required=True)
    parser.add_argument("--eval", help="anamne-eval, to compare")
    parser.add_argument("--generator", help="the folder of ./install, to compare")
    parser.add_argument("--node", default="node")
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--steady", type=int, default=300, help="seconds of reading alone after a soak")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--tenants", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=20_000)
    options = parser.parse_args()
    options.anamne = os.path.abspath(options.anamne)
    if options.what == "compare":
        compare(options)
    elif options.what == "tenants":
        Many(options).run()
    else:
        Soak(options).run()


main()
