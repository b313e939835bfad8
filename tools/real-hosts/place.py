"""A temporary home with a project, and the processes that run in it."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

# Longer than any command of a test takes on a slow machine.
PATIENCE = 300


class CommandFailed(Exception):
    """A command ended with another status than 0, or not in time."""


class Site:
    """A home folder, a git repository in it and the `anamne` program on the search path. Removed at the end."""

    def __init__(self, anamne):
        self.folder = Path(tempfile.mkdtemp(prefix="anamne-real-hosts-"))
        self.home = self.folder / "home"
        self.project = self.home / "harbour"
        programs = self.folder / "bin"
        self.project.mkdir(parents=True)
        programs.mkdir()
        (programs / "anamne").symlink_to(anamne)
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        (self.project / "README.md").write_text("# Harbour\n")
        self.run(["git", "init", "--quiet", "."])

    def add_programs(self, folder):
        """Puts a folder of programs on the search path."""
        self.environment["PATH"] += f"{os.pathsep}{folder}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, command, stdin="", environment=None, with_errors=False):
        """Runs a command in the project and returns its standard output, and its standard error if asked. Its process
        group ends with it."""
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=self.project,
            env={**self.environment, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(stdin, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise CommandFailed(f"{_words(command)} took longer than {PATIENCE} s") from None
        finally:
            _end_group(process)
        if process.returncode != 0:
            said = (errors.strip() or output.strip())[-2000:]
            raise CommandFailed(f"{_words(command)} ended with {process.returncode}: {said}")
        return output + errors if with_errors else output

    def anamne(self, *arguments, stdin=""):
        """What an `anamne` command prints."""
        return self.run(["anamne", *arguments], stdin)

    def memories(self):
        """The contents of all memories of the project."""
        listed = json.loads(self.anamne("list", "--json", "--limit", "1000"))
        return [memory["content"] for memory in listed["memories"]]

    def processes(self):
        """Ids of the processes that have this home; None where that can't be found out."""
        if not Path("/proc/self/environ").exists():
            return None
        mark = b"HOME=" + os.fsencode(self.home)
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if folder.name.isdigit() and mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:
                continue
        return found


def wait_for(condition, seconds=10):
    """Waits until a condition holds; returns its last value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(0.1)


def end(process_ids):
    """Ends processes that were left behind."""
    for process_id in process_ids:
        try:
            os.kill(process_id, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _end_group(process):
    """Ends what a command has left in its own process group, itself included."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def _words(command):
    return " ".join([Path(command[0]).name, *map(str, command[1:3])])
