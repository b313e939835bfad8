//! Asking: questions to one space and several, as of now and as of then, and blocks for a model.

pub(crate) mod across;
pub(crate) mod asking;
pub(crate) mod briefing;
pub(crate) mod past;
pub(crate) mod routing;
