//! Names recognised by their form: addresses, paths, identifiers, versions.

use anamne_types::EntityType;

use super::gazetteer::{self, Class};

/// Maximum number of bytes examined without white space.
const MAX_BYTES: usize = 240;

/// The entity that code or an address names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CodeEntity<'text> {
    pub(super) name: &'text str,
    pub(super) entity_type: EntityType,
    pub(super) confidence: f32,
    /// The assigned value: 26 in `minSdkVersion = 26`.
    pub(super) value: Option<&'text str>,
}

impl<'text> CodeEntity<'text> {
    fn new(name: &'text str, entity_type: EntityType, confidence: f32) -> Option<Self> {
        (!name.is_empty()).then_some(Self {
            name,
            entity_type,
            confidence,
            value: None,
        })
    }
}

/// The length in bytes of the address, path or identifier at the start of a text, if any.
pub(super) fn special_length(text: &str) -> Option<usize> {
    let chunk = chunk_of(text);
    if !may_be_special(chunk) {
        return None;
    }
    if chunk.starts_with('\\') {
        return Some(chunk.len());
    }
    let trimmed = trim_end(chunk);
    if trimmed.is_empty() {
        return None;
    }
    if has_scheme(trimmed) || trimmed.starts_with("www.") {
        return Some(trimmed.len());
    }
    let bare = call_length(trimmed).unwrap_or(trimmed.len());
    let bare = trimmed[..bare]
        .strip_suffix("'s")
        .or_else(|| trimmed[..bare].strip_suffix("’s"))
        .map_or(bare, str::len);
    let known =
        gazetteer::class_of(&trimmed[..bare].to_lowercase()).is(Class::TOOL.and(Class::CONCEPT));
    if known {
        return trimmed[..bare].contains(['/', '+', '#']).then_some(bare);
    }
    (plain(&trimmed[..bare]).is_some()
        || is_slashed_date(&trimmed[..bare])
        || is_address_of_machine(&trimmed[..bare]))
    .then_some(bare)
}

/// The entity named by a token outside of backticks.
pub(super) fn plain(text: &str) -> Option<CodeEntity<'_>> {
    if has_scheme(text) || text.starts_with("www.") || is_mail(text) || is_domain(text) {
        return CodeEntity::new(text, EntityType::Url, 0.95);
    }
    let lower = text.to_lowercase();
    let class = gazetteer::class_of(&lower);
    if class.is(Class::TOOL) {
        return CodeEntity::new(text, EntityType::Tool, 0.9);
    }
    if class.is(Class::CONCEPT) {
        return CodeEntity::new(text, EntityType::Concept, 0.8);
    }
    if is_slashed_date(text) || is_instant(text) {
        return CodeEntity::new(text, EntityType::Date, 0.9);
    }
    if let Some(handle) = text.strip_prefix('@') {
        let is_handle = handle.len() > 2
            && handle
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '_')
            && !gazetteer::is_ordinary(&lower[1..]);
        return if is_handle {
            CodeEntity::new(handle, EntityType::Person, 0.6)
        } else {
            None
        };
    }
    if is_version(text) {
        return CodeEntity::new(text, EntityType::Version, 0.85);
    }
    if is_path(text) || is_file_name(text) {
        return CodeEntity::new(text, EntityType::File, 0.9);
    }
    if is_identifier(text) {
        return CodeEntity::new(without_call(text), EntityType::Symbol, 0.8);
    }
    None
}

/// Whether a word is a numbered name, as of machines: `db-primary-2`.
pub(super) fn is_numbered(word: &str) -> bool {
    let mut parts = word.split('-');
    let first = parts.next().unwrap_or("");
    let last = word.rsplit('-').next().unwrap_or("");
    let plain = word
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    plain
        && first.bytes().all(|byte| byte.is_ascii_lowercase())
        && (1..=3).contains(&last.len())
        && last.bytes().all(|byte| byte.is_ascii_digit())
        && (word.matches('-').count() >= 2 || (first.len() > 1 && !gazetteer::is_ordinary(first)))
        && !gazetteer::class_of(word).is(Class::CONCEPT.and(Class::TOOL))
}

