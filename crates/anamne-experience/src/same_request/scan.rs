//! Splits a request into words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::lists::Lists;

/// Punctuation that carries no meaning in a request.
const PROSE: &str = ".,;:?!\"'`()[]{}-/\u{2013}\u{2014}…“”„‟«»‹›‘’‚¿¡。、，？！：；（）「」『』【】《》·•°®™©\u{feff}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{fe0f}";

/// How a word was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// Neither of the others, or the whole request is written like it.
    Plain,
    /// With a capital and a small letter.
    Capitalised,
    /// In capitals.
    Upper,
}

/// A word of a request, in lower case, or a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) case: Case,
}

/// The words of a request.
pub(super) struct Scanned {
    /// In order.
    pub(super) words: Vec<Word>,
    /// Whether signs or paths make the order of its words count.
    pub(super) is_code: bool,
}

/// The words of a request in order. Keeps versions (`3.11`), names with signs (`c++`, `node.js`) and identifiers whole;
/// splits numbers from units (`50mb`), joins thousands (`1,000`), and keeps signs that are no punctuation (`>=`, `&&`).
/// O(bytes).
pub(super) fn scan(text: &str, lists: &Lists) -> Scanned {
    let text: String = text
        .nfc()
        .map(|character| if character == '−' { '-' } else { character })
        .collect();
    let mut scanner = Scanner {
        lists,
        words: Vec::new(),
        is_code: false,
    };
    for chunk in text.split_whitespace() {
        scanner.add_chunk(chunk);
    }
    let Scanner { words, is_code, .. } = scanner;
    let words = levelled(with_signs_of_numbers(&words));
    Scanned { words, is_code }
}

struct Scanner<'a> {
    lists: &'a Lists,
    words: Vec<Word>,
    is_code: bool,
}

impl Scanner<'_> {
    fn add_chunk(&mut self, chunk: &str) {
        if !chunk.chars().any(is_of_word) {
            self.add_standing(chunk);
            return;
        }
        self.is_code |= chunk.matches('/').count() > 1 || chunk.contains("::");
        let mut word = String::new();
        let mut signs = String::new();
        // A currency sign stands before its number, and its name after it.
        let mut currency = None;
        let mut rest = chunk.chars().peekable();
        while let Some(character) = rest.next() {
            let next_is_word = rest.peek().copied().is_some_and(is_of_word);
            if let Some(unit) = length_unit(character, &word, chunk)
                && !next_is_word
            {
                self.finish(&mut word);
                self.push(unit, Case::Plain);
                continue;
            }
            if is_apostrophe(character) {
                if is_possessive(rest.clone()) {
                    break;
                }
                if is_elided(&word) {
                    word.clear();
                }
                continue;
            }
            let is_last = rest.peek().is_none();
            if belongs_to_word(character, &word, next_is_word, is_last) {
                self.add_signs(&mut signs, Some(character));
                word.push(character);
                continue;
            }
            if character == ',' && is_number(&word) && continues_number(rest.clone()) {
                if !is_thousands(&word, rest.clone()) {
                    word.push(',');
                }
                continue;
            }
            self.finish(&mut word);
            let name = self
                .lists
                .symbols
                .get(character.encode_utf8(&mut [0; 4]) as &str);
            match name {
                Some(name)
                    if next_is_word && signs.is_empty() && !self.lists.bound.contains(name) =>
                {
                    currency = Some(*name);
                }
                _ => signs.push(character),
            }
        }
        self.finish(&mut word);
        self.add_signs(&mut signs, None);
        if let Some(currency) = currency {
            self.push(currency, Case::Plain);
        }
    }

    /// Adds a chunk without letters and digits.
    fn add_standing(&mut self, chunk: &str) {
        let is_operator = matches!(chunk, "-" | "\u{2013}" | "/" | "!" | "//" | "::");
        if is_operator {
            self.push(if chunk == "\u{2013}" { "-" } else { chunk }, Case::Plain);
            self.is_code |= chunk.len() == 2;
        } else {
            self.add_signs(&mut chunk.to_owned(), None);
        }
    }

    /// Adds what is left of signs without punctuation; `next` follows them.
    fn add_signs(&mut self, signs: &mut String, next: Option<char>) {
        let run = std::mem::take(signs);
        if run.is_empty() || run == "#" && next.is_some_and(|next| next.is_ascii_digit()) {
            return;
        }
        let kept = without_prose(&run);
        if kept.is_empty() {
            return;
        }
        if let Some(name) = self.lists.symbols.get(kept.as_str()) {
            self.push(name, Case::Plain);
        } else {
            self.is_code = true;
            self.push(&kept, Case::Plain);
        }
    }

    fn finish(&mut self, word: &mut String) {
        let written = std::mem::take(word);
        if written.is_empty() {
            return;
        }
        let written = without_version_mark(&written);
        let letters = written.find(char::is_alphabetic);
        if let Some(at) = letters
            && is_number(&written[..at])
            && let Some(unit) = self.unit(&written[at..])
        {
            let number = &written[..at];
            if unit == "k" {
                self.push(&format!("{number}000"), Case::Plain);
            } else {
                self.push(number, Case::Plain);
                self.push(&unit, Case::Plain);
            }
            return;
        }
        let follows_number = self.words.last().is_some_and(|last| is_number(&last.text));
        if follows_number && let Some(unit) = self.lists.cased.get(written) {
            self.push(unit, Case::Plain);
            return;
        }
        if follows_number && matches!(written, "am" | "pm" | "AM" | "PM") {
            let last = self.words.last_mut().expect("a number");
            last.text.push_str(&written.to_lowercase());
            return;
        }
        // An option, a format or a class: "-o" is another one than "-O", and "%m" than "%M".
        if written.starts_with(['-', '%', '\\']) && !is_number(written) {
            self.push(written, Case::Plain);
            return;
        }
        let case = case_of(written);
        self.push(&written.to_lowercase(), case);
    }

    /// The unit behind a number, as one word; `None` if it is none.
    fn unit(&self, written: &str) -> Option<String> {
        if let Some(unit) = self.lists.cased.get(written) {
            return Some((*unit).to_owned());
        }
        let lower = written.to_lowercase();
        let first = self.lists.first_form(&lower);
        if first == "k" {
            return Some(first);
        }
        self.lists.units.contains(&first).then_some(lower)
    }

    fn push(&mut self, text: &str, case: Case) {
        let text = text.to_owned();
        self.words.push(Word { text, case });
    }
}

