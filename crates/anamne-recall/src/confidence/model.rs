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
    OnTopic -6.4902 {
        /// The mean score of the first results that are related to it.
        mean 0.5966,
        /// How well the question's words are met, each where it is met best, weighted by rarity.
        met 4.5678,
        /// The share of them that the searches by words and by meaning both found.
        agreement 1.2847,
    }
}

logistic! {
    /// That what is remembered answers the question.
    Answered -2.1426 {
        /// How much better what the named person says fits than what is said of others; 0 where no one person is
        /// named.
        turned 6.8637,
        /// The entropy of the related results by what they say: one that stands alone was said in passing.
        spread 1.1143,
        /// How well the word of the question that is met least is met.
        least 1.9050,
        /// The mean cosine of the related results.
        nearness 3.6668,
    }
}

logistic! {
    /// That a result is evidence for an answered question.
    Bears -4.8939 {
        /// How far its score is above the tenth result's.
        ahead 0.2966,
        /// How far it is below the best by what they say themselves, their authors aside; never above 0.
        behind 0.0770,
        /// The logarithm of its place.
        place -0.2141,
        /// Its feature of this name.
        author 0.4049,
        /// Its feature of this name.
        singular -0.4486,
        /// Its feature of this name.
        thread_words 2.1556,
        /// Its feature of this name.
        window_lexical 3.6936,
        /// The logarithm of its tokens.
        length 0.3751,
        /// The logarithm of the question's pieces.
        pieces 0.8656,
        /// As above.
        agreement 0.6382,
        /// As above.
        nearness -3.7249,
        /// How well what the named person says fits; 0 where no one person is named.
        told -2.2229,
    }
}

logistic! {
    /// That a result is evidence, where one of the searches alone has ranked.
    Plainly -3.6725 {
        /// Its feature of this name.
        lexical 1.5887,
        /// Its feature of this name.
        semantic 3.5340,
    }
}