/// The entity named by inline code.
pub(super) fn between_backticks(text: &str) -> Option<CodeEntity<'_>> {
    let text = text.trim();
    if text.len() < 2 || !text.contains(char::is_alphabetic) {
        return None;
    }
    let words = text.split_whitespace().count();
    if words == 1 {
        return one_word(text);
    }
    if let Some((name, value)) = assignment(text) {
        let mut coded = CodeEntity::new(name, EntityType::Symbol, 0.9)?;
        coded.value = Some(value);
        return Some(coded);
    }
    let first = text.split_whitespace().next()?;
    let is_request = matches!(first, "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD");
    let is_command = gazetteer::class_of(&first.to_lowercase()).is(Class::TOOL)
        || first.starts_with(['$', '.'])
        || text.contains(" --")
        || text.contains(" -");
    let is_code = text.contains(['_', '(', ')', '=', '{', '<', '/', '$'])
        || first.chars().all(|letter| letter.is_ascii_uppercase());
    let listed = gazetteer::phrase(&first.to_lowercase(), |at| {
        text.split_whitespace().nth(at + 1)
    })
    .is_some();
    if listed || (words <= 4 && (is_request || is_command || is_code)) {
        return CodeEntity::new(text, EntityType::Symbol, 0.8);
    }
    let capitals = text
        .split_whitespace()
        .all(|word| word.starts_with(char::is_uppercase));
    (words <= 3 && capitals)
        .then(|| CodeEntity::new(text, EntityType::Symbol, 0.6))
        .flatten()
}

fn one_word(text: &str) -> Option<CodeEntity<'_>> {
    if let Some(coded) = plain(text)
        .filter(|coded| !matches!(coded.entity_type, EntityType::Person | EntityType::Concept))
    {
        return Some(coded);
    }
    if let Some((name, value)) = assignment(text) {
        let mut coded = CodeEntity::new(name, EntityType::Symbol, 0.9)?;
        coded.value = Some(value);
        return Some(coded);
    }
    if (text.contains('/') && !text.contains(['(', '<'])) || text.ends_with('/') {
        return CodeEntity::new(text, EntityType::File, 0.85);
    }
    if text.starts_with('"') || text.starts_with('\'') {
        return None;
    }
    CodeEntity::new(without_call(text), EntityType::Symbol, 0.85)
}

/// `key = value`, `key=value`, `key: value`, where the key is a single identifier.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=').or_else(|| text.split_once(": "))?;
    let (name, value) = (name.trim(), value.trim().trim_end_matches(';'));
    let is_name = name.len() > 1
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'));
    let is_value = !value.is_empty()
        && value.len() <= 40
        && value.split_whitespace().count() <= 2
        && !value.starts_with(['=', '>']);
    (is_name && is_value && name.contains(char::is_alphabetic))
        .then(|| (name, value.trim_matches(['"', '\''])))
}

fn chunk_of(text: &str) -> &str {
    let mut end = 0;
    for (at, character) in text.char_indices() {
        if character.is_whitespace() || character == '`' || at >= MAX_BYTES {
            break;
        }
        end = at + character.len_utf8();
    }
    &text[..end]
}

/// A fast pre-check that rejects almost every word.
fn may_be_special(chunk: &str) -> bool {
    let mut last_lower = false;
    let mut seen = false;
    for byte in chunk.bytes() {
        seen |= matches!(byte, b'/' | b'\\' | b'@' | b'_' | b'(' | b'.' | b':')
            || (last_lower && byte.is_ascii_uppercase());
        last_lower = byte.is_ascii_lowercase();
    }
    let first = chunk.bytes().next().unwrap_or(b' ');
    seen || chunk.starts_with("--")
        || (matches!(first, b'v' | b'V') && chunk.len() > 1 && chunk.as_bytes()[1].is_ascii_digit())
}

fn trim_end(chunk: &str) -> &str {
    let mut trimmed = chunk;
    loop {
        let next = trimmed.trim_end_matches([
            '.', ',', ';', ':', '!', '?', '"', '\'', '”', '’', '»', '>', '*', '…', '|',
        ]);
        let next = match next.strip_suffix([')', ']', '}']) {
            Some(open) if !next[..next.len() - 1].contains(['(', '[', '{']) => open,
            _ => next,
        };
        if next.len() == trimmed.len() {
            return trimmed;
        }
        trimmed = next;
    }
}

