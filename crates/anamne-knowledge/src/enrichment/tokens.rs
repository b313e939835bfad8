//! The tokens of a text, with the shapes that cues and keywords look for.

use std::ops::Range;

/// The shape of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    /// A word in lower case, or at the beginning of a sentence.
    Word,
    /// A word with a capital inside a sentence.
    Name,
    /// A number: `14`, `80%`.
    Number,
    /// A number with a unit: `200ms`, `512Mi`.
    Amount,
    /// A release: `2.4.1`, `v9`.
    Version,
    /// A web address.
    Url,
    /// A path with folders.
    Path,
    /// The name of a file.
    File,
    /// An address of a person's mail.
    Email,
    /// An address in a network.
    Address,
    /// An option or environment variable: `MAX_UPLOAD_MB`.
    Option,
    /// A name in code: `parse_row`, `RepoError`, `t.Run`.
    Identifier,
    /// A ticket, decision or incident: `HAL-2291`, `#318`.
    Ticket,
    /// The end of a question.
    Question,
    /// A mark that separates: a comma, a colon, the end of a sentence.
    Mark,
}

impl Shape {
    /// The shape that a pattern names.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "name" => Self::Name,
            "number" => Self::Number,
            "amount" => Self::Amount,
            "version" => Self::Version,
            "url" => Self::Url,
            "path" => Self::Path,
            "file" => Self::File,
            "email" => Self::Email,
            "address" => Self::Address,
            "option" => Self::Option,
            "identifier" => Self::Identifier,
            "ticket" => Self::Ticket,
            "question" => Self::Question,
            _ => return None,
        })
    }

    /// Whether it is a name of one thing, which a reader would look for.
    pub(super) fn is_exact(self) -> bool {
        matches!(
            self,
            Self::Url
                | Self::Path
                | Self::File
                | Self::Email
                | Self::Address
                | Self::Option
                | Self::Identifier
                | Self::Ticket
        )
    }
}

/// A token of a text.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Its byte range.
    pub(super) span: Range<usize>,
    /// In lower case, with straight apostrophes.
    pub(super) lower: String,
    /// Its shape.
    pub(super) shape: Shape,
    /// Whether it begins a sentence.
    pub(super) begins: bool,
}

/// Longest token that is compared with anything, in bytes. Longer ones are taken for noise.
const LONGEST_TOKEN: usize = 120;

/// The first `most` tokens of a text. Linear in the part that is read.
pub(super) fn tokens(text: &str, most: usize) -> Vec<Token> {
    let mut found = Vec::new();
    let mut begins = true;
    let base = text.as_ptr() as usize;
    for chunk in text.split(char::is_whitespace) {
        let start = chunk.as_ptr() as usize - base;
        if begins_line(text, start) {
            begins = true;
        }
        push_chunk(chunk, start, &mut begins, &mut found);
        if found.len() >= most {
            found.truncate(most);
            break;
        }
    }
    found
}

fn begins_line(text: &str, at: usize) -> bool {
    text[..at].ends_with('\n')
}

