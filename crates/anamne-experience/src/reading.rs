//! Calls that only read: they look at something and change nothing, so they end no error.

use serde_json::Value;

/// The longest input that is judged, in bytes; a longer one is no mere reading.
const MOST_BYTES: usize = 4_096;

/// Tools of agents' hosts that only read, in lower case.
const TOOLS: [&str; 24] = [
    "read",
    "read_file",
    "readfile",
    "read_many_files",
    "view",
    "view_file",
    "ls",
    "list",
    "list_dir",
    "list_directory",
    "list_files",
    "glob",
    "grep",
    "grep_search",
    "search",
    "search_files",
    "search_file_content",
    "codebase_search",
    "file_search",
    "websearch",
    "web_search",
    "webfetch",
    "web_fetch",
    "todowrite",
];

/// Tools that run a command line.
const SHELLS: [&str; 13] = [
    "bash",
    "sh",
    "zsh",
    "shell",
    "local_shell",
    "shell_command",
    "terminal",
    "powershell",
    "run_command",
    "run_shell_command",
    "run_terminal_cmd",
    "execute_command",
    "exec_command",
];

/// Programs that only read, whatever their arguments.
const PROGRAMS: [&str; 60] = [
    "ls",
    "dir",
    "pwd",
    "cat",
    "bat",
    "head",
    "tail",
    "less",
    "more",
    "wc",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "tree",
    "file",
    "stat",
    "du",
    "df",
    "which",
    "whereis",
    "type",
    "echo",
    "printf",
    "printenv",
    "id",
    "whoami",
    "hostname",
    "uname",
    "date",
    "uptime",
    "ps",
    "free",
    "lsof",
    "diff",
    "cmp",
    "sort",
    "uniq",
    "cut",
    "tr",
    "awk",
    "jq",
    "column",
    "nl",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "readlink",
    "realpath",
    "basename",
    "dirname",
    "md5sum",
    "sha256sum",
    "man",
    "get-content",
    "get-childitem",
    "get-location",
    "select-string",
];

/// Commands of git that only read, and those that do without a name.
const OF_GIT: [&str; 14] = [
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "grep",
    "rev-parse",
    "rev-list",
    "describe",
    "shortlog",
    "cat-file",
];
const LISTS_OF_GIT: [&str; 3] = ["branch", "tag", "remote"];

/// Options with which a program that looks for files changes some.
const CHANGING: [&str; 8] = [
    "-delete", "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "-fprint",
];

/// Output that goes nowhere.
const DISCARDED: [&str; 6] = [
    "2>&1",
    "2>/dev/null",
    "2> /dev/null",
    "&>/dev/null",
    ">/dev/null",
    "> /dev/null",
];

/// Whether a call only reads. When in doubt it doesn't. O(bytes).
pub(crate) fn only_reads(action: &str, input: &str) -> bool {
    let (action, input) = (action.trim(), input.trim());
    if action.len() + input.len() > MOST_BYTES {
        return false;
    }
    // Tools of servers are named like `mcp__files__read_file`.
    let tool = action.rsplit("__").next().unwrap_or(action).to_lowercase();
    if TOOLS.contains(&tool.as_str()) {
        return true;
    }
    match command(input) {
        Some(command) => command_reads(&command),
        None if SHELLS.contains(&tool.as_str()) => command_reads(input),
        None => command_reads(&format!("{action} {input}")),
    }
}

