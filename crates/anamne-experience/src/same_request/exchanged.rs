//! Did words of one kind change places?
//!
//! "Weather Oslo" and "Oslo weather" ask for the same, "Russia attacks Ukraine" and "Ukraine attacks Russia" do not: words
//! that are alike could each stand in the place of the other.

use std::cell::OnceCell;

use anamne_embed::{Embedder, StaticModel};

use super::form::{RequestForm, Term};
use super::scan::is_number;

/// Cosine of two words from which they are alike.
const ALIKE: f32 = 0.25;

/// Cosine from which two names are alike.
const ALIKE_NAMES: f32 = 0.1;

/// The longest words that are alike whatever they mean: variables and abbreviations.
const SHORT: usize = 3;

/// A word that both requests have once, and whose role is open.
struct Movable<'a> {
    /// The word in either request.
    terms: [&'a Term; 2],
    /// Its place in either.
    places: [usize; 2],
    /// Its vector in either, computed once.
    vectors: [OnceCell<Vec<f32>>; 2],
}

/// Whether two words that are alike stand in another order, unless an operator or a preposition tells the role of one of
/// them in both requests, or both are parts of an enumeration. O(words) vectors and O(words²) products.
pub(super) fn has_exchanged_alike(one: &RequestForm, other: &RequestForm) -> bool {
    let open = movable(one, other);
    open.iter().enumerate().any(|(at, first)| {
        let mut later = open[at + 1..].iter();
        later.any(|second| first.is_turned(second) && are_alike(first, second))
    })
}

/// The words that both have once and whose role is open, in the order of the first request.
fn movable<'a>(one: &'a RequestForm, other: &'a RequestForm) -> Vec<Movable<'a>> {
    let place = |form: &RequestForm, meaning: &str| {
        let mut places = form.terms.iter().enumerate();
        let found = places.find(|(_, term)| term.meaning == meaning)?.0;
        let is_single = !places.any(|(_, term)| term.meaning == meaning);
        is_single.then_some(found)
    };
    let is_told = |of: &str| is_single(one, of) && is_single(other, of);
    let movable = |term: &'a Term| {
        let places = [place(one, &term.meaning)?, place(other, &term.meaning)?];
        let there = &other.terms[places[1]];
        let is_bound = term.role.as_ref().is_some_and(|(of, _)| is_told(of));
        (!is_bound || term.role != there.role).then(|| Movable {
            terms: [term, there],
            places,
            vectors: Default::default(),
        })
    };
    one.terms.iter().filter_map(movable).collect()
}

impl Movable<'_> {
    /// Whether a later word of the first request is an earlier one of the other, and not by an enumeration.
    fn is_turned(&self, later: &Self) -> bool {
        let is_listed = later.places[0] == self.places[0] + 1
            && self.places[1] == later.places[1] + 1
            && self.terms[0].is_joined
            && later.terms[1].is_joined;
        self.places[1] > later.places[1] && !is_listed
    }

    fn is_name(&self) -> bool {
        self.terms.iter().any(|term| term.is_name)
    }

    /// The cosine to another word in one of the requests; `None` if the model knows one of them not at all.
    fn likeness(&self, other: &Self, request: usize) -> Option<f32> {
        let (one, two) = (self.vector(request), other.vector(request));
        let is_known = |vector: &[f32]| vector.iter().any(|value| *value != 0.0);
        let cosine = one.iter().zip(two).map(|(one, two)| one * two).sum();
        (is_known(one) && is_known(two)).then_some(cosine)
    }

    fn vector(&self, request: usize) -> &[f32] {
        self.vectors[request].get_or_init(|| {
            let model = StaticModel::builtin();
            let vector = model.embed_batch(&[&self.terms[request].surface]);
            vector.unwrap_or_default()
        })
    }
}

/// Whether two neighbours changed places and nothing else: "house boat" and "boat house". Names are left to the model.
pub(super) fn has_exchanged_neighbours(one: &RequestForm, other: &RequestForm) -> bool {
    let (here, there) = (&one.terms, &other.terms);
    if here.len() != there.len() || here.len() < 3 {
        return false;
    }
    let differ = |at: &usize| here[*at].meaning != there[*at].meaning;
    let places: Vec<usize> = (0..here.len()).filter(differ).collect();
    let [first, second] = places[..] else {
        return false;
    };
    let is_plain = |term: &Term| !term.is_name && !is_number(&term.meaning) && term.role.is_none();
    let words = [&here[first], &here[second], &there[first], &there[second]];
    second == first + 1
        && here[first].meaning == there[second].meaning
        && !(here[first].is_joined && there[first].is_joined)
        && words.into_iter().all(is_plain)
}

/// Whether an operator or a preposition occurs once: of two words with the same one, either could be meant.
fn is_single(form: &RequestForm, of: &str) -> bool {
    let operators = form.operators.iter().map(|(operator, _)| *operator);
    let prepositions = form
        .prepositions
        .iter()
        .map(|(preposition, _)| *preposition);
    operators
        .chain(prepositions)
        .filter(|one| *one == of)
        .count()
        == 1
}

/// Whether two words could stand for each other.
fn are_alike(first: &Movable<'_>, second: &Movable<'_>) -> bool {
    let [one, two] = [first, second].map(|word| word.terms[0].meaning.as_str());
    if is_number(one) || is_number(two) {
        return is_number(one) && is_number(two);
    }
    let are_short = one.chars().count() <= SHORT && two.chars().count() <= SHORT;
    let are_names = first.is_name() && second.is_name();
    let least = if are_names { ALIKE_NAMES } else { ALIKE };
    let is_like = |request| {
        let likeness = first.likeness(second, request);
        likeness.is_none_or(|cosine| cosine >= least)
    };
    are_short || is_like(0) || is_like(1)
}
