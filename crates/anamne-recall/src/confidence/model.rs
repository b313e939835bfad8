//! All parameters of the confidence model.
//!
//! The confidence of a result is the product of three probabilities, each a logistic function of a few inputs: that the
//! query is related to the store at all ([`OnTopic`]), that the related memories answer it ([`Answered`]), and that
//! this result is evidence, given both ([`RelevanceInputs`]).
//!
//! The parameters come from `crates/anamne-eval/fitting/confidence.py`, fitted on conversations with known evidence,
//! each data set with the same weight: the first two together, so that their product tells answerable queries from those
//! about other conversations and from those whose answer was never stated (something that another person said, or a
//! detail that nobody mentioned); the third from the first ten results of all of them, so that the whole product is
//! calibrated. They were validated on held-out conversations and data sets.

/// The best results that count for the whole answer.
pub(super) const FIRST: usize = 10;

/// Results below this share of the best score count as unrelated. In a store of mixed content most are, and say nothing
/// about how well the query is answered.
pub(super) const RELATED_SHARE: f32 = 0.4;

/// The entropy assumed for missing results: that of usual queries.
pub(super) const DEFAULT_SPREAD: f32 = 1.36;

/// The cosine assumed when only the lexical search ranks, and the BM25 assumed when only the vector search does.
pub(super) const DEFAULT_SEMANTIC: f32 = 0.35;
pub(super) const DEFAULT_LEXICAL: f32 = 0.25;

/// The agreement assumed when the vector search takes no part.
pub(super) const DEFAULT_AGREEMENT: f32 = 0.8;

/// The ranges of the inputs for a prompt. What lies outside is an odd prompt, such as a pasted log.
pub(super) const TOPIC_SUM: [f32; 2] = [-60.0, 40.0];
pub(super) const TOPIC_BEST: [f32; 2] = [-7.0, 6.0];
pub(super) const LEAD: [f32; 2] = [-2.0, 14.0];
pub(super) const SHARED: [f32; 2] = [0.0, 2.5];
pub(super) const FOUND: [f32; 2] = [0.0, 80.0];
pub(super) const INFORMATION: [f32; 2] = [0.0, 40.0];

/// The best results whose words count for a prompt: about as many as its block holds.
pub(super) const SHOWN: usize = 8;

/// The built-in model numbers its wordpieces roughly by frequency in general texts, from this number on. By Zipf's law
/// (with Mandelbrot's shift) the piece of rank r is this share of all tokens, divided by r plus the shift.
pub(super) const FIRST_PIECE: f32 = 1_990.0;
pub(super) const ZIPF_SHARE: f32 = 0.1;
pub(super) const ZIPF_SHIFT: f32 = 2.7;

/// How much a sentence without a personal pronoun counts as being about its speaker.
pub(super) const IMPERSONAL: f32 = 0.5;

/// Declares the inputs of a logistic function with their coefficients.
macro_rules! logistic {
    ($(#[$model_doc:meta])* $model:ident $intercept:literal { $($(#[$doc:meta])* $name:ident $coefficient:literal,)+ }) => {
        $(#[$model_doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $model {
            $($(#[$doc])* pub(crate) $name: f32,)+
        }

        impl $model {
            /// The probability.
            pub(crate) fn probability(&self) -> f32 {
                let logit = $intercept $(+ self.$name * $coefficient)+;
                1.0 / (1.0 + f32::exp(-logit))
            }

            /// Name and value of each input.
            pub(crate) fn table(&self) -> impl Iterator<Item = (&'static str, f32)> {
                [$((stringify!($name), self.$name),)+].into_iter()
            }
        }
    };
}

logistic! {
    /// The query is related to the stored memories.
    OnTopic -3.4320 {
        /// The mean score of the related results, without `lsi_similarity`.
        mean 0.4179,
        /// How well the query's words are matched, each by its best match, weighted by rarity.
        met 4.6278,
        /// The share of related results that both searches found.
        agreement 0.3497,
    }
}

logistic! {
    /// The related memories answer the query.
    Answered -0.9545 {
        /// How much better statements about the named person match than statements about others; 0 unless one person is
        /// named.
        turned 2.5895,
        /// The entropy of the related results: a single outlier was only mentioned in passing.
        spread 0.2802,
        /// How well the worst-matched word of the query is matched.
        least -0.0765,
        /// The mean cosine of the related results.
        nearness 4.5681,
    }
}

logistic! {
    /// The result is evidence for an answered query.
    RelevanceInputs -4.4938 {
        /// Its score above the tenth result's.
        ahead 0.2436,
        /// Its score below the best, both without authors; at most 0.
        behind 0.1961,
        /// The logarithm of its rank.
        place -0.4185,
        /// The feature of this name.
        second_look 0.2375,
        /// The feature of this name.
        author 0.5948,
        /// The feature of this name.
        rare_term 0.2228,
        /// The feature of this name.
        thread_words 0.9492,
        /// The feature of this name.
        semantic 1.5647,
        /// The feature of this name.
        window_lexical 3.0561,
        /// The logarithm of its token count.
        length 0.2236,
        /// The logarithm of the number of query wordpieces.
        pieces 0.7520,
        /// As above.
        agreement 0.4712,
        /// As above.
        nearness -2.2808,
        /// How well statements about the named person match; 0 unless one person is named.
        named_statements -0.8415,
    }
}

logistic! {
    /// The memory knows something of what a prompt is about, if it does so for every other prompt. Fitted by
    /// `crates/anamne-eval/fitting/prompts.py` on answerable questions of conversations against questions about other
    /// conversations, small talk, commands and tasks.
    PromptInputs -2.3771 {
        /// How much more often the memories contain the prompt's wordpieces than general texts do, in nats: the sum.
        topic_sum 0.0823,
        /// The highest.
        topic_best 0.6928,
        /// The mean, weighted by rarity.
        topic_mean -0.4559,
        /// The score of the first result above the tenth's.
        lead 0.4634,
        /// The logarithm of the idf that the best-matching result shares with the prompt, relative to that of a word of
        /// a single memory.
        shared 2.6333,
        /// The idf of the prompt's words in any of the results.
        found -0.0226,
        /// The idf of all its words.
        information -0.0881,
        /// As above.
        agreement 1.2658,
        /// The best match of its words by one result. A short prompt's few words are easily all matched.
        words -1.1005,
        /// The feature `window_words` of the first result.
        window_words 5.9986,
        /// One divided by the number of its content words, names included: whatever a prompt of one or two words matches,
        /// it rarely asks for it.
        few_words -14.1186,
    }
}

logistic! {
    /// The result is evidence, if only one search ranks.
    SearchOnly -3.8258 {
        /// The feature of this name.
        lexical 2.0145,
        /// The feature of this name.
        semantic 3.6926,
    }
}
