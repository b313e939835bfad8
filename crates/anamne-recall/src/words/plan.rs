//! What of a question is looked for in the wordpieces of memories.

use std::cell::RefCell;

use anamne_embed::{SimilarTokens, TokenTable};
use anamne_text::analyser::{Analyser, QueryTerm, QueryTerms, is_function_word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::moments;
use super::vocabulary::{TokenSet, Vocabulary};
use crate::model;
use crate::views::{Columns, LexicalSearch};

/// Pieces of the question that are compared at most, and terms that are counted at most: the rarest.
const MOST: usize = 96;

/// Letters of a rare word that are shown at most.
const MOST_LETTERS: usize = 60;

/// Terms that a rare word may be at most.
const MOST_PARTS: usize = 8;

/// Words of several pieces that are looked for at most, for each way in which they begin.
const MOST_ALIKE: usize = 64;

thread_local! {
    /// Keeps the stems of words that were asked before.
    static ANALYSER: RefCell<Analyser> = RefCell::default();
}

/// What is known of a space when a question is asked.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The authors of the space that have a name of their own, with their numbers.
    pub authors: Vec<(u32, String)>,
    /// The numbers of authors that speak for a person without a name, such as `user`.
    pub users: Vec<u32>,
    /// The numbers of authors that are programs, such as `assistant`.
    pub programs: Vec<u32>,
    /// The last thing that happened, microseconds since 1970.
    pub latest: i64,
    names: Names,
}

/// Authors that are a person's part in a conversation and no name.
const USERS: [&str; 4] = ["user", "human", "me", "you"];

/// Authors that are programs.
const PROGRAMS: [&str; 8] = [
    "assistant",
    "agent",
    "system",
    "tool",
    "ai",
    "bot",
    "model",
    "unknown",
];

impl Facts {
    /// Sorts the authors of a space into persons, users and programs.
    pub fn new(authors: Vec<(u32, String)>, latest: i64) -> Self {
        let mut facts = Self {
            latest,
            ..Self::default()
        };
        for (number, author) in authors {
            let name = author.trim().to_lowercase();
            if USERS.contains(&name.as_str()) {
                facts.users.push(number);
            } else if PROGRAMS.contains(&name.as_str()) {
                facts.programs.push(number);
            } else {
                facts.authors.push((number, author));
            }
        }
        facts.names = Names::of(&facts.authors);
        facts
    }
}

/// A question, taken apart.
pub(crate) struct Question {
    /// What the lexical search looks for: all terms, names too.
    pub(crate) terms: QueryTerms,
    /// The terms that are counted in texts: no stop words, no names of authors.
    pub(crate) content: QueryTerms,
    /// The word of the question that each content term comes from.
    pub(crate) term_words: Vec<String>,
    /// The most that the lexical view's own BM25 (k1 = 1.2) can reach for all terms together.
    pub(crate) lexical_most: f32,
    /// The content terms that at most two memories hold: their places and idf.
    pub(crate) singular: Vec<(usize, f32)>,
    /// The one word that at most [`model::RARE`] memories hold; `None` where no word is so rare, or several are.
    pub(crate) rare: Option<RareWord>,
    /// The weight of each content term, a power of its idf.
    pub(crate) term_weights: Vec<f32>,
    /// The weight of each compared piece: its idf.
    pub(crate) piece_weights: Vec<f32>,
    /// The authors that the question names, by number.
    pub(crate) named: Vec<u32>,
    /// The numbers of all authors who have a name of their own.
    pub(crate) persons: FxHashSet<u32>,
    /// All of its tokens.
    pub(crate) tokens: Vec<u16>,
    /// Its words, in lower case.
    pub(crate) words: Vec<String>,
    /// Whether a month or a year is among them, so that dates must be looked at.
    pub(crate) mentions_date: bool,
    /// Whether it asks when something was, or for how long.
    pub(crate) asks_for_time: bool,
    /// The tokens that mean something to the question.
    meeting: TokenSet,
    /// What they mean.
    meetings: FxHashMap<u16, Meeting>,
    /// The pieces that meetings meet, in chains that end at 0, the first of which stands for none.
    met: Vec<MetPiece>,
    /// Words of several pieces, by the first two.
    sequences: FxHashMap<[u16; 2], Vec<Sequence>>,
}

