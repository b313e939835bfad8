"""Writes labelled pairs of error messages: the same error in another form, and different errors that look alike.

Usage: error_pairs.py > ../data/errors/pairs.jsonl

Every second error is to tune on, the others are to report. {f} is a file, {n} a number, {v} a version, {q} a name, {h} a host.
"""
import json

# An error, then others that look like it and are not.
ERRORS = [
    ("cannot open file '{f}': no such file or directory", "cannot open file '{f}': permission denied",
     "cannot open file '{f}': is a directory", "cannot open file '{f}': too many open files"),
    ("mismatched types: expected u32, found i64 in `{q}`", "mismatched types: expected i64, found u32 in `{q}`",
     "mismatched types: expected u32, found bool in `{q}`", "mismatched lengths: expected 3, found 4 in `{q}`"),
    ("connection refused by {h} after {n} ms", "connection reset by {h} after {n} ms",
     "connection timed out at {h} after {n} ms", "connection closed by {h} after {n} ms"),
    ("package '{q}' {v} requires python >= {v}", "package '{q}' {v} conflicts with python >= {v}",
     "package '{q}' {v} was removed from python >= {v}", "package '{q}' {v} is not signed for python >= {v}"),
    ("HTTP 404: page {f} not found", "HTTP 403: page {f} forbidden", "HTTP 500: page {f} failed", "HTTP 410: page {f} gone"),
    ("disk quota exceeded while writing {f}", "disk quota unknown while reading {f}",
     "disk read error while writing {f}", "file size limit exceeded while writing {f}"),
    ("the table '{q}' does not exist", "the table '{q}' already exists", "the column '{q}' does not exist",
     "the table '{q}' is locked"),
    ("undefined reference to `{q}` while linking {f}", "multiple definition of `{q}` while linking {f}",
     "hidden symbol `{q}` while linking {f}", "undefined version of `{q}` while linking {f}"),
    ("test {q} failed: expected {n} rows, got {n}", "test {q} skipped: expected {n} rows, got none",
     "test {q} timed out: waited for {n} rows, got {n}", "test {q} failed: expected {n} columns, got {n}"),
    ("cannot merge branch '{q}': conflict in {f}", "cannot delete branch '{q}': not merged with {f}",
     "cannot rebase branch '{q}': uncommitted changes in {f}", "cannot merge branch '{q}': unrelated history of {f}"),
    ("the key '{q}' is missing in {f}", "the key '{q}' is duplicated in {f}", "the key '{q}' is read-only in {f}",
     "the value of '{q}' is missing in {f}"),
    ("certificate of {h} has expired", "certificate of {h} is self-signed", "certificate of {h} is not yet valid",
     "certificate of {h} was revoked"),
    ("unexpected end of input in {f} at line {n}", "unexpected character in {f} at line {n}",
     "unexpected indent in {f} at line {n}", "unexpected end of string in {f} at line {n}"),
    ("process exited with status 137 after {n} s", "process exited with status 1 after {n} s",
     "process exited with status 127 after {n} s", "process exited with status 139 after {n} s"),
    ("variable '{q}' is used before assignment", "variable '{q}' is assigned but never used",
     "variable '{q}' is used after being moved", "function '{q}' is used before definition"),
    ("could not lock {f}: another process holds it", "could not unlock {f}: another process holds it",
     "could not lock {f}: the file system has no locks", "could not lock {f}: interrupted by a signal"),
    ("invalid JSON in {f}: trailing comma at line {n}", "invalid JSON in {f}: missing comma at line {n}",
     "invalid JSON in {f}: control character at line {n}", "invalid YAML in {f}: trailing comma at line {n}"),
    ("module '{q}' has no attribute load", "module '{q}' has no attribute dump", "module '{q}' has no member of type load",
     "package '{q}' has no module load"),
    ("out of memory: could not allocate {n} bytes", "out of range: could not index {n} bytes",
     "out of sync: could not read {n} bytes", "out of handles: could not allocate a socket of {n} bytes"),
    ("user '{q}' is not allowed to push to {h}", "user '{q}' is allowed to push to {h} with two factors only",
     "user '{q}' is not known to {h}", "user '{q}' is not allowed to pull from {h}"),
    ("port {n} is already in use on {h}", "port {n} is not open on {h}", "port {n} is privileged on {h}",
     "port {n} is filtered on {h}"),
    ("no matching distribution for {q} {v}", "no matching wheel tag for {q} {v}", "no matching hash for {q} {v}",
     "no compatible compiler for {q} {v}"),
    ("EACCES: permission denied, mkdir '{f}'", "ENOENT: no such file, mkdir '{f}'", "EEXIST: file exists, mkdir '{f}'",
     "EROFS: read-only file system, mkdir '{f}'"),
    ("divide by zero in `{q}` at {f}", "overflow of addition in `{q}` at {f}", "invalid value in `{q}` at {f}",
     "negative square root in `{q}` at {f}"),
    ("borrow of moved value `{q}`", "borrow of uninitialised value `{q}`", "use of moved value `{q}` in closure",
     "mutable borrow of shared value `{q}`"),
    ("the request body exceeds {n} bytes", "the request header exceeds {n} bytes", "the response body exceeds {n} bytes",
     "the request body is shorter than {n} bytes"),
    ("service '{q}' failed to start: missing configuration {f}", "service '{q}' failed to stop: missing process file {f}",
     "service '{q}' failed to start: invalid configuration {f}", "service '{q}' failed to reload: missing configuration {f}"),
    ("unknown option '{q}' for command build", "unknown option '{q}' for command test", "missing option '{q}' for command build",
     "repeated option '{q}' for command build"),
    ("ORA-00942: table or view does not exist", "ORA-00904: invalid identifier", "ORA-00955: name is used by an existing object",
     "ORA-01031: insufficient privileges"),
    ("deadlock found while updating '{q}'; try again", "timeout found while updating '{q}'; try again",
     "deadlock found while creating '{q}'; restart", "duplicate found while updating '{q}'"),
    ("image {q} {v} not found in registry {h}", "image {q} {v} not signed in registry {h}",
     "manifest of image {q} {v} not readable in registry {h}", "layer of image {q} {v} not found in registry {h}"),
    ("rate limit exceeded: retry after {n} seconds", "rate limit unknown: retry after {n} seconds",
     "spending limit exceeded: pay before {n} seconds", "size limit exceeded: split after {n} records"),
    ("type '{q}' is not generic", "type '{q}' is not sized", "type '{q}' is not exported", "trait '{q}' is not generic"),
    ("checksum of {f} does not match", "checksum of {f} is missing", "signature of {f} does not match",
     "size of {f} does not match"),
    ("the migration {v} was already applied", "the migration {v} was not yet applied", "the migration {v} was rolled back",
     "the migration {v} has no reverse"),
    ("could not resolve host {h}", "could not reach host {h}", "could not authenticate host {h}",
     "could not resolve dependency {h}"),
    ("lifetime of `{q}` is too short: dropped while borrowed", "lifetime of `{q}` is undeclared: add it",
     "lifetime of `{q}` is unconstrained: returned while borrowed", "lifetime of `{q}` is elided: name it"),
    ("foreign key of '{q}' refers to a missing row", "foreign key of '{q}' refers to a missing table",
     "primary key of '{q}' refers to a missing row", "foreign key of '{q}' has another type"),
    ("archive {f} is truncated after {n} bytes", "archive {f} is encrypted after {n} bytes",
     "archive {f} is empty", "archive {f} has a wrong magic number"),
    ("cyclic import of '{q}' in {f}", "relative import of '{q}' in {f}", "unused import of '{q}' in {f}",
     "ambiguous import of '{q}' in {f}"),
    ("token expired {n} minutes ago, sign in again", "token issued {n} minutes in the future",
     "token revoked {n} minutes ago, ask an administrator", "session expired {n} minutes ago without a token"),
    ("the assertion left == right failed in {f}", "the assertion left != right failed in {f}",
     "the assertion left < right failed in {f}", "the postcondition left == right failed in {f}"),
    ("stack overflow in thread '{q}'", "heap overflow in thread '{q}'", "stack underflow in thread '{q}'",
     "panic in thread '{q}'"),
    ("invalid date '{q}': month out of range", "invalid date '{q}': day out of range", "invalid date '{q}': unknown time zone",
     "invalid time '{q}': hour out of range"),
    ("jq: command not found", "awk: command not found", "jq: command timed out", "jq: cannot iterate over null"),
    ("can read {f} but not write it", "can write {f} but not read it", "can neither read nor write {f}",
     "can read {f} but not execute it"),
    ("cargo: no targets specified in manifest {f}", "cargo: two targets specified in manifest {f}",
     "cargo: no features specified in manifest {f}", "cargo: no workspace root of manifest {f}"),
    ("replica {n} is behind the leader", "replica {n} is ahead of the leader", "replica {n} has no leader",
     "replica {n} is the leader"),
    ("warehouse order has no items", "warehouse order has no address", "warehouse order has too many items",
     "warehouse item has no orders"),
    ("text of '{q}' is not valid UTF-8", "text of '{q}' is not valid base64", "text of '{q}' is valid UTF-8 but too long",
     "name of '{q}' is not valid ASCII"),
]

