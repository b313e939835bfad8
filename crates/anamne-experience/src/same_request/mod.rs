//! May the cached result of one request be served for another?
//!
//! Similarity is no answer: requests that differ in a version, a direction or a "not" are the most similar of all. So
//! each request becomes a [`RequestForm`]: its words without fillers, in the first form of their group of synonyms, and
//! its operators with the words that each belongs to. Two requests are the same if nothing is left on either side: equal
//! words, equal operators with equal arguments, and no change of places that turns the meaning around. Words change places
//! harmlessly ("Oslo weather") unless they could stand for each other ("Russia", "Ukraine"), which the built-in model tells,
//! or a preposition then belongs to another word. With signs of code, the order counts. Signs that are no punctuation are
//! words, and so are fillers that are written as a name ("US", "vitamin A").
//!
//! Equal words are a condition, so a digest of them ([`RequestForm::key`]) finds every candidate in an index.
//!
//! ```
//! use anamne_experience::same_request::{Difference, Verdict, same_request};
//!
//! let asked = "How do I install PostgreSQL 16 on Ubuntu?";
//! assert_eq!(same_request(asked, "ubuntu install postgres 16"), Verdict::Same);
//! assert_eq!(
//!     same_request(asked, "install postgres 15 on ubuntu"),
//!     Verdict::Different(Difference::Numbers)
//! );
//! ```

mod compare;
mod exchanged;
mod form;
mod lists;
mod scan;
mod stem;

pub use compare::{Difference, Verdict, same_request};
pub use form::RequestForm;

/// Longest request with a form, in bytes; a longer one is the same only as an identical one.
pub const MAX_REQUEST_BYTES: usize = 400;

/// Most words of a request with a form.
pub const MAX_REQUEST_WORDS: usize = 48;
