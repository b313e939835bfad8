//! What a word stands for.

use std::borrow::Cow;

/// The placeholder of dates and times.
pub(super) const TIME: &str = "<time>";

/// Endings of file names that are recognised without a folder.
const FILE_ENDINGS: [&str; 36] = [
    "rs", "py", "js", "ts", "tsx", "jsx", "c", "cc", "cpp", "h", "hpp", "go", "java", "kt", "rb",
    "php", "sh", "sql", "json", "toml", "yaml", "yml", "xml", "html", "css", "txt", "md", "csv",
    "log", "lock", "so", "dll", "exe", "o", "a", "zip",
];

/// Words after which a number is a code that says what happened.
const BEFORE_CODES: [&str; 9] = [
    "errno", "error", "code", "status", "http", "https", "http/1.1", "exit", "signal",
];

/// Digits of the longest code.
const MOST_CODE_DIGITS: usize = 5;

/// The fewest digits after a letter that are a number, not a part of a name such as `utf8` or `x86_64`.
const NUMBER_IN_NAME: usize = 4;

/// The fewest digits that are an id in a call.
const ID_DIGITS: usize = 9;

/// The fewest hexadecimal digits that are a hash: in an error, and in a call.
const HASH: usize = 7;
const HASH_IN_CALL: usize = 12;

/// The fewest characters of a generated id with letters and digits in turns, and its turns.
const ID: usize = 16;
const ID_TURNS: usize = 4;

/// The form of a word of an error; `before` is the word before it.
pub(super) fn in_error<'a>(word: &'a str, before: &str) -> Cow<'a, str> {
    let (word, end) = without_end(word);
    let form = match form_in_error(word, before) {
        Some(placeholder) => Cow::Borrowed(placeholder),
        None if is_code(word, before) => Cow::Borrowed(word),
        None => numbers(word),
    };
    with_end(form, end)
}

fn form_in_error(word: &str, before: &str) -> Option<&'static str> {
    if word.contains("://") {
        Some("<url>")
    } else if is_path(word) {
        Some("<path>")
    } else if is_mail(word) || is_memory_address(word) || is_network_address(word) {
        Some("<address>")
    } else if is_time(word) {
        Some(TIME)
    } else if is_hash(word, HASH) && !is_code(word, before) {
        Some("<hash>")
    } else if is_uuid(word) || is_generated(word) {
        Some("<id>")
    } else {
        None
    }
}

/// The form of a word of a call.
pub(super) fn in_call(word: &str) -> Cow<'_, str> {
    let (word, end) = without_end(word);
    let form = if is_hash(word, HASH_IN_CALL) {
        Cow::Borrowed("<hash>")
    } else if is_uuid(word) || is_long_number(word) {
        Cow::Borrowed("<id>")
    } else if is_memory_address(word) && word.len() > "0x".len() + HASH {
        Cow::Borrowed("<address>")
    } else if word.starts_with("/tmp/") || word.starts_with("/var/folders/") {
        Cow::Borrowed("/tmp/<path>")
    } else {
        Cow::Borrowed(word)
    };
    with_end(form, end)
}

/// A word without the punctuation that ends it, and that.
fn without_end(word: &str) -> (&str, &str) {
    let bare = word.trim_end_matches(['.', ':', '!', '?']);
    word.split_at(bare.len())
}

fn with_end<'a>(form: Cow<'a, str>, end: &str) -> Cow<'a, str> {
    if end.is_empty() {
        form
    } else {
        Cow::Owned(format!("{form}{end}"))
    }
}

/// A file or folder, perhaps with a line and a column after it.
fn is_path(word: &str) -> bool {
    let name = word.trim_end_matches(|end: char| end == ':' || end.is_ascii_digit());
    let name = if name.is_empty() { word } else { name };
    let has_drive = name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && (name[1..].starts_with(":\\") || name[1..].starts_with(":/"));
    let parts = name.split(['/', '\\']).count();
    has_drive
        || ["/", "~/", "./", "../", "\\\\"]
            .iter()
            .any(|start| name.len() > start.len() && name.starts_with(start))
        || parts > 2 && !name.starts_with("//")
        || is_file(name)
}

