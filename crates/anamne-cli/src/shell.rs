//! Quotes words of printed commands for a POSIX shell.

use std::fmt::Write;
use std::path::Path;

use anamne::text::quote::is_invisible;

/// The text as one word of a shell command line, whatever it contains.
///
/// Plain words stay unchanged; others are put in single quotes. Words with invisible characters are written as `$'…'`
/// with octal escapes, which bash, zsh and ksh support; a shell that doesn't reads one harmless word.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        text.to_owned()
    } else if text.chars().any(is_invisible) {
        escaped_word(text.as_bytes())
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Arguments of a command in order, after `--` if one of them would be read as an option.
pub(crate) fn shell_arguments<'a>(arguments: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::new();
    let mut is_option_like = false;
    for argument in arguments {
        is_option_like |= argument.starts_with('-');
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&shell_word(argument));
    }
    if is_option_like {
        line.insert_str(0, "-- ");
    }
    line
}

/// The path as one word; one that starts with a hyphen becomes `./-…`.
pub(crate) fn shell_path(path: &Path) -> String {
    let begins_with_hyphen = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    if begins_with_hyphen {
        return shell_path(&Path::new(".").join(path));
    }
    match path.to_str() {
        Some(text) => shell_word(text),
        None => escaped_word(path.as_os_str().as_encoded_bytes()),
    }
}

/// `$'…'` with all but plain characters as octal escapes, including quotes, so that no shell can end the word early.
fn escaped_word(bytes: &[u8]) -> String {
    let mut word = String::from("$'");
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b" _-./:@%+,=~".contains(&byte) {
            word.push(char::from(byte));
        } else {
            let _ = write!(word, "\\{byte:03o}");
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_word_stays_and_others_are_quoted() {
        for (text, word) in [
            ("Mara", "Mara"),
            ("/home/ada/anamne", "/home/ada/anamne"),
            ("Mara Lind", "'Mara Lind'"),
            ("", "''"),
            ("O'Neil", r"'O'\''Neil'"),
            ("$(reboot)", "'$(reboot)'"),
            ("`reboot`", "'`reboot`'"),
            ("a;b|c&d>e", "'a;b|c&d>e'"),
            ("~", "'~'"),
            ("#x", "'#x'"),
            ("=ls", "'=ls'"),
            (
                "\u{1b}[2J'$(reboot)",
                r"$'\033\1332J\047\044\050reboot\051'",
            ),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn nothing_that_begins_with_a_hyphen_is_taken_for_an_option() {
        assert_eq!(shell_arguments(["Mara", "Mara Lind"]), "Mara 'Mara Lind'");
        assert_eq!(shell_arguments(["Mara", "--hard"]), "-- Mara --hard");
        assert_eq!(shell_path(Path::new("-rf")), "./-rf");
        assert_eq!(shell_path(Path::new("/-rf x")), "'/-rf x'");
    }

    #[cfg(unix)]
    mod in_a_shell {
        use std::os::unix::ffi::OsStrExt;
        use std::process::Command;

        use proptest::prelude::*;

        use super::*;

        /// The only argument that a shell passes on; `None` if there is no such shell.
        fn read_back(shell: &str, words: &str) -> Option<Vec<u8>> {
            let script = format!("printf '%s|' {words}");
            let run = Command::new(shell).args(["-c", &script]).output().ok()?;
            assert!(
                run.status.success() && run.stderr.is_empty(),
                "{shell}: {script:?}: {run:?}"
            );
            Some(run.stdout)
        }

        fn hostile() -> impl Strategy<Value = String> {
            let pieces = prop::sample::select(vec![
                "$(", ")", "`", "'", "\"", "\\", "$", "!", "\n", "\r", "\t", "\u{1b}", "\u{202e}",
                "\u{7}", ";", "&", "|", ">", "<", "*", "?", "[", "]", "{a,b}", "~", "#", "=", "-",
                " ", "%", "echo X", "Mara", "ü", "巣", "$HOME", "\\'",
            ]);
            prop_oneof![
                prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat()),
                // A null character ends an argument on every system.
                "[^\0]{0,12}",
            ]
        }

        proptest! {
            #![proptest_config(ProptestConfig::with_cases(150))]

            #[test]
            fn a_word_is_read_back_as_it_was(text in hostile(), other in hostile()) {
                let words = format!("{} {}", shell_word(&text), shell_word(&other));
                prop_assert!(!words.chars().any(is_invisible), "{:?}", words);
                if let Some(read) = read_back("bash", &words) {
                    prop_assert_eq!(read, format!("{text}|{other}|").into_bytes());
                }
                // An older shell also reads two words, unchanged if nothing is invisible.
                if let Some(read) = read_back("sh", &words)
                    && !text.chars().chain(other.chars()).any(is_invisible)
                {
                    prop_assert_eq!(read, format!("{text}|{other}|").into_bytes());
                }
            }
        }

        #[test]
        fn no_shell_sees_a_command_in_an_escaped_word() {
            let word = shell_word("\u{1b}'$(echo obeyed)`echo obeyed`");
            let read = read_back("sh", &word).expect("a shell");
            assert!(
                !String::from_utf8_lossy(&read).contains("obeyed|"),
                "{read:?}"
            );
            let text = String::from_utf8_lossy(&read);
            assert_eq!(text.matches('|').count(), 1, "{read:?}");
        }

        #[test]
        fn a_path_that_is_no_text_is_read_back_too() {
            let path = Path::new(std::ffi::OsStr::from_bytes(b"caf\xe9 'x'"));
            if let Some(read) = read_back("bash", &shell_path(path)) {
                assert_eq!(read, b"caf\xe9 'x'|");
            }
        }
    }
}
