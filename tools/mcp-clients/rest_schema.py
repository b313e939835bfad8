#!/usr/bin/env python3
"""Sends generated requests to `anamne serve` by its OpenAPI description (schemathesis). Ends with 1 if an answer is a
server error or not as described."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from mcp_clients import Server

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def key(anamne, store):
    """A key that may do everything: from the first key on, and a request may make one, every request needs one."""
    rights = ["--all-spaces", "--erase", "--configure", "--trust", "--admin"]
    command = [anamne, "--store", store, "--json", "keys", "create", "schema", *rights]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["key"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--anamne", required=True)
    parser.add_argument("--clients", required=True, help="the folder of ./install")
    parser.add_argument("--examples", type=int, default=5, help="requests for each route and phase")
    options = parser.parse_args()
    tool = Path(options.clients).resolve() / "venv/bin/schemathesis"
    anamne = os.path.abspath(options.anamne)
    with tempfile.TemporaryDirectory() as folder, Server(anamne, f"{folder}/store") as server:
        command = [
            tool, "run", f"{server.address}/openapi.json", "--header", f"Authorization: Bearer {key(anamne, f'{folder}/store')}", "--max-examples", str(options.examples), "--checks", CHECKS,
            # It can't make lines of JSON.
            "--exclude-path", "/v1/spaces/{space}/import",
            # It would revoke its own key.
            "--exclude-path", "/v1/admin/keys/{id}", "--phases", "examples,coverage,fuzzing", "--generation-deterministic", "--no-color",
        ]
        sys.exit(subprocess.run(command, cwd=folder, check=False).returncode)


if __name__ == "__main__":
    main()
