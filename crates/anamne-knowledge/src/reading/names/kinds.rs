//! What a name names: points that its words and the words around it give to each type.

use anamne_types::EntityType;

use super::proper::{Candidate, is_head};
use crate::reading::gazetteer::{self, Class};
use crate::reading::tokens::{Shape, Tokens};

/// Points for each type of entity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Points([f32; 12]);

impl Points {
    pub(super) fn add(&mut self, entity_type: EntityType, points: f32) {
        self.0[entity_type as usize] += points;
    }

    /// Takes in what another place says, as far as there is room for it.
    pub(super) fn merge(&mut self, other: &Self) {
        const MOST: f32 = 4.0;
        for (own, others) in self.0.iter_mut().zip(other.0) {
            *own = (*own + others).clamp(-MOST, MOST);
        }
    }

    /// The sum of both.
    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        for (own, others) in sum.0.iter_mut().zip(other.0) {
            *own += others;
        }
        sum
    }

    /// The type with the most points, how many it has, and how far ahead it is.
    pub(super) fn best(&self) -> (EntityType, f32, f32) {
        let mut best = (EntityType::Concept, 0.0_f32);
        let mut second = 0.0_f32;
        for entity_type in TYPES {
            let points = self.0[entity_type as usize];
            if points > best.1 {
                second = best.1;
                best = (entity_type, points);
            } else if points > second {
                second = points;
            }
        }
        (best.0, best.1, best.1 - second)
    }
}

const TYPES: [EntityType; 6] = [
    EntityType::Person,
    EntityType::Organisation,
    EntityType::Place,
    EntityType::Tool,
    EntityType::Project,
    EntityType::Concept,
];

/// The points that the words of a name give by themselves.
pub(super) fn own_points(tokens: &Tokens<'_>, candidate: &Candidate) -> Points {
    let mut points = Points::default();
    inner(tokens, candidate, &mut points);
    points
}

/// The points that the words around a name give where it stands.
pub(super) fn points_around(tokens: &Tokens<'_>, candidate: &Candidate) -> Points {
    let mut points = Points::default();
    left(tokens, candidate, &mut points);
    right(tokens, candidate, &mut points);
    points
}

