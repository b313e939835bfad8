//! Which tool calls of an episode were undone by later ones: changes of files that git then took back.
//!
//! Known ways: `git restore PATH`, `git checkout -- PATH`, `git checkout COMMIT -- PATH`, `git reset --hard`, and `git revert` for
//! the last `git commit`. A call that only takes files out of the index (`git restore --staged`) undoes nothing.
//!
//! Calls in other episodes of a run meet by their [`Effect`]s, which the view of experience compares; these also tell an edit
//! that puts the former text back.

use std::collections::BTreeSet;

use anamne_types::ToolCall;

/// The part of an input that is read, in bytes.
const MOST_BYTES: usize = 4_096;

/// What later calls take back.
#[derive(Default)]
struct TakenBack {
    paths: BTreeSet<String>,
    everything: bool,
    commits: usize,
}

/// The longest input that is read as JSON, in bytes.
const MOST_JSON: usize = 64 << 10;

/// What a call that succeeded changes or takes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// A file is changed; if the call replaces one text by another, with digests of both.
    Changes(String, Option<(i64, i64)>),
    /// Changes of a file are taken back.
    TakesBack(String),
    /// All changes are taken back.
    TakesBackAll,
    /// A commit is made.
    Commits,
    /// The last commit is reverted.
    Reverts,
}

/// What a call that succeeded changes or takes back; mostly nothing. Linear in the read part of the input.
pub(crate) fn effects(input: &str) -> Vec<Effect> {
    let words: Vec<&str> = words(input).collect();
    if is_change(&words) {
        let texts = replaced(input);
        let changed = paths_of_change(&words).map(|path| Effect::Changes(path.to_owned(), texts));
        return changed.take(1).collect();
    }
    let Some((command, arguments)) = git(&words) else {
        return Vec::new();
    };
    let mut taken_back = TakenBack::default();
    taken_back.add(command, arguments);
    let mut effects: Vec<Effect> = taken_back
        .paths
        .into_iter()
        .map(Effect::TakesBack)
        .collect();
    if taken_back.everything {
        effects.push(Effect::TakesBackAll);
    }
    if taken_back.commits > 0 {
        effects.push(Effect::Reverts);
    }
    if command == "commit" {
        effects.push(Effect::Commits);
    }
    effects
}

/// Digests of the text that a call replaces, and of the new one.
fn replaced(input: &str) -> Option<(i64, i64)> {
    if input.len() > MOST_JSON {
        return None;
    }
    let input: serde_json::Value = serde_json::from_str(input).ok()?;
    let digest = |key: &str| {
        let text = input.get(key)?.as_str()?;
        let first = blake3::hash(text.as_bytes())
            .as_bytes()
            .first_chunk()
            .copied();
        first.map(i64::from_le_bytes)
    };
    let (former, later) = (digest("old_string")?, digest("new_string")?);
    (former != later).then_some((former, later))
}

/// For each call, whether a later one that succeeded undid it. Linear in the read parts of the inputs.
pub(crate) fn undone(calls: &[ToolCall]) -> Vec<bool> {
    let mut taken_back = TakenBack::default();
    let mut undone = vec![false; calls.len()];
    for (place, call) in calls.iter().enumerate().rev() {
        if call.succeeded != Some(true) {
            continue;
        }
        let words: Vec<&str> = words(&call.input).collect();
        undone[place] = if is_change(&words) {
            taken_back.covers(&words)
        } else {
            git(&words).is_some_and(|(command, arguments)| taken_back.add(command, arguments))
        };
    }
    undone
}

impl TakenBack {
    /// Adds what a command of git takes back; returns whether the command itself is taken back.
    fn add(&mut self, command: &str, arguments: &[&str]) -> bool {
        let has = |option: &str| arguments.contains(&option);
        match command {
            "restore" if !has("--staged") || has("--worktree") => self.add_paths(arguments),
            "checkout" => {
                if let Some(end) = arguments.iter().position(|argument| *argument == "--") {
                    self.add_paths(&arguments[end + 1..]);
                }
            }
            "reset" if has("--hard") => self.everything = true,
            "revert" => self.commits += 1,
            "commit" if self.commits > 0 => {
                self.commits -= 1;
                return true;
            }
            _ => {}
        }
        false
    }

    fn add_paths(&mut self, arguments: &[&str]) {
        let paths = arguments.iter().filter(|word| !word.starts_with('-'));
        for path in paths {
            match path.trim_start_matches("./") {
                "" | "." => self.everything = true,
                path => {
                    self.paths.insert(path.to_owned());
                }
            }
        }
    }

    /// Whether a change was taken back: it names its file under a key such as `path`.
    fn covers(&self, words: &[&str]) -> bool {
        paths_of_change(words).any(|path| self.everything || self.names(path))
    }

    /// Whether a path, or an end of it that begins after a slash, was taken back.
    fn names(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(slash, _)| &path[slash + 1..]);
        ends.chain([path]).any(|end| self.paths.contains(end))
    }
}

