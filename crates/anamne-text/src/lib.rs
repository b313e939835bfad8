//! Text processing for search: terms, sentences, token estimates, normal forms, times and snippets.
//!
//! This crate contains pure functions over text. It must not depend on files, clocks, the machine's time zone, indexes
//! or stores: callers pass in what they have read, and the current time.
//!
//! ```
//! use anamne_text::analyser::Analyser;
//! use anamne_text::sentences::sentences;
//! use anamne_text::snippet::snippet;
//!
//! let text = "We met Dr. Weber in Bonn. She reviewed parseHttpHeader and its callers.";
//! assert_eq!(sentences(text).len(), 2);
//!
//! let query = Analyser::new().query("Who reviewed parse_http_header?");
//! assert_eq!(query.dropped_stop_words, ["who"]);
//! assert!(snippet(text, &query.terms, 60).contains("reviewed parseHttpHeader"));
//! ```

pub mod analyser;
mod border;
pub mod echo;
pub mod json_size;
pub mod lexicon;
pub mod normal;
pub mod quote;
pub mod sentences;
pub mod snippet;
pub mod time;
pub mod tokens;
