//! Results that repeat a better one word for word.
//!
//! Texts that differ in any word are never duplicates: one number, name or negation decides what they say.

use anamne_types::Recall;
use rustc_hash::FxHashMap;

use crate::ranked::Ranked;
use crate::views::Columns;
use crate::words::without_marks;

/// Moves results with the words of a better one behind the others, within the first `limit` results. If only a later one
/// of equal texts holds, it takes the place of the first. O(tokens).
pub(crate) fn demote_duplicates(
    ranked: Vec<Ranked>,
    columns: &dyn Columns,
    limit: usize,
    mut holds: impl FnMut(&Ranked) -> bool,
) -> Vec<Ranked> {
    let mut kept: Vec<Ranked> = Vec::with_capacity(ranked.len());
    let mut places: FxHashMap<Vec<u16>, usize> = FxHashMap::default();
    let mut repeated = Vec::new();
    let mut rest = ranked.into_iter();
    for mut ranked in rest.by_ref() {
        let words = without_marks(columns.tokens(ranked.candidate.row).unwrap_or_default());
        // Without known words, texts can't be compared.
        let known = places.get(&words).filter(|_| !words.is_empty());
        if let Some(&place) = known {
            let first = &mut kept[place];
            if !holds(first) && holds(&ranked) {
                ranked.score = first.score;
                std::mem::swap(first, &mut ranked);
            }
            ranked.repeats = true;
            repeated.push(ranked);
        } else {
            ranked.repeats = false;
            places.insert(words, kept.len());
            kept.push(ranked);
        }
        if kept.len() == limit {
            break;
        }
    }
    kept.append(&mut repeated);
    kept.extend(rest);
    kept
}

/// Moves likely repetitions before unlikely results, which may be left out; without a repetition nothing moves.
pub(crate) fn before_unlikely(ranked: &mut [Ranked], min_confidence: f32) {
    if ranked.iter().any(|ranked| ranked.repeats) {
        let least = min_confidence.max(Recall::UNLIKELY);
        ranked.sort_by_key(|ranked| ranked.confidence < least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Features;
    use crate::views::Rows;
    use crate::words::tokens_of;

    /// The rows of texts, best first, after demotion; those in `over` don't hold.
    #[track_caller]
    fn check(texts: &[&str], limit: usize, over: &[u32], expected: &[u32]) {
        let columns = Rows(texts.iter().map(|text| tokens_of(text)).collect());
        let ranked = (0..texts.len() as u32).map(|row| Ranked::sample(row, Features::default()));
        let holds = |ranked: &Ranked| !over.contains(&ranked.candidate.row.0);
        let demoted = demote_duplicates(ranked.collect(), &columns, limit, holds);
        let rows: Vec<u32> = demoted.iter().map(|one| one.candidate.row.0).collect();
        assert_eq!(rows, expected, "{texts:?}");
    }

    #[test]
    fn equal_words_are_demoted() {
        let texts = [
            "The gauge is read.",
            "the gauge is read",
            "Lunch is at noon.",
        ];
        check(&texts, 10, &[], &[0, 2, 1]);
        // What was not looked at keeps its place.
        check(&texts, 1, &[], &[0, 1, 2]);
        check(&["", ""], 10, &[], &[0, 1]);
    }

    #[test]
    fn one_word_decides() {
        let sentence = |word: &str| {
            format!(
                "While the nightly backup of the customer database copies its pages to the second site, the \
                 replication slot on the primary {word} dropped by the operator on duty, whatever the lag of the standby"
            )
        };
        for (one, other) in [
            (sentence("must be"), sentence("must never be")),
            (sentence("of Maria is"), sentence("of Ruben is")),
            ("порт 7000".to_owned(), "порт 7001".to_owned()),
            (
                "the port is 1 221".to_owned(),
                "the port is 221 1".to_owned(),
            ),
            ("use C++ here".to_owned(), "use C# here".to_owned()),
            ("it costs $5".to_owned(), "it costs -$5".to_owned()),
            ("Ann told Ben".to_owned(), "Ben told Ann".to_owned()),
            ("it is safe".to_owned(), "it is safe?".to_owned()),
        ] {
            check(&[&one, &other, "Lunch is at noon."], 10, &[], &[0, 1, 2]);
        }
    }

    #[test]
    fn of_equal_texts_the_one_that_holds_is_shown() {
        let texts = [
            "The port is 5432.",
            "The port is 6000.",
            "The port is 5432.",
        ];
        check(&texts, 10, &[0, 1], &[2, 1, 0]);
        check(&texts, 10, &[2], &[0, 1, 2]);
        check(&texts, 10, &[0, 1, 2], &[0, 1, 2]);
    }

    #[test]
    fn likely_repetitions_come_before_unlikely_results() {
        let order = |results: &[(f32, bool)]| -> Vec<u32> {
            let results = (0..).zip(results);
            let mut ranked: Vec<Ranked> = results
                .map(|(row, &(confidence, repeats))| Ranked {
                    confidence,
                    repeats,
                    ..Ranked::sample(row, Features::default())
                })
                .collect();
            before_unlikely(&mut ranked, 0.0);
            ranked.iter().map(|one| one.candidate.row.0).collect()
        };
        let likely = [(0.9, false), (0.0, false), (0.7, false), (0.5, true)];
        assert_eq!(order(&likely), [0, 2, 3, 1]);
        let unlikely = [(0.0, false), (0.9, false), (0.0, true)];
        assert_eq!(order(&unlikely), [1, 0, 2]);
        let none = [(0.9, false), (0.0, false), (0.7, false)];
        assert_eq!(order(&none), [0, 1, 2]);
    }
}
