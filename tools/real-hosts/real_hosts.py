#!/usr/bin/env python3
"""Shows with real agent hosts that set-up, hooks, tools, capture and removal work.

Each host runs in a temporary home, without an account: a scripted model stands in for its provider and keeps what the
host sends. Prints one line for each proof; ends with 1 if one fails. See README.md.
"""

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True

from hosts import HOSTS
from place import CommandFailed, Site, end, wait_for
from scripted_model import ScriptedModel

# What is stored beforehand, and prompts that it answers. Each fact has words that occur nowhere else.
KNOWN = "The harbour office of Ferrol opens at 06:40 on weekdays."
KNOWN_MARK = "06:40"
KNOWN_PROMPT = "When does the harbour office of Ferrol open on weekdays?"
LATER = "The crane on pier 7 lifts at most 48 tonnes."
LATER_MARK = "48 tonnes"
LATER_PROMPT = "How many tonnes does the crane on pier 7 lift at most?"
TOOL_PROMPT = "Search your memory for the opening hours of the harbour office."
ANSWERS = ["Berth nine is reserved.", "Buoys were repainted.", "Tides are listed."]


class Failed(Exception):
    """A proof that failed, and why."""


class Proofs:
    """Runs proofs and prints a line for each."""

    def __init__(self, host):
        self.host = host
        self.failed = 0
        self.count = 0

    def show(self, what, proof):
        """Prints whether a proof holds. Returns whether it does."""
        started = time.monotonic()
        try:
            proof()
            problem = None
        except (Failed, CommandFailed) as error:
            problem = str(error)
        except Exception as error:  # A wrong expectation of this program is a failed proof as well.
            problem = f"{type(error).__name__}: {error}"
        self.count += 1
        self.failed += problem is not None
        word = "ok    " if problem is None else "FAILED"
        print(f"{word} {self.host}: {what} ({time.monotonic() - started:.1f} s)", flush=True)
        if problem is not None:
            print(f"       {problem}", flush=True)
        return problem is None


class Run:
    """The proofs for one host, in the order in which they build on each other."""

    def __init__(self, host, proofs):
        self.host = host
        self.site = host.site
        self.proofs = proofs
        self.before = {}
        self.connected = {}

    def all(self):
        show = self.proofs.show
        if not show("the host starts in an empty home", self.host.prepare):
            return
        self.before = self.configuration()
        if not show("set-up connects it", self.set_up):
            return
        show("a second set-up changes nothing", self.set_up_again)
        show("the host says that it is connected", self.is_connected)
        show("the briefing is in the first request of a session", self.briefing)
        show("a memory that answers the prompt is in the request", self.prompted)
        show("a tool's answer reaches the model as quoted text, as a tool's result", self.tool)
        show("every turn is captured once, and nothing that was injected", self.captured)
        show("a second end of the session adds nothing", self.ended_twice)
        show("an import of the transcripts adds nothing", self.imported)
        show("removal takes out our entries and nothing else", self.removed)
        show("removal restores files that nobody changed byte for byte", self.restored)
        show("no process is left", self.no_process)

    def configuration(self):
        """The host's configuration files; None for one that doesn't exist."""
        files = {path: self.site.home / path for path in self.host.configuration}
        return {path: file.read_bytes() if file.exists() else None for path, file in files.items()}

    def set_up(self):
        self.site.anamne("remember", KNOWN)
        self.site.anamne("setup", "--host", self.host.id, "--yes")
        self.connected = self.configuration()
        if self.connected == self.before:
            raise Failed("no configuration file was changed")

    def set_up_again(self):
        self.site.anamne("setup", "--host", self.host.id, "--yes")
        expect_same(self.connected, self.configuration())

    def is_connected(self):
        if not self.host.is_connected():
            raise Failed(f"`{self.host.command} mcp list` doesn't say so")

    def ask(self, prompt, answer, resume=False):
        """Asks the host, and returns the requests that it sent."""
        self.host.model.says = answer
        said = self.host.ask(prompt, resume)
        if answer not in said:
            raise Failed(f"the host didn't print the model's answer, but: {said[-500:]}")
        requests = self.host.requests()
        if not any(prompt in request.conversation for request in requests):
            raise Failed("no request has the prompt")
        return requests

    def briefing(self):
        requests = self.ask(KNOWN_PROMPT, ANSWERS[0])
        expect_in(KNOWN_MARK, requests[0].conversation)

    def prompted(self):
        """A session that has had its briefing gets only what its prompt asks for."""
        self.site.anamne("remember", LATER)
        requests = self.ask(LATER_PROMPT, ANSWERS[1], resume=True)
        expect_in(LATER_MARK, requests[0].conversation)

    def tool(self):
        self.host.model.use_tool("memory_search", {"query": "opening hours of the harbour office of Ferrol"})
        try:
            requests = self.ask(TOOL_PROMPT, ANSWERS[2])
        finally:
            self.host.model.tool = None
        if not requests[-1].tool_results:
            raise Failed("the model got no tool's result")
        expect_in(f"> {KNOWN}", requests[-1].tool_results)

    def captured(self):
        expected = {text: 1 for text in (KNOWN_PROMPT, LATER_PROMPT, TOOL_PROMPT, *ANSWERS)}
        expected |= {KNOWN_MARK: 1, LATER_MARK: 1}
        # Longer work goes to a process that ends by itself.
        wait_for(lambda: self.counted(expected) == expected)
        found = self.counted(expected)
        if found != expected:
            wrong = {text: count for text, count in found.items() if count != expected[text]}
            raise Failed(f"expected once each, but found: {wrong}")

    def counted(self, texts):
        memories = self.site.memories()
        return {text: sum(text in memory for memory in memories) for text in texts}

    def ended_twice(self):
        before = sorted(self.site.memories())
        self.site.anamne("hook", "session-end", "--host", self.host.id, stdin=self.host.end_of_session())
        wait_for(self.is_quiet)
        expect_same_memories(before, sorted(self.site.memories()))

    def imported(self):
        before = sorted(self.site.memories())
        report = json.loads(self.site.anamne("import", "--from", self.host.id, "--json"))
        if not report:
            raise Failed("the import reports nothing")
        expect_same_memories(before, sorted(self.site.memories()))

    def removed(self):
        """Files that the host has changed since lose our entries."""
        at_end = self.configuration()
        self.site.anamne("setup", "--remove", "--host", self.host.id, "--yes")
        after = self.configuration()
        for path, text in after.items():
            if self.connected[path] == at_end[path]:
                expect_same({path: self.before[path]}, {path: text})
            elif path.endswith(".json"):
                left = json.loads(text)
                kept = json.loads(at_end[path])
                kept.get(self.host.servers, {}).pop("anamne", None)
                if without_empty(left) != without_empty(kept):
                    raise Failed(f"{path} has lost or kept something else than our entry")
            elif b"anamne" in text:
                raise Failed(f"{path} still names anamne")

    def restored(self):
        """Set-up and removal, with no start of the host between them."""
        before = self.configuration()
        self.site.anamne("setup", "--host", self.host.id, "--yes")
        self.site.anamne("setup", "--remove", "--host", self.host.id, "--yes")
        expect_same(before, self.configuration())

    def is_quiet(self):
        return not self.site.processes()

    def no_process(self):
        if self.site.processes() is None:
            raise Failed("processes can't be listed on this system")
        if not wait_for(self.is_quiet):
            left = self.site.processes()
            end(left)
            raise Failed(f"these were left: {left}")