/// The words without dashes and slashes, except those between two numbers, and without exclamation marks, except those
/// before an option.
fn with_signs_of_numbers(words: &[Word]) -> Vec<Word> {
    let is_number_at = |at: Option<usize>| {
        let word = at.and_then(|at| words.get(at));
        word.is_some_and(|word| is_number(&word.text))
    };
    let is_option_at = |at: usize| words.get(at).is_some_and(|word| word.text.starts_with('-'));
    let is_kept = |at: usize, word: &Word| match word.text.as_str() {
        "-" | "/" => is_number_at(at.checked_sub(1)) && is_number_at(Some(at + 1)),
        "!" => is_option_at(at + 1),
        _ => true,
    };
    let words_kept = words.iter().enumerate();
    let kept = words_kept.filter(|(at, word)| is_kept(*at, word));
    kept.map(|(_, word)| word.clone()).collect()
}

/// The words, without their case where most are written in it.
fn levelled(mut words: Vec<Word>) -> Vec<Word> {
    for case in [Case::Upper, Case::Capitalised] {
        let of_case = words.iter().filter(|word| word.case == case).count();
        if of_case > 2 && of_case * 3 > words.len() * 2 {
            let of_case = words.iter_mut().filter(|word| word.case == case);
            of_case.for_each(|word| word.case = Case::Plain);
        }
    }
    words
}

fn case_of(written: &str) -> Case {
    let mut letters = written.chars().filter(|letter| letter.is_alphabetic());
    if !letters.next().is_some_and(char::is_uppercase) {
        Case::Plain
    } else if letters.any(char::is_lowercase) {
        Case::Capitalised
    } else {
        Case::Upper
    }
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character) && character != '\u{fe0f}'
}

/// Whether a character continues or begins a word, given what follows.
fn belongs_to_word(character: char, word: &str, next_is_word: bool, is_last: bool) -> bool {
    let follows_word = word.chars().next_back().is_some_and(is_of_word);
    match character {
        '.' => next_is_word && (follows_word || word.is_empty()),
        ':' | '@' => next_is_word && follows_word,
        '-' if is_last => follows_word && word.len() <= 2 && !is_number(word),
        '-' => next_is_word && (word.is_empty() || is_number(word)),
        '%' | '\\' => word.is_empty() && next_is_word,
        '+' => word.ends_with('+') || follows_word && !next_is_word,
        '#' => follows_word && !next_is_word,
        '_' => true,
        _ => is_of_word(character),
    }
}

/// The unit of length that a quotation mark after a number stands for.
fn length_unit(character: char, word: &str, chunk: &str) -> Option<&'static str> {
    if !is_number(word) || chunk.starts_with(character) {
        return None;
    }
    match character {
        '\'' | '′' => Some("foot"),
        '"' | '″' => Some("inch"),
        _ => None,
    }
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’')
}

