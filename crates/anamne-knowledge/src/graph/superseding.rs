//! Which relations end or contest others.

use anamne_types::{KnowledgeState, RelationType};
use jiff::Timestamp;

use super::entities::instant;
use super::grouping::{Moment, StatementGroup};
use super::naming::Name;
use crate::reading::normalised;

/// Before everything that was said.
const BEFORE_ALL: Moment = (i64::MIN, 0);

/// Whether a subject has one value at a time: a later one supersedes it.
fn is_single_valued(relation: &RelationType) -> bool {
    matches!(
        relation,
        RelationType::LivesIn
            | RelationType::WorksAt
            | RelationType::StudiesAt
            | RelationType::LocatedIn
            | RelationType::HasVersion
            | RelationType::Costs
            | RelationType::Age
            | RelationType::ScheduledFor
            | RelationType::PartnerOf
            | RelationType::HasValue
    )
}

/// Whether a subject has one value for ever: a second one contests it.
fn is_immutable(relation: &RelationType) -> bool {
    *relation == RelationType::BornOn
}

/// For single-valued properties, ends superseded relations and marks contested ones.
///
/// Groups must be ordered by their `word`.
pub(super) fn supersede_groups(groups: &mut [StatementGroup]) {
    for later in 0..groups.len() {
        for earlier in 0..later {
            let (before, after) = groups.split_at_mut(later);
            supersede(&mut before[earlier], &mut after[0]);
        }
    }
}

/// Of two groups, the second of which was said later: ends one of them or marks both as contested, if they can't both hold.
fn supersede(earlier: &mut StatementGroup, later: &mut StatementGroup) {
    let Some(shared) = earlier.shared_property(later) else {
        return;
    };
    let now = later.word.0;
    if earlier.has_ended(now) || later.has_ended(now) || is_the_same(earlier, later, shared) {
        return;
    }
    let relation = &earlier.property.1;
    let changes = is_single_valued(relation) || is_retold(earlier, later);
    if !changes && !is_immutable(relation) {
        return;
    }
    let tells_the_past = earlier
        .relation
        .valid_from
        .is_some_and(|from| later.begin(earlier.word) < from);
    let (earlier, later) = if tells_the_past {
        (later, earlier)
    } else {
        (earlier, later)
    };
    // Stated again after the other one: it is undecidable which one holds.
    let alternates =
        !tells_the_past && earlier.last_rank > later.last_rank && !earlier.relation.asserted;
    let outranked = earlier.relation.asserted && !later.relation.asserted;
    let same_speaker = earlier.author == later.author || later.relation.asserted;
    if changes && same_speaker && !alternates && !outranked {
        earlier.end(later);
    } else {
        earlier.relation.state = KnowledgeState::Contested;
        later.relation.state = KnowledgeState::Contested;
    }
}

impl StatementGroup {
    /// Whether it was denied or has ended by `now`.
    fn has_ended(&self, now: i64) -> bool {
        let end = self.relation.valid_to;
        self.denied || end.is_some_and(|end| end.as_microsecond() <= now)
    }

    /// Since when it holds: as said, or else when it was first said after `word`.
    fn begin(&self, word: Moment) -> Timestamp {
        self.relation.valid_from.unwrap_or(self.said_after(word))
    }

    fn said_after(&self, word: Moment) -> Timestamp {
        let after = self.said.partition_point(|said| *said <= word);
        instant(self.said.get(after).unwrap_or(&self.word).0)
    }

    /// Ends it where `later` begins, but not before its own beginning.
    fn end(&mut self, later: &Self) {
        let own = self.begin(BEFORE_ALL);
        let began = later.relation.valid_from.filter(|from| *from > own);
        let end = began.unwrap_or(later.said_after(self.word).max(own));
        let told = self.relation.valid_to.unwrap_or(end);
        self.relation.valid_to = Some(told.min(end));
    }

    /// The entity whose property both are about: one of the ends of what holds in both directions.
    fn shared_property(&self, other: &Self) -> Option<Name> {
        if self.property.1 != other.property.1 {
            return None;
        }
        let ends = |group: &Self| {
            let reverse = group.object.filter(|_| group.relation.both_ways);
            [Some(group.property.0), reverse]
        };
        let (own, others) = (ends(self), ends(other));
        own.into_iter()
            .flatten()
            .find(|end| others.contains(&Some(*end)))
    }

    /// The name at the other end from `end`, or the value.
    fn text_beyond(&self, end: Name) -> &str {
        if self.property.0 == end {
            self.relation.object.text()
        } else {
            &self.relation.subject_name
        }
    }
}

/// Whether both are values that people told of one property in one frame: the later one replaces the earlier one.
fn is_retold(earlier: &StatementGroup, later: &StatementGroup) -> bool {
    let is_told = |group: &StatementGroup| group.object.is_none() && group.relation.asserted;
    let frame = |group: &StatementGroup| (group.relation.frame, group.relation.frame_name.clone());
    is_told(earlier) && is_told(later) && frame(earlier) == frame(later)
}

/// Whether the other ends are the same: in the words of people, if both were told, and else if the words of one contain
/// those of the other. Different numbers are never the same.
fn is_the_same(one: &StatementGroup, other: &StatementGroup, shared: Name) -> bool {
    let are_told = one.relation.asserted && other.relation.asserted;
    let [one, other] = [one, other].map(|group| whole_words(group.text_beyond(shared)));
    let contain = || one.contains(&other) || other.contains(&one);
    one == other || (!are_told && numbers(&one).eq(numbers(&other)) && contain())
}

/// The words of a text with a space around each.
fn whole_words(text: &str) -> String {
    let text = normalised(text);
    let words = text.split_whitespace().map(|word| {
        let bare = word.trim_matches([',', ';', ':', '.', '(', ')']);
        if bare.is_empty() { word } else { bare }
    });
    words.fold(" ".to_owned(), |all, word| all + word + " ")
}

fn numbers(words: &str) -> impl Iterator<Item = &str> {
    words
        .split(' ')
        .filter(|word| word.contains(char::is_numeric))
}