fn inner(tokens: &Tokens<'_>, candidate: &Candidate, points: &mut Points) {
    use EntityType::{Concept, Organisation, Person, Place, Project, Tool};
    let words = &tokens.all[candidate.tokens.clone()];
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return;
    };
    if candidate.listed.is_name() {
        for (class, entity_type, given) in [
            (Class::LAND, Place, 4.0),
            (Class::TOWN, Place, 3.5),
            (Class::FIRST_NAME, Person, 3.0),
            (Class::TOOL, Tool, 4.0),
            (Class::ORGANISATION, Organisation, 3.6),
            (Class::CONCEPT, Concept, 3.5),
        ] {
            if candidate.listed.is(class) {
                points.add(
                    entity_type,
                    if candidate.listed.is_one_kind() {
                        given + 2.5
                    } else {
                        given
                    },
                );
            }
        }
    }
    if candidate.titled {
        points.add(Person, 5.0);
    }
    let several = words.len() > 1;
    if several {
        let heads = [
            (Class::ORGANISATION_HEAD, Organisation, 3.5),
            (Class::PLACE_HEAD, Place, 3.3),
            (Class::CONCEPT_HEAD, Concept, 3.0),
            (Class::PROJECT_HEAD, Project, 3.0),
            (Class::TOOL_HEAD, Tool, 2.5),
        ];
        let head = words
            .iter()
            .position(|word| word.lower == "of")
            .filter(|at| *at > 0)
            .map_or(last, |of| &words[of - 1]);
        for (class, entity_type, given) in heads {
            if head.class.is(class)
                && !(head.class.is(Class::FIRST_NAME) && first.class.is(Class::FIRST_NAME))
            {
                points.add(entity_type, given);
                if words.len() > 2 && !head.class.is(Class::SURNAME) {
                    // "Mila Mountain Pass" is no Mila.
                    points.add(Person, -2.5);
                }
                break;
            }
        }
        let built_like_a_place = [
            "zentrum", "gipfel", "dorf", "hütte", "brücke", "platz", "straße",
        ]
        .iter()
        .any(|ending| last.lower.len() > ending.len() && last.lower.ends_with(ending));
        if built_like_a_place && !first.class.is(Class::FIRST_NAME) {
            points.add(Place, 2.0);
            points.add(Person, -1.0);
        }
        if first.class.is(Class::PLACE_FRONT) && !first.class.is(Class::FIRST_NAME) {
            points.add(Place, 2.5);
        }
        if words.iter().any(|word| word.lower == "&") {
            points.add(Organisation, 3.0);
        }
        if first.lower == "team" {
            points.add(Organisation, 3.0);
        }
        if first.class.is(Class::PROJECT_HEAD) {
            points.add(Project, 4.0);
        }
        if first.class.is(Class::FIRST_NAME)
            && words.len() <= 4
            && last.class != Class::NONE
            && !gazetteer::is_ordinary(&last.lower)
        {
            points.add(Person, 1.0);
        }
        let may_be_person =
            !candidate.ordinary || last.class.is(Class::FIRST_NAME.and(Class::SURNAME));
        let place_or_party = Class::PLACE_HEAD.and(Class::ORGANISATION_HEAD);
        if first.class.is(Class::FIRST_NAME) && may_be_person && !last.class.is(place_or_party) {
            points.add(Person, 1.0);
        }
        let unknown = words
            .iter()
            .filter(|word| word.is_word() && !gazetteer::is_ordinary(&word.lower))
            .count();
        let named_after_place = first.class.is(Class::TOWN.and(Class::LAND));
        if first.class.is(Class::ORGANISATION_FRONT) && !first.begins
            || first.class.is(Class::ORGANISATION_FRONT) && unknown > 0
        {
            points.add(Organisation, 3.2);
            points.add(Person, -1.5);
        } else if last.class.is(Class::ORGANISATION_TAIL)
            && !first.class.is(Class::FIRST_NAME)
            && unknown + usize::from(named_after_place) > 0
        {
            points.add(Organisation, 2.8);
            points.add(Person, -1.5);
        } else if named_after_place
            && last.lower.len() > 4
            && last.lower.ends_with('s')
            && !is_head(last)
            && !last.class.is_name()
        {
            // "Toyama Thunderbirds"
            points.add(Organisation, 2.5);
            points.add(Person, -1.0);
        }
        if last.class.is(Class::SURNAME) {
            points.add(Person, 1.2);
        }
        if unknown == words.len()
            && words.len() <= 3
            && !words.iter().any(|word| {
                word.class
                    .is(Class::TOOL.and(Class::ORGANISATION).and(Class::CONCEPT))
            })
        {
            points.add(Person, 1.4);
        } else if unknown == 0 {
            points.add(Concept, 0.8);
        }
        if let Some(known) = words
            .iter()
            .find(|word| word.class.is(Class::TOOL.and(Class::ORGANISATION)))
        {
            points.add(
                if known.class.is(Class::TOOL) {
                    Tool
                } else {
                    Organisation
                },
                1.8,
            );
        }
    } else {
        shape(first.text, first.shape, candidate, points);
    }
}

fn shape(text: &str, shape: Shape, candidate: &Candidate, points: &mut Points) {
    use EntityType::{Concept, Organisation, Person, Place, Tool};
    match shape {
        Shape::Upper => {
            points.add(Person, -2.5);
            points.add(Place, -2.5);
            points.add(Concept, 1.5);
            points.add(Organisation, 0.9);
            points.add(Tool, 0.6);
        }
        Shape::Mixed => {
            points.add(Tool, 1.7);
            points.add(Person, -2.0);
            points.add(Place, -2.0);
        }
        Shape::Capital => {
            let lower = text.to_lowercase();
            if gazetteer::PLACE_ENDINGS
                .iter()
                .any(|ending| lower.len() > ending.len() + 2 && lower.ends_with(ending))
            {
                points.add(Place, 1.2);
            } else if text
                .chars()
                .all(|letter| letter.is_alphabetic() || matches!(letter, '-' | '\'' | '’'))
            {
                points.add(Person, if candidate.weak { 0.4 } else { 1.0 });
            }
            if gazetteer::class_of(&lower).is(Class::SURNAME) && !candidate.listed.is_name() {
                points.add(Person, 1.4);
            }
            if text.contains('.') || text.ends_with(|letter: char| letter.is_ascii_digit()) {
                points.add(Tool, 1.5);
            }
        }
        _ => {}
    }
}

