//! Summaries of what happened, by session, day, week and month.
//!
//! Summaries are extractive: each sentence is taken verbatim from a memory, shortened to its most informative part, with
//! `…` for omissions, and cites that memory. Nothing is extracted from summaries, so that nothing counts twice.
//!
//! [`Digest`] chooses sentences from turns in memory. [`Summaries`] is the view that follows the log:
//! [`Summaries::catch_up`] notes which memories changed, [`Summaries::build`] rebuilds the periods that they touch,
//! [`Summaries::between`] and its siblings read, [`Summaries::purge`] removes all traces of forgotten text. Summaries are a
//! pure function of the live memories, independent of their order of arrival.

mod building;
mod choosing;
mod digest;
mod error;
pub(crate) mod file;
mod following;
mod graph;
mod notes;
pub(crate) mod passages;
mod period;
mod pieces;
mod reading;
mod sessions;
mod turns;
mod wording;
pub(crate) mod words;

pub use building::SummaryReport;
pub use digest::{Bounds, Digest, SummarySentence, Turn};
pub use error::SummaryError;
pub use file::{SUMMARIES_FORMAT, Summaries};
pub use period::Level;
pub use reading::Summary;
pub use wording::text_of;