fn push_chunk(chunk: &str, start: usize, begins: &mut bool, out: &mut Vec<Token>) {
    let opening = |c: char| {
        matches!(
            c,
            '(' | '[' | '{' | '"' | '“' | '„' | '«' | '\'' | '‘' | '¿' | '¡' | '`' | '*' | '<'
        )
    };
    let closing = |c: char| {
        matches!(
            c,
            ')' | ']'
                | '}'
                | '"'
                | '”'
                | '“'
                | '»'
                | '\''
                | '’'
                | '`'
                | '*'
                | '>'
                | ','
                | ';'
                | ':'
                | '.'
                | '!'
                | '?'
                | '…'
        )
    };
    let opened = chunk.trim_start_matches(opening);
    let from = chunk.len() - opened.len();
    let mut core = opened.trim_end_matches(closing);
    if core.ends_with('(') && opened[core.len()..].starts_with(')') {
        core = &opened[..=core.len()];
    } else if let Some(call) = core.find('(').filter(|call| *call > 0) {
        // Of a call with arguments only the name is of interest.
        core = &core[..call];
    }
    let tail = &opened[core.len()..];
    if !core.is_empty() && core.len() <= LONGEST_TOKEN {
        push_core(core, start + from, *begins, out);
        *begins = false;
    }
    let at = start + from + core.len();
    if let Some(mark) = tail
        .chars()
        .find(|c| matches!(c, '?' | '!' | '.' | '…' | ':' | ';' | ',' | ')'))
    {
        let ends = tail.contains(['?', '!', '.', '…', ':', ';']);
        let shape = if tail.contains('?') {
            Shape::Question
        } else {
            Shape::Mark
        };
        out.push(Token {
            span: at..start + chunk.len(),
            lower: mark.to_string(),
            shape,
            begins: false,
        });
        *begins |= ends;
    }
}

fn push_core(core: &str, at: usize, begins: bool, out: &mut Vec<Token>) {
    let shape = shape_of(core, begins);
    let parts = if matches!(shape, Shape::Word | Shape::Name) {
        core.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '&')))
            .collect::<Vec<_>>()
    } else {
        vec![core]
    };
    let several = parts.len() > 1;
    let base = core.as_ptr() as usize;
    for (index, part) in parts.into_iter().enumerate() {
        if part.is_empty() {
            continue;
        }
        let from = at + (part.as_ptr() as usize - base);
        let begins = begins && index == 0;
        out.push(Token {
            span: from..from + part.len(),
            lower: part.to_lowercase().replace('’', "'"),
            shape: if several {
                shape_of(part, begins)
            } else {
                shape
            },
            begins,
        });
    }
}

fn shape_of(core: &str, begins: bool) -> Shape {
    let first = core.chars().next().unwrap_or(' ');
    let has = |wanted: char| core.contains(wanted);
    if core.contains("://") || core.starts_with("www.") {
        return Shape::Url;
    }
    if is_email(core) {
        return Shape::Email;
    }
    if is_ticket(core) {
        return Shape::Ticket;
    }
    if first.is_ascii_digit() || (first == '+' && core.len() > 1) || first == '±' {
        return numeric(core);
    }
    if is_version(core) {
        return Shape::Version;
    }
    if has('/') {
        return if is_path(core) {
            Shape::Path
        } else {
            Shape::Word
        };
    }
    if is_option(core) {
        return Shape::Option;
    }
    if is_file(core) {
        return Shape::File;
    }
    if is_identifier(core) {
        return Shape::Identifier;
    }
    if first.is_uppercase() && (!begins || core.chars().skip(1).any(char::is_uppercase)) {
        return Shape::Name;
    }
    Shape::Word
}

fn numeric(core: &str) -> Shape {
    let dots = core.matches('.').count();
    let rest = core.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '+' | '%')
    });
    if dots == 3 && core.split('.').all(|part| part.parse::<u8>().is_ok()) {
        Shape::Address
    } else if dots == 2 && rest.is_empty() {
        Shape::Version
    } else if rest.is_empty() {
        Shape::Number
    } else if rest.len() <= 4 && rest.chars().all(char::is_alphabetic) {
        Shape::Amount
    } else {
        Shape::Number
    }
}

fn is_email(core: &str) -> bool {
    core.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.starts_with('.') && !host.contains('@')
    })
}

fn is_ticket(core: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(number) = core.strip_prefix('#') {
        return digits(number);
    }
    core.split_once('-').is_some_and(|(project, number)| {
        (1..=8).contains(&project.len())
            && project.bytes().all(|byte| byte.is_ascii_uppercase())
            && digits(number)
    })
}