fn left(tokens: &Tokens<'_>, candidate: &Candidate, points: &mut Points) {
    use EntityType::{Concept, Organisation, Person, Place, Project, Tool};
    let start = candidate.tokens.start;
    let at = |back: usize| start.checked_sub(back).map(|at| &tokens.all[at]);
    let lower = |back: usize| at(back).map_or("", |token| &*token.lower);
    let mut back = 1;
    while matches!(lower(back), "\"" | "'" | "“" | "*" | "**" | "_" | "(" | "`") {
        back += 1;
    }
    let the = lower(back) == "the";
    let article = matches!(lower(back), "a" | "an");
    if the {
        points.add(Person, -1.5);
        points.add(Organisation, 0.3);
        points.add(Concept, 0.4);
        back += 1;
    } else if article {
        points.add(Person, -2.0);
        points.add(Place, -1.0);
        back += 1;
    }
    let called = matches!(lower(back), "called" | "named" | "codenamed" | "dubbed");
    if called {
        back += 1;
        back += usize::from(matches!(lower(back), "is" | "'s" | "was" | "are" | "'re"));
    }
    let comma = usize::from(lower(back) == ",");
    let noun = at(back + comma).map_or(Class::NONE, |token| token.class);
    let close = called || comma == 0;
    if close && !the {
        for (class, entity_type, given) in [
            (Class::KIN, Person, 3.5),
            (Class::WORK_NOUN, Concept, 3.0),
            (Class::PROJECT_NOUN, Project, if called { 3.0 } else { 2.0 }),
            (Class::TOOL_NOUN, Tool, if called { 3.0 } else { 1.5 }),
            (
                Class::ORGANISATION_NOUN,
                Organisation,
                if called { 3.0 } else { 2.0 },
            ),
            (Class::PLACE_NOUN, Place, if called { 3.0 } else { 1.0 }),
        ] {
            if noun.is(class) {
                points.add(entity_type, given);
                break;
            }
        }
    }
    let word = lower(back);
    let second = lower(back + 1);
    match word {
        "in" | "near" | "outside" | "throughout" | "across" | "visiting" | "visited" | "visit"
        | "towards" | "toward" => {
            points.add(
                Place,
                if one_of!(
                    second,
                    "live" "lives" "lived" "living" "born" "arrived" "based" "stay" "staying"
                    "stayed" "vacation" "house" "apartment"
                ) {
                    3.5
                } else {
                    1.4
                },
            );
            points.add(Person, -0.8);
        }
        "to" | "from" if is_switched(tokens, start - back) => points.add(Tool, 2.0),
        "is" if second == "name" => points.add(Person, 2.5),
        "to" if !is_given_to(tokens, start - back) => points.add(
            Place,
            if one_of!(
                second,
                "moved" "move" "moving" "trip" "flew" "fly" "flight" "travel" "traveled" "travelled"
                "went" "going" "drive" "drove" "been" "visit"
            ) {
                2.5
            } else {
                0.2
            },
        ),
        "from" if candidate.tokens.len() > 1 => {
            points.add(Organisation, 1.0);
            points.add(Place, 0.6);
            points.add(Person, -0.6);
        }
        "from" => points.add(Place, 1.0),
        "on" | "onto" if matches!(second, "hosted" | "lives" | "walk" | "walked") => {
            points.add(Place, 1.4);
        }
        "at" => {
            let works = one_of!(
                second,
                "work" "works" "worked" "working" "job" "intern" "internship" "interview" "study"
                "studies" "studying" "studied" "engineer" "manager" "developer" "position" "role"
            );
            points.add(Organisation, if works { 3.0 } else { 1.6 });
            points.add(Place, if works { 0.5 } else { 1.3 });
            if candidate.ordinary {
                // "at Sunny Meadows" is no Sunny.
                points.add(Organisation, 1.4);
                points.add(Person, -4.0);
            }
            points.add(Person, -1.0);
        }
        "on" if matches!(second, "run" | "runs" | "running" | "hosted" | "deployed") => {
            points.add(Tool, 2.0);
        }
        "on" if matches!(second, "working" | "work" | "works" | "worked") => {
            points.add(Project, 2.2);
            points.add(Person, -1.0);
        }
        "with"
            if matches!(
                second,
                "contract" | "deal" | "lease" | "invoice" | "account" | "partnership" | "policy"
            ) =>
        {
            points.add(Organisation, 1.6);
        }
        "for"
            if one_of!(
                second,
                "plays" "play" "played" "playing" "work" "works" "worked" "working" "freelance"
                "consulting"
            ) =>
        {
            points.add(Organisation, 2.5);
        }
        "read" | "reading" | "watched" | "watching" | "finished" | "rewatching" | "rereading" => {
            points.add(Concept, 1.6);
        }
        "to" => points.add(Person, 1.2),
        "joined" | "join" | "joining" | "founded" | "cofounded" | "co-founded" | "acquired"
        | "acquires" => {
            points.add(Organisation, 1.8);
        }
        "represent" | "represents" | "bought" | "left" | "customer" | "client" | "supplier" => {
            points.add(Organisation, 1.5);
            points.add(Person, -0.6);
        }
        "climbed" | "hiked" | "summited" | "explored" | "reached" => points.add(Place, 2.2),
        "dropped" | "ditched" | "uninstalled" | "using" => points.add(Tool, 1.6),
        "my" | "our" => {
            points.add(Tool, 1.6);
            points.add(Person, -1.0);
        }
        "got" | "own" | "owns" | "drive" | "drives" | "play" | "plays" | "ordered" | "ride"
        | "rides" | "bring" | "use" | "uses"
            if article =>
        {
            points.add(Tool, 2.0);
        }
        "of" if one_of!(
            second,
            "ceo" "cto" "cfo" "founder" "director" "chair" "employee" "employees" "member"
            "president" "board" "shares"
        ) =>
        {
            points.add(Organisation, 2.5);
        }
        "of" if one_of!(
            second,
            "city" "town" "village" "island" "capital" "state" "north" "south" "east" "west"
        ) =>
        {
            points.add(Place, 3.5);
        }
        "with" | "and" | "by" => points.add(Person, 0.5),
        "hi" | "hello" | "hey" | "dear" | "thanks" | "congrats" | "told" | "tell" | "ask"
        | "asked" | "met" | "meet" => points.add(Person, 2.2),
        _ => {
            let class = at(back).map_or(Class::NONE, |token| token.class);
            if class.is(Class::BEFORE_PERSON) {
                points.add(Person, 1.6);
            } else if class.is(Class::BEFORE_TOOL) {
                points.add(Tool, 1.8);
            }
        }
    }
}