/// The command line that the arguments of a call name.
fn command(input: &str) -> Option<String> {
    if !input.starts_with('{') {
        return None;
    }
    let arguments: Value = serde_json::from_str(input).ok()?;
    match arguments.get("command").or_else(|| arguments.get("cmd"))? {
        Value::String(command) => Some(command.clone()),
        // Such as `["bash", "-lc", "ls src"]`.
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, option, command]
                    if SHELLS.contains(shell)
                        && option.starts_with('-')
                        && option.ends_with('c') =>
                {
                    Some((*command).to_owned())
                }
                _ => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

/// Whether at least one part of a command line reads, and the others change at most the folder.
fn command_reads(command: &str) -> bool {
    let mut command = command.to_owned();
    for discarded in DISCARDED {
        command = command.replace(discarded, " ");
    }
    if command.contains(['>', '`']) || command.contains("$(") || command.contains("<<") {
        return false;
    }
    let parts = command.split(['\n', ';', '|', '&']);
    let mut reads = false;
    for part in parts.filter(|part| !part.trim().is_empty()) {
        match part_reads(part) {
            Some(part) => reads |= part,
            None => return false,
        }
    }
    reads
}

/// Whether a simple command reads; not if it goes to a folder, and `None` if it may change something.
fn part_reads(part: &str) -> Option<bool> {
    let mut words = part.split_whitespace().skip_while(|word| {
        matches!(*word, "sudo" | "time" | "command") || word.contains('=') && !word.starts_with('-')
    });
    let program = words.next()?;
    let program = program.rsplit('/').next()?.to_lowercase();
    let words: Vec<&str> = words.collect();
    let has = |options: &[&str]| words.iter().any(|word| options.contains(word));
    let reads = match program.as_str() {
        "cd" | "pushd" | "popd" => return Some(false),
        "git" => git_reads(&words),
        "find" | "fd" => !has(&CHANGING),
        "sed" => has(&["-n"]) && !words.iter().any(|word| word.starts_with("-i")),
        program => PROGRAMS.contains(&program),
    };
    reads.then_some(true)
}

fn git_reads(words: &[&str]) -> bool {
    let mut words = words.iter().copied();
    let mut command = words.next();
    // Options before the command, some with a value.
    while let Some(option) = command.filter(|word| word.starts_with('-')) {
        if matches!(option, "-C" | "-c") {
            words.next();
        }
        command = words.next();
    }
    let Some(command) = command else { return false };
    let is_list = || LISTS_OF_GIT.contains(&command) && words.clone().all(is_list_option);
    OF_GIT.contains(&command) || is_list()
}

fn is_list_option(word: &str) -> bool {
    matches!(
        word,
        "-a" | "-r" | "-v" | "-vv" | "-l" | "--all" | "--list" | "--remotes" | "--show-current"
    )
}

#[cfg(test)]
mod tests {
    use super::only_reads;

    #[test]
    fn looking_at_something_is_reading() {
        for (action, input) in [
            ("Read", r#"{"file_path": "src/main.rs"}"#),
            ("mcp__files__read_file", "src/main.rs"),
            ("Bash", "ls -la"),
            (
                "Bash",
                r#"{"command": "cd src && git --no-pager log -3 2>&1 | head"}"#,
            ),
            (
                "shell",
                r#"{"command": ["bash", "-lc", "rg -n todo\ncat a.rs"]}"#,
            ),
            ("git", "status"),
            ("ls", ""),
            ("Bash", "LC_ALL=C git -C sub branch -a"),
            ("Bash", "find . -name '*.rs'; sed -n 1,9p a.rs"),
        ] {
            assert!(only_reads(action, input), "{action} {input}");
        }
    }

    #[test]
    fn what_may_change_something_is_no_mere_reading() {
        for (action, input) in [
            (
                "Edit",
                r#"{"file_path": "ls", "old_string": "a", "new_string": "b"}"#,
            ),
            ("Bash", "cd src"),
            ("Bash", "cargo test"),
            ("Bash", "cat a > b"),
            ("Bash", "ls && make install"),
            ("Bash", "ls\nmake install"),
            ("Bash", "echo $(make)"),
            ("Bash", "git branch -D old"),
            ("Bash", "git stash"),
            ("Bash", "find . -name x -delete"),
            ("Bash", "sed -i s/a/b/ a.rs"),
            ("Bash", r#"{"command": "ls""#),
            ("act", "SHOW TABLES"),
            ("", ""),
        ] {
            assert!(!only_reads(action, input), "{action} {input}");
        }
        assert!(!only_reads("Bash", &"ls;".repeat(100_000)));
    }
}
