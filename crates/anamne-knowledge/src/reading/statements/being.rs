//! Statements with `is`: types, roles, ages, places, dates, values, favourites.

use anamne_types::{EntityType, RelationType};

use super::Writer;
use super::amounts::{Amount, amount, is_age, is_measure, version_number};
use super::sentence::{Kind, Phrase, Sentence};
use super::verbs::{self, VerbGroup};
use super::words::is_judgement;
use crate::reading::Term;
use crate::reading::gazetteer::Class;

pub(super) fn be(writer: &mut Writer<'_, '_>, at: usize) {
    let sentence = writer.sentence;
    if sentence.lower(at) == "'s"
        && sentence.mention(at.wrapping_sub(1)).is_some()
        && !matches!(sentence.lower(at + 1), "a" | "an" | "in" | "now" | "not")
    {
        return;
    }
    let mut group = verbs::group(sentence, at);
    let lower = sentence.lower(at);
    group.negated |= matches!(lower, "isn't" | "aren't");
    group.past |= matches!(lower, "was" | "were");
    if verbs::is_not_asserted(sentence, group) {
        return;
    }
    let mut after = at + 1;
    while one_of!(
        sentence.lower(after),
        "not" "now" "still" "currently" "also" "actually" "already" "basically" "really"
    ) {
        group.negated |= sentence.lower(after) == "not";
        after += 1;
    }
    favourite(writer, at, after, group);
    for subject in sentence.subjects(group.start) {
        if let Term::Entity(name, kind) = &subject.term {
            let doubt = verbs::doubt(sentence, group.start) * subject.confidence;
            let clause = Clause {
                subject: &subject,
                name,
                kind: *kind,
                be: at,
                after,
                group,
                doubt,
            };
            clause.read(writer);
        }
    }
}

/// A subject, a form of be, and a complement.
struct Clause<'a> {
    subject: &'a Phrase,
    name: &'a str,
    kind: EntityType,
    /// The item that is the form of be.
    be: usize,
    /// The first item of the complement.
    after: usize,
    group: VerbGroup,
    /// Confidence in the clause and its subject.
    doubt: f32,
}