ONE = {"f": "src/store/open.rs", "n": "12", "v": "3.11.2", "q": "orders", "h": "db-one.example:5432"}
OTHER = {"f": "/srv/app/build/Cache_7.json", "n": "4096", "v": "v2.0.0-rc1", "q": "customer_name", "h": "api.example.org"}


def filled(template, slots):
    for name, value in slots.items():
        template = template.replace("{%s}" % name, value)
    return template


def wrapped(text):
    middle = text.index(" ", len(text) // 2) if " " in text[len(text) // 2:] else text.rindex(" ")
    return text[:middle] + "\n      " + text[middle + 1:]


def quoted_otherwise(text):
    return text.replace("`", '"').replace("'", "`") if "'" in text or "`" in text else text + "."


def unquoted(text):
    return text.replace("'", "").replace("`", "")


# The same error in another form: kind, and how an error is changed.
FORMS = [
    ("names", lambda text: text),
    ("prefix", lambda text: "error: " + text),
    ("prefix", lambda text: "E   " + text),
    ("prefix", lambda text: "[ERROR] " + text),
    ("prefix", lambda text: "2031-03-04 09:15:00 ERROR worker: " + text),
    ("prefix", lambda text: "fatal: " + text[0].upper() + text[1:]),
    ("place", lambda text: "src/lib.rs:12:34: " + text),
    ("place", lambda text: "line 7, column 3: " + text),
    ("place", lambda text: text + "\n  --> src/main.rs:3:14"),
    ("place", lambda text: text + " (at line 81, column 2)"),
    ("wrapped", wrapped),
    ("quotes", quoted_otherwise),
    ("quotes", unquoted),
    ("program", lambda text: "myapp: error: " + text),
    ("end", lambda text: text + "; see the log for details"),
]


def main():
    for number, (error, *different) in enumerate(ERRORS):
        half = "tune" if number % 2 == 0 else "report"
        # Five forms of each, each form the same number of times in each half.
        for turn in range(5):
            kind, change = FORMS[(number // 2 * 5 + turn) % len(FORMS)]
            # Filled in other words for half of the pairs, so that form and names differ together.
            other = OTHER if kind == "names" or turn % 2 == 0 else ONE
            pair = [filled(error, ONE), change(filled(error, other))]
            print(json.dumps({"half": half, "kind": kind, "same": True, "one": pair[0], "other": pair[1]}))
        for turn, template in enumerate(different):
            pair = [filled(error, ONE), filled(template, [ONE, OTHER][turn % 2])]
            print(json.dumps({"half": half, "kind": "different", "same": False, "one": pair[0], "other": pair[1]}))
        for turn in range(2):
            _, change = FORMS[(number * 2 + turn) % len(FORMS)]
            pair = [filled(error, ONE), change(filled(different[turn], ONE))]
            print(json.dumps({"half": half, "kind": "different, in another form", "same": False, "one": pair[0], "other": pair[1]}))


if __name__ == "__main__":
    main()