fn has_scheme(text: &str) -> bool {
    text.find("://").is_some_and(|at| {
        (2..12).contains(&at)
            && text[..at].bytes().all(|byte| byte.is_ascii_alphanumeric())
            && text.len() > at + 4
    })
}

fn is_mail(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && !local.contains(['/', '(', ':'])
            && domain.contains('.')
            && domain
                .chars()
                .all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '-'))
            && domain
                .rsplit('.')
                .next()
                .is_some_and(|last| last.len() >= 2 && last.chars().all(char::is_alphabetic))
    })
}

fn is_domain(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "com", "org", "net", "io", "dev", "app", "co", "de", "fr", "uk", "ai", "edu", "gov", "eu",
        "ch", "at", "it", "es", "nl", "jp", "us", "info", "example", "xyz", "tech", "cloud",
        "local", "ca", "au",
    ];
    let host = text.split(['/', ':', '?']).next().unwrap_or(text);
    let Some((name, ending)) = host.rsplit_once('.') else {
        return false;
    };
    ENDINGS.contains(&ending)
        && name.len() > 1
        && host.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-')
        })
        && !gazetteer::class_of(host).is(Class::TOOL)
        && (host.len() < text.len() || !gazetteer::class_of(name).is(Class::FUNCTION))
}

fn is_file_name(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "rs", "py", "js", "ts", "tsx", "jsx", "mjs", "json", "jsonl", "toml", "yaml", "yml", "md",
        "txt", "csv", "tsv", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "png", "jpg",
        "jpeg", "gif", "svg", "webp", "sh", "bash", "sql", "html", "htm", "css", "scss", "less",
        "java", "kt", "kts", "go", "c", "h", "cc", "cpp", "hpp", "cs", "rb", "php", "log", "lock",
        "env", "cfg", "ini", "conf", "db", "sqlite", "zip", "tar", "gz", "tgz", "xml", "vue",
        "svelte", "swift", "ipynb", "proto", "tf", "gradle", "mp3", "mp4", "mov", "wav", "exe",
        "dll", "so", "jar", "bin", "iso", "key", "pem", "crt", "plist", "tex", "bib", "r", "scala",
        "ex", "exs", "erl", "hs", "lua", "vim",
    ];
    let stem = text.trim_start_matches('.');
    if text.starts_with('.') && stem.len() > 2 && !stem.contains('.') {
        return stem
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'));
    }
    let Some((name, ending)) = text.rsplit_once('.') else {
        return false;
    };
    !name.is_empty()
        && name.contains(|letter: char| letter.is_alphabetic() || letter == '*')
        && ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
        && !(ending.len() == 1 && name.len() < 3)
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_' | '*' | '+'))
}

fn is_path(text: &str) -> bool {
    if text.contains(['(', ')', '<', '>', '"', '=', ',', ';', '|', '…']) {
        return false;
    }
    let bytes = text.as_bytes();
    let is_drive = bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && &bytes[1..3] == b":\\";
    if is_drive {
        return true;
    }
    let Some((_, last)) = text.rsplit_once('/') else {
        return false;
    };
    let anchored = ["/", "./", "../", "~/"].iter().any(|start| {
        text.strip_prefix(start).is_some_and(|rest| {
            rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '.')
        })
    });
    let segments = text.split('/').filter(|part| !part.is_empty()).count();
    (anchored
        && text.contains(|letter: char| letter.is_ascii_lowercase())
        && (segments > 1 || text.len() > 3))
        || (segments > 1 && is_file_name(last))
        || (text.ends_with('/')
            && segments > 0
            && text.len() > 3
            && text
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'/' | b'-' | b'_' | b'.')))
        || text.contains("/**")
}

