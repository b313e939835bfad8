//! The form of a request in which equal requests are equal.

use super::lists::{Lists, MAX_PHRASE_WORDS, Meant, lists};
use super::scan::{is_number, words};
use super::{MAX_REQUEST_BYTES, MAX_REQUEST_WORDS};

/// The words of a request that carry meaning, and what belongs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestForm {
    /// Words without fillers, as the first of their group, in order.
    pub(super) words: Vec<String>,
    /// The same, sorted, once each.
    pub(super) sorted: Vec<String>,
    /// Operators with the word that each belongs to (empty for none), sorted, once each.
    pub(super) operators: Vec<(&'static str, String)>,
    /// Numbers with the word that each belongs to, sorted, once each.
    pub(super) numbers: Vec<(String, String)>,
}

/// A word or operator of a request.
#[derive(Clone, Debug)]
enum Token {
    Word(String),
    Operator(&'static str),
}

impl RequestForm {
    /// The form of a request; `None` for one that is too long, or consists only of fillers. O(bytes).
    pub fn of(request: &str) -> Option<Self> {
        if request.len() > MAX_REQUEST_BYTES {
            return None;
        }
        let lists = lists();
        let words = words(request, lists);
        if words.len() > MAX_REQUEST_WORDS {
            return None;
        }
        let form = Self::from_tokens(&tokens(&words, lists), lists);
        (!form.words.is_empty()).then_some(form)
    }

    /// A digest of the sorted words and of the names of operators. Requests that are the same have the same key.
    pub fn key(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        for word in &self.sorted {
            hasher.update(word.as_bytes()).update(&[0]);
        }
        for (operator, _) in &self.operators {
            hasher.update(&[1]).update(operator.as_bytes());
        }
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        key
    }

    fn from_tokens(tokens: &[Token], lists: &Lists) -> Self {
        let words: Vec<String> = tokens.iter().filter_map(Token::word).cloned().collect();
        let mut operators = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            if let Token::Operator(operator) = token {
                let argument = tokens[at + 1..].iter().find_map(Token::word);
                let is_bound = lists.bound.contains(operator);
                let argument = argument.filter(|_| is_bound).cloned().unwrap_or_default();
                operators.push((*operator, argument));
            }
        }
        let mut sorted = words.clone();
        let mut numbers = numbers(&words, lists);
        sorted.sort_unstable();
        sorted.dedup();
        operators.sort_unstable();
        operators.dedup();
        numbers.sort_unstable();
        numbers.dedup();
        Self {
            words,
            sorted,
            operators,
            numbers,
        }
    }
}

impl Token {
    fn word(&self) -> Option<&String> {
        match self {
            Self::Word(word) => Some(word),
            Self::Operator(_) => None,
        }
    }
}

/// Numbers with the unit behind them; several without one with the word before each.
fn numbers(words: &[String], lists: &Lists) -> Vec<(String, String)> {
    let is_several = words.iter().filter(|word| is_number(word)).count() > 1;
    let mut numbers = Vec::new();
    for (at, number) in words.iter().enumerate().filter(|(_, word)| is_number(word)) {
        let unit = words.get(at + 1).filter(|unit| lists.units.contains(*unit));
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let owner = unit.or(before.filter(|_| is_several));
        numbers.push((number.clone(), owner.cloned().unwrap_or_default()));
    }
    numbers
}

fn tokens(words: &[String], lists: &Lists) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        if let Some((length, meant)) = phrase(&words[at..], lists) {
            tokens.extend(meant.iter().map(|meant| meant.token(lists)));
            at += length;
            continue;
        }
        let has_content = tokens.iter().any(|token| matches!(token, Token::Word(_)));
        add_word(&words[at], !has_content, lists, &mut tokens);
        at += 1;
    }
    tokens
}

/// The longest phrase at the beginning, its length, and what stands for it.
fn phrase<'a>(words: &[String], lists: &'a Lists) -> Option<(usize, &'a [Meant])> {
    let longest = words.len().min(MAX_PHRASE_WORDS);
    (2..=longest).rev().find_map(|length| {
        let meant = lists.phrases.get(words[..length].join(" ").as_str())?;
        Some((length, meant.as_slice()))
    })
}

fn add_word(word: &str, is_first: bool, lists: &Lists, tokens: &mut Vec<Token>) {
    if lists.fillers.contains(word) || is_first && lists.leading.contains(word) {
        return;
    }
    if let Some(meant) = lists.compounds.get(word) {
        tokens.extend(meant.iter().map(|meant| meant.token(lists)));
        return;
    }
    let first = lists.same.get(word).copied().unwrap_or(word);
    let operator = lists.bound.get(first).or_else(|| lists.free.get(first));
    tokens.push(match operator {
        Some(operator) => Token::Operator(operator),
        None => Token::Word(lists.first_form(word)),
    });
}

impl Meant {
    fn token(&self, lists: &Lists) -> Token {
        if self.is_operator {
            Token::Operator(self.word)
        } else {
            Token::Word(lists.first_form(self.word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RequestForm;

    fn words(request: &str) -> Vec<String> {
        RequestForm::of(request).expect("a form").words
    }

    #[test]
    fn fillers_disappear_and_synonyms_are_one_word() {
        let expected = words("kubernetes memory limit");
        assert_eq!(words("Please show me the k8s RAM limits"), expected);
    }

    #[test]
    fn a_request_without_content_and_a_long_one_have_no_form() {
        assert_eq!(RequestForm::of("what is it?"), None);
        assert_eq!(RequestForm::of(&"word ".repeat(100)), None);
        assert_eq!(RequestForm::of(&"é".repeat(1_000)), None);
    }

    #[test]
    fn keys_ignore_order_and_keep_operators() {
        let key = |request| RequestForm::of(request).expect("a form").key();
        assert_eq!(key("rust async book"), key("book async rust"));
        assert_ne!(key("flights from Oslo"), key("flights to Oslo"));
    }
}
