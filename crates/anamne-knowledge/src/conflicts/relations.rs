//! Claims from the statements of a reading: a relation with one value at a time, such as where someone lives.

use anamne_types::{RelationType, Role};
use jiff::tz::TimeZone;

use super::claim::{Claim, Content, Quantity, Topic};
use super::clauses::clauses;
use super::holding::{Mentioned, Sentence};
use super::read::{MOST_CLAIMS, shortened};
use super::tokens::{Token, says, tokens};
use crate::reading::{Reading, Statement, Term, Utterance, normalised};

/// The confidence from which a statement is compared.
const LEAST_CONFIDENCE: f32 = 0.6;

/// Sentences that are longer are pasted data.
const LONGEST_SENTENCE_BYTES: usize = 1500;

/// Words of a statement that replaces an earlier one.
const CHANGED: &str =
    "now again correction corrected since meanwhile instead new moved joined left";

/// Qualifies a value with which another one may hold.
pub(super) const BESIDE: &str = "beside";

/// What the dimension of such a claim begins with; the relation follows.
const DIMENSION: &str = "relation:";

/// The relation that a dimension names.
pub(super) fn relation_of(dimension: &str) -> Option<RelationType> {
    dimension.strip_prefix(DIMENSION).map(RelationType::from)
}

/// Whether two texts name one value: the words of one contain those of the other, and their numbers are the same.
pub(super) fn is_same_value(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        normalised(text)
            .split_whitespace()
            .map(|word| word.trim_matches([',', ';', ':', '.', '(', ')']).to_owned())
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let numbers = |words: &[String]| -> Vec<String> {
        let is_number = |word: &&String| word.contains(char::is_numeric);
        words.iter().filter(is_number).cloned().collect()
    };
    let within = |one: &[String], other: &[String]| one.iter().all(|word| other.contains(word));
    numbers(&one) == numbers(&other) && (within(&one, &other) || within(&other, &one))
}

/// The claims of a reading of this text, at most [`MOST_CLAIMS`].
///
/// Only of relations whose later value ends the earlier one in the graph, or contests it; without plans, limited changes and
/// what is told of the past. As [`claims`](super::claims) otherwise.
pub fn statement_claims(utterance: &Utterance<'_>, reading: &Reading) -> Vec<Claim> {
    if utterance.role.is_some_and(|role| role != Role::User) {
        return Vec::new();
    }
    let statements = reading.statements.iter();
    statements
        .filter(|statement| is_compared(&statement.relation))
        .filter_map(|statement| claim(utterance, statement))
        .take(MOST_CLAIMS)
        .collect()
}

fn is_compared(relation: &RelationType) -> bool {
    matches!(
        relation,
        RelationType::LivesIn
            | RelationType::WorksAt
            | RelationType::StudiesAt
            | RelationType::LocatedIn
            | RelationType::HasValue
            | RelationType::Age
            | RelationType::BornOn
    )
}

fn claim(utterance: &Utterance<'_>, statement: &Statement) -> Option<Claim> {
    let (Term::Entity(subject, _), Term::Entity(value, _) | Term::Value(value)) =
        (&statement.subject, &statement.object)
    else {
        return None;
    };
    let is_over = statement.valid_to.is_some_and(|end| end <= utterance.at);
    let is_to_come = statement
        .valid_from
        .is_some_and(|begin| begin > utterance.at);
    let span = statement.span.clone();
    if statement.negated
        || is_over
        || is_to_come
        || statement.confidence < LEAST_CONFIDENCE
        || span.len() > LONGEST_SENTENCE_BYTES
    {
        return None;
    }
    let tokens = tokens(utterance.text, span.clone());
    let clauses = clauses(&tokens);
    let first = value.split_whitespace().next()?.to_lowercase();
    let sentence = Sentence {
        tokens: &tokens,
        clauses: &clauses,
        next: &[],
        year: utterance.at.to_zoned(TimeZone::UTC).year(),
    };
    let mentioned = clauses.iter().enumerate().find_map(|(clause, range)| {
        let at = range.tokens.clone().find(|&at| tokens[at].lower == first)?;
        Some(Mentioned {
            clause,
            tokens: at..at + 1,
            changes: statement.relation != RelationType::BornOn,
            is_date: statement.relation == RelationType::BornOn,
        })
    })?;
    let lasts = statement.relation == RelationType::BornOn || sentence.holds(&mentioned);
    if !lasts || sentence.is_asked(mentioned.clause, mentioned.tokens.start) {
        return None;
    }
    let subject = normalised(subject);
    // `works at the Red Cross on weekends` may hold beside another place.
    let end = mentioned.tokens.start + value.split_whitespace().count();
    let rest = clauses[mentioned.clause].tokens.end.min(tokens.len());
    let may_have_two = !matches!(
        statement.relation,
        RelationType::Age | RelationType::HasValue | RelationType::BornOn
    );
    let goes_on = may_have_two
        && tokens
            .get(end..rest)
            .is_some_and(|rest| rest.iter().any(Token::is_said));
    let qualifiers = if goes_on || says(&tokens, "also too both") {
        vec![BESIDE.to_owned()]
    } else {
        Vec::new()
    };
    let changed = says(&tokens, CHANGED);
    // `the timeout` may be that of anything.
    let is_vague = statement.relation == RelationType::HasValue
        && !subject.contains(' ')
        && !says(&tokens, "port");
    if is_vague && !changed {
        return None;
    }
    let mut digest = [0; 8];
    digest[..6].copy_from_slice(&blake3::hash(normalised(value).as_bytes()).as_bytes()[..6]);
    Some(Claim {
        quote: shortened(utterance.text.get(span.clone())?),
        span,
        author: utterance.author.trim().to_lowercase(),
        at: utterance.at,
        subject: Vec::new(),
        about: vec![
            Topic {
                term: statement.relation.as_str().to_owned(),
                weight: 10,
            },
            Topic {
                term: subject,
                weight: 14,
            },
        ],
        context: Vec::new(),
        changed,
        content: Content::Quantity(Quantity {
            dimension: format!("{DIMENSION}{}", statement.relation),
            value: u64::from_le_bytes(digest) as f64,
            written: value.clone(),
            approximate: false,
            target: false,
            verb: String::new(),
            before: None,
            phrases: Vec::new(),
            qualifiers,
            period: Vec::new(),
            single: true,
            cumulative: false,
        }),
    })
}
