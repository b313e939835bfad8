//! The words of a normalised error.

/// The most words of an error that are compared.
pub(super) const MOST_WORDS: usize = 64;

/// Words that say nothing about what happened.
const EMPTY: [&str; 37] = [
    "a",
    "an",
    "and",
    "at",
    "be",
    "by",
    "e",
    "err",
    "error",
    "errors",
    "exception",
    "failure",
    "fatal",
    "for",
    "from",
    "has",
    "have",
    "in",
    "is",
    "it",
    "its",
    "line",
    "of",
    "on",
    "or",
    "s",
    "ms",
    "that",
    "the",
    "this",
    "to",
    "was",
    "were",
    "with",
    "bash",
    "sh",
    "zsh",
];

const NEGATIONS: [&str; 7] = ["not", "no", "never", "neither", "nor", "without", "none"];

/// One part of a normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'form> {
    pub(super) text: &'form str,
    /// The number of marks that set off parts, before it.
    pub(super) part: usize,
}

impl Word<'_> {
    /// Whether it stands for a quoted value.
    pub(super) fn is_value(&self) -> bool {
        self.text == VALUE
    }

    pub(super) fn is_negation(&self) -> bool {
        NEGATIONS.contains(&self.text)
    }
}

/// The placeholder of a quoted value. Other placeholders are left out.
const VALUE: &str = "<value>";

/// The placeholder of a number.
const NUMBER: &str = "<number>";

/// The words of a normal form: in lower case, without placeholders other than those of values, and without what belongs to a number.
pub(super) fn words(form: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut part = 0;
    let mut is_in_number = false;
    let mut rest = form;
    while let Some(first) = rest.chars().next()
        && words.len() < MOST_WORDS
    {
        let (text, after) = rest.split_at(bytes_of_first(rest, first));
        rest = after;
        // A number goes on as in `<number>-rc1`, and begins as in `v<number>`.
        is_in_number = text == NUMBER || is_in_number && !first.is_whitespace();
        let is_of_number = is_in_number || text == "v" && rest.starts_with(NUMBER);
        if (first.is_alphanumeric() || text == VALUE || is_operator(text)) && !is_of_number {
            let said =
                without_negation(text).map_or([Some(text), None], |verb| [Some(verb), Some("not")]);
            let said = said
                .into_iter()
                .flatten()
                .filter(|text| !EMPTY.contains(text));
            words.extend(said.map(|text| Word { text, part }));
        }
        let begins_part = matches!(first, ':' | ';' | '(' | ')' | '[' | ']' | '|')
            || text == "-->"
            || text == "." && rest.starts_with(' ');
        part += usize::from(begins_part);
        is_in_number &= !begins_part;
    }
    words
}

/// `can` for `can't` and `cannot`, and so on.
fn without_negation(text: &str) -> Option<&str> {
    match text {
        "cannot" | "can't" => Some("can"),
        _ => text.strip_suffix("n't"),
    }
}

/// The bytes of the word, placeholder or mark that a text begins with.
fn bytes_of_first(text: &str, first: char) -> usize {
    let run = |is_in: fn(char) -> bool| text.find(|next| !is_in(next)).unwrap_or(text.len());
    if first.is_alphanumeric() {
        // A point or a colon at the end belongs to the sentence.
        let word = run(|next| next.is_alphanumeric() || matches!(next, '_' | '\'' | '-' | '.'));
        return text[..word].trim_end_matches(['.', '-', '\'']).len();
    }
    let placeholder = text.starts_with('<').then(|| text.find('>')).flatten();
    match placeholder {
        Some(end) if text[1..end].bytes().all(|byte| byte.is_ascii_lowercase()) && end > 1 => {
            end + 1
        }
        _ if matches!(first, '=' | '!' | '<' | '>' | '-') => {
            run(|next| matches!(next, '=' | '!' | '<' | '>' | '-'))
        }
        _ => first.len_utf8(),
    }
}

/// A comparison, such as `!=`.
fn is_operator(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| matches!(byte, b'=' | b'!' | b'<' | b'>'))
        && !matches!(text, "!" | "=")
}
