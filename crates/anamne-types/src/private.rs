//! Private memories: they go to models on this machine only.

use crate::{GuardNote, Metadata};

/// The tag that makes a memory private.
pub const PRIVATE: &str = "private";

/// Whether its metadata makes a memory private: the guard marked something in it.
pub fn is_marked_private(metadata: &Metadata) -> bool {
    GuardNote::of(metadata).iter().any(GuardNote::makes_private)
}

/// Whether a tag makes a memory private.
pub fn is_private_tag(tag: &str) -> bool {
    tag.eq_ignore_ascii_case(PRIVATE)
}
