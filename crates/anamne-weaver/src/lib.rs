//! What happens while nobody waits: a durable queue of tasks, the modules that turn memories into knowledge, and the
//! bridge to language models.

pub mod bridge;
pub mod queue;
