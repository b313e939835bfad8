//! Whether two requests ask for the same.

use super::form::RequestForm;
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
    /// Whether the result of one request may be served for the other. Symmetric. O(words).
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
        if self.numbers != other.numbers {
            return Verdict::Different(Difference::Numbers);
        }
        if self.operators != other.operators {
            return Verdict::Different(Difference::Operators);
        }
        if self.has_exchanged(other) {
            return Verdict::Different(Difference::Places);
        }
        Verdict::Same
    }

    /// Whether arguments of a directed word, or units, changed places, and nothing but places tells their roles.
    fn has_exchanged(&self, other: &Self) -> bool {
        if self.words == other.words || self.has_direction() {
            return false;
        }
        let lists = lists();
        let units = |form: &Self| {
            let units = form.words.iter().filter(|word| lists.units.contains(*word));
            units.cloned().collect::<Vec<_>>()
        };
        let is_directed = self.words.iter().any(|word| lists.directed.contains(word));
        units(self) != units(other) || is_directed && self.others() != other.others()
    }

    /// Whether "from" or "to" tells the direction.
    fn has_direction(&self) -> bool {
        let is_direction = |operator: &str| matches!(operator, "from" | "to" | "into" | "by");
        self.operators
            .iter()
            .any(|(operator, _)| is_direction(operator))
    }

    /// Words that are not directed, in order.
    fn others(&self) -> Vec<&String> {
        let lists = lists();
        let words = self.words.iter();
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