/// Whether a word before an apostrophe is an article or a pronoun of French or Italian: "l'eau", "dell'Inter". Not "n'",
/// which is a negation.
fn is_elided(word: &str) -> bool {
    let words = [
        "l", "d", "c", "s", "j", "m", "t", "qu", "un", "dell", "all", "nell", "sull", "dall",
        "quell",
    ];
    words.iter().any(|elided| word.eq_ignore_ascii_case(elided))
}

/// Whether an "s" is all that follows an apostrophe.
fn is_possessive(mut rest: impl Iterator<Item = char>) -> bool {
    matches!(rest.next(), Some('s' | 'S')) && !rest.any(char::is_alphanumeric)
}

fn continues_number(mut rest: impl Iterator<Item = char>) -> bool {
    rest.next().is_some_and(|next| next.is_ascii_digit())
}

/// Whether three digits follow the comma, and no more.
fn is_thousands(word: &str, rest: impl Iterator<Item = char>) -> bool {
    let digits = rest.take_while(char::is_ascii_digit).count();
    digits == 3
        && word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// The signs without punctuation; that of an operator (`!=`, `:=`, `->`) stays.
fn without_prose(signs: &str) -> String {
    let next = signs.chars().skip(1).map(Some).chain([None]);
    let kept = signs.chars().zip(next).filter(|&(sign, next)| {
        let is_of_operator = match sign {
            '!' | ':' => next == Some('='),
            '-' => next == Some('>'),
            _ => false,
        };
        is_of_operator || !PROSE.contains(sign) && !sign.is_control()
    });
    kept.map(|(sign, _)| sign).collect()
}

/// Whether a word is a number, a version or a date.
pub(super) fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix(['-', '.']).unwrap_or(word);
    let is_inner = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-' | b':');
    digits.starts_with(|first: char| first.is_ascii_digit()) && digits.bytes().all(is_inner)
}

/// "3.2" for "v3.2".
fn without_version_mark(word: &str) -> &str {
    let rest = word.strip_prefix(['v', 'V']).unwrap_or(word);
    if is_number(rest) { rest } else { word }
}

#[cfg(test)]
mod tests {
    use super::super::lists::lists;
    use super::Case::{self, Capitalised, Plain, Upper};
    use super::scan;

    fn check(text: &str, expected: &[&str]) {
        let scanned = scan(text, lists());
        let words: Vec<_> = scanned
            .words
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        assert_eq!(words, expected, "{text}");
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
        check("-5 or −5 degrees", &["-5", "or", "-5", "degrees"]);
        check("3,5 pages 1,2", &["3,5", "pages", "1,2"]);
    }

    #[test]
    fn numbers_and_units_are_separated() {
        check("50mb in gb", &["50", "mb", "in", "gb"]);
        check("$100 to €", &["100", "usd", "to", "eur"]);
        check("10% of 5k", &["10", "percent", "of", "5000"]);
        check("k8s h264", &["k8s", "h264"]);
        check("100 Mb, 100MB", &["100", "megabit", "100", "mb"]);
        check("5' and 5\"", &["5", "foot", "and", "5", "inch"]);
        check("port '8080', 10 am", &["port", "8080", "10am"]);
    }

    #[test]
    fn apostrophes_and_hyphens() {
        check("France's capital isn't", &["france", "capital", "isnt"]);
        check("real-time (low/high)", &["real", "time", "low", "high"]);
        check("l'Inter d'été", &["inter", "été"]);
        check("type O- or O+", &["type", "o-", "or", "o+"]);
    }

    #[test]
    fn signs_that_are_no_punctuation_are_words() {
        check(
            "a>=b && x != 5",
            &["a", "atleast", "b", "&&", "x", "!=", "5"],
        );
        check(
            "2 - 2, 7 / 3; yes - no",
            &["2", "-", "2", "7", "/", "3", "yes", "no"],
        );
        check("f(x) -> HEAD~", &["f", "x", "->", "head", "~"]);
        check(
            "find ! -name x -N %m %M wow !",
            &["find", "!", "-name", "x", "-N", "%m", "%M", "wow"],
        );
        check("fire 🔥 100‰", &["fire", "🔥", "100", "‰"]);
        check("ไม้ ไม่", &["ไม้", "ไม่"]);
    }

    #[test]
    fn case_counts_unless_most_is_written_so() {
        let cases = |text| -> Vec<Case> {
            let words = scan(text, lists()).words;
            words.into_iter().map(|word| word.case).collect()
        };
        assert_eq!(cases("US inflation Rome"), [Upper, Plain, Capitalised]);
        assert_eq!(cases("WEATHER IN ROME NOW"), [Plain; 4]);
    }
}
