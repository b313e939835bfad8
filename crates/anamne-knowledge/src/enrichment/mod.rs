//! Enrichment: what a careful reader would note beside a memory, by rules.
//!
//! [`Enricher::enrich`] is a pure function of one text: category, importance, keywords, tags, language and, for a long text, a summary. It needs
//! no statistics of the space, so that the order of the log doesn't matter; words are weighted by the built-in embedding model.
//! [`links::link`] decides how a memory relates to an earlier one. The view that stores both is a part of
//! [`Summaries`](crate::summaries::Summaries), in [`view`].
//!
//! ```
//! use anamne_knowledge::enrichment::Enricher;
//! use anamne_types::Category;
//!
//! let enriched = Enricher::new().enrich("We decided to store sessions in Redis instead of Postgres.");
//! assert_eq!(enriched.category, Some(Category::ArchitectureDecision));
//! assert_eq!(enriched.language.as_deref(), Some("en"));
//! assert!(enriched.keywords.iter().any(|word| word == "Redis"));
//! ```

mod category;
mod cues;
mod importance;
mod judgement;
mod keywords;
pub mod links;
mod summary;
mod tokens;
pub mod view;

use anamne_text::analyser::Analyser;
use anamne_types::Category;
use serde::{Deserialize, Serialize};

use crate::conflicts::Stems;
use crate::summaries::words::Weights;
pub use judgement::CategoryInputs;
use tokens::tokens;

/// The version of the rules: a new one enriches everything again.
pub const RULES_VERSION: u32 = 2;

/// Texts are read up to this length, in bytes.
const LONGEST: usize = 64 << 10;

/// Number of tokens that category, importance and keywords are judged by.
const JUDGED: usize = 400;

/// What the rules, or a model, say about a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enriched {
    /// The category; `None` for small talk, requests, questions and events.
    pub category: Option<Category>,
    /// Importance, 1 to 10.
    pub importance: u8,
    /// At most five keywords, most telling first, as written in the text.
    pub keywords: Vec<String>,
    /// At most three tags, in lower case.
    pub tags: Vec<String>,
    /// The language by ISO 639-1, if it is clear.
    pub language: Option<String>,
    /// One or two sentences; `None` for a short text.
    pub summary: Option<String>,
}

/// Enriches texts; keeps what it has learned about words.
pub struct Enricher {
    weights: Weights<'static>,
    analyser: Analyser,
    stems: Stems,
}

impl Default for Enricher {
    fn default() -> Self {
        Self::new()
    }
}

impl Enricher {
    /// An enricher with the built-in model.
    pub fn new() -> Self {
        Self {
            weights: Weights::builtin(),
            analyser: Analyser::new(),
            stems: Stems::default(),
        }
    }

    /// The category of a text, as [`Enricher::enrich`] gives it.
    pub fn category(&self, text: &str) -> Option<Category> {
        judgement::category(&self.category_inputs(text))
    }

    /// What the category of a text is judged by, to fit the classifier. O(bytes of the first 64 KiB).
    pub fn category_inputs(&self, text: &str) -> CategoryInputs {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        CategoryInputs::new(text, &tokens(text, JUDGED))
    }

    /// The importance of a text, as [`Enricher::enrich`] gives it. Linear in its length.
    pub fn importance(&self, text: &str) -> u8 {
        self.judged(text).1
    }

    /// The category and the importance of a text, as [`Enricher::enrich`] gives them. Linear in its length.
    pub fn judged(&self, text: &str) -> (Option<Category>, u8) {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let all = tokens(text, JUDGED);
        let category = judgement::category(&CategoryInputs::new(text, &all));
        (category, importance::importance(&all, category))
    }

    /// Enriches a text: the same text always gives the same. Linear in its length; the part beyond 64 KiB is ignored.
    pub fn enrich(&mut self, text: &str) -> Enriched {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let language = self.analyser.language(text);
        let all = tokens(text, JUDGED);
        let category = judgement::category(&CategoryInputs::new(text, &all));
        let keywords = keywords::keywords(text, &all, language, &mut self.weights);
        Enriched {
            importance: importance::importance(&all, category),
            tags: keywords::tags(&all, category),
            keywords,
            category,
            language: language.map(str::to_owned),
            summary: summary::summary(text),
        }
    }
}