/// `v2`, `1.0.3`, `v2.1.0-beta.1`.
fn is_version(text: &str) -> bool {
    let digits = text.strip_prefix(['v', 'V']);
    let number = digits.unwrap_or(text);
    let core = number.split(['-', '+']).next().unwrap_or(number);
    let parts: Vec<&str> = core.split('.').collect();
    let numeric = parts.iter().all(|part| {
        (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_day = parts.len() == 3 && parts[2].len() == 4;
    numeric && !is_day && (digits.is_some() || parts.len() == 3) && number.len() < 30
}

fn is_address_of_machine(text: &str) -> bool {
    let host = text.split([':', '/']).next().unwrap_or(text);
    host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok())
}

/// `3/14/2024`, `14/03/24`.
fn is_slashed_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('/').collect();
    let numeric = parts.len() == 3
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    numeric
        && ((parts[2].len() == 4 && parts[0].len() <= 2)
            || (parts[0].len() == 4 && parts[2].len() <= 2)
            || (parts[2].len() == 2 && parts[0].len() <= 2))
        && parts[1].len() <= 2
}

/// `2026-03-01T14:00:00Z`.
fn is_instant(text: &str) -> bool {
    text.len() > 13
        && text.as_bytes()[10] == b'T'
        && text
            .get(..10)
            .is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
}

/// The length in bytes of a call at the start of a text, arguments included.
fn call_length(text: &str) -> Option<usize> {
    let open = text.find('(')?;
    let is_callee = open > 1
        && text[..open]
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':' | '!'));
    let close = text[open..].find(')')? + open;
    let plural = matches!(&text[open..=close], "(s)" | "(es)" | "(ies)" | "(k)");
    (is_callee && !plural && text.starts_with(|first: char| first.is_alphabetic() || first == '_'))
        .then_some(close + 1)
}

fn is_identifier(text: &str) -> bool {
    let name = without_call(text);
    let called = name.len() < text.len();
    if matches!(&text[name.len()..], "(s)" | "(es)" | "(ies)" | "(k)") {
        return false;
    }
    if let Some(flag) = text.strip_prefix("--") {
        return flag.len() > 1
            && flag
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'=')
            && !flag.contains("--");
    }
    let allowed = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | ':' | '!' | '-' | '*' | '$')
    };
    if name.len() < 2
        || !name.chars().all(allowed)
        || !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
    {
        return false;
    }
    let inner = name.trim_matches('_');
    let snake = inner.contains('_')
        && !inner.contains("__")
        && inner.split('_').all(|part| {
            part.is_empty()
                || part.chars().all(|letter| {
                    letter.is_ascii_alphanumeric() || matches!(letter, '.' | ':' | '*')
                })
        });
    called || snake || (name.contains("::") && name.len() > 4) || is_camel(inner)
}

/// `parseHeader`, but not `iPhone` or `mRNA`.
fn is_camel(name: &str) -> bool {
    let first = name.split('.').next_back().unwrap_or(name);
    let head = first.bytes().take_while(u8::is_ascii_lowercase).count();
    head >= 2
        && first.len() > head + 1
        && first.as_bytes()[head].is_ascii_uppercase()
        && first.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The name of the called function: `fold` of `fold(state)`.
fn without_call(text: &str) -> &str {
    match text.find('(') {
        Some(open) if open > 0 && text.ends_with(')') => &text[..open],
        _ => text,
    }
}

/// The names defined in fenced code: functions, types and tables.
pub(super) fn definitions(code: &str) -> Vec<std::ops::Range<usize>> {
    const BEFORE: &[&str] = &[
        "fn",
        "struct",
        "enum",
        "trait",
        "class",
        "def",
        "function",
        "interface",
        "TABLE",
        "INDEX",
        "type",
    ];
    let mut found = Vec::new();
    let mut offset = 0;
    for line in code.split_inclusive('\n') {
        let mut words = line.split_whitespace();
        let defines = words.by_ref().take(6).any(|word| BEFORE.contains(&word));
        if let Some(name) = words.next().filter(|_| defines) {
            let length = name
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                .count();
            let start = offset + (name.as_ptr() as usize - line.as_ptr() as usize);
            let ends =
                name.len() == length || name[length..].starts_with(['(', '<', '{', ':', ';']);
            if length > 2 && name.as_bytes()[0].is_ascii_alphabetic() && ends {
                found.push(start..start + length);
            }
        }
        offset += line.len();
        if offset > 20_000 || found.len() >= 12 {
            break;
        }
    }
    found
}
