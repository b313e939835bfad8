//! Summaries of what happened, by session, day, week and month.
//!
//! A summary is chosen, never written: each of its sentences is word for word what a memory says, shortened to the part
//! that says most, with `…` where something was left out, and cites that memory. Nothing learns anything from summaries,
//! so that nothing is heard twice.
//!
//! [`Digest`] chooses, from turns in memory. [`Summaries`] is the view that follows the log: [`Summaries::catch_up`] notes
//! what came and went, [`Summaries::build`] chooses again what that touched, [`Summaries::between`] and its siblings
//! read, [`Summaries::purge`] leaves nothing of what was forgotten. The summaries are a pure function of the
//! memories that are alive, whichever way they came.

mod building;
mod choosing;
mod digest;
mod error;
mod file;
mod following;
mod graph;
mod notes;
pub(crate) mod passages;
mod period;
mod pieces;
mod reading;
mod sessions;
mod signal_table;
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
