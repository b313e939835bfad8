//! What is said with `is`: what things and people are, how old, where and when, and what they like best.

use anamne_types::EntityType;

use super::Writer;
use super::items::{Kind, Phrase, Sentence};
use super::values::{amount, is_measure};
use super::verbs::{self, Group};
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
    if group.unreal || group.future || verbs::is_conditional(sentence, group.start) {
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
        said_of(writer, &subject, at, after, group);
    }
}

fn said_of(writer: &mut Writer<'_, '_>, subject: &Phrase, be: usize, after: usize, group: Group) {
    let sentence = writer.sentence;
    let person = subject.entity_type() == Some(EntityType::Person);
    let named = sentence.mention(subject.items.start).is_some() || person;
    let doubt = verbs::doubt(sentence, group.start) * subject.confidence;
    let Term::Entity(name, kind) = &subject.term else {
        return;
    };
    let around = |end: usize| subject.items.start..end;
    if let Some(amount) = amount(sentence, after) {
        let object = Term::Value(amount.text.clone());
        if person {
            if is_age(sentence, after, amount.end) && !group.past {
                writer.tell(
                    &subject.term,
                    "age",
                    &Term::Value(sentence.lower(after).to_owned()),
                    around(amount.end),
                    group,
                    0.85 * doubt,
                );
            }
            return;
        }
        if sentence.lower(amount.end) == "," && sentence.is(amount.end + 1, Kind::Number) {
            return;
        }
        let ends = sentence.ends_clause(amount.end)
            || matches!(
                sentence.lower(amount.end),
                "and" | "for" | "at" | "in" | "on" | "per" | "with" | "of" | "from"
            );
        let measured = matches!(kind, EntityType::Symbol) || is_measure(&name.to_lowercase());
        let priced = ["price", "cost", "fee", "rent"]
            .iter()
            .any(|word| name.to_lowercase().ends_with(word));
        if amount.money && !group.past && ends && (priced || !measured) {
            writer.tell(
                &subject.term,
                "costs",
                &object,
                around(amount.end),
                group,
                0.7 * doubt,
            );
        } else if ends
            && (measured || (amount.unit && *kind == EntityType::Concept && subject.definite))
            && !group.past
            && !sentence.lower(amount.end).starts_with("of")
        {
            writer.tell(
                &subject.term,
                "has_value",
                &object,
                around(amount.end),
                group,
                if measured { 0.8 } else { 0.6 } * doubt,
            );
        }
        return;
    }
    if let Some(date) = sentence
        .mention(after)
        .filter(|date| date.entity_type == EntityType::Date)
    {
        dated(writer, subject, &date.name, after, group, doubt);
        return;
    }
    let preposition = sentence.lower(after);
    if matches!(preposition, "on" | "due" | "in" | "at") {
        let article = usize::from(matches!(sentence.lower(after + 1), "the" | "on"));
        if let Some(mention) = sentence.mention(after + 1 + article) {
            match mention.entity_type {
                EntityType::Version if !person && preposition != "in" => {
                    let number = mention
                        .name
                        .rsplit(' ')
                        .next()
                        .unwrap_or(&mention.name)
                        .to_owned();
                    writer.tell(
                        &subject.term,
                        "has_version",
                        &Term::Value(number),
                        around(after + 2),
                        group,
                        0.75 * doubt,
                    );
                }
                EntityType::Date if !person && preposition != "at" => dated(
                    writer,
                    subject,
                    &mention.name,
                    after + 1 + article,
                    group,
                    doubt,
                ),
                EntityType::Place
                    if !person
                        && !group.past
                        && matches!(
                            kind,
                            EntityType::Concept
                                | EntityType::Organisation
                                | EntityType::Place
                                | EntityType::Project
                        )
                        && preposition != "on" =>
                {
                    let place = Term::Entity(mention.name.clone(), EntityType::Place);
                    writer.tell(
                        &subject.term,
                        "located_in",
                        &place,
                        around(after + 2 + article),
                        group,
                        0.75 * doubt,
                    );
                }
                _ => {}
            }
        }
        return;
    }
    if let Some(version) = sentence
        .mention(after + usize::from(matches!(preposition, "at" | "version")))
        .filter(|version| version.entity_type == EntityType::Version)
        && !person
    {
        let number = version
            .name
            .rsplit(' ')
            .next()
            .unwrap_or(&version.name)
            .to_owned();
        writer.tell(
            &subject.term,
            "has_version",
            &Term::Value(number),
            around(after + 1),
            group,
            0.75 * doubt,
        );
        return;
    }
    if person
        && !group.past
        && one_of!(
            preposition,
            "vegetarian" "vegan" "pescatarian" "diabetic" "celiac" "coeliac" "left-handed"
            "colour-blind" "color-blind"
        )
    {
        writer.tell(
            &subject.term,
            "is_a",
            &Term::Value(preposition.to_owned()),
            around(after + 1),
            group,
            0.8 * doubt,
        );
        return;
    }
    if named && !group.past {
        is_a(writer, subject, be, after, group, doubt);
    }
}

