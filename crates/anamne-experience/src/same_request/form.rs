//! The form of a request in which equal requests are equal.

use super::lists::{Lists, MAX_PHRASE_WORDS, Meant, lists};
use super::scan::{Case, Scanned, Word, is_number, scan};
use super::stem::is_inflected;
use super::{MAX_REQUEST_BYTES, MAX_REQUEST_WORDS};

/// Most words of an operator's argument.
const MAX_ARGUMENT_WORDS: usize = 4;

/// The words of a request that carry meaning, and what belongs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestForm {
    /// Words without fillers, in order.
    pub(super) terms: Vec<Term>,
    /// Their meanings, sorted, once each.
    pub(super) sorted: Vec<String>,
    /// Operators with the words that each belongs to (empty for none), sorted, once each.
    pub(super) operators: Vec<(&'static str, String)>,
    /// Prepositions with the words that each belongs to, sorted, once each.
    pub(super) prepositions: Vec<(&'static str, String)>,
    /// Numbers with the word that each belongs to, sorted, once each.
    pub(super) numbers: Vec<(String, String)>,
    /// Words that occur more than once, with what stands between the first and the last of them.
    pub(super) repeated: Vec<(String, String)>,
    /// Whether it asks with "do", so that what is done to whom depends on the order.
    pub(super) has_auxiliary: bool,
    /// Whether the order of all words counts.
    pub(super) is_code: bool,
}

/// A word that carries meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The stem of the first word of its group.
    pub(super) meaning: String,
    /// The word itself, or the first word of its group.
    pub(super) surface: String,
    /// Whether it is written as a name.
    pub(super) is_name: bool,
    /// Whether the surface is inflected.
    pub(super) is_inflected: bool,
    /// The operator or preposition that it belongs to, with the whole argument.
    pub(super) role: Option<(&'static str, String)>,
    /// Whether "and" stands between it and the next one.
    pub(super) is_joined: bool,
}

/// A word, or what relates words.
#[derive(Clone, Debug)]
enum Token {
    Word(Term),
    Operator(&'static str),
    Preposition(&'static str),
    And,
}

impl RequestForm {
    /// The form of a request; `None` for one that is too long, or consists only of fillers. O(bytes).
    pub fn of(request: &str) -> Option<Self> {
        if request.len() > MAX_REQUEST_BYTES {
            return None;
        }
        let lists = lists();
        let scanned = scan(request, lists);
        if scanned.words.len() > MAX_REQUEST_WORDS {
            return None;
        }
        let form = Self {
            has_auxiliary: has_auxiliary(&scanned.words),
            is_code: scanned.is_code,
            ..Self::from_tokens(tokens(&scanned, lists), lists)
        };
        (!form.terms.is_empty()).then_some(form)
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

    fn from_tokens(mut tokens: Vec<Token>, lists: &Lists) -> Self {
        let arguments = arguments(&tokens, lists);
        let (mut operators, mut prepositions) = (Vec::new(), Vec::new());
        for argument in &arguments {
            let entry = (argument.of, argument.text.clone());
            if argument.is_preposition {
                prepositions.push(entry);
            } else {
                operators.push(entry);
            }
            for token in &mut tokens[argument.words.clone()] {
                if let Token::Word(term) = token {
                    term.role = Some((argument.of, argument.text.clone()));
                }
            }
        }
        let repeated = repeated(&tokens);
        let terms = joined(tokens);
        let mut sorted: Vec<String> = terms.iter().map(|term| term.meaning.clone()).collect();
        let mut numbers = numbers(&terms, lists);
        sorted.sort_unstable();
        sorted.dedup();
        for entries in [&mut operators, &mut prepositions] {
            entries.sort_unstable();
            entries.dedup();
        }
        numbers.sort_unstable();
        numbers.dedup();
        Self {
            terms,
            sorted,
            operators,
            prepositions,
            numbers,
            repeated,
            has_auxiliary: false,
            is_code: false,
        }
    }
}

/// Whether "do" stands before another word than a pronoun: "who did Ann replace", not "how do I replace it".
fn has_auxiliary(words: &[Word]) -> bool {
    words.windows(2).any(|pair| {
        let (word, next) = (pair[0].text.as_str(), pair[1].text.as_str());
        matches!(word, "do" | "does" | "did")
            && !matches!(next, "i" | "we" | "you" | "one" | "not" | "it")
    })
}

impl Token {
    fn term(&self) -> Option<&Term> {
        match self {
            Self::Word(term) => Some(term),
            _ => None,
        }
    }

    fn is_number(&self) -> bool {
        self.term().is_some_and(|term| is_number(&term.meaning))
    }
}

/// The words that an operator or a preposition belongs to.
struct Argument {
    of: &'static str,
    is_preposition: bool,
    /// Their places among the tokens.
    words: std::ops::Range<usize>,
    text: String,
}

/// The arguments of all operators and prepositions.
fn arguments(tokens: &[Token], lists: &Lists) -> Vec<Argument> {
    let is_order = |token: &Token| matches!(token, Token::Operator("ascending" | "descending"));
    let has_orders = tokens.iter().filter(|token| is_order(token)).count() > 1;
    let of_token = |(at, token): (usize, &Token)| {
        let (of, is_preposition, words) = match *token {
            Token::Operator(of) if lists.bound.contains(of) => (of, false, argument(tokens, at)),
            // One of several orders belongs to the word before it.
            Token::Operator(of) if has_orders && is_order(token) => {
                let before = (0..at).rfind(|before| tokens[*before].term().is_some());
                (
                    of,
                    false,
                    before.map_or(at..at, |before| before..before + 1),
                )
            }
            Token::Operator(of) => (of, false, at..at),
            Token::Preposition(of) => (of, true, argument(tokens, at)),
            Token::Word(_) | Token::And => return None,
        };
        let meanings = tokens[words.clone()].iter().filter_map(Token::term);
        let meanings: Vec<_> = meanings.map(|term| term.meaning.as_str()).collect();
        let text = meanings.join(" ");
        Some(Argument {
            of,
            is_preposition,
            words,
            text,
        })
    };
    tokens.iter().enumerate().filter_map(of_token).collect()
}

/// The places of the argument of the operator at a place: the next word, the words that follow while another name begins
/// with the same ones, and the number of a name if there are several.
fn argument(tokens: &[Token], at: usize) -> std::ops::Range<usize> {
    let is_word = |at: &usize| tokens[*at].term().is_some();
    let Some(first) = (at + 1..tokens.len()).find(is_word) else {
        return at..at;
    };
    // Other names begin with the same word: "San Jose" and "San Diego".
    let begins_others = |at: usize, term: &Term| {
        let mut others = tokens.windows(2).enumerate();
        others.any(|(other, pair)| {
            let is_same = pair[0]
                .term()
                .is_some_and(|pair| pair.meaning == term.meaning);
            other != at && is_same && pair[1].term().is_some()
        })
    };
    let has_numbers = tokens.iter().filter(|token| token.is_number()).count() > 1;
    let mut end = first + 1;
    while end < tokens.len().min(first + MAX_ARGUMENT_WORDS) {
        let last = tokens[end - 1].term().expect("an argument has words only");
        let is_repeated = begins_others(end - 1, last);
        let is_numbered = has_numbers && !tokens[end - 1].is_number() && tokens[end].is_number();
        if !is_word(&end) || !is_repeated && !is_numbered {
            break;
        }
        end += 1;
    }
    first..end
}

/// The words that occur more than once, with what stands between the first and the last of them.
fn repeated(tokens: &[Token]) -> Vec<(String, String)> {
    let text = |token: &Token| match token {
        Token::Word(term) => term.meaning.clone(),
        Token::Operator(of) | Token::Preposition(of) => format!("@{of}"),
        Token::And => "@and".to_owned(),
    };
    let of_word = |(at, token): (usize, &Token)| {
        let meaning = &token.term()?.meaning;
        let is_it = |token: &Token| token.term().is_some_and(|term| term.meaning == *meaning);
        let is_first = !tokens[..at].iter().any(is_it);
        let last = tokens
            .iter()
            .rposition(is_it)
            .filter(|last| *last > at && is_first)?;
        // Operators tell the roles of "from San Jose to San Diego".
        let is_open = |token: &Token| token.term().is_some_and(|term| term.role.is_none());
        if !tokens.iter().any(|token| is_it(token) && is_open(token)) {
            return None;
        }
        let between: Vec<String> = tokens[at + 1..last].iter().map(text).collect();
        Some((meaning.clone(), between.join(" ")))
    };
    tokens.iter().enumerate().filter_map(of_word).collect()
}

/// The words, with what joins them.
fn joined(tokens: Vec<Token>) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for token in tokens {
        match token {
            Token::Word(term) => terms.push(term),
            Token::And => {
                if let Some(last) = terms.last_mut() {
                    last.is_joined = true;
                }
            }
            Token::Operator(of) => {
                if let Some(last) = terms.last_mut() {
                    last.is_joined = matches!(of, "or" | "versus");
                }
            }
            Token::Preposition(_) => {
                if let Some(last) = terms.last_mut() {
                    last.is_joined = false;
                }
            }
        }
    }
    terms
}

/// Numbers with the unit or month behind them; several without one with the word before each.
fn numbers(terms: &[Term], lists: &Lists) -> Vec<(String, String)> {
    let is_several = terms.iter().filter(|term| is_number(&term.meaning)).count() > 1;
    let mut numbers = Vec::new();
    let of_numbers = terms.iter().enumerate();
    for (at, number) in of_numbers.filter(|(_, term)| is_number(&term.meaning)) {
        let next = terms.get(at + 1).map(|term| &term.meaning);
        let is_owner = |word: &&String| lists.units.contains(*word) || lists.months.contains(*word);
        let unit = next.filter(is_owner);
        let before = at.checked_sub(1).and_then(|before| terms.get(before));
        let owner = unit.or(before.map(|term| &term.meaning).filter(|_| is_several));
        numbers.push((number.meaning.clone(), owner.cloned().unwrap_or_default()));
    }
    numbers
}

fn tokens(scanned: &Scanned, lists: &Lists) -> Vec<Token> {
    let words = &scanned.words;
    let mut tokens = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        if let Some((length, meant)) = phrase(&words[at..], lists) {
            tokens.extend(meant.iter().map(|meant| meant.token(lists)));
            at += length;
            continue;
        }
        let has_content = tokens.iter().any(|token: &Token| token.term().is_some());
        let place = Place {
            word: &words[at],
            before: at.checked_sub(1).map(|before| &words[before]),
            after: words.get(at + 1),
            is_leading: !has_content,
        };
        place.add(lists, &mut tokens);
        at += 1;
    }
    tokens
}

/// The longest phrase at the beginning, its length, and what stands for it.
fn phrase<'a>(words: &[Word], lists: &'a Lists) -> Option<(usize, &'a [Meant])> {
    let longest = words.len().min(MAX_PHRASE_WORDS);
    (2..=longest).rev().find_map(|length| {
        let texts: Vec<_> = words[..length]
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        let meant = lists.phrases.get(texts.join(" ").as_str())?;
        Some((length, meant.as_slice()))
    })
}

/// A word with what stands around it.
struct Place<'a> {
    word: &'a Word,
    before: Option<&'a Word>,
    after: Option<&'a Word>,
    /// Whether no word with content stands before it.
    is_leading: bool,
}

