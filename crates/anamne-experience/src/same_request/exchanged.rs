//! Did words of one kind change places?
//!
//! "Weather Oslo" and "Oslo weather" ask for the same, "Russia attacks Ukraine" and "Ukraine attacks Russia" do not: words
//! that are alike could each stand in the place of the other.

use anamne_embed::{Embedder, StaticModel};

use super::form::{RequestForm, Term};
use super::scan::is_number;

/// Cosine of two words from which they are alike.
const ALIKE: f32 = 0.25;

/// Cosine from which two names are alike.
const ALIKE_NAMES: f32 = 0.1;

/// The longest words that are alike whatever they mean: variables and abbreviations.
const SHORT: usize = 3;

/// Whether two words that are alike stand in another order, unless an operator or a preposition tells the role of one of
/// them in both requests, or both are parts of an enumeration.
pub(super) fn has_exchanged_alike(one: &RequestForm, other: &RequestForm) -> bool {
    let unique = |form: &RequestForm, term: &Term| {
        let same = form
            .terms
            .iter()
            .filter(|each| each.meaning == term.meaning);
        same.count() == 1
    };
    let place = |meaning: &str| {
        let mut terms = other.terms.iter();
        terms.position(|term| term.meaning == meaning)
    };
    // Places in both, of words whose role is open.
    let open: Vec<(usize, usize)> = one
        .terms
        .iter()
        .enumerate()
        .filter(|(_, term)| unique(one, term) && unique(other, term))
        .filter_map(|(at, term)| Some((at, place(&term.meaning)?)))
        .filter(|&(at, there)| {
            let (here, there) = (&one.terms[at].role, &other.terms[there].role);
            let is_told = |of: &str| is_single(one, of) && is_single(other, of);
            !here.as_ref().is_some_and(|(of, _)| is_told(of)) || here != there
        })
        .collect();
    open.iter().enumerate().any(|(at, &(first, first_there))| {
        open[at + 1..].iter().any(|&(second, second_there)| {
            let is_turned = first_there > second_there;
            let is_listed = second == first + 1
                && first_there == second_there + 1
                && one.terms[first].is_joined
                && other.terms[second_there].is_joined;
            is_turned
                && !is_listed
                && are_alike(
                    (&one.terms[first], &other.terms[first_there]),
                    (&one.terms[second], &other.terms[second_there]),
                )
        })
    })
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

/// Whether two words, each as both requests have it, could stand for each other.
fn are_alike(first: (&Term, &Term), second: (&Term, &Term)) -> bool {
    let (one, two) = (first.0.meaning.as_str(), second.0.meaning.as_str());
    let is_name = |term: (&Term, &Term)| term.0.is_name || term.1.is_name;
    let are_names = is_name(first) && is_name(second);
    let are_short = one.chars().count() <= SHORT && two.chars().count() <= SHORT;
    if is_number(one) || is_number(two) {
        return is_number(one) && is_number(two);
    }
    let least = if are_names { ALIKE_NAMES } else { ALIKE };
    let is_like = |one: &Term, two: &Term| {
        likeness(&one.surface, &two.surface).is_none_or(|cosine| cosine >= least)
    };
    are_short || is_like(first.0, second.0) || is_like(first.1, second.1)
}

/// The cosine of two words; `None` if the model knows one of them not at all.
fn likeness(one: &str, two: &str) -> Option<f32> {
    let model = StaticModel::builtin();
    let vectors = model.embed_batch(&[one, two]).ok()?;
    let (one, two) = vectors.split_at(model.dimensions());
    let is_known = |vector: &[f32]| vector.iter().any(|value| *value != 0.0);
    let cosine = one.iter().zip(two).map(|(one, two)| one * two).sum();
    (is_known(one) && is_known(two)).then_some(cosine)
}