/// Whether a number after `Anna is` is her age.
pub(super) fn is_age(sentence: &Sentence<'_>, number: usize, end: usize) -> bool {
    let years = sentence
        .lower(number)
        .parse::<u16>()
        .is_ok_and(|years| (1..=110).contains(&years));
    let said = sentence.lower(end) == "old" || sentence.lower(number + 1) == "years";
    let alone = end == number + 1
        && (one_of!(
            sentence.lower(end),
            "," "." "" "!" ";" ")" "and" "now" "today" "on" "last" "this" "yesterday" "in"
        ));
    years && (said || alone)
}

fn dated(
    writer: &mut Writer<'_, '_>,
    subject: &Phrase,
    date: &str,
    at: usize,
    group: Group,
    doubt: f32,
) {
    let Term::Entity(name, kind) = &subject.term else {
        return;
    };
    let object = Term::Entity(date.to_owned(), EntityType::Date);
    let around = subject.items.start..at + 1;
    let day_itself = matches!(
        kind,
        EntityType::Date | EntityType::Version | EntityType::Place
    );
    if let Some(owner) = name.strip_suffix("'s birthday") {
        writer.tell(
            &Term::Entity(owner.to_owned(), EntityType::Person),
            "born_on",
            &object,
            around,
            group,
            0.85 * doubt,
        );
    } else if *kind != EntityType::Person
        && !day_itself
        && (subject.definite || *kind == EntityType::Concept)
    {
        let relation = if group.past {
            "happened_on"
        } else {
            "scheduled_for"
        };
        writer.tell(
            &subject.term,
            relation,
            &object,
            around,
            group,
            0.75 * doubt,
        );
    }
}