/// A name with the ending of a file.
fn is_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(name, ending)| {
        let ending = ending.to_ascii_lowercase();
        !name.is_empty() && FILE_ENDINGS.contains(&ending.as_str())
    })
}

fn is_mail(word: &str) -> bool {
    word.split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

fn is_memory_address(word: &str) -> bool {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    digits.is_some_and(|digits| !digits.is_empty() && is_hexadecimal(digits))
}

/// An IPv4 or IPv6 address, or a host of this machine, perhaps with a port.
fn is_network_address(word: &str) -> bool {
    let host = word.rsplit_once(':').map_or(word, |(host, _)| host);
    let is_number = |part: &str| (1..=3).contains(&part.len()) && is_decimal(part);
    let is_v4 = |host: &str| host.split('.').count() == 4 && host.split('.').all(is_number);
    let is_v6 = word.split(':').count() >= 4
        && word
            .split(':')
            .all(|part| part.len() <= 4 && is_hexadecimal(part));
    is_v4(word) || is_v4(host) || is_v6 || host != word && host == "localhost"
}

/// A date such as `2031-03-04` with or without a time, or a time such as `09:15:00.5`.
fn is_time(word: &str) -> bool {
    let shape: String = word
        .chars()
        .take("2031-03-04".len())
        .map(|character| {
            if character.is_ascii_digit() {
                '0'
            } else {
                character
            }
        })
        .collect();
    shape == "0000-00-00" || shape == "0000/00/00" || shape.starts_with("00:00:00")
}

fn is_hash(word: &str, fewest: usize) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    word.len() >= fewest && has_digit && has_letter && is_hexadecimal(word)
}

fn is_uuid(word: &str) -> bool {
    let mut parts = word.split('-');
    let lengths = [8, 4, 4, 4, 12];
    let has_parts = lengths.iter().all(|length| {
        let part = parts.next();
        part.is_some_and(|part| part.len() == *length && is_hexadecimal(part))
    });
    has_parts && parts.next().is_none()
}

/// Letters and digits in turns, as no name has them.
fn is_generated(word: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if word.len() < ID || !word.bytes().all(is_plain) {
        return false;
    }
    let bytes = word.as_bytes().windows(2);
    let turns = bytes.filter(|pair| pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit());
    turns.count() >= ID_TURNS
}

/// An error's code: a number after a word that announces it, or capitals with digits, such as `E0308` or `ORA-00942`.
fn is_code(word: &str, before: &str) -> bool {
    let announcing = before.trim_end_matches(':').to_ascii_lowercase();
    if is_decimal(word) {
        return word.len() <= MOST_CODE_DIGITS && BEFORE_CODES.contains(&announcing.as_str());
    }
    let digits = word.trim_start_matches(|start: char| start.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    (1..=8).contains(&letters) && (2..=6).contains(&digits.len()) && is_decimal(digits)
}

/// A word with a placeholder for each number in it.
fn numbers(word: &str) -> Cow<'_, str> {
    if !word.bytes().any(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    let mut form = String::new();
    let mut rest = word;
    while let Some(start) = rest.find(|next: char| next.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let bytes = number_bytes(number);
        let is_named = before.ends_with(|end: char| end.is_alphabetic() || end == '_');
        form.push_str(before);
        if is_named && bytes < NUMBER_IN_NAME {
            form.push_str(&number[..bytes]);
        } else {
            form.push_str("<number>");
        }
        rest = &number[bytes..];
    }
    form.push_str(rest);
    Cow::Owned(form)
}

/// The bytes of a number at the beginning of a text: digits with points, commas or colons between them.
fn number_bytes(text: &str) -> usize {
    let is_inside = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b':');
    let all = text.bytes().take_while(|byte| is_inside(*byte)).count();
    text[..all].trim_end_matches(['.', ',', ':']).len()
}

fn is_long_number(word: &str) -> bool {
    word.len() >= ID_DIGITS && is_decimal(word)
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