/// A word of the question that next to no memory holds.
#[derive(Clone, Debug)]
pub(crate) struct RareWord {
    /// As it stands in the question, shortened.
    pub(crate) word: String,
    /// What the lexical search looks for: several terms for the parts of an identifier.
    pub(crate) terms: QueryTerms,
}

/// A word of several pieces.
#[derive(Clone, Debug)]
struct Sequence {
    /// The pieces after the first two.
    rest: Vec<u16>,
    /// The term that it is.
    term: usize,
    /// How often the question says it.
    occurrences: f32,
}

/// What a token of a text means to the question.
#[derive(Clone, Debug, Default)]
pub(super) struct Meeting {
    /// The place of the first piece of the question that it meets; 0 for none.
    first_met: u32,
    /// Terms of the question that it is.
    pub(super) terms: Vec<u16>,
    /// Whether it begins one of the sequences.
    pub(super) begins_sequence: bool,
}

/// A piece of the question that a token of a text meets.
#[derive(Clone, Copy, Debug, Default)]
struct MetPiece {
    piece: u16,
    /// The square of the cosine.
    closeness: f32,
    /// The place of the token's next one; 0 for none.
    next: u32,
}

impl Question {
    /// Takes `text` apart. O(words of the question).
    pub(crate) fn new(
        text: &str,
        facts: &Facts,
        lexical: Option<&dyn LexicalSearch>,
        columns: &dyn Columns,
    ) -> Self {
        ANALYSER
            .with_borrow_mut(|analyser| Self::taken_apart(analyser, text, facts, lexical, columns))
    }

