//! Every number that confidence depends on, in one place.
//!
//! The confidence of a result is a product of three probabilities, each a logistic function of a few inputs:
//! that the question has to do with the memory at all ([`OnTopic`]), that what the memory says of it is what is
//! asked ([`Answered`]), and that this result is evidence, given both ([`Bears`]).
//!
//! The numbers come from `crates/anamne-eval/fitting/confidence.py`, on conversations with known evidence, each set of
//! them weighing the same: the first from answerable questions against questions put to other conversations, the
//! second from answerable questions against those whose answer was never told (of something that another person
//! said, or a detail that nobody mentioned), the third from the first ten results of both, so that the product is
//! calibrated. They were checked on conversations, and on whole sets, that were left out of the fit.

/// The best results that speak for the whole answer.
pub(super) const FIRST: usize = 10;

/// The share of the best score from which a result has something to do with the question. Of a memory of this and that,
/// most results have not, and say nothing about how well it is answered.
pub(super) const RELATED_SHARE: f32 = 0.4;

/// What stands for the spread of results that are not there: that of usual questions.
pub(super) const USUAL_SPREAD: f32 = 1.36;

/// What stands for the cosine where the search by words ranks alone, and for BM25 where the search by meaning does.
pub(super) const USUAL_SEMANTIC: f32 = 0.35;
pub(super) const USUAL_LEXICAL: f32 = 0.25;

/// What stands for agreement where the search by meaning takes no part.
pub(super) const USUAL_AGREEMENT: f32 = 0.8;

/// Sentences without a person, said of the speaker to this degree.
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
    /// That the question has to do with what is remembered.
    OnTopic -6.5012 {
        /// The mean score of the first results that are related to it, without what goes by the matter.
        mean 0.6207,
        /// How well the question's words are met, each where it is met best, weighted by rarity.
        met 4.5336,
        /// The share of them that the searches by words and by meaning both found.
        agreement 1.1808,
    }
}

logistic! {
    /// That what is remembered answers the question.
    Answered -2.0297 {
        /// How much better what the named person says fits than what is said of others; 0 where no one person is
        /// named.
        turned 6.8796,
        /// The entropy of the related results by what they say: one that stands alone was said in passing.
        spread 1.1067,
        /// How well the word of the question that is met least is met.
        least 1.8733,
        /// The mean cosine of the related results.
        nearness 3.4624,
    }
}

logistic! {
    /// That a result is evidence for an answered question.
    RelevanceInputs -4.7522 {
        /// How far its score is above the tenth result's.
        ahead 0.3014,
        /// How far it is below the best by what they say themselves, their authors aside; never above 0.
        behind 0.0589,
        /// The logarithm of its place.
        place -0.1231,
        /// Its feature of this name.
        author 0.3920,
        /// Its feature of this name.
        rare_term -0.4303,
        /// Its feature of this name.
        thread_words 2.1315,
        /// Its feature of this name.
        semantic 1.3363,
        /// Its feature of this name.
        window_lexical 3.0473,
        /// The logarithm of its tokens.
        length 0.3062,
        /// The logarithm of the question's pieces.
        pieces 0.8999,
        /// As above.
        agreement 0.4983,
        /// As above.
        nearness -4.6630,
        /// How well what the named person says fits; 0 where no one person is named.
        told -2.3744,
    }
}

logistic! {
    /// That a result is evidence, where one of the searches alone has ranked.
    SearchOnly -3.5366 {
        /// Its feature of this name.
        lexical 1.1972,
        /// Its feature of this name.
        semantic 3.6327,
    }
}
