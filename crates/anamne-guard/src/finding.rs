//! What is found in a text.

use std::ops::Range;

use crate::view::View;
use crate::{AllowList, DataKind, Names, personal, secrets};

/// A secret or personal datum in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub kind: DataKind,
    /// The value in the text, in bytes, without the words that name it.
    pub span: Range<usize>,
}

/// What a policy looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    secrets: bool,
    personal: personal::Wanted,
}

impl Wanted {
    /// Nothing.
    pub(crate) const NOTHING: Self = Self {
        secrets: false,
        personal: personal::Wanted::Nothing,
    };

    /// What is looked for if these kinds are wanted. O(kinds).
    pub(crate) fn of(is_wanted: impl Fn(DataKind) -> bool) -> Self {
        Self {
            secrets: secrets::kinds().into_iter().any(&is_wanted),
            personal: personal::Wanted::of(is_wanted),
        }
    }

    /// Whether it is anything.
    pub(crate) fn is_anything(self) -> bool {
        self != Self::NOTHING
    }
}

/// Everything of the wanted kinds in a text that the list doesn't allow; see [`preferred`]. A text with hidden characters
/// is also read without them. O(bytes).
pub(crate) fn find(
    text: &str,
    names: &Names,
    allowed: &AllowList,
    wanted: Wanted,
    is_wanted: impl Fn(DataKind) -> bool,
) -> Vec<Finding> {
    let find = |text: &str| {
        let mut found = Vec::new();
        if wanted.secrets {
            secrets::find(text, &mut found);
        }
        personal::find(text, names, wanted.personal, &mut found);
        found.retain(|finding| {
            is_wanted(finding.kind) && !allowed.allows(&text[finding.span.clone()])
        });
        found
    };
    let mut found = find(text);
    if let Some(view) = View::of(text) {
        let visible = find(&view.text).into_iter();
        found.extend(visible.map(|finding| Finding {
            span: view.place(&finding.span),
            ..finding
        }));
    }
    if found.is_empty() {
        return found;
    }
    preferred(found)
}

/// By place and without overlaps; secrets win over personal data, and longer findings over shorter ones. O(n log n).
pub(crate) fn preferred(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_by_key(|finding| {
        let length = finding.span.end - finding.span.start;
        (
            finding.kind.group(),
            std::cmp::Reverse(length),
            finding.span.start,
        )
    });
    without_overlaps(found)
}

/// Keeps findings in order of preference that overlap none kept before; returns them by place. O(n log n).
fn without_overlaps(found: Vec<Finding>) -> Vec<Finding> {
    let mut kept = std::collections::BTreeMap::<usize, Finding>::new();
    for finding in found {
        let before = kept.range(..finding.span.end).next_back();
        if before.is_none_or(|(_, other)| other.span.end <= finding.span.start) {
            kept.insert(finding.span.start, finding);
        }
    }
    kept.into_values().collect()
}
