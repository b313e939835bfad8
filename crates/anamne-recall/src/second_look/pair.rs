//! What is known of a query and one of its best candidates together.

use crate::candidates::thread_neighbours;
use crate::feature_inputs::FeatureInputs;
use crate::ranked::Ranked;
use crate::words::{Phrases, Reader, Statements, Wanted};

/// The number of numbers in a text that count.
const MOST_NUMBERS: u32 = 8;

/// Declares the pair features.
macro_rules! pair_features {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// The features of a query and a candidate together.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub(crate) struct PairFeatures {
            $($(#[$doc])* pub(crate) $name: f32,)+
        }

        impl PairFeatures {
            /// Their names, in order of declaration.
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($name),)+];

            /// Their values, in the same order.
            pub(crate) fn values(&self) -> impl Iterator<Item = f32> {
                [$(self.$name,)+].into_iter()
            }

            /// Name and value of each.
            pub(crate) fn table(&self) -> impl Iterator<Item = (&'static str, f32)> {
                Self::NAMES.iter().copied().zip(self.values())
            }
        }
    };
}

pair_features! {
    /// The best word match of a sentence.
    best_sentence,
    /// Whether that sentence is a question.
    best_asks,
    /// The share of its sentences that are questions.
    questions,
    /// Whether it ends with a question.
    ends_asking,
    /// Pronouns of the first person per sentence.
    first_person,
    /// Pronouns of the second person per sentence.
    second_person,
    /// Its numbers in digits, at most 8.
    numbers,
    /// Whether it states a time.
    states_time,
    /// Whether it states a reason.
    states_reason,
    /// The share of the query's pairs of adjacent wordpieces that it contains.
    phrases,
    /// The share of the query's terms that it contains.
    terms_met,
    /// The weight of the rarest term of the query that it contains, relative to the rarest term of the query.
    rarest_met,
    /// The word match of the message before it.
    before,
    /// The word match of the message after it.
    after,
    /// Whether the message before it ends with a question.
    before_asks,
    /// The word match of the message before it if that ends with a question.
    replies,
    /// If the query asks for an amount: 1 if it contains a number, else −1.
    wanted_amount,
    /// If the query asks for a time: 1 if it states one, else −1.
    wanted_time,
    /// If the query asks for a reason: 1 if it states one, else −1.
    wanted_reason,
}

/// What the query contributes to the features of all pairs.
pub(super) struct PairQuery {
    phrases: Phrases,
    wanted: Wanted,
    /// The weight of its rarest term.
    rarest: f32,
}

impl PairQuery {
    /// O(words of the query).
    pub(super) fn of(inputs: &FeatureInputs<'_>) -> Self {
        Self {
            phrases: Phrases::of(inputs.query),
            wanted: Wanted::by(inputs.query),
            rarest: inputs
                .query
                .term_weights
                .iter()
                .copied()
                .fold(0.0, f32::max),
        }
    }

    /// O(tokens of the candidate and of its neighbours that were not read yet).
    pub(super) fn features(
        &self,
        inputs: &FeatureInputs<'_>,
        reader: &mut Reader<'_>,
        ranked: &Ranked,
    ) -> PairFeatures {
        let (row, attributes) = (ranked.candidate.row, &ranked.candidate.attributes);
        let tokens = reader.tokens(row);
        let stated = Statements::of(tokens);
        let [terms_met, rarest_met] = self.terms_met(inputs, reader, ranked);
        let [before, after] = ranked
            .adjacent
            .unwrap_or_else(|| thread_neighbours(inputs.columns, row, attributes)[0]);
        let before_asks = before.is_some_and(|row| reader.ends_with_question(row));
        let [before, after] =
            [before, after].map(|row| row.map_or(0.0, |row| reader.read(row).word_match()));
        PairFeatures {
            ends_asking: number(reader.ends_with_question(row)),
            numbers: stated.numbers.min(MOST_NUMBERS) as f32,
            states_time: number(stated.time),
            states_reason: number(stated.reason),
            phrases: self.phrases.share_in(tokens),
            terms_met,
            rarest_met,
            before,
            after,
            before_asks: number(before_asks),
            replies: if before_asks { before } else { 0.0 },
            wanted_amount: wanted(self.wanted.amount, stated.numbers > 0),
            wanted_time: wanted(self.wanted.time, stated.time),
            wanted_reason: wanted(self.wanted.reason, stated.reason),
            ..of_sentences(reader, ranked)
        }
    }

    /// The features `terms_met` and `rarest_met`.
    fn terms_met(
        &self,
        inputs: &FeatureInputs<'_>,
        reader: &mut Reader<'_>,
        ranked: &Ranked,
    ) -> [f32; 2] {
        let weights = &inputs.query.term_weights;
        let summary = reader.read(ranked.candidate.row);
        let (mut met, mut rarest) = (0.0, 0.0_f32);
        for (frequency, weight) in summary.frequencies.iter().zip(weights) {
            if *frequency > 0.0 {
                met += 1.0;
                rarest = rarest.max(*weight);
            }
        }
        let share = met / weights.len().max(1) as f32;
        [share, rarest / self.rarest.max(f32::MIN_POSITIVE)]
    }
}

/// The features of its sentences.
fn of_sentences(reader: &mut Reader<'_>, ranked: &Ranked) -> PairFeatures {
    let mut features = PairFeatures::default();
    let (mut sentences, mut questions) = (0_u32, 0_u32);
    let (mut first_person, mut second_person) = (0, 0);
    reader.each_sentence(ranked.candidate.row, |sentence, word_match| {
        sentences += 1;
        questions += u32::from(sentence.is_question);
        first_person += sentence.first_person;
        second_person += sentence.second_person;
        if word_match > features.best_sentence {
            features.best_sentence = word_match;
            features.best_asks = number(sentence.is_question);
        }
    });
    let per_sentence = |count: u32| count as f32 / sentences.max(1) as f32;
    features.questions = per_sentence(questions);
    features.first_person = per_sentence(first_person);
    features.second_person = per_sentence(second_person);
    features
}

fn number(is_true: bool) -> f32 {
    f32::from(u8::from(is_true))
}

fn wanted(is_wanted: bool, is_there: bool) -> f32 {
    match (is_wanted, is_there) {
        (false, _) => 0.0,
        (true, true) => 1.0,
        (true, false) => -1.0,
    }
}
