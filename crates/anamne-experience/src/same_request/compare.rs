//! Whether two requests ask for the same.

use super::exchanged;
use super::form::{RequestForm, Term};
use super::lists::lists;
use super::scan::is_number;

/// Whether a cached result may be served for another request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Same,
    /// It must not.
    Different(Difference),
}

/// The first difference between two requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A request is too long for a comparison, or has no content.
    Incomparable,
    /// A number, version or date.
    Numbers,
    /// A word: an entity, a platform, a time, or what is asked.
    Words,
    /// A negation, direction, comparison, aggregate or order, or the word that it belongs to.
    Operators,
    /// The same words, in places that turn the meaning around.
    Places,
}

impl Difference {
    /// A short description.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Incomparable => "too long or without content",
            Self::Numbers => "different numbers, versions or units",
            Self::Words => "different words",
            Self::Operators => "different negation, direction, comparison, aggregate or order",
            Self::Places => "the same words with exchanged roles",
        }
    }
}

/// Whether the result of one request may be served for the other. Symmetric. O(bytes).
pub fn same_request(one: &str, other: &str) -> Verdict {
    match (RequestForm::of(one), RequestForm::of(other)) {
        (Some(one), Some(other)) => one.compare(&other),
        _ => Verdict::Different(Difference::Incomparable),
    }
}

impl RequestForm {
    /// Whether the result of one request may be served for the other. Symmetric. O(words²) vectors' products if only the
    /// order differs, else O(words).
    pub fn compare(&self, other: &Self) -> Verdict {
        if self.sorted != other.sorted {
            let numbers = |form: &Self| {
                let numbers = form.sorted.iter().filter(|word| is_number(word));
                numbers.cloned().collect::<Vec<_>>()
            };
            return Verdict::Different(if numbers(self) == numbers(other) {
                Difference::Words
            } else {
                Difference::Numbers
            });
        }
        if self.has_other_surfaces(other) {
            return Verdict::Different(Difference::Words);
        }
        if self.numbers != other.numbers {
            return Verdict::Different(Difference::Numbers);
        }
        if self.operators != other.operators {
            return Verdict::Different(Difference::Operators);
        }
        if self.meanings() == other.meanings() {
            return Verdict::Same;
        }
        let is_ordered = self.is_code || other.is_code || self.has_auxiliary != other.has_auxiliary;
        if is_ordered
            || self.repeats_otherwise(other)
            || self.relates_otherwise(other)
            || self.has_exchanged(other)
        {
            return Verdict::Different(Difference::Places);
        }
        Verdict::Same
    }

    fn meanings(&self) -> Vec<&str> {
        let terms = self.terms.iter();
        terms.map(|term| term.meaning.as_str()).collect()
    }

    /// Whether words with the same stem are different words: a name and another word, two base forms ("state" and
    /// "stat"), or what is done and what was done ("close" and "closed issues").
    fn has_other_surfaces(&self, other: &Self) -> bool {
        let is_other = |one: &Term, two: &Term| {
            let is_done = |term: &Term| term.is_inflected && term.surface.ends_with("ed");
            let may_be_forms =
                (one.is_inflected || two.is_inflected) && is_done(one) == is_done(two);
            one.meaning == two.meaning
                && one.surface != two.surface
                && (one.is_name || two.is_name || !may_be_forms)
        };
        let terms = self.terms.iter();
        terms
            .flat_map(|one| other.terms.iter().map(move |two| (one, two)))
            .any(|(one, two)| is_other(one, two))
    }

    /// Whether other words stand between the occurrences of a word that both repeat.
    fn repeats_otherwise(&self, other: &Self) -> bool {
        self.repeated.iter().any(|(word, between)| {
            let mut there = other.repeated.iter();
            there.any(|(one, words)| one == word && words != between)
        })
    }

    /// Whether a preposition that both have belongs to other words.
    fn relates_otherwise(&self, other: &Self) -> bool {
        let of = |form: &Self, preposition: &str| -> Vec<String> {
            let all = form.prepositions.iter();
            let of = all.filter(|(of, _)| *of == preposition);
            of.map(|(_, words)| words.clone()).collect()
        };
        let is_part = |few: &[String], many: &[String]| few.iter().all(|one| many.contains(one));
        self.prepositions.iter().any(|(preposition, _)| {
            let (here, there) = (of(self, preposition), of(other, preposition));
            !is_part(&here, &there) && !is_part(&there, &here)
        })
    }