/// Whether one thing takes another's place: `switched from … to`.
fn is_switched(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.all[at.saturating_sub(5)..at].iter().any(|token| {
        matches!(
            &*token.lower,
            "switched" | "switch" | "switching" | "migrated" | "migrate" | "migrating" | "upgraded"
        )
    })
}

/// The kind of thing that `is our internal deployment tool` says of what stands before.
fn said_to_be(tokens: &Tokens<'_>, article: usize) -> Option<EntityType> {
    let is_article = tokens
        .get(article)
        .is_some_and(|token| matches!(&*token.lower, "a" | "an" | "our" | "the"));
    let mut at = article + 1;
    while tokens
        .get(at + 1)
        .is_some_and(|next| next.shape == Shape::Lower && !next.class.is(Class::FUNCTION))
        && at < article + 5
    {
        at += 1;
    }
    let noun = tokens
        .get(at)
        .filter(|noun| is_article && noun.shape == Shape::Lower)?
        .class;
    [
        (Class::TOOL_NOUN, EntityType::Tool),
        (Class::PLACE_NOUN, EntityType::Place),
        (Class::ORGANISATION_NOUN, EntityType::Organisation),
        (Class::PROJECT_NOUN, EntityType::Project),
    ]
    .into_iter()
    .find_map(|(class, kind)| noun.is(class).then_some(kind))
}

/// Whether something is sent or said to what stands after a `to`.
fn is_given_to(tokens: &Tokens<'_>, to: usize) -> bool {
    tokens.all[to.saturating_sub(6)..to].iter().any(|token| {
        one_of!(
            &*token.lower,
            "send" "sent" "gave" "give" "talk" "talked" "spoke" "speak" "wrote" "write" "introduced"
            "listen" "thanks" "handed" "assigned" "reported"
        )
    })
}

