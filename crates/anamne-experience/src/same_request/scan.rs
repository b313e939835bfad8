//! Splits a request into lower-case words.

use super::lists::Lists;

/// The words of a request in order. Keeps versions (`3.11`), names with signs (`c++`, `node.js`) and identifiers whole;
/// splits numbers from units (`50mb`), and joins thousands (`1,000`). O(bytes).
pub(super) fn words(text: &str, lists: &Lists) -> Vec<String> {
    let mut words = Vec::new();
    for chunk in text.split_whitespace() {
        add_chunk(chunk, lists, &mut words);
    }
    words
}

fn add_chunk(chunk: &str, lists: &Lists, words: &mut Vec<String>) {
    let mut word = String::new();
    // A currency sign stands before its number, and its name after it.
    let mut currency = None;
    let mut rest = chunk.chars().peekable();
    while let Some(character) = rest.next() {
        if is_apostrophe(character) {
            if is_possessive(rest.clone()) {
                break;
            }
            continue;
        }
        let next_is_word = rest.peek().is_some_and(|next| next.is_alphanumeric());
        if belongs_to_word(character, &word, next_is_word) {
            word.extend(character.to_lowercase());
            continue;
        }
        if character == ',' && next_is_word && is_number(&word) {
            continue;
        }
        finish(&mut word, lists, words);
        match lists.symbols.get(&character) {
            Some(name) if next_is_word && !lists.bound.contains(name) => currency = Some(*name),
            Some(name) => words.push((*name).to_owned()),
            None => {}
        }
    }
    finish(&mut word, lists, words);
    words.extend(currency.map(str::to_owned));
}

/// Whether a character continues or begins a word, given what follows.
fn belongs_to_word(character: char, word: &str, next_is_word: bool) -> bool {
    let follows_word = word.chars().next_back().is_some_and(char::is_alphanumeric);
    match character {
        '.' => next_is_word && (follows_word || word.is_empty()),
        ':' | '@' => next_is_word && follows_word,
        '-' => next_is_word && (word.is_empty() || is_number(word)),
        '+' => word.ends_with('+') || follows_word && !next_is_word,
        '#' => follows_word && !next_is_word,
        '_' => true,
        _ => character.is_alphanumeric(),
    }
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’')
}

/// Whether an "s" is all that follows an apostrophe.
fn is_possessive(mut rest: impl Iterator<Item = char>) -> bool {
    matches!(rest.next(), Some('s' | 'S')) && !rest.any(char::is_alphanumeric)
}

/// Whether a word is a number, a version or a date.
pub(super) fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix(['-', '.']).unwrap_or(word);
    let is_inner = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b':');
    digits.starts_with(|first: char| first.is_ascii_digit()) && digits.bytes().all(is_inner)
}

fn finish(word: &mut String, lists: &Lists, words: &mut Vec<String>) {
    let word = std::mem::take(word);
    if word.is_empty() {
        return;
    }
    let word = without_version_mark(&word);
    let letters = word.find(|character: char| character.is_alphabetic());
    if let Some(at) = letters
        && is_number(&word[..at])
        && let unit = lists.first_form(&word[at..])
        && (lists.units.contains(&unit) || unit == "k")
    {
        if unit == "k" {
            words.push(format!("{}000", &word[..at]));
        } else {
            words.push(word[..at].to_owned());
            words.push(word[at..].to_owned());
        }
        return;
    }
    words.push(word.to_owned());
}

/// "3.2" for "v3.2".
fn without_version_mark(word: &str) -> &str {
    let rest = word.strip_prefix('v').unwrap_or(word);
    if is_number(rest) { rest } else { word }
}

#[cfg(test)]
mod tests {
    use super::super::lists::lists;
    use super::words;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text, lists()), expected, "{text}");
    }

    #[test]
    fn versions_names_and_numbers_stay_whole() {
        check("Python 3.11?", &["python", "3.11"]);
        check("C++ vs C#, node.js", &["c++", "vs", "c#", "node.js"]);
        check("v1.2.3 on 2024-05-01", &["1.2.3", "on", "2024-05-01"]);
        check(
            "population over 1,000,000",
            &["population", "over", "1000000"],
        );
        check("parse_http_header()", &["parse_http_header"]);
        check("-5 degrees", &["-5", "degrees"]);
    }

    #[test]
    fn numbers_and_units_are_separated() {
        check("50mb in gb", &["50", "mb", "in", "gb"]);
        check("$100 to €", &["100", "usd", "to", "eur"]);
        check("10% of 5k", &["10", "percent", "of", "5000"]);
        check("k8s h264", &["k8s", "h264"]);
    }

    #[test]
    fn apostrophes_and_hyphens() {
        check("France's capital isn't", &["france", "capital", "isnt"]);
        check("real-time (low/high)", &["real", "time", "low", "high"]);
    }
}
