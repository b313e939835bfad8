#!/usr/bin/env python3
"""Runs the official clients and the conformance suite against `anamne serve` and `anamne mcp`. See README.md.

Prints one line for each proof; ends with 1 if one fails.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent

# The scenarios of the suite that any server can pass; the others call tools of the suite's own example server.
SCENARIOS = [
    "server-initialize",
    "ping",
    "completion-complete",
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
]


class Server:
    """`anamne serve` on a free port with a temporary store."""

    def __init__(self, anamne, store):
        command = [anamne, "--store", store, "serve", "--listen", "127.0.0.1:0", "--log", "error"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}")
        self.address = found.group()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--anamne", required=True)
    parser.add_argument("--clients", required=True, help="the folder of ./install")
    options = parser.parse_args()
    anamne, clients = os.path.abspath(options.anamne), Path(options.clients).resolve()
    node = clients / "node_modules/node/bin/node"
    python = clients / "venv/bin/python"
    script = clients / "typescript_client.mjs"
    script.write_text((HERE / "typescript_client.mjs").read_text())
    failed = 0

    def show(what, command):
        nonlocal failed
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        is_ok = done.returncode == 0
        failed += not is_ok
        print(("ok     " if is_ok else "FAILED ") + what, flush=True)
        for line in done.stdout.splitlines() if is_ok else (done.stdout + done.stderr).splitlines()[-25:]:
            if line.startswith("ok") or not is_ok:
                print(f"       {line[:300]}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        with Server(anamne, f"{folder}/served") as server:
            url = f"{server.address}/mcp"
            show("the Python client over HTTP", [python, HERE / "python_client.py", "http", url])
            show("the TypeScript clients over HTTP", [node, script, "http", url])
            suite = clients / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
            for scenario in SCENARIOS:
                command = [node, suite, "server", "--url", url, "--scenario", scenario]
                show(f"conformance: {scenario}", command)
        stdio = [anamne, "--store", f"{folder}/local", "--space", "core", "mcp"]
        show("the Python client over stdio", [python, HERE / "python_client.py", "stdio", *stdio])
        show("the TypeScript clients over stdio", [node, script, "stdio", *stdio])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