    fn taken_apart(
        analyser: &mut Analyser,
        text: &str,
        facts: &Facts,
        lexical: Option<&dyn LexicalSearch>,
        columns: &dyn Columns,
    ) -> Self {
        let (words, names) = (words_of(text), &facts.names);
        // In the question's own letters: a capital tells a name or a month from a function word.
        let content_text: Vec<&str> = raw_words(text)
            .filter(|word| !names.contains(&lower(word)))
            .collect();
        let terms = analyser.query(text);
        let mut content = analyser.query(&content_text.join(" "));
        if content.terms.is_empty() {
            content = terms.clone();
        }
        content.terms.retain(|term| !term.is_guest());
        content.terms.truncate(MOST);
        let all_idf = lexical.map_or_else(Vec::new, |lexical| lexical.idf(&terms));
        let idf = idf_of(&content, &terms, &all_idf, lexical);
        // The idf of a term that two memories hold; rarer ones have more.
        let rare = idf_of_holding(2.0, columns.rows()) - 1e-3;
        let singular = idf
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, idf)| *idf >= rare)
            .collect();
        let known: Vec<_> = terms.terms.iter().zip(all_idf.iter().copied()).collect();
        let rare = rare_word(analyser, text, names, &known, columns.rows());
        let occurrences = terms.terms.iter().map(|term| term.occurrences as f32);
        let mut question = Self {
            lexical_most: 2.2
                * all_idf
                    .iter()
                    .zip(occurrences)
                    .map(|(idf, times)| idf * times)
                    .sum::<f32>(),
            term_words: content.terms.iter().map(|term| term.text.clone()).collect(),
            singular,
            rare,
            term_weights: idf
                .iter()
                .map(|idf| (idf + of_prior(columns)).powf(model::IDF_POWER))
                .collect(),
            piece_weights: Vec::new(),
            named: names.named_in(&words),
            persons: names.persons.clone(),
            meeting: TokenSet::default(),
            meetings: FxHashMap::default(),
            met: vec![MetPiece::default()],
            sequences: FxHashMap::default(),
            tokens: Vec::new(),
            terms,
            content,
            mentions_date: words.iter().any(|word| is_of_date(word)),
            asks_for_time: moments::asks(&words),
            words,
        };
        question.plan_terms(analyser, names);
        question.plan_pieces(text, names, columns);
        question
    }

    /// The direction of the question: its pieces' rows, rare ones heavier, stop words lighter, names left out.
    pub(crate) fn vector(
        text: &str,
        facts: &Facts,
        columns: &dyn Columns,
        table: &dyn TokenTable,
        sum: &mut [f32],
    ) {
        let names = &facts.names;
        let mut tokens = Vec::new();
        table.tokens(text, &mut tokens);
        sum.fill(0.0);
        let weight = |token: u16| {
            let piece = table.token_text(token);
            let share = if is_stop_piece(piece) {
                model::STOP_PIECE_SHARE
            } else {
                1.0
            };
            if names.contains(piece) {
                0.0
            } else {
                share * piece_idf(columns, token).sqrt()
            }
        };
        let all_names = tokens.iter().all(|&token| weight(token) <= 0.0);
        for &token in &tokens {
            table.add_row(token, if all_names { 1.0 } else { weight(token) }, sum);
        }
    }

    /// Writes to `places` where the tokens stand that mean something to the question, and returns how many do.
    /// `places` is as long as `tokens`.
    #[inline]
    pub(super) fn places_of_meetings(&self, tokens: &[u16], places: &mut [u32]) -> usize {
        let mut found = 0;
        for (at, &token) in (0..).zip(tokens) {
            // Written at every token and kept at some: cheaper than a branch that is hard to foresee.
            places[found] = at;
            found += self.meeting.holds(token) as usize;
        }
        found
    }

    /// What a token means to the question.
    #[inline]
    pub(super) fn meeting(&self, token: u16) -> Option<&Meeting> {
        self.meetings.get(&token)
    }

    /// Whether a token means anything to the question: far cheaper than to ask what.
    #[inline]
    pub(super) fn is_met_by(&self, token: u16) -> bool {
        self.meeting.contains(token)
    }

    /// The pieces of the question that a token meets, with the squares of the cosines.
    #[inline]
    pub(super) fn pieces_met(&self, meeting: &Meeting) -> impl Iterator<Item = (usize, f32)> {
        let mut next = meeting.first_met;
        std::iter::from_fn(move || {
            let met = *self.met.get(next as usize).filter(|_| next != 0)?;
            next = met.next;
            Some((usize::from(met.piece), met.closeness))
        })
    }

    /// The terms of the words of several pieces that `tokens` begins with, and how often the question says each word.
    pub(super) fn sequences_at(&self, tokens: &[u16]) -> impl Iterator<Item = (usize, f32)> {
        let (alike, behind) = match tokens {
            [first, second, behind @ ..] => (self.sequences.get(&[*first, *second]), behind),
            _ => (None, &[][..]),
        };
        let found = alike
            .into_iter()
            .flatten()
            .filter(move |sequence| behind.starts_with(&sequence.rest));
        found.map(|sequence| (sequence.term, sequence.occurrences))
    }

    fn add_sequence(&mut self, first: [u16; 2], rest: &[u16], term: usize) {
        let alike = self.sequences.entry(first).or_default();
        let known = alike
            .iter_mut()
            .find(|known| known.term == term && known.rest == rest);
        if let Some(known) = known {
            known.occurrences += 1.0;
        } else if alike.len() < MOST_ALIKE {
            alike.push(Sequence {
                rest: rest.to_vec(),
                term,
                occurrences: 1.0,
            });
        }
    }

    fn meeting_mut(&mut self, token: u16) -> &mut Meeting {
        self.meeting.insert(token);
        self.meetings.entry(token).or_default()
    }

    /// Finds the tokens that share a term's stem, and the words that are several tokens.
    fn plan_terms(&mut self, analyser: &mut Analyser, names: &Names) {
        let vocabulary = Vocabulary::get();
        let terms: Vec<String> = self
            .content
            .terms
            .iter()
            .map(|term| term.text.clone())
            .collect();
        for (index, term) in terms.iter().enumerate() {
            for token in vocabulary.with_stem(term) {
                self.meeting_mut(token).terms.push(index as u16);
            }
        }
        let mut tokens = Vec::new();
        for word in self
            .words
            .clone()
            .iter()
            .filter(|word| !names.contains(word))
        {
            tokens.clear();
            vocabulary.table.tokens(word, &mut tokens);
            let mut base = None;
            analyser.document(word, &mut |found, _| {
                base = base.or_else(|| terms.iter().position(|term| term == found));
            });
            if let Some(term) = base {
                self.term_words[term].clone_from(word);
            }
            if let (Some(term), [first, second, rest @ ..]) = (base, &tokens[..]) {
                self.meeting_mut(*first).begins_sequence = true;
                self.add_sequence([*first, *second], rest, term);
            }
        }
    }

    /// Chooses the pieces to compare, and finds the tokens that are similar to each.
    fn plan_pieces(&mut self, text: &str, names: &Names, columns: &dyn Columns) {
        let table = Vocabulary::get().table;
        let mut tokens = Vec::new();
        table.tokens(text, &mut tokens);
        self.tokens.clone_from(&tokens);
        let mut seen = FxHashSet::default();
        tokens.retain(|token| seen.insert(*token));
        let is_name = |token: &u16| names.contains(table.token_text(*token));
        let kept = |piece: &str| self.content.terms.iter().any(|term| term.text == piece);
        let is_stop = |token: &u16| {
            let piece = table.token_text(*token);
            is_stop_piece(piece) && !kept(piece)
        };
        let mut pieces: Vec<u16> = tokens
            .iter()
            .copied()
            .filter(|token| !is_stop(token) && !is_name(token))
            .collect();
        if pieces.is_empty() {
            pieces = tokens
                .iter()
                .copied()
                .filter(|token| !is_stop(token))
                .collect();
        }
        if pieces.is_empty() {
            pieces = tokens;
        }
        let mut weighed: Vec<(f32, u16)> = pieces
            .into_iter()
            .map(|token| (piece_idf(columns, token), token))
            .collect();
        if weighed.len() > MOST {
            weighed.sort_by(|one, other| other.0.total_cmp(&one.0));
            weighed.truncate(MOST);
        }
        for (index, (weight, piece)) in weighed.into_iter().enumerate() {
            self.piece_weights.push(weight);
            for (token, cosine) in SimilarTokens::builtin().of(piece) {
                let place = self.met.len() as u32;
                let next = std::mem::replace(&mut self.meeting_mut(token).first_met, place);
                self.met.push(MetPiece {
                    piece: index as u16,
                    closeness: cosine * cosine,
                    next,
                });
            }
        }
    }
}

