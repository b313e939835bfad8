//! Statements about the entities in a text.

mod amounts;
mod appositions;
mod being;
mod clauses;
mod intents;
mod kinship;
mod sentence;
mod time;
mod values;
mod verbs;
mod words;

use std::ops::Range;

use anamne_types::{EntityType, RelationType, Role};
use jiff::Timestamp;

use self::sentence::{Kind, Phrase, Sentence};
use super::names::Named;
use super::tokens::Tokens;
use super::{Statement, Term, Utterance, normalised};

/// Maximum number of items in a sentence; longer ones are lists and tables, and are skipped.
const MAX_SENTENCE_ITEMS: usize = 120;

/// Maximum number of statements per text.
const MAX_STATEMENTS: usize = 2048;

/// Finds the statements of a text.
pub(super) fn statements(
    utterance: &Utterance<'_>,
    tokens: &Tokens<'_>,
    named: &[Named],
) -> Vec<Statement> {
    let author = author(utterance);
    let mut found = Vec::new();
    let mut people = People::default();
    for sentence in &tokens.sentences {
        if found.len() >= MAX_STATEMENTS {
            break;
        }
        people.before(sentence, named, author.as_ref());
        let read = Sentence::of(
            tokens,
            named,
            sentence.clone(),
            author.clone(),
            people.only(),
        );
        if !may_state(&read) {
            continue;
        }
        let documents = utterance.role == Some(Role::Assistant);
        let mut writer = Writer {
            sentence: &read,
            at: utterance.at,
            documents,
            found: Vec::new(),
        };
        kinship::read(&mut writer);
        appositions::read(&mut writer);
        values::read(&mut writer);
        clauses::read(&mut writer);
        if utterance.role == Some(Role::Assistant) {
            // In a model's answer, "We use …" refers to people in general.
            let of_everyone = |relation: &RelationType| {
                matches!(
                    relation,
                    RelationType::Likes
                        | RelationType::Dislikes
                        | RelationType::Prefers
                        | RelationType::Uses
                        | RelationType::Created
                        | RelationType::WorksOn
                        | RelationType::Owns
                )
            };
            writer.found.retain(|statement| {
                !of_everyone(&statement.relation) || Some(&statement.subject) != author.as_ref()
            });
        } else {
            intents::read(&mut writer);
        }
        found.extend(distinct(writer.found));
    }
    found
}

/// The author of the text, if known.
fn author(utterance: &Utterance<'_>) -> Option<Term> {
    let name = utterance.author.trim();
    let is_named = name.chars().any(char::is_alphanumeric);
    is_named.then(|| Term::Entity(name.to_owned(), EntityType::Person))
}

/// The people in earlier sentences, whom `he` or `she` may refer to.
#[derive(Default)]
struct People {
    named: usize,
    last: Option<(Term, usize)>,
    several: bool,
    sentence: usize,
}

impl People {
    fn before(&mut self, sentence: &Range<usize>, named: &[Named], author: Option<&Term>) {
        self.sentence += 1;
        while let Some(name) = named
            .get(self.named)
            .filter(|name| name.tokens.start < sentence.start)
        {
            self.named += 1;
            let term = Term::Entity(name.mention.name.clone(), EntityType::Person);
            if name.mention.entity_type != EntityType::Person || author == Some(&term) {
                continue;
            }
            match &self.last {
                Some((last, _)) if !same_person(last, &term) => self.several = true,
                _ => {}
            }
            self.last = Some((term, self.sentence));
        }
    }

    /// The only person so far, if last mentioned within two sentences.
    fn only(&self) -> Option<Term> {
        let (term, sentence) = self.last.as_ref()?;
        (!self.several && self.sentence - sentence <= 2).then(|| term.clone())
    }
}

fn same_person(left: &Term, right: &Term) -> bool {
    let (Term::Entity(left, _), Term::Entity(right, _)) = (left, right) else {
        return false;
    };
    normalised(left) == normalised(right)
}

