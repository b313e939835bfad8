//! Filters over attributes.

use anamne_store::view::Attributes;

/// A filter over attributes; an empty list or `None` matches everything.
///
/// ```
/// use anamne_index::columns::{Attributes, RowPredicate};
///
/// let recent = RowPredicate { since: Some(1_000), kinds: vec![1, 3], ..RowPredicate::default() };
/// assert!(recent.matches(&Attributes { occurred_at: 1_000, kind: 3, ..Attributes::default() }));
/// assert!(!recent.matches(&Attributes { occurred_at: 999, kind: 3, ..Attributes::default() }));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowPredicate {
    /// Happened at or after this time, microseconds since 1970.
    pub since: Option<i64>,
    /// Happened before this time, microseconds since 1970.
    pub until: Option<i64>,
    /// Expires after this time, microseconds since 1970: the current time, to exclude expired memories.
    pub alive_at: Option<i64>,
    /// Belongs to one of these threads.
    pub threads: Vec<u32>,
    /// Has one of these kinds.
    pub kinds: Vec<u8>,
    /// Has one of these categories.
    pub categories: Vec<u8>,
    /// Written by one of these authors.
    pub authors: Vec<u32>,
    /// Written in one of these sessions.
    pub sessions: Vec<u32>,
    /// Minimum importance.
    pub min_importance: u8,
    /// Minimum trust, in 255ths.
    pub min_trust: u8,
    /// Whether superseded memories are excluded.
    pub without_superseded: bool,
}

impl RowPredicate {
    /// Whether these attributes match. O(length of the lists).
    pub fn matches(&self, attributes: &Attributes) -> bool {
        self.passes(attributes, |list, value| list.contains(&value))
    }

    /// The same predicate, compiled for many rows: O(log length of the lists) per row.
    pub(super) fn test(&self) -> impl Fn(&Attributes) -> bool + Sync {
        let mut sorted = self.clone();
        for list in [
            &mut sorted.threads,
            &mut sorted.authors,
            &mut sorted.sessions,
        ] {
            list.sort_unstable();
        }
        move |attributes| {
            sorted.passes(attributes, |list, value| list.binary_search(&value).is_ok())
        }
    }

    #[inline]
    fn passes(&self, attributes: &Attributes, contains: impl Fn(&[u32], u32) -> bool) -> bool {
        let among = |list: &[u32], value| list.is_empty() || contains(list, value);
        let among_few = |list: &[u8], value| list.is_empty() || list.contains(&value);
        self.since
            .is_none_or(|since| attributes.occurred_at >= since)
            && self
                .until
                .is_none_or(|until| attributes.occurred_at < until)
            && self.alive_at.is_none_or(|now| attributes.expires_at > now)
            && attributes.importance >= self.min_importance
            && attributes.trust >= self.min_trust
            && !(self.without_superseded && attributes.superseded)
            && among_few(&self.kinds, attributes.kind)
            && among_few(&self.categories, attributes.category)
            && among(&self.threads, attributes.thread)
            && among(&self.authors, attributes.author)
            && among(&self.sessions, attributes.session)
    }
}
