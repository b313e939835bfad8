//! What happens while nobody waits: a durable queue of tasks, the modules that turn memories into knowledge, and the
//! bridge to language models.

pub mod bridge;
pub mod consolidation;
pub mod queue;
pub mod signals;
pub mod summaries;
mod vectors;