impl Place<'_> {
    fn add(&self, lists: &Lists, tokens: &mut Vec<Token>) {
        let text = self.word.text.as_str();
        if self.is_leading && lists.leading.contains(text) {
            return;
        }
        if lists.fillers.contains(text) && !self.is_content(lists) {
            if text == "and" {
                tokens.push(Token::And);
            } else if let Some(preposition) = lists.prepositions.get(text) {
                tokens.push(Token::Preposition(preposition));
            }
            return;
        }
        if let Some(pronoun) = lists.pronouns.get(text) {
            tokens.push(Token::Word(Term::of(text, lists)));
            tokens.push(Token::Preposition(pronoun));
            return;
        }
        if text == "mean" && self.after.is_none() {
            // "What does it mean" asks for a meaning, not for an average.
            tokens.push(Token::Word(Term::of("definition", lists)));
            return;
        }
        if self.word.case == Case::Upper && lists.names_in_capitals.contains(text) {
            tokens.push(Token::Word(self.as_it_is()));
            return;
        }
        if let Some(meant) = lists.compounds.get(text) {
            tokens.extend(meant.iter().map(|meant| meant.token(lists)));
            return;
        }
        if lists.only_in_capitals.contains(text) && self.word.case != Case::Upper {
            tokens.push(Token::Word(self.as_it_is()));
            return;
        }
        let first = lists.same.get(text).copied().unwrap_or(text);
        let operator = lists.bound.get(first).or_else(|| lists.free.get(first));
        tokens.push(match operator {
            Some(operator) => Token::Operator(operator),
            None => Token::Word(Term {
                is_name: self.is_name(),
                ..Term::of(text, lists)
            }),
        });
    }

    /// Whether a filler carries meaning here: "US", "vitamin A", "type I".
    fn is_content(&self, lists: &Lists) -> bool {
        let is_upper = self.word.case == Case::Upper;
        match (self.word.text.as_str(), self.before) {
            ("i", Some(before)) => {
                let before = before.text.as_str();
                let is_pronoun = lists.fillers.contains(before)
                    || lists.leading.contains(before)
                    || lists.before_i.contains(before);
                !is_pronoun
            }
            ("a", Some(_)) => is_upper || self.after.is_none(),
            ("a" | "i", None) => false,
            (text, _) if lists.articles.contains(text) => self.is_name(),
            (text, _) => is_upper && text.len() <= 3,
        }
    }

    /// Whether it is written as a name. The first word of a sentence has a capital anyway.
    fn is_name(&self) -> bool {
        let is_capital = |word: &Word| word.case == Case::Capitalised;
        is_capital(self.word) && (self.before.is_some() || self.after.is_some_and(is_capital))
    }

    /// The word without synonyms and inflection.
    fn as_it_is(&self) -> Term {
        Term {
            meaning: self.word.text.clone(),
            surface: self.word.text.clone(),
            is_name: self.word.case != Case::Plain,
            is_inflected: false,
            role: None,
            is_joined: false,
        }
    }
}

