//! Context blocks from long messages, next to recall on the same store: most of the additional time is text processing.

use std::path::Path;

use anamne::{ContextRequest, Draft, Recall};

use super::budgets;
use super::figures::{Figure, Section, Timed, Unit};
use super::site::RESULTS;
use crate::chance::Chance;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::latencies::Latencies;
use crate::store::{self, ask, temporary_folder};

/// Words of the shortest message, and how many more the longest has: 350 on average.
const FEWEST_WORDS: usize = 250;
const MORE_WORDS: usize = 201;

/// Maximum number of paragraphs of a message; each is a record of the generator, of at least 20 words.
const PARAGRAPHS: u64 = 25;

/// Token budget of a block, as for the goal of quality; the command has 1 000 by default, the server 2 000.
const BUDGET: usize = 1_500;

/// Number of warm-up questions.
const WARM_UP: usize = 50;

/// A store of long messages; each question has words of the first paragraph of one.
struct LongMessages {
    generator: Generator,
    records: u64,
}

impl LongMessages {
    fn draft(&self, number: u64) -> Draft {
        let first = number * PARAGRAPHS;
        let words = FEWEST_WORDS + Chance::new(first).below(MORE_WORDS);
        let (mut text, mut left) = (String::new(), words);
        for paragraph in first..first + PARAGRAPHS {
            if left == 0 {
                break;
            }
            text.push_str(if text.is_empty() { "" } else { "\n\n" });
            left -= push_paragraph(&mut text, &self.generator.record(paragraph).text, left);
        }
        Draft {
            content: text,
            ..self.generator.record(number).draft()
        }
    }

    fn question(&self, number: u64, questions: u64) -> String {
        let about = number * self.records / questions;
        self.generator.question_about(about * PARAGRAPHS, number)
    }
}

/// Appends at most `most` words of a record, with commas and questions like those of prose; returns their number.
fn push_paragraph(text: &mut String, record: &str, most: usize) -> usize {
    let mut count = 0;
    for (place, word) in record.split(' ').take(most).enumerate() {
        text.push_str(if place == 0 { "" } else { " " });
        match word.strip_suffix('.') {
            Some(word) if word.len() % 5 == 0 => {
                text.push_str(word);
                text.push('?');
            }
            None if place % 9 == 6 => {
                text.push_str(word);
                text.push(',');
            }
            _ => text.push_str(word),
        }
        count += 1;
    }
    count
}

/// Recall, and recall as context does it, and context, of each question in turn.
#[derive(Default)]
struct Taken {
    recall: Latencies,
    more: Latencies,
    context: Latencies,
    tokens: usize,
}

/// Measures a store of this many long messages.
pub(crate) fn measure(
    records: u64,
    queries: u64,
    parent: Option<&Path>,
) -> Result<Section, Failure> {
    let folder = temporary_folder(parent)?;
    let store = LongMessages {
        generator: Generator::new(records),
        records,
    };
    let space = store::open(&folder.path().join("store"))?;
    store::write(&space, (0..records).map(|number| store.draft(number)))?;
    space.fold()?;
    let questions: Vec<String> = (0..queries)
        .map(|number| store.question(number, queries))
        .collect();
    let mut taken = Taken::default();
    let measure_one = |question: &String, taken: &mut Taken| -> Result<(), Failure> {
        let recall = Recall::new(question).limit(RESULTS);
        let request = ContextRequest::new(question, BUDGET);
        taken.recall.time(|| ask(&space, &recall))?;
        taken.more.time(|| ask(&space, &request.recall))?;
        let context = taken.context.time(|| space.context(&request))?;
        taken.tokens += context.tokens;
        Ok(())
    };
    for question in questions.iter().take(WARM_UP) {
        measure_one(question, &mut Taken::default())?;
    }
    for question in &questions {
        measure_one(question, &mut taken)?;
    }
    let recall = Timed::new("recall", "recall of 10", &taken.recall);
    let context = Timed::new("context", "context", &taken.context);
    let more = Timed::new("more", "recall of as many", &taken.more);
    let tokens = taken.tokens as f64 / questions.len() as f64;
    Ok(Section::new(
        "long_messages",
        vec![
            context.p95_beside(recall).promised(budgets::CONTEXT),
            context.p50_beside(recall),
            context.p10_beside(recall),
            context.p50_beside(more),
            Figure::new("tokens", "tokens of a block", tokens, Unit::Tokens),
        ],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_long_and_have_sentences() {
        let store = LongMessages {
            generator: Generator::new(100),
            records: 100,
        };
        let words: Vec<usize> = (0..100)
            .map(|number| store.draft(number).content.split_whitespace().count())
            .collect();
        assert!(words.iter().all(|words| (250..=450).contains(words)));
        let mean = words.iter().sum::<usize>() / words.len();
        assert!((330..=370).contains(&mean), "{mean} words on average");
        let text = store.draft(7).content;
        let sentences = anamne::text::sentences::sentences(&text).len();
        assert!((15..=60).contains(&sentences), "{sentences} sentences");
        assert!(text.contains(", ") && text.contains("? "), "{text}");
    }
}