/// Whether a sentence may make statements: no question, heading, block quote, formula or table.
fn may_state(sentence: &Sentence<'_>) -> bool {
    let items = &sentence.items;
    let question = items
        .iter()
        .rev()
        .take_while(|item| item.kind == Kind::Mark)
        .any(|item| item.lower == "?")
        || items.iter().any(|item| item.lower == "?" && !item.quoted);
    let asks = one_of!(
        sentence.lower(0),
        "can" "could" "would" "should" "do" "does" "did" "is" "are" "was" "were" "will" "has" "have"
        "what" "why" "how" "who" "where" "which"
    ) && sentence.mention(0).is_none();
    let titled = sentence.token(0).is_some_and(|token| token.titled);
    let formula = sentence.tokens.text[sentence.span.clone()].contains("\\(");
    let cited = sentence.tokens.text[..sentence.span.start].ends_with("> ");
    items.len() >= 2
        && items.len() <= MAX_SENTENCE_ITEMS
        && !question
        && !asks
        && !titled
        && !cited
        && !formula
}

/// Collects the statements of a sentence.
struct Writer<'a, 'b> {
    sentence: &'b Sentence<'a>,
    at: Timestamp,
    /// Whether a model wrote the text: its code is more often an example than a fact.
    documents: bool,
    found: Vec<Statement>,
}

impl Writer<'_, '_> {
    /// Adds a statement made by the items `around`, with the validity period from the rest of its clause.
    fn add(
        &mut self,
        subject: &Term,
        relation: RelationType,
        object: &Term,
        around: Range<usize>,
        group: verbs::VerbGroup,
        confidence: f32,
    ) {
        if !matches!(subject, Term::Entity(..)) || same(subject, object) {
            return;
        }
        let end = (around.end..self.sentence.items.len())
            .find(|at| self.ends(*at))
            .unwrap_or(self.sentence.items.len());
        let start = if around.start <= 6 { 0 } else { around.start };
        let timeless = matches!(
            relation,
            RelationType::ScheduledFor
                | RelationType::HappenedOn
                | RelationType::BornOn
                | RelationType::Decided
                | RelationType::Plans
        );
        let (valid_from, mut valid_to) = if timeless {
            (None, None)
        } else {
            time::validity(self.sentence, start..end, self.at)
        };
        if group.ended {
            valid_to = valid_to.or(Some(self.at));
        }
        self.found.push(Statement {
            span: self.sentence.span.clone(),
            subject: subject.clone(),
            relation,
            object: object.clone(),
            negated: group.negated,
            valid_from,
            valid_to,
            confidence: confidence.clamp(0.05, 0.95),
        });
    }

    /// Adds a statement about a phrase, made by a clause that ends at `end`.
    fn add_for_phrase(
        &mut self,
        subject: &Phrase,
        relation: RelationType,
        object: &Term,
        end: usize,
        group: verbs::VerbGroup,
        confidence: f32,
    ) {
        let around = subject.items.start..end;
        self.add(&subject.term, relation, object, around, group, confidence);
    }

    /// Adds a statement made without a verb.
    fn add_without_verb(
        &mut self,
        subject: &Term,
        relation: RelationType,
        object: &Term,
        around: Range<usize>,
        confidence: f32,
    ) {
        let group = verbs::VerbGroup::default();
        self.add(subject, relation, object, around, group, confidence);
    }

    fn ends(&self, at: usize) -> bool {
        self.sentence.is(at, Kind::Mark)
            && matches!(self.sentence.lower(at), "," | ";" | "." | ":" | "!" | "(")
    }
}

fn same(subject: &Term, object: &Term) -> bool {
    let (Term::Entity(left, _), Term::Entity(right, _) | Term::Value(right)) = (subject, object)
    else {
        return false;
    };
    normalised(left) == normalised(right)
}

/// Removes duplicates, keeping the highest confidence.
fn distinct(found: Vec<Statement>) -> Vec<Statement> {
    let mut kept: Vec<Statement> = Vec::with_capacity(found.len());
    for statement in found {
        match kept.iter_mut().find(|other| {
            other.subject == statement.subject
                && other.relation == statement.relation
                && other.object == statement.object
        }) {
            Some(other) if other.confidence < statement.confidence => *other = statement,
            Some(_) => {}
            None => kept.push(statement),
        }
    }
    kept
}

/// The confidence of a statement, scaled by that of a phrase.
fn scaled_confidence(phrase: &Phrase, confidence: f32) -> f32 {
    phrase.confidence * confidence
}
