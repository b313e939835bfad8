//! All parameters of ranking.
//!
//! The weights were fitted on conversations with known evidence, each data set with the same weight, and validated on
//! held-out conversations and data sets; `crates/anamne-eval/fitting/ranking.py` repeats this from the output of
//! `anamne-eval recall --features FILE`. They reflect shapes of data (short or long messages, short or long threads,
//! named speakers), not a particular set. Parameters inside a feature were tuned by hand.

use std::borrow::Cow;

/// Hits per search.
pub(crate) const DEPTH: usize = 64;

/// Candidates whose neighbours are read: the best by their own and their thread's features.
pub(crate) const SHORTLIST: usize = 32;

/// The best of the shortlist, whose thread neighbours become candidates.
pub(crate) const SEEDS: usize = 16;

/// The exponent of a term's idf in the ranking's own BM25.
pub(crate) const IDF_POWER: f32 = 1.5;

/// Virtual memories in every space, so that a word of the only memory does not count as common.
pub(crate) const PRIOR_ROWS: f32 = 1.0;

/// Maximum memories that contain a rare word; they come first if the query has exactly one.
pub(crate) const MAX_RARE_ROWS: usize = 3;

/// From this many memories on, a dictionary word in at most [`MAX_RARE_ROWS`] of them counts as rare, too.
pub(crate) const LARGE_SPACE_ROWS: usize = 10_000;

/// The share of memories above which the name of an author in a query is no word of the texts that are sought.
pub(crate) const USUAL_NAME_SHARE: f32 = 0.03;

/// The weight factor of stop words in the query vector.
pub(crate) const STOP_PIECE_SHARE: f32 = 0.3;

/// The boost of query words that occur in clusters: exponents of the mean number of rows per stretch of conversation
/// that contain the word, for terms (in addition to idf) and for wordpieces.
pub(crate) const CLUSTERING: [f32; 2] = [1.5, 1.0];

/// Thread positions per stretch of conversation.
pub(crate) const STRETCH: u32 = anamne_index::latent::STRETCH;

/// The best candidates, whose threads are compared for `thread_feedback`.
pub(crate) const COMPARED: usize = 96;

/// The first tokens of each that are compared.
pub(crate) const COMPARED_TOKENS: usize = 128;

/// The best threads, which the others are compared with.
pub(crate) const SEED_THREADS: usize = 4;

/// The best candidates that get a second look.
pub(crate) const SECOND_LOOK: usize = 32;

/// The temperature of the softmax over the best threads' scores.
pub(crate) const FEEDBACK_TEMPERATURE: f32 = 0.4;

/// The exponent of a token's idf in thread comparison.
pub(crate) const FEEDBACK_IDF_POWER: f32 = 1.75;

/// The number of records at which `thread_feedback` is halved.
pub(crate) const FEEDBACK_HALF_RECORDS: f32 = 10.0;

/// The mean number of records per thread at which `lsi_similarity` is halved.
pub(crate) const LSI_HALF_RECORDS: f32 = 12.0;

/// The length in words at which a text's window features are halved.
pub(crate) const WINDOW_HALF_WORDS: f32 = 60.0;

/// The length in words at which a thread's features are halved.
pub(crate) const THREAD_HALF_WORDS: f32 = 1_000.0;

/// The weights of neighbours one and two positions away in a window's frequencies and vectors.
pub(crate) const WINDOW: [f32; 2] = [0.5, 0.25];

/// The factors of their wordpiece similarity.
pub(crate) const WINDOW_MATCH_FACTORS: [f32; 2] = [0.7, 0.5];

/// The typical cosine of two texts of one conversation; for the length of a window's vector.
pub(crate) const TYPICAL_COSINE: f32 = 0.3;

/// The τ of `long_query_recency`, in days.
pub(crate) const LONG_QUERY_RECENCY_DAYS: f32 = 20.0;

/// Declares the features of the score with their default weights. A space or a query may override them; see
/// [`crate::weights`].
macro_rules! features {
    ($($(#[$doc:meta])* $name:ident $weight:literal,)+) => {
        /// The features of one candidate.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct Features {
            $($(#[$doc])* pub(crate) $name: f32,)+
        }

        impl Features {
            /// The weighted sum.
            pub(crate) fn score(&self, weights: &Weights) -> f32 {
                0.0 $(+ self.$name * weights.$name)+
            }

            /// Name, value and weight of each feature, for explanations.
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
            /// The default weights.
            pub(crate) const DEFAULT: Self = Self { $($name: $weight,)+ };

            /// The names of all features, in order of declaration.
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($name),)+];

            /// The weight of the feature with this name, if it exists.
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
    /// BM25 of the memory's text, normalised.
    lexical 1.15,
    /// Cosine between the query and the memory's best vector.
    semantic 5.7,
    /// How well each query word is matched by some word of the memory.
    words 3.94,
    /// BM25 over the memory and its neighbours.
    window_lexical 3.65,
    /// Word match over the memory and its neighbours.
    window_words 3.3,
    /// Cosine with the window's vector.
    window_semantic 2.27,
    /// BM25 over the thread's candidates as one text.
    thread_lexical 2.63,
    /// Word match over the thread's candidates.
    thread_words 6.15,
    /// Similarity of the thread to the best-scoring threads.
    thread_feedback 30.0,
    /// Similarity of its part of the conversation to the query in the latent index.
    lsi_similarity 4.5,
    /// Whether it contains a query word that at most two memories contain; higher for short queries.
    rare_term 2.5,
    /// Whether the author is the only person named in the query.
    author 2.07,
    /// Whether a person wrote it rather than a program.
    role 0.69,
    /// Whether the query names the memory's date.
    date 3.5,
    /// Whether the query asks for a time and the memory states one.
    mentions_time 1.0,
    /// Exponential decay of age, for long queries.
    long_query_recency 0.27,
    /// Exponential decay of age.
    recency 0.2,
    /// Importance above the default, in tenths.
    importance 2.0,
    /// Trust below 1.
    distrust -1.2,
    /// Feedback of users and agents, −1 to 1.
    feedback 1.5,
    /// How often it was opened recently, 0 to 1. Chosen, not fitted: it only decides between near-equal scores.
    access 0.4,
    /// Whether it is superseded by another memory.
    superseded -3.0,
    /// Its lead over a memory that holds instead, if the query found that as well. Chosen, not fitted: it falls just
    /// behind that one.
    outdated -1.0,
    /// Whether the query's wording asks for its kind or category. Chosen, not fitted: as much as a cosine difference of
    /// 0.07, so that it only decides between near-equal scores.
    category 0.4,
    /// The points of the requested role; 0 without a role.
    role_fit 1.0,
    /// Graph proximity to the direct hits; 0 at depth shallow.
    graph 3.0,
    /// The correction of the second look; 0 beyond the best candidates. Less than 1, which would be best for known kinds
    /// of conversation, because the trees are less sure of others.
    second_look 0.75,
}

/// Without columns: the weights of normalised BM25 and of the cosine.
pub(crate) const SEARCH_ONLY_WEIGHTS: [f32; 2] = [10.0, 8.0];