/// `Anna is a nurse`, `Skep is a hive book`.
fn is_a(
    writer: &mut Writer<'_, '_>,
    subject: &Phrase,
    be: usize,
    after: usize,
    group: Group,
    doubt: f32,
) {
    let sentence = writer.sentence;
    let article = sentence.lower(after);
    if subject.entity_type() == Some(EntityType::Person) && matches!(article, "our" | "the" | "my")
    {
        role(writer, subject, after, group, doubt);
        return;
    }
    let defined = matches!(article, "the" | "our") && sentence.lower(be) != "'s";
    if !defined && !matches!(article, "a" | "an") {
        return;
    }
    let Some(object) = sentence.object(after) else {
        return;
    };
    let text = match &object.term {
        Term::Value(text) => text.clone(),
        Term::Entity(..) => return,
    };
    let head_at = object.items.end - 1;
    let head = sentence.lower(head_at);
    let person = subject.entity_type() == Some(EntityType::Person);
    let occupation = sentence.class(head_at).is(Class::OCCUPATION);
    let first = sentence.lower(after + 1);
    let judging = is_judgement(first) || is_judgement(head) || text.split(' ').any(is_judgement);
    if judging || text.split(' ').count() > 4 || matches!(sentence.lower(object.items.end), "'s") {
        return;
    }
    let of = sentence.lower(object.items.end) == "of";
    let head_word = text.rsplit(' ').next().unwrap_or(&text);
    let adjective = head_word.contains('-')
        || (sentence.lower(object.items.end) == ","
            && sentence.is(object.items.end + 1, Kind::Word)
            && !matches!(
                sentence.lower(object.items.end + 1),
                "and" | "but" | "so" | "which" | "who" | "i" | "he" | "she" | "we" | "it"
            ));
    let text = text
        .strip_suffix(&format!(" {head_word}"))
        .filter(|_| head_word.ends_with("ed"))
        .map_or(text.clone(), str::to_owned);
    let joined = sentence.lower(object.items.end) == "and" && !text.contains(' ') && !occupation;
    if adjective || joined || (of && !text.contains(' ')) {
        return;
    }
    let around = subject.items.start..object.items.end;
    if person {
        let by_ending = ["ist", "ian", "eer", "tor"]
            .iter()
            .any(|ending| head.len() > 5 && head.ends_with(ending));
        if occupation || by_ending {
            let relation = if head == "owner" || (head == "vegetarian" || head == "vegan") {
                "is_a"
            } else {
                "works_as"
            };
            writer.tell(
                &subject.term,
                relation,
                &Term::Value(text),
                around,
                group,
                0.85 * doubt,
            );
        } else if article != "the"
            && !of
            && sentence.mention(subject.items.start).is_some()
            && sentence.ends_clause(object.items.end)
        {
            writer.tell(
                &subject.term,
                "is_a",
                &Term::Value(text),
                around,
                group,
                0.6 * doubt,
            );
        }
        return;
    }
    let thing = matches!(
        subject.entity_type(),
        Some(
            EntityType::Tool
                | EntityType::Project
                | EntityType::Organisation
                | EntityType::Symbol
                | EntityType::Place
                | EntityType::Concept
                | EntityType::File
        )
    );
    if thing && (article != "the" || of) && sentence.mention(subject.items.start).is_some() {
        writer.tell(
            &subject.term,
            "is_a",
            &Term::Value(text),
            around,
            group,
            0.75 * doubt,
        );
    }
}

/// `Gustavo is our head of logistics`.
fn role(writer: &mut Writer<'_, '_>, subject: &Phrase, after: usize, group: Group, doubt: f32) {
    let sentence = writer.sentence;
    let Some(object) = sentence.object(after) else {
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
    let whole = sentence.text(after + 1..end);
    if sentence.lower(after) != "my" || leads {
        writer.tell(
            &subject.term,
            "works_as",
            &Term::Value(whole),
            subject.items.start..end,
            group,
            0.75 * doubt,
        );
    }
}

/// Words that say how one finds something, not what it is.
pub(super) fn is_judgement(word: &str) -> bool {
    word.starts_with("must-")
        || one_of!(
            word,
            "following" "good" "right" "correct" "same" "great" "nice" "bad" "better" "best" "bit"
            "lot" "pain" "mess" "joke" "problem" "must" "fantastic" "wonderful" "amazing"
            "beautiful" "lovely" "way" "excellent" "perfect" "solid" "big" "huge" "terrible" "awful"
            "real" "true" "crucial" "key" "powerful" "popular" "valuable" "useful" "important"
            "critical" "wise" "smart" "strong" "nightmare" "challenge" "issue" "blast" "win" "start"
            "step" "thing" "delight" "treat" "joy" "gem" "one" "reason" "result" "common"
            "possibility" "option" "choice" "idea" "plus" "fan" "part" "member" "little" "few"
            "kind" "sort" "type" "matter" "concern" "risk" "dream" "interesting" "unique" "special"
            "stunning" "incredible" "cool" "fun" "lifesaver" "reminder" "sign" "while" "fine" "long"
            "priority" "success" "failure" "bottleneck" "significant" "major" "classic" "simple"
            "hit" "no-brainer" "testament" "place" "time" "day" "example" "change" "difference"
            "mistake" "chance"
        )
}

/// `My favourite tea is Assam`.
fn favourite(writer: &mut Writer<'_, '_>, be: usize, after: usize, group: Group) {
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
        writer.tell(
            &subject,
            "likes",
            &object.term,
            owner..object.items.end,
            group,
            0.8 * object.confidence,
        );
    }
}