    /// Whether words of one kind changed places, and nothing tells their roles.
    fn has_exchanged(&self, other: &Self) -> bool {
        let lists = lists();
        // Without those that an operator or a preposition belongs to, such as "from usd to eur".
        let units = |form: &Self| {
            let with_role = |unit: &String| {
                let mut terms = form.terms.iter();
                terms.any(|term| term.meaning == *unit && term.role.is_some())
            };
            let units = form.terms.iter().map(|term| term.meaning.clone());
            let units = units.filter(|unit| lists.units.contains(unit) && !with_role(unit));
            units.collect::<Vec<_>>()
        };
        let (here, there) = (units(self), units(other));
        let both = here.iter().filter(|unit| there.contains(unit));
        if !both.eq(there.iter().filter(|unit| here.contains(unit))) {
            return true;
        }
        let is_directed = |form: &Self| {
            let mut terms = form.terms.iter();
            terms.any(|term| lists.directed.contains(&term.meaning))
        };
        let has_direction = |form: &Self| {
            let is_direction =
                |operator: &str| matches!(operator, "from" | "to" | "into" | "by" | "than");
            let mut operators = form.operators.iter();
            operators.any(|(operator, _)| is_direction(operator))
        };
        if is_directed(self) && !has_direction(self) && self.others() != other.others() {
            return true;
        }
        exchanged::has_exchanged_neighbours(self, other)
            || exchanged::has_exchanged_alike(self, other)
    }

    /// Words that are not directed, in order.
    fn others(&self) -> Vec<&str> {
        let lists = lists();
        let words = self.meanings().into_iter();
        words
            .filter(|word| !lists.directed.contains(*word))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Difference, Verdict, same_request};

    fn check(one: &str, other: &str, expected: Verdict) {
        assert_eq!(same_request(one, other), expected, "{one} / {other}");
        assert_eq!(same_request(other, one), expected, "{other} / {one}");
    }

    #[test]
    fn order_abbreviations_and_fillers_do_not_matter() {
        for (one, other) in [
            ("rust async book", "async book rust"),
            ("kubernetes environment variables", "k8s env vars"),
            (
                "weather in Oslo tomorrow",
                "Could you please tell me the weather in Oslo tomorrow?",
            ),
            ("flights from Oslo to Rome", "flights to Rome from Oslo"),
        ] {
            check(one, other, Verdict::Same);
        }
    }

    #[test]
    fn hard_differences_are_found() {
        use Difference::{Numbers, Operators, Places, Words};
        for (one, other, difference) in [
            (
                "python 3.11 release date",
                "python 3.12 release date",
                Numbers,
            ),
            (
                "flights from Oslo to Rome",
                "flights from Rome to Oslo",
                Operators,
            ),
            ("users older than 30", "users younger than 30", Operators),
            (
                "countries with an army",
                "countries without an army",
                Operators,
            ),
            (
                "tallest building in Oslo",
                "shortest building in Oslo",
                Words,
            ),
            ("100 usd in eur", "100 eur in usd", Numbers),
            ("usd eur rate", "eur usd rate", Places),
            (
                "does Kafka depend on Zookeeper",
                "does Zookeeper depend on Kafka",
                Places,
            ),
            ("weather in Oslo today", "weather in Oslo tomorrow", Words),
            (
                "install docker on windows",
                "install docker on macos",
                Words,
            ),
        ] {
            check(one, other, Verdict::Different(difference));
        }
    }

    #[test]
    fn harmless_changes_of_places_are_the_same() {
        for (one, other) in [
            (
                "ubuntu install postgres 16",
                "install postgres 16 on ubuntu",
            ),
            (
                "usd exchange rate from eur to usd",
                "exchange rate from eur to usd",
            ),
            ("read csv line by line rust", "rust read csv line by line"),
            ("compare React and Vue", "Vue and React comparison"),
            (
                "flights from San Jose to San Diego",
                "flights to San Diego from San Jose",
            ),
            ("sort by price ascending", "ascending sort by price"),
            (
                "closing price on 3 March 2023 of Acme",
                "Acme closing price 3 March 2023",
            ),
        ] {
            check(one, other, Verdict::Same);
        }
    }

