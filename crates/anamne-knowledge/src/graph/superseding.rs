//! Which relations end or contest others.

use anamne_types::{KnowledgeState, RelationType};

use super::entities::instant;
use super::grouping::StatementGroup;
use super::naming::Name;
use crate::reading::normalised;

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
/// Groups must be ordered by their first statement.
pub(super) fn supersede_groups(groups: &mut [StatementGroup]) {
    for later in 0..groups.len() {
        for earlier in 0..later {
            let (before, after) = groups.split_at_mut(later);
            let (earlier, later) = (&mut before[earlier], &mut after[0]);
            let has_ended = |group: &StatementGroup| {
                group.denied
                    || group
                        .relation
                        .valid_to
                        .is_some_and(|to| to.as_microsecond() <= later.first.0)
            };
            let Some(shared) = earlier.shared_property(later) else {
                continue;
            };
            let is_retold = is_retold(earlier, later);
            let is_the_same = !is_retold && overlap(earlier, later, shared);
            if has_ended(earlier) || later.denied || is_the_same {
                continue;
            }
            let relation = &earlier.property.1;
            let changes = is_single_valued(relation) || is_retold;
            if !changes && !is_immutable(relation) {
                continue;
            }
            // Stated again after the other one: it is undecidable which one holds.
            let alternates = earlier.last_rank > later.last_rank && !earlier.relation.asserted;
            let outranked = earlier.relation.asserted && !later.relation.asserted;
            let same_speaker = earlier.author == later.author || later.relation.asserted;
            if changes && same_speaker && !alternates && !outranked {
                earlier.relation.valid_to =
                    Some(later.relation.valid_from.unwrap_or(instant(later.first.0)));
            } else {
                earlier.relation.state = KnowledgeState::Contested;
                later.relation.state = KnowledgeState::Contested;
            }
        }
    }
}

impl StatementGroup {
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

/// Whether the text of one other end contains the other.
fn overlap(one: &StatementGroup, other: &StatementGroup, shared: Name) -> bool {
    let [one, other] = [one, other].map(|group| normalised(group.text_beyond(shared)));
    one.contains(&other) || other.contains(&one)
}