impl Clause<'_> {
    fn read(&self, writer: &mut Writer<'_, '_>) {
        let sentence = writer.sentence;
        let after = self.after;
        if let Some(amount) = amount(sentence, after) {
            self.measured(writer, amount);
            return;
        }
        if sentence.names(after, EntityType::Date) {
            self.dated(writer, after);
            return;
        }
        let first = sentence.lower(after);
        if matches!(first, "on" | "due" | "in" | "at") {
            self.placed(writer);
            return;
        }
        let person = self.is_person();
        let version = sentence.mention(after + usize::from(first == "version"));
        if let Some(version) = version.filter(|_| !person)
            && version.entity_type == EntityType::Version
        {
            let number = version_number(&version.name);
            self.add(writer, RelationType::HasVersion, &number, after + 1, 0.75);
            return;
        }
        let trait_of_person = one_of!(
            first,
            "vegetarian" "vegan" "pescatarian" "diabetic" "celiac" "coeliac" "left-handed"
            "colour-blind" "color-blind"
        );
        if person && !self.group.past && trait_of_person {
            self.add(
                writer,
                RelationType::IsA,
                &Term::Value(first.to_owned()),
                after + 1,
                0.8,
            );
        } else if !self.group.past && (person || self.is_named(sentence)) {
            self.is_a(writer);
        }
    }

    fn add(
        &self,
        writer: &mut Writer<'_, '_>,
        relation: RelationType,
        object: &Term,
        end: usize,
        confidence: f32,
    ) {
        let confidence = confidence * self.doubt;
        writer.add_for_phrase(self.subject, relation, object, end, self.group, confidence);
    }

    fn is_person(&self) -> bool {
        self.kind == EntityType::Person
    }

    fn is_named(&self, sentence: &Sentence<'_>) -> bool {
        sentence.mention(self.subject.items.start).is_some()
    }

    /// `The rent is €900`, `Anna is 34`.
    fn measured(&self, writer: &mut Writer<'_, '_>, amount: Amount) {
        let sentence = writer.sentence;
        let end = amount.end;
        if self.is_person() {
            if is_age(sentence, self.after, end) && !self.group.past {
                let years = Term::Value(sentence.lower(self.after).to_owned());
                self.add(writer, RelationType::Age, &years, end, 0.85);
            }
            return;
        }
        if sentence.lower(end) == "," && sentence.is(end + 1, Kind::Number) {
            return;
        }
        let ends = sentence.ends_clause(end)
            || matches!(
                sentence.lower(end),
                "and" | "for" | "at" | "in" | "on" | "per" | "with" | "of" | "from"
            );
        let name = self.name.to_lowercase();
        let measured = self.kind == EntityType::Symbol || is_measure(&name);
        let priced = ["price", "cost", "fee", "rent"]
            .iter()
            .any(|word| name.ends_with(word));
        let concept = self.kind == EntityType::Concept && self.subject.definite;
        if self.group.past || !ends {
            return;
        }
        let object = Term::Value(amount.text);
        if amount.money && (priced || !measured) {
            self.add(writer, RelationType::Costs, &object, end, 0.7);
        } else if (measured || (amount.unit && concept)) && !sentence.lower(end).starts_with("of") {
            let confidence = if measured { 0.8 } else { 0.6 };
            self.add(writer, RelationType::HasValue, &object, end, confidence);
        }
    }

    /// `The launch is on Friday`, `the office is in Bern`, `the server is on 16.2`.
    fn placed(&self, writer: &mut Writer<'_, '_>) {
        let sentence = writer.sentence;
        let preposition = sentence.lower(self.after);
        let article = usize::from(matches!(sentence.lower(self.after + 1), "the" | "on"));
        let at = self.after + 1 + article;
        let Some(mention) = sentence.mention(at).filter(|_| !self.is_person()) else {
            return;
        };
        let may_stand = matches!(
            self.kind,
            EntityType::Concept
                | EntityType::Organisation
                | EntityType::Place
                | EntityType::Project
        );
        match mention.entity_type {
            EntityType::Version if preposition != "in" => {
                let number = version_number(&mention.name);
                self.add(
                    writer,
                    RelationType::HasVersion,
                    &number,
                    self.after + 2,
                    0.75,
                );
            }
            EntityType::Date if preposition != "at" => self.dated(writer, at),
            EntityType::Place if !self.group.past && may_stand && preposition != "on" => {
                let place = Term::Entity(mention.name.clone(), EntityType::Place);
                self.add(writer, RelationType::LocatedIn, &place, at + 1, 0.75);
            }
            _ => {}
        }
    }

    /// `The launch is Friday`, `Anna's birthday is 3 May`.
    fn dated(&self, writer: &mut Writer<'_, '_>, at: usize) {
        let Some(object) = writer.sentence.term(at) else {
            return;
        };
        let day_itself = matches!(
            self.kind,
            EntityType::Date | EntityType::Version | EntityType::Place
        );
        if let Some(owner) = self.name.strip_suffix("'s birthday") {
            let owner = Term::Entity(owner.to_owned(), EntityType::Person);
            let around = self.subject.items.start..at + 1;
            let confidence = 0.85 * self.doubt;
            writer.add(
                &owner,
                RelationType::BornOn,
                &object,
                around,
                self.group,
                confidence,
            );
        } else if !self.is_person()
            && !day_itself
            && (self.subject.definite || self.kind == EntityType::Concept)
        {
            let relation = if self.group.past {
                RelationType::HappenedOn
            } else {
                RelationType::ScheduledFor
            };
            self.add(writer, relation, &object, at + 1, 0.75);
        }
    }

    /// `Anna is a nurse`, `Skep is a hive book`.
    fn is_a(&self, writer: &mut Writer<'_, '_>) {
        let sentence = writer.sentence;
        let article = sentence.lower(self.after);
        let person = self.is_person();
        if person && matches!(article, "our" | "the" | "my") {
            self.role(writer);
            return;
        }
        let defined = matches!(article, "the" | "our") && sentence.lower(self.be) != "'s";
        if !defined && !matches!(article, "a" | "an") {
            return;
        }
        let Some(object) = sentence.object(self.after) else {
            return;
        };
        let Term::Value(text) = &object.term else {
            return;
        };
        let end = object.items.end;
        let next = sentence.lower(end);
        let head = sentence.lower(end - 1);
        let occupation = sentence.class(end - 1).is(Class::OCCUPATION);
        let first = sentence.lower(self.after + 1);
        let judging =
            is_judgement(first) || is_judgement(head) || text.split(' ').any(is_judgement);
        if judging || text.split(' ').count() > 4 || next == "'s" {
            return;
        }
        let of = next == "of";
        let head_word = text.rsplit(' ').next().unwrap_or(text);
        let adjective = head_word.contains('-')
            || (next == ","
                && sentence.is(end + 1, Kind::Word)
                && !matches!(
                    sentence.lower(end + 1),
                    "and" | "but" | "so" | "which" | "who" | "i" | "he" | "she" | "we" | "it"
                ));
        let text = text
            .strip_suffix(&format!(" {head_word}"))
            .filter(|_| head_word.ends_with("ed"))
            .unwrap_or(text);
        let joined = next == "and" && !text.contains(' ') && !occupation;
        if adjective || joined || (of && !text.contains(' ')) {
            return;
        }
        let object = Term::Value(text.to_owned());
        if person {
            let by_ending = ["ist", "ian", "eer", "tor"]
                .iter()
                .any(|ending| head.len() > 5 && head.ends_with(ending));
            if matches!(head, "owner" | "vegetarian" | "vegan") && (occupation || by_ending) {
                self.add(writer, RelationType::IsA, &object, end, 0.85);
            } else if occupation || by_ending {
                self.add(writer, RelationType::WorksAs, &object, end, 0.85);
            } else if article != "the"
                && !of
                && self.is_named(sentence)
                && sentence.ends_clause(end)
            {
                self.add(writer, RelationType::IsA, &object, end, 0.6);
            }
            return;
        }
        let thing = !matches!(
            self.kind,
            EntityType::Date | EntityType::Version | EntityType::Url
        );
        if thing && (article != "the" || of) && self.is_named(sentence) {
            self.add(writer, RelationType::IsA, &object, end, 0.75);
        }
    }

    /// `Gustavo is our head of logistics`.
    fn role(&self, writer: &mut Writer<'_, '_>) {
        let sentence = writer.sentence;
        let Some(object) = sentence.object(self.after) else {
            return;
        };
        let Term::Value(text) = &object.term else {
            return;
        };
        let head = object.items.end - 1;
        let leads = matches!(sentence.lower(head), "head" | "lead" | "chief");
        if !(leads || sentence.class(head).is(Class::OCCUPATION))
            || text.split(' ').any(is_judgement)
            || text.split(' ').count() > 3
        {
            return;
        }
        let of = (sentence.lower(object.items.end) == "of")
            .then(|| sentence.object(object.items.end + 1))
            .flatten();
        let end = of.as_ref().map_or(object.items.end, |of| of.items.end);
        if sentence.lower(self.after) != "my" || leads {
            let whole = Term::Value(sentence.text(self.after + 1..end));
            self.add(writer, RelationType::WorksAs, &whole, end, 0.75);
        }
    }
}

/// `My favourite tea is Assam`.
fn favourite(writer: &mut Writer<'_, '_>, be: usize, after: usize, group: VerbGroup) {
    let sentence = writer.sentence;
    let Some(word) = (be.saturating_sub(4)..be)
        .find(|at| matches!(sentence.lower(*at), "favourite" | "favorite" | "fave"))
    else {
        return;
    };
    let Some(owner) = word.checked_sub(1) else {
        return;
    };
    let subject = match sentence.lower(owner) {
        "my" | "our" => sentence.author.clone(),
        "his" | "her" => sentence.they.clone(),
        "'s" => owner
            .checked_sub(1)
            .and_then(|at| sentence.mention(at))
            .map(|mention| Term::Entity(mention.name.clone(), EntityType::Person)),
        _ => None,
    };
    let Some(object) = sentence.object(after) else {
        return;
    };
    let short = match &object.term {
        Term::Value(text) => text.split(' ').count() <= 4,
        Term::Entity(_, kind) => *kind != EntityType::Date,
    };
    if let Some(subject) = subject.filter(|_| short && !group.past) {
        writer.add(
            &subject,
            RelationType::Likes,
            &object.term,
            owner..object.items.end,
            group,
            0.8 * object.confidence,
        );
    }
}