/// The idf of each content term: that of the same term among all, which the lexical view has told already, where there
/// is one; 1 without a lexical view.
fn idf_of(
    content: &QueryTerms,
    all: &QueryTerms,
    all_idf: &[f32],
    lexical: Option<&dyn LexicalSearch>,
) -> Vec<f32> {
    let Some(lexical) = lexical else {
        return vec![1.0; content.terms.len()];
    };
    let told = |text: &str| {
        let place = all.terms.iter().position(|term| term.text == text)?;
        all_idf.get(place).copied()
    };
    let known: Option<Vec<f32>> = content.terms.iter().map(|term| told(&term.text)).collect();
    known.unwrap_or_else(|| lexical.idf(content))
}

/// The idf of a term that so many of `rows` memories hold.
fn idf_of_holding(holding: f32, rows: usize) -> f32 {
    ((rows as f32 - holding + 0.5).max(0.0) / (holding + 0.5)).ln_1p()
}

/// The one word of the question that stands in one to [`model::RARE`] memories, from all terms with their idf. A word may be
/// several terms, such as the parts of an identifier; names of authors are none. In a space of few memories a usual word of the
/// language is none either, unless nothing else was asked: such words stand in few memories there for that reason alone.
/// O(question), and next to nothing where no term is rare.
fn rare_word(
    analyser: &mut Analyser,
    text: &str,
    names: &Names,
    terms: &[(&QueryTerm, f32)],
    rows: usize,
) -> Option<RareWord> {
    let own = terms.iter().filter(|(term, _)| !term.is_guest());
    // The views may count a few more or fewer memories than the columns do.
    let (least, most) = (model::RARE as f32 + 0.5, 0.5);
    let range = idf_of_holding(least, rows)..idf_of_holding(most, rows);
    let rare = own.clone().filter(|(_, idf)| range.contains(idf));
    let mut rare: Vec<QueryTerm> = rare.map(|(term, _)| (*term).clone()).collect();
    if !(1..=MOST_PARTS).contains(&rare.len()) {
        return None;
    }
    let is_usual = |term: &QueryTerm| Vocabulary::get().with_stem(&term.text).next().is_some();
    let is_alone = own.count() == rare.len();
    if rows < model::MANY_ROWS && !is_alone && rare.iter().all(is_usual) {
        return None;
    }
    for name in raw_words(text).filter(|word| names.contains(&lower(word))) {
        let name = analyser.query(name);
        rare.retain(|term| name.terms.iter().all(|part| part.text != term.text));
    }
    let mut is_whole = |word: &&str| {
        let whole = analyser.query(word);
        let is_part = |term: &QueryTerm| whole.terms.iter().any(|part| part.text == term.text);
        rare.iter().all(is_part)
    };
    let word = match &rare[..] {
        [] => return None,
        [term] => text
            .split_whitespace()
            .find(&mut is_whole)
            .unwrap_or(&term.text),
        _ => text.split_whitespace().find(&mut is_whole)?,
    };
    Some(RareWord {
        word: word
            .trim_matches(|sign: char| !sign.is_alphanumeric())
            .chars()
            .take(MOST_LETTERS)
            .collect(),
        terms: QueryTerms {
            terms: rare,
            ..QueryTerms::default()
        },
    })
}