def without_empty(value):
    """A JSON object without the empty tables that an entry may leave behind."""
    return {name: inner for name, inner in value.items() if inner not in ({}, [])}


def expect_in(mark, text):
    if mark not in text:
        raise Failed(f"{mark!r} isn't in {len(text)} characters that end with: {text[-500:]!r}")


def expect_same(expected, found):
    changed = [path for path in expected if expected[path] != found[path]]
    if changed:
        raise Failed(f"differs: {', '.join(changed)}")


def expect_same_memories(before, after):
    added = list(after)
    for memory in before:
        if memory in added:
            added.remove(memory)
    if before != after:
        raise Failed(f"{len(before)} memories became {len(after)}; new: {added[:5]}")


def run_host(host_id, anamne, programs):
    """Shows all proofs for a host. Returns whether they hold."""
    host_class = HOSTS[host_id]
    proofs = Proofs(host_id)
    started = time.monotonic()
    with ScriptedModel("Nothing.") as model, Site(anamne) as site:
        try:
            Run(host_class(site, model, programs / host_class.command), proofs).all()
        finally:
            end(site.processes() or [])
    held = proofs.count - proofs.failed
    print(f"{host_id}: {held} of {proofs.count} proofs in {time.monotonic() - started:.0f} s", flush=True)
    return proofs.failed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("host", nargs="+", choices=[*HOSTS, "all"], help="the hosts to run")
    parser.add_argument("--anamne", required=True, type=Path, help="the anamne program")
    parser.add_argument("--hosts", required=True, type=Path, help="the folder with node_modules")
    options = parser.parse_args()
    chosen = list(HOSTS) if "all" in options.host else list(dict.fromkeys(options.host))
    programs = options.hosts.resolve() / "node_modules" / ".bin"
    needed = [options.anamne, *(programs / HOSTS[host].command for host in chosen)]
    for program in needed:
        if shutil.which(program) is None:
            parser.error(f"{program} is no program; see README.md")
    anamne = options.anamne.resolve()
    results = [run_host(host, anamne, programs) for host in chosen]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
