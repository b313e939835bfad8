//! Queries that ask for a time, and texts that state one.

use std::sync::LazyLock;

use super::vocabulary::{TokenSet, Vocabulary};

/// Words that state a time or a duration; without months that are also other words.
const TIME_WORDS: &str = "yesterday today tomorrow tonight ago last next recently since week weeks weekend month months \
    year years monday tuesday wednesday thursday friday saturday sunday january february april june july august \
    september october november december";

/// Years in the vocabulary.
const YEARS: std::ops::Range<u16> = 1900..2100;

/// Nouns that ask for a time after "what" or "which", and words that ask for a duration after "how".
const TIME_QUESTIONS: [(&[&str], &[&str]); 3] = [
    (
        &["what", "which"],
        &["time", "day", "date", "week", "month", "year"],
    ),
    (&["how"], &["long", "old"]),
    (&["many"], &["days", "weeks", "months", "years"]),
];

pub(super) static TIME_TOKENS: LazyLock<TokenSet> = LazyLock::new(|| {
    let years = YEARS.map(|year| year.to_string());
    let words = TIME_WORDS.split(' ').map(str::to_owned);
    Vocabulary::get().token_set(words.chain(years))
});

/// Whether a query with these lower-case words asks for a time.
pub(super) fn asks_for_time(words: &[String]) -> bool {
    let begins = words.iter().take(3).any(|word| word == "when");
    let asks_for = |pair: &[String]| {
        TIME_QUESTIONS.iter().any(|(before, after)| {
            before.contains(&pair[0].as_str()) && after.contains(&pair[1].as_str())
        })
    };
    begins || words.windows(2).any(asks_for)
}

/// Whether a text with these wordpieces states a time. O(tokens).
pub(crate) fn states_time(tokens: &[u16]) -> bool {
    let telling = &*TIME_TOKENS;
    tokens.iter().any(|&token| telling.contains(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str) -> bool {
        let words: Vec<String> = question.split(' ').map(str::to_owned).collect();
        asks_for_time(&words)
    }

    fn mentions(text: &str) -> bool {
        let mut tokens = Vec::new();
        Vocabulary::get().table.tokens(text, &mut tokens);
        states_time(&tokens)
    }

    #[test]
    fn time_questions_are_recognised() {
        assert!(asked("when did the boiler break"));
        assert!(asked("since when is it so"));
        assert!(asked("how long has she lived there"));
        assert!(asked("in which year was the house built"));
        assert!(asked("how many weeks did it take"));
        assert!(!asked("what did she do when the boiler broke"));
        assert!(!asked("how many cats are there"));
        assert!(!asked(""));
    }

    #[test]
    fn texts_state_a_time_by_words_or_years() {
        assert!(mentions("It broke last week."));
        assert!(mentions("Built in 1987, they say"));
        assert!(mentions("See you on Friday!"));
        assert!(!mentions("The boiler is broken."));
        assert!(!mentions(""));
    }
}
