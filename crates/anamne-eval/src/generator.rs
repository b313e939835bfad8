//! Records and questions of real English words, the same on every machine and in every run.
//!
//! The words are the built-in model's vocabulary in its own order, which is approximately by frequency; word `r` is
//! drawn with a probability proportional to `1 / r` (Zipf's law). So word frequencies are like those of prose; word
//! order is random.

use anamne::Draft;
use anamne::embed::StaticModel;
use jiff::{SignedDuration, Timestamp};

use crate::chance::Chance;

/// Records per thread.
const TURNS: u64 = 20;

/// The time of the first record, in seconds since 1970: the beginning of 2023.
const BEGINNING: i64 = 1_672_531_200;

/// Time span of the records in seconds: two years.
const SPAN: f64 = 730.0 * 86_400.0;

/// Words per question.
const QUESTION_WORDS: usize = 7;

/// Number of most frequent words that count as ordinary: each makes up at least one word in two thousand.
const ORDINARY: usize = 200;

const AUTHORS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// A generated record.
pub(crate) struct Record {
    pub(crate) text: String,
    pub(crate) thread: String,
    pub(crate) position: u32,
    pub(crate) author: &'static str,
    pub(crate) occurred_at: Timestamp,
}

impl Record {
    /// The record as a draft for the engine.
    pub(crate) fn draft(&self) -> Draft {
        let draft = Draft::new(&self.text)
            .thread(&self.thread)
            .author(self.author)
            .occurred_at(self.occurred_at);
        Draft {
            position: Some(self.position),
            ..draft
        }
    }
}

/// Generates records and questions from their numbers.
pub(crate) struct Generator {
    words: Vec<&'static str>,
    /// Cumulative weights of the words.
    cumulative: Vec<f64>,
    /// Number of records that span the whole time.
    records: u64,
}

impl Generator {
    /// A generator for a store of `records` records.
    pub(crate) fn new(records: u64) -> Self {
        let words = vocabulary();
        let mut sum = 0.0;
        let weight = |rank: usize| {
            sum += 1.0 / (rank as f64 + 1.0);
            sum
        };
        let cumulative = (0..words.len()).map(weight).collect();
        Self {
            words,
            cumulative,
            records,
        }
    }

    /// The record with this number, from 0; numbers beyond the store's size continue the sequence. O(words × log
    /// vocabulary).
    pub(crate) fn record(&self, number: u64) -> Record {
        let mut chance = Chance::new(number);
        let share = number as f64 / self.records as f64;
        Record {
            text: self.text(&mut chance),
            thread: format!("thread {}", number / TURNS),
            position: (number % TURNS) as u32,
            author: AUTHORS[chance.below(AUTHORS.len())],
            occurred_at: Timestamp::from_second(BEGINNING).expect("an instant of this century")
                + SignedDuration::from_secs((share * SPAN) as i64),
        }
    }

    /// The records with these numbers.
    pub(crate) fn records(&self, numbers: std::ops::Range<u64>) -> Vec<Record> {
        numbers.map(|number| self.record(number)).collect()
    }

    /// A question of seven words of one record of the store, possibly common ones.
    pub(crate) fn question(&self, number: u64) -> String {
        let about = Chance::new(!number).next() % self.records;
        self.question_about(about, number)
    }

    /// A question of seven words of the record `about`.
    pub(crate) fn question_about(&self, about: u64, number: u64) -> String {
        let mut chance = Chance::new(!number);
        let record = self.record(about);
        chance.next();
        let text = record.text.replace('.', "").to_lowercase();
        let mut words: Vec<&str> = text.split(' ').collect();
        for place in 0..QUESTION_WORDS {
            let other = place + chance.below(words.len() - place);
            words.swap(place, other);
        }
        words[..QUESTION_WORDS].join(" ")
    }

    /// A question about the record `about`: `kept` of its words, filled up to seven with randomly drawn words.
    pub(crate) fn rephrased(&self, about: u64, number: u64, kept: usize) -> String {
        let question = self.question_about(about, number);
        let mut words: Vec<&str> = question.split(' ').take(kept).collect();
        let mut chance = Chance::new(number ^ 0x5EED);
        while words.len() < QUESTION_WORDS {
            let place = chance.below(words.len() + 1);
            words.insert(place, self.word(&mut chance));
        }
        words.join(" ")
    }

    /// The first `count` questions.
    pub(crate) fn questions(&self, count: u64) -> Vec<String> {
        (0..count).map(|number| self.question(number)).collect()
    }

    /// Sentences of 5 to 20 words; 20 to 300 words in total, about 100 on average.
    fn text(&self, chance: &mut Chance) -> String {
        let words = 20 + (280.0 * chance.unit().powf(2.5)) as usize;
        let mut text = String::with_capacity(words * 7);
        let mut left_in_sentence = 0;
        for place in 0..words {
            let word = self.word(chance);
            if left_in_sentence == 0 {
                text.push_str(if place == 0 { "" } else { ". " });
                text.push(word.as_bytes()[0].to_ascii_uppercase() as char);
                text.push_str(&word[1..]);
                left_in_sentence = 5 + chance.below(16);
            } else {
                text.push(' ');
                text.push_str(word);
            }
            left_in_sentence -= 1;
        }
        text.push('.');
        text
    }

    /// One of the most frequent words.
    pub(crate) fn ordinary_word(&self, chance: &mut Chance) -> &'static str {
        self.words[chance.below(ORDINARY.min(self.words.len()))]
    }

    fn word(&self, chance: &mut Chance) -> &'static str {
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        let drawn = chance.unit() * total;
        let rank = self.cumulative.partition_point(|&sum| sum <= drawn);
        self.words[rank.min(self.words.len() - 1)]
    }
}

/// The whole words of the vocabulary with at least three lowercase letters.
fn vocabulary() -> Vec<&'static str> {
    let tokens = StaticModel::builtin_tokens();
    let is_word =
        |piece: &&str| piece.len() >= 3 && piece.bytes().all(|byte| byte.is_ascii_lowercase());
    (0..tokens.rows())
        .map(|token| tokens.token_text(token as u16))
        .filter(is_word)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_what_the_budgets_speak_of() {
        let generator = Generator::new(2_000);
        let lengths: Vec<_> = generator
            .records(0..2_000)
            .iter()
            .map(|record| record.text.split(' ').count())
            .collect();
        assert!(lengths.iter().all(|length| (20..=300).contains(length)));
        let mean = lengths.iter().sum::<usize>() / lengths.len();
        assert!((90..=110).contains(&mean), "{mean} words on average");
    }

    #[test]
    fn the_same_number_gives_the_same_record() {
        let one = Generator::new(1_000).record(77);
        let other = Generator::new(1_000).record(77);
        assert_eq!((one.text, one.occurred_at), (other.text, other.occurred_at));
    }

    #[test]
    fn a_question_has_seven_words_of_one_record() {
        let generator = Generator::new(50);
        let question = generator.question(3);
        let words: Vec<_> = question.split(' ').collect();
        assert_eq!(words.len(), 7);
        let holds_all = |record: &Record| {
            let text = record.text.to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        assert!(generator.records(0..50).iter().any(holds_all));
    }

    #[test]
    fn common_words_are_common() {
        let generator = Generator::new(1_000);
        let texts: Vec<_> = generator
            .records(0..200)
            .into_iter()
            .map(|record| record.text)
            .collect();
        let all = texts.join(" ").to_lowercase();
        let words = all.split(' ').count() as f64;
        let the = all.split(' ').filter(|word| *word == "the").count() as f64;
        assert!((0.05..0.15).contains(&(the / words)), "{}", the / words);
    }
}