fn right(tokens: &Tokens<'_>, candidate: &Candidate, points: &mut Points) {
    use EntityType::{Organisation, Person, Place, Project, Tool};
    let end = candidate.tokens.end;
    let at = |ahead: usize| tokens.get(end + ahead);
    let lower = |ahead: usize| at(ahead).map_or("", |token| &*token.lower);
    let mut ahead = 0;
    while matches!(lower(ahead), "\"" | "'" | "”" | "*" | "**" | "_" | ")") {
        ahead += 1;
    }
    let next = at(ahead).map_or(Class::NONE, |token| token.class);
    if lower(ahead) == "'s" {
        let visited = candidate
            .tokens
            .start
            .checked_sub(1)
            .is_some_and(|before| matches!(&*tokens.all[before].lower, "at" | "to" | "chez"))
            && !at(ahead + 1)
                .is_some_and(|word| word.shape == Shape::Lower && !word.class.is(Class::FUNCTION));
        points.add(
            Person,
            if visited
                && !tokens.all[candidate.tokens.start]
                    .class
                    .is(Class::PLACE_FRONT)
            {
                3.0
            } else if at(ahead + 1).is_some_and(|word| {
                word.class.is(Class::KIN)
                    || one_of!(
                        &*word.lower,
                        "house" "birthday" "phone" "laptop" "desk" "place" "car" "email" "advice"
                        "idea"
                    )
            }) {
                2.5
            } else {
                0.5
            },
        );
        return;
    }
    match lower(ahead) {
        "," if lower(ahead + 1) == "who" => points.add(Person, 2.5),
        "," if at(ahead + 1).is_some_and(|next| {
            next.class.is(Class::LAND) || next.class.is(Class::STATE_LETTERS)
        }) =>
        {
            points.add(Place, 2.5);
        }
        "," if at(ahead + 1).is_some_and(|next| {
            next.text.len() == 2 && gazetteer::class_of(next.text).is(Class::STATE_LETTERS)
        }) =>
        {
            points.add(Place, 3.0);
        }
        "and" if lower(ahead + 1) == "i" => points.add(Person, 2.5),
        "," if matches!(
            lower(ahead + 1),
            "can" | "could" | "please" | "you" | "i" | "do" | "thanks" | "thank"
        ) && candidate.weak =>
        {
            points.add(Person, 1.5);
        }
        "is" | "was" if said_to_be(tokens, end + ahead + 1).is_some() => {
            points.add(said_to_be(tokens, end + ahead + 1).unwrap_or(Tool), 2.2);
        }
        "is" | "was"
            if at(ahead + 1).is_some_and(|word| {
                word.class.is(Class::PERSON_VERB)
                    || one_of!(
                        &*word.lower,
                        "my" "coming" "going" "our" "happy" "sick" "pregnant" "married"
                    )
            }) =>
        {
            points.add(Person, 1.5);
        }
        "is" | "was"
            if matches!(lower(ahead + 1), "a" | "an")
                && (2..5).any(|more| {
                    at(ahead + more).is_some_and(|word| word.class.is(Class::OCCUPATION))
                }) =>
        {
            points.add(Person, 1.8);
        }
        "is" if lower(ahead + 2) == "'s"
            && at(ahead + 3).is_some_and(|word| word.class.is(Class::KIN)) =>
        {
            points.add(Person, 2.5);
        }
        ":" if candidate.weak => points.add(Person, 0.9),
        _ => {}
    }
    let named_so = matches!(lower(ahead), "called" | "named")
        && at(ahead + 1).is_some_and(|name| name.is_capital() || name.is_mark("\""));
    if next.is(Class::PERSON_VERB) && !named_so {
        points.add(Person, 1.7);
    }
    if at(ahead).is_some_and(|token| token.shape == Shape::Digit && token.text.contains('.'))
        && !candidate.ordinary
        && !candidate.weak
    {
        points.add(Tool, 1.2);
    }
    if at(ahead).is_some_and(|token| token.shape == Shape::Lower) {
        if next.is(Class::AFTER_TOOL) {
            points.add(Tool, 1.8);
        }
        if next.is(Class::PROJECT_HEAD)
            || one_of!(
                lower(ahead),
                "repo" "repository" "pilot" "rollout" "redesign" "sprint" "roadmap" "relaunch"
                "kickoff"
            )
        {
            points.add(Project, 2.0);
        }
        if next.is(Class::ORGANISATION_HEAD)
            || one_of!(
                lower(ahead),
                "employees" "shares" "stock" "headquarters" "announced" "acquired" "office" "fund"
                "bought"
            )
        {
            points.add(Organisation, 1.6);
        }
        if next.is(Class::PLACE_NOUN) && next.is(Class::PLACE_HEAD) {
            points.add(Place, 1.2);
        }
    }
}
