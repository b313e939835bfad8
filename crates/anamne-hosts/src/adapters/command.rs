//! Command lines of hooks.

use anamne_ingest::Platform;

use crate::hook::HookEvent;

/// Longer command lines aren't ours, in bytes.
const MAX_LINE: usize = 16 << 10;

/// The line with which a shell runs this program; `None` if no quotation holds in all shells of the platform.
///
/// On Windows hosts use cmd, PowerShell or Git's bash: paths get slashes, which all three take, and double quotes.
pub(super) fn line(platform: Platform, program: &str, arguments: &[String]) -> Option<String> {
    let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
    let quoted: Option<Vec<_>> = match platform {
        Platform::Windows => words.map(quoted_for_windows).collect(),
        _ => words.map(|word| Some(quoted(word))).collect(),
    };
    Some(quoted?.join(" "))
}

fn is_plain(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&byte);
    !word.is_empty() && word.bytes().all(plain)
}

fn quoted(word: &str) -> String {
    if is_plain(word) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn quoted_for_windows(word: &str) -> Option<String> {
    let word = word.replace('\\', "/");
    if word.contains(['"', '$', '%', '`', '!', '\n', '\r']) {
        return None;
    }
    Some(if is_plain(&word) {
        word
    } else {
        format!("\"{word}\"")
    })
}

/// The event of a hook of ours, if these words are one: a program called like this one whose arguments end in
/// `hook EVENT --host HOST`, whatever its path and its arguments before.
pub(super) fn event(words: &[String], host: &str) -> Option<HookEvent> {
    let [program, .., hook, event, option, named] = words else {
        return None;
    };
    if !is_ours(program) || hook != "hook" || option != "--host" || named != host {
        return None;
    }
    HookEvent::named(event)
}

/// Whether a program is called like this one, also with a version or a platform, as in `anamne-0.1.0-linux`. Hooks of
/// other programs are not recognised as ours.
pub fn is_ours(program: &str) -> bool {
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let file = file.to_ascii_lowercase();
    let rest = file.strip_prefix("anamne");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_', '.']))
}

/// The words of a command line: a shell's quotation, but a backslash stays a character except before quotes, spaces
/// and itself, as in paths of Windows. Empty if the line is too long or has an open quotation.
pub(super) fn words(line: &str) -> Vec<String> {
    if line.len() > MAX_LINE {
        return Vec::new();
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quotation = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match (quotation, character) {
            (Some(open), _) if open == character => quotation = None,
            (None, '\'' | '"') => {
                quotation = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '\\') => {
                let escaped = characters.next_if(|next| matches!(next, '\'' | '"' | ' ' | '\\'));
                word.get_or_insert_default().push(escaped.unwrap_or('\\'));
            }
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    if quotation.is_some() {
        Vec::new()
    } else {
        words
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, expected: Option<HookEvent>) {
        assert_eq!(event(&words(line), "codex"), expected, "{line}");
    }

    #[test]
    fn a_hook_of_ours_is_recognised_by_program_and_last_arguments() {
        let prompt = Some(HookEvent::Prompt);
        check("anamne hook prompt --host codex", prompt);
        check(
            "/opt/bin/anamne --store '/a b' hook prompt --host codex",
            prompt,
        );
        check("'/a b/anamne' hook prompt --host codex", prompt);
        check(r"C:\tools\Anamne.exe hook prompt --host codex", prompt);
        check(
            "\"C:/Program Files/anamne.exe\" hook prompt --host codex",
            prompt,
        );
        check("./anamne-0.1.0-linux hook prompt --host codex", prompt);
        check("anamne hook prompt --host gemini", None);
        check("anamne hook unknown --host codex", None);
        check("anamne hook prompt --host codex; rm x", None);
        check("echo anamne hook prompt --host codex", None);
        check("anamnesis hook prompt --host codex", None);
        check("anamne hook prompt --host 'codex", None);
        check("", None);
    }

    #[test]
    fn a_line_for_windows_is_quoted_for_all_its_shells_or_refused() {
        let line = |program| line(Platform::Windows, program, &["mcp".to_owned()]);
        assert_eq!(
            line(r"C:\a b\anamne.exe").as_deref(),
            Some("\"C:/a b/anamne.exe\" mcp")
        );
        assert_eq!(line(r"C:\%a%\anamne.exe"), None);
    }

    proptest! {
        #[test]
        fn a_quoted_line_has_the_same_words_again(
            program in "[ -~]{1,20}", arguments in prop::collection::vec("[ -~äß]{0,12}", 0..4)
        ) {
            let line = line(Platform::Linux, &program, &arguments).unwrap_or_default();
            prop_assert!(!line.contains('\n'));
            let mut expected = vec![program];
            expected.extend(arguments);
            prop_assert_eq!(words(&line), expected);
        }
    }
}