/// The files that a change names under a key such as `path`.
fn paths_of_change<'a>(words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let named = words
        .windows(2)
        .filter(|pair| matches!(pair[0], "file_path" | "path" | "filePath" | "notebook_path"));
    named.map(|pair| pair[1])
}

/// Whether a call changes a file: it has a key for new text.
fn is_change(words: &[&str]) -> bool {
    words.iter().any(|word| {
        matches!(
            *word,
            "old_string" | "new_string" | "content" | "edits" | "diff" | "patch"
        )
    })
}

/// The first command of git in a call and its arguments, up to the end of the shell command.
fn git<'a, 'b>(words: &'b [&'a str]) -> Option<(&'a str, &'b [&'a str])> {
    let begins = |place: usize| {
        let before = place.checked_sub(1).map(|before| words[before]);
        before.is_none_or(|word| matches!(word, "command" | "cmd" | "&&" | "||" | "sudo" | "-c"))
    };
    let place = (0..words.len()).find(|place| words[*place] == "git" && begins(*place))?;
    let (command, rest) = words[place + 1..].split_first()?;
    let end = rest
        .iter()
        .position(|word| matches!(*word, "&&" | "||" | "|" | "&"));
    Some((command, &rest[..end.unwrap_or(rest.len())]))
}

/// The words of an input, which may be JSON or a command line: separated by white space, quotes and punctuation of JSON.
fn words(input: &str) -> impl Iterator<Item = &str> {
    let read = &input[..input.floor_char_boundary(MOST_BYTES)];
    let is_separator = |character: char| {
        character.is_whitespace()
            || matches!(
                character,
                '"' | '\'' | '{' | '}' | '[' | ']' | ',' | ':' | ';' | '\\'
            )
    };
    read.split(is_separator).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, input: &str) -> ToolCall {
        ToolCall {
            tool: tool.to_owned(),
            input: input.to_owned(),
            output: String::new(),
            succeeded: Some(true),
        }
    }

    fn edit(path: &str) -> ToolCall {
        let input = format!(r#"{{"file_path": "{path}", "old_string": "a", "new_string": "b"}}"#);
        call("Edit", &input)
    }

    fn shell(command: &str) -> ToolCall {
        call("Bash", &format!(r#"{{"command": "{command}"}}"#))
    }

    #[test]
    fn an_edit_is_undone_by_what_takes_its_file_back() {
        for back in [
            "git restore src/main.rs",
            "git checkout -- ./src/main.rs",
            "git checkout HEAD -- src/main.rs && cargo test",
            "git restore .",
            "git reset --hard",
        ] {
            let calls = [
                edit("/home/ada/parser/src/main.rs"),
                shell(back),
                edit("src/main.rs"),
            ];
            assert_eq!(undone(&calls), [true, false, false], "{back}");
        }
    }

    #[test]
    fn other_files_commands_and_readers_are_not_undone() {
        for other in [
            "git restore src/lib.rs",
            "git restore --staged src/main.rs",
            "git checkout main",
            "git reset HEAD src/main.rs",
            "cat src/main.rs",
            "echo git restore src/main.rs",
            "git",
        ] {
            let read = call("Read", r#"{"file_path": "src/main.rs"}"#);
            let calls = [edit("src/main.rs"), read, shell(other)];
            assert_eq!(undone(&calls), [false; 3], "{other}");
        }
        let mut failed = shell("git restore src/main.rs");
        failed.succeeded = Some(false);
        assert_eq!(undone(&[edit("src/main.rs"), failed]), [false; 2]);
    }

    #[test]
    fn calls_tell_what_they_change_and_take_back() {
        let found = |call: ToolCall| effects(&call.input);
        let edited = found(edit("src/main.rs"));
        let [Effect::Changes(path, Some((former, later)))] = &edited[..] else {
            panic!("{edited:?}");
        };
        assert!(path == "src/main.rs" && former != later);
        let restored = found(shell("git restore src/main.rs src/lib.rs"));
        let back = |path: &str| Effect::TakesBack(path.to_owned());
        assert_eq!(restored, [back("src/lib.rs"), back("src/main.rs")]);
        assert_eq!(found(shell("git reset --hard")), [Effect::TakesBackAll]);
        assert_eq!(found(shell("git commit -m one")), [Effect::Commits]);
        assert_eq!(found(shell("git revert HEAD")), [Effect::Reverts]);
        assert_eq!(found(shell("cargo test")), []);
        let broken = call(
            "Edit",
            r#"{"file_path": "a", "old_string": "a", "new_string""#,
        );
        assert_eq!(found(broken), [Effect::Changes("a".to_owned(), None)]);
    }

    #[test]
    fn a_revert_undoes_the_last_commit_only() {
        let calls = [
            shell("git commit -m one"),
            shell("git commit -m two"),
            shell("git revert --no-edit HEAD"),
        ];
        assert_eq!(undone(&calls), [false, true, false]);
    }
}
