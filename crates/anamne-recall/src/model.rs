//! Every number that ranking depends on, in one place.
//!
//! The weights were fitted on conversations with known evidence, so that each set counts the same, and checked on
//! conversations, and on sets, that were held out: `crates/anamne-eval/fitting/ranking.py` does it again from what
//! `anamne-eval recall --features FILE` writes. They describe shapes of data (short turns or long messages, short or
//! long threads, named speakers), not any set. Numbers that shape a feature, rather than weigh it, were tried by hand.

use std::borrow::Cow;

/// Rows that each search brings up.
pub(crate) const DEPTH: usize = 64;

/// Candidates whose surroundings are read: the best by what they say themselves.
pub(crate) const SHORTLIST: usize = 32;

/// The best of the shortlist, whose neighbours in the thread may be answers too.
pub(crate) const SEEDS: usize = 16;

/// The power of a term's idf in the ranking's own BM25.
pub(crate) const IDF_POWER: f32 = 1.5;

/// Memories that are taken to be there before any was told: what the only one holds is not therefore common.
pub(crate) const PRIOR_ROWS: f32 = 1.0;

/// Memories that may hold a rare word: they come first where the question has one such word.
pub(crate) const RARE: usize = 3;

/// Memories of a space in which a usual word of the language that stands in [`RARE`] of them is rare too.
pub(crate) const MANY_ROWS: usize = 10_000;

/// The share of a stop word's weight in the question's vector.
pub(crate) const STOP_PIECE_SHARE: f32 = 0.3;

/// How much more a word of the question counts that comes in clusters: the powers of the mean number of rows that hold
/// it in a stretch of conversation that does, for terms (on top of their idf's power) and for pieces.
pub(crate) const CLUSTERING: [f32; 2] = [1.5, 1.0];

/// Positions of a thread that count as one stretch of conversation.
pub(crate) const STRETCH: u32 = anamne_index::latent::STRETCH;

/// The best candidates, whose threads are compared.
pub(crate) const COMPARED: usize = 96;

/// Tokens of each that are compared: the first ones, which say what it is about.
pub(crate) const COMPARED_TOKENS: usize = 128;

/// The best threads, which the others are compared with.
pub(crate) const SEED_THREADS: usize = 4;

/// So much lower a score divides a thread's say among the best ones by e.
pub(crate) const FEEDBACK_TEMPERATURE: f32 = 0.4;

/// The power of a token's idf when threads are compared.
pub(crate) const FEEDBACK_IDF_POWER: f32 = 1.75;

/// Records of a thread that halve what it says by being like others.
pub(crate) const SHORT_THREAD: f32 = 10.0;

/// Records of the threads at hand, on average, that halve what is said by what was told together.
pub(crate) const LSI_THREAD_RECORDS: f32 = 12.0;

/// Half-length of a text for its neighbours' say: a text of so many words listens to them by half.
pub(crate) const LISTENING_WORDS: f32 = 60.0;

/// Half-length of a thread for its own say.
pub(crate) const THREAD_WORDS: f32 = 1_000.0;

/// How much the neighbours one and two places away count in a window's frequencies and vectors.
pub(crate) const WINDOW: [f32; 2] = [0.5, 0.25];

/// How much their nearest pieces count.
pub(crate) const WINDOW_CLOSENESS: [f32; 2] = [0.7, 0.5];

/// The cosine that two texts of one conversation have, as a rule; for the length of a window's vector.
pub(crate) const USUAL_COSINE: f32 = 0.3;

/// Days after which recency has fallen to 37 % for long questions about what is going on.
pub(crate) const LONG_QUERY_RECENCY_DAYS: f32 = 20.0;

/// Declares the features of the score with their weights. A space or a question may have other weights for some of them; see
/// [`crate::weights`].
macro_rules! features {
    ($($(#[$doc:meta])* $name:ident $weight:literal,)+) => {
        /// The signals of one candidate.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct Features {
            $($(#[$doc])* pub(crate) $name: f32,)+
        }

        impl Features {
            /// The weighted sum.
            pub(crate) fn score(&self) -> f32 {
                0.0 $(+ self.$name * $weight)+
            }

            /// The sum by other weights.
            pub(crate) fn score_by(&self, weights: &Weights) -> f32 {
                0.0 $(+ self.$name * weights.$name)+
            }

            /// Name, value and weight of each, for an explanation.
            pub(crate) fn table(&self, weights: &Weights) -> Vec<(Cow<'static, str>, f32, f32)> {
                vec![$((Cow::Borrowed(stringify!($name)), self.$name, weights.$name),)+]
            }
        }

        /// The weight of each feature.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) struct Weights {
            $(pub(crate) $name: f32,)+
        }

        impl Weights {
            /// Those of the table.
            pub(crate) const DEFAULT: Self = Self { $($name: $weight,)+ };

            /// The names of all features, in the order of the table.
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($name),)+];

            /// The weight of the feature with this name, if there is one.
            pub(crate) fn of(&mut self, name: &str) -> Option<&mut f32> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}

features! {
    /// BM25 of the memory's own text, normalised.
    lexical 1.15,
    /// Cosine of the question's vector and the memory's best one.
    semantic 5.7,
    /// How well each word of the question is met by some word of the memory.
    words 3.94,
    /// BM25 over the memory and its neighbours.
    window_lexical 3.65,
    /// The words' meeting over the memory and its neighbours.
    window_words 3.3,
    /// Cosine with the window's vector.
    window_semantic 2.27,
    /// BM25 of the thread's candidates as one text.
    thread_lexical 2.63,
    /// The words' meeting over the thread's candidates.
    thread_words 6.15,
    /// How alike the thread is to the threads that look best.
    thread_feedback 30.0,
    /// How near its stretch of conversation is to the question by what the space tells together.
    lsi_similarity 4.5,
    /// Whether it holds a word of the question that next to no other memory holds; more for short questions.
    rare_term 2.5,
    /// Whether the author is the one person that the question names.
    author 2.07,
    /// Whether a person speaks rather than a program.
    role 0.69,
    /// Whether the question names the memory's date.
    date 3.5,
    /// Whether the question asks for a time and the memory tells one.
    mentions_time 1.0,
    /// Recency, for long questions.
    long_query_recency 0.27,
    /// Recency.
    recency 0.2,
    /// Importance beyond the usual, in tenths.
    importance 2.0,
    /// Trust below the full.
    distrust -1.2,
    /// What people and agents said of it, −1 to 1.
    feedback 1.5,
    /// How often it was opened of late, 0 to 1. Chosen, not fitted: it decides between near equals alone.
    access 0.4,
    /// Whether another memory took its place.
    superseded -3.0,
    /// Whether it is of a kind or category that the question asks for by its wording. Chosen, not fitted: as much as a tenth of
    /// cosine, so that it decides between near equals alone.
    category 0.4,
    /// The points that it has with the role as which the question is asked; 0 without one.
    role_fit 1.0,
    /// How near connections bring it to what the question found, where the question goes deeper than shallow.
    graph 3.0,
}

/// Without columns only the two searches speak: the weights of the normalised BM25 and of the cosine.
pub(crate) const PLAIN_WEIGHTS: [f32; 2] = [10.0, 8.0];