impl Term {
    fn of(word: &str, lists: &Lists) -> Self {
        let surface = lists.same.get(word).copied().unwrap_or(word);
        Self {
            meaning: lists.first_form(word),
            surface: surface.to_owned(),
            is_name: false,
            is_inflected: is_inflected(surface, lists),
            role: None,
            is_joined: false,
        }
    }
}

impl Meant {
    fn token(&self, lists: &Lists) -> Token {
        if self.is_operator {
            Token::Operator(self.word)
        } else {
            Token::Word(Term::of(self.word, lists))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RequestForm;

    fn words(request: &str) -> Vec<String> {
        let form = RequestForm::of(request).expect("a form");
        form.terms.into_iter().map(|term| term.meaning).collect()
    }

    #[test]
    fn fillers_disappear_and_synonyms_are_one_word() {
        let expected = words("kubernetes memory limit");
        assert_eq!(words("Please show me the k8s RAM limits"), expected);
    }

    #[test]
    fn fillers_in_capitals_are_names() {
        assert_eq!(words("US inflation"), ["us", "inflation"]);
        assert_eq!(words("vitamin A overdose"), ["vitamin", "a", "overdos"]);
        assert_eq!(words("type I error"), ["type", "i", "error"]);
        assert_eq!(words("Where can I find a plumber"), ["location", "plumber"]);
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