    #[test]
    fn exchanged_roles_are_found_without_a_list_of_verbs() {
        use Difference::{Operators, Places};
        for (one, other, difference) in [
            (
                "flights from San Jose to San Diego",
                "flights from San Diego to San Jose",
                Operators,
            ),
            (
                "migrate from python 2 to python 3",
                "migrate from python 3 to python 2",
                Operators,
            ),
            (
                "is python 3.12 faster than python 3.11",
                "is python 3.11 faster than python 3.12",
                Operators,
            ),
            (
                "John Smith is taller than John Doe",
                "John Doe is taller than John Smith",
                Operators,
            ),
            (
                "sort by price ascending, date descending",
                "sort by price descending, date ascending",
                Operators,
            ),
            (
                "is John older than John Smith",
                "is John Smith older than John",
                Operators,
            ),
            ("run linux in windows", "run windows in linux", Places),
            ("embed python in rust", "embed rust in python", Places),
            (
                "did Russia attack Ukraine",
                "did Ukraine attack Russia",
                Places,
            ),
            ("can dogs infect cats", "can cats infect dogs", Places),
            ("EU tariffs on China", "China tariffs on EU", Places),
            (
                "packages that rely on lodash",
                "packages lodash relies on",
                Places,
            ),
            (
                "who does Liz Truss replace",
                "who replaces Liz Truss",
                Places,
            ),
            (
                "time in Tokyo when it is 9 am in Toronto",
                "time in Toronto when it is 9 am in Tokyo",
                Places,
            ),
            ("cells that attack HIV", "cells that HIV attacks", Places),
            (
                "qui a battu Nadal en 2021",
                "qui Nadal a battu en 2021",
                Places,
            ),
            (
                "house boat rental Amsterdam",
                "boat house rental Amsterdam",
                Places,
            ),
            (
                "il Milan ha battuto l'Inter",
                "l'Inter ha battuto il Milan",
                Places,
            ),
            ("GET repos/foo/bar", "GET repos/bar/foo", Places),
            (
                "SELECT id FROM t WHERE a='x' AND b='y'",
                "SELECT id FROM t WHERE a='y' AND b='x'",
                Places,
            ),
        ] {
            check(one, other, Verdict::Different(difference));
        }
    }

    #[test]
    fn signs_case_and_short_names_count() {
        use Difference::{Numbers, Words};
        for (one, other, difference) in [
            ("3,5 % interest loan", "35 % interest loan", Numbers),
            (
                "−5 degrees in fahrenheit",
                "5 degrees in fahrenheit",
                Numbers,
            ),
            ("pages 1,2 of the report", "pages 12 of the report", Numbers),
            ("closed issues of serde", "close issues of serde", Words),
            ("curl -o option", "curl -O option", Words),
            ("strftime %m meaning", "strftime %M meaning", Words),
            ("find . ! -name x", "find . -name x", Words),
            ("x ≠ 5", "x = 5", Words),
            ("python == operator", "python != operator", Words),
            ("2 + 2", "2 - 2", Words),
            ("bash && meaning", "bash || meaning", Words),
            ("100‰ of x", "100 of x", Words),
            ("5' in cm", "5\" in cm", Words),
            ("100 Mb speed", "100 MB speed", Words),
            ("ไม้ คือ", "ไม่ คือ", Words),
            ("US inflation rate", "inflation rate", Words),
            ("vitamin A overdose", "vitamin overdose", Words),
            ("minecraft mod list", "minecraft mode list", Words),
            ("car insurance price", "care insurance price", Words),
            ("Lucas Moreau email", "Luca Moreau email", Words),
            ("Anne Smith phone", "Ann Smith phone", Words),
            ("SAT test dates", "saturday test dates", Words),
            ("apt update", "apt upgrade", Words),
        ] {
            check(one, other, Verdict::Different(difference));
        }
        check("price >= 5", "price at least 5", Verdict::Same);
        assert_ne!(same_request("price >= 5", "price > 5"), Verdict::Same);
    }

    #[test]
    fn a_request_without_content_is_the_same_as_nothing() {
        let expected = Verdict::Different(Difference::Incomparable);
        check("what is it", "what is it", expected);
    }

    proptest! {
        #[test]
        fn any_two_texts_are_compared_the_same_both_ways(
            one in "[a-z0-9 '$€%.,<>+#@:-]{0,60}",
            other in "\\PC{0,60}",
        ) {
            prop_assert_eq!(same_request(&one, &other), same_request(&other, &one));
            let itself = same_request(&one, &one);
            prop_assert!(itself == Verdict::Same || itself == Verdict::Different(Difference::Incomparable));
        }
    }
}