/// The idf of a wordpiece over the space's memories (Robertson and Spärck Jones, kept above 0), and those before them.
fn piece_idf(columns: &dyn Columns, token: u16) -> f32 {
    let (rows, frequency) = (columns.rows() as f32, columns.token_frequency(token) as f32);
    (1.0 + (rows - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln() + of_prior(columns)
}

/// What [`model::PRIOR_ROWS`] more memories, with none of the question's words, add to the idf of each.
fn of_prior(columns: &dyn Columns) -> f32 {
    (model::PRIOR_ROWS / (columns.rows() as f32 + 1.0)).ln_1p()
}

/// Whether a wordpiece carries no meaning of its own: a function word, or no letter and no digit.
fn is_stop_piece(piece: &str) -> bool {
    matches!(piece, "s" | "t" | "d" | "m" | "ll" | "re" | "ve")
        || is_function_word(piece)
        || !piece.chars().any(char::is_alphanumeric)
}

/// Whether a word is the name of a month or looks like a year.
fn is_of_date(word: &str) -> bool {
    const MONTHS: &str =
        "january february march april may june july august september october november december";
    MONTHS.split(' ').any(|month| month == word)
        || (word.len() == 4 && word.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The words of a text as they stand there: runs of letters and digits, with apostrophes inside.
fn raw_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '_')))
        .map(|word| word.trim_matches(['\'', '’']))
        .filter(|word| !word.is_empty())
}

fn lower(word: &str) -> String {
    word.to_lowercase().replace('’', "'")
}

/// The words of a text in lower case.
fn words_of(text: &str) -> Vec<String> {
    raw_words(text).map(lower).collect()
}

/// The names of authors, word by word.
#[derive(Clone, Debug, Default)]
struct Names {
    /// Whose name each word is a part of.
    words: FxHashMap<String, Vec<u32>>,
    persons: FxHashSet<u32>,
}

impl Names {
    fn of(authors: &[(u32, String)]) -> Self {
        let mut names = Self::default();
        for (number, author) in authors {
            for word in words_of(author) {
                names.persons.insert(*number);
                names.words.entry(word).or_default().push(*number);
            }
        }
        names
    }

    fn contains(&self, word: &str) -> bool {
        let word = word.strip_suffix("'s").unwrap_or(word);
        self.words.contains_key(word)
    }

    fn named_in(&self, words: &[String]) -> Vec<u32> {
        let mut named = Vec::new();
        for word in words {
            let word = word.strip_suffix("'s").unwrap_or(word);
            named.extend(self.words.get(word).into_iter().flatten());
        }
        named.sort_unstable();
        named.dedup();
        named
    }
}