fn is_version(core: &str) -> bool {
    let number = core.strip_prefix(['v', 'V']).unwrap_or("");
    !number.is_empty()
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Words with a slash, such as `and/or`, are no paths.
fn is_path(core: &str) -> bool {
    let parts = core.split('/').filter(|part| !part.is_empty()).count();
    core.starts_with(['/', '~', '.'])
        || core.ends_with('/')
        || parts > 2
        || core.contains(['.', '_', '-'])
        || core.bytes().any(|byte| byte.is_ascii_digit())
        || matches!(
            core.split('/').next(),
            Some(
                "docs"
                    | "src"
                    | "tests"
                    | "test"
                    | "packages"
                    | "lib"
                    | "go"
                    | "crates"
                    | "target"
                    | "etc"
                    | "opt"
            )
        )
}

fn is_option(core: &str) -> bool {
    let name = core
        .split('=')
        .next()
        .unwrap_or(core)
        .trim_start_matches('$');
    name.len() > 3
        && name.contains('_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_file(core: &str) -> bool {
    let ending = core.rsplit_once('.').map_or("", |(name, ending)| {
        if name.is_empty() && core.len() < 4 {
            ""
        } else {
            ending
        }
    });
    matches!(
        ending,
        "rs" | "py"
            | "js"
            | "ts"
            | "tsx"
            | "jsx"
            | "go"
            | "java"
            | "c"
            | "h"
            | "cpp"
            | "md"
            | "txt"
            | "toml"
            | "yaml"
            | "yml"
            | "json"
            | "conf"
            | "ini"
            | "cfg"
            | "env"
            | "sql"
            | "sh"
            | "lock"
            | "pdf"
            | "csv"
            | "xlsx"
            | "docx"
            | "html"
            | "css"
            | "log"
            | "db"
            | "gitattributes"
            | "gitignore"
            | "png"
            | "jpg"
            | "zip"
            | "xml"
    )
}

fn is_identifier(core: &str) -> bool {
    let word = core.trim_end_matches("()");
    let is_called = word.len() < core.len();
    if core.contains("::")
        || core.contains("->")
        || (core.contains('(') && !core.starts_with('('))
        || is_called
    {
        return true;
    }
    let plain = word
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '!' | '='));
    if !plain {
        return false;
    }
    let camel = word
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let dotted = word.split('.').filter(|part| !part.is_empty()).count() > 1 && word.is_ascii();
    word.contains('_')
        || word.contains("==")
        || (camel && word.chars().count() > 4)
        || dotted
        || word.ends_with('!')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(text: &str) -> Vec<(String, Shape)> {
        let found = tokens(text, 100).into_iter();
        found
            .filter(|token| token.shape != Shape::Mark)
            .map(|token| (text[token.span].to_owned(), token.shape))
            .collect()
    }

    #[test]
    fn tokens_have_their_shapes() {
        for (text, shape) in [
            ("HAL-2291", Shape::Ticket),
            ("#318", Shape::Ticket),
            ("MAX_UPLOAD_MB", Shape::Option),
            ("parse_row", Shape::Identifier),
            ("RepoError", Shape::Identifier),
            ("load()", Shape::Identifier),
            ("docs/errors.md", Shape::Path),
            ("nginx.conf", Shape::File),
            ("https://example.org/a", Shape::Url),
            ("a@example.org", Shape::Email),
            ("192.168.4.20", Shape::Address),
            ("2.4.1", Shape::Version),
            ("v9", Shape::Version),
            ("120s", Shape::Amount),
            ("80%", Shape::Number),
            ("and/or", Shape::Word),
        ] {
            assert_eq!(shapes(&format!("see {text} now"))[1].1, shape, "{text}");
        }
    }

    #[test]
    fn spans_are_borders_in_any_script() {
        for text in [
            "",
            "'",
            "(((",
            "日本語、テスト。",
            "¿Qué?",
            "a\n\nb",
            "🦀(🦀)…",
            "x\u{2028}y",
            "’’’ ''",
        ] {
            for token in tokens(text, 100) {
                assert!(text.get(token.span).is_some(), "{text}");
            }
        }
    }
}
