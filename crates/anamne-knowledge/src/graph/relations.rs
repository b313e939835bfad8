//! Relations: aggregated from statements, with superseded and contested ones.

use std::collections::BTreeMap;

use anamne_types::{Entity, Frame, Kind, Perspective, Relation};
use rusqlite::{Connection, params};

use super::entities::{CanonicalEntity, find, latest, read_evidence, with_aliases};
use super::grouping::{StatementGroup, grouped};
use super::naming::{self, Name};
use super::recency::used;
use super::{Graph, GraphError, Recency, statements, superseding};

/// Maximum evidence listed with a relation.
pub(super) const LISTED: usize = 10;

impl Graph {
    /// Relations from and to an entity, most certain first. `recency` determines which statements have expired or remained
    /// unconfirmed for too long. O(statements about it).
    pub fn relations(
        &self,
        name: &str,
        recency: impl Into<Recency>,
    ) -> Result<Vec<Relation>, GraphError> {
        let reader = self.reader();
        let kept = find(&reader, name)?;
        let mut relations = relations_of(&reader, &kept, &recency.into())?;
        self.attribute(&mut relations)?;
        Ok(relations)
    }

    /// The frames of an entity: facts, events, procedures and custom properties, each custom frame with a name apart.
    pub fn frames(
        &self,
        name: &str,
        recency: impl Into<Recency>,
    ) -> Result<(Entity, Vec<Frame>), GraphError> {
        let (reader, recency) = (self.reader(), recency.into());
        let mut kept = find(&reader, name)?;
        let mut relations: BTreeMap<(Perspective, Option<String>), Vec<Relation>> = BTreeMap::new();
        let mut found = relations_of(&reader, &kept, &recency)?;
        self.attribute(&mut found)?;
        for relation in found {
            let frame = (relation.frame, relation.frame_name.clone());
            relations.entry(frame).or_default().push(relation);
        }
        for frame in [Perspective::Episodic, Perspective::Procedural] {
            relations.entry((frame, None)).or_default();
        }
        let mut frames = Vec::new();
        for ((frame, frame_name), mut relations) in relations {
            if frame == Perspective::Episodic {
                relations.sort_by(|one, other| {
                    (other.recorded_at, &other.id).cmp(&(one.recorded_at, &one.id))
                });
            }
            let memories = match frame {
                Perspective::Episodic => memories_of_kind(&reader, kept.name, Kind::Episode)?,
                Perspective::Procedural => memories_of_kind(&reader, kept.name, Kind::Skill)?,
                Perspective::Semantic | Perspective::Custom => Vec::new(),
            };
            if !relations.is_empty() || !memories.is_empty() {
                frames.push(Frame {
                    frame,
                    name: frame_name,
                    relations,
                    memories,
                });
            }
        }
        let is_recalled = recency.recalled(&reader)?.contains(&kept.name);
        kept.entity.state = used(kept.entity.state, is_recalled);
        Ok((with_aliases(&reader, kept)?, frames))
    }
}

fn memories_of_kind(
    connection: &Connection,
    kept: Name,
    kind: Kind,
) -> Result<Vec<anamne_types::Evidence>, GraphError> {
    let mut found = Vec::new();
    for member in naming::members(connection, kept)? {
        let mut statement = connection.prepare_cached(
            "SELECT row, id, memories.occurred_at FROM mentions JOIN memories USING (row) \
             WHERE name = ?1 AND kind = ?2 AND way <> 2 ORDER BY memories.occurred_at DESC, row DESC LIMIT ?3",
        )?;
        let limit = LISTED as i64;
        for memory in statement.query_map(params![member, kind.number(), limit], read_evidence)? {
            found.push(memory?);
        }
    }
    Ok(latest(found, LISTED))
}

/// Relations from and to an entity.
pub(super) fn relations_of(
    connection: &Connection,
    kept: &CanonicalEntity,
    recency: &Recency,
) -> Result<Vec<Relation>, GraphError> {
    let said = statements::around(connection, kept.name, recency.now)?;
    let mut groups = grouped(connection, said)?;
    superseding::supersede_groups(&mut groups);
    let mut relations: Vec<_> = groups
        .into_iter()
        .filter(|group| {
            !group.denied && (group.property.0 == kept.name || group.object == Some(kept.name))
        })
        .filter_map(|group| current(group, recency))
        .collect();
    relations.sort_by(|one, other| {
        let key = |relation: &Relation| {
            (
                relation.asserted,
                (relation.weight * 100.0) as i64,
                relation.recorded_at,
            )
        };
        key(other)
            .cmp(&key(one))
            .then_with(|| one.id.cmp(&other.id))
    });
    Ok(relations)
}

/// The relation, if it was asserted, confirmed by another memory, or learned or recalled recently.
fn current(mut group: StatementGroup, recency: &Recency) -> Option<Relation> {
    let is_recalled = recency.has_opened(&group.rows);
    let is_confirmed = group.relation.asserted || group.relation.mentions > 1;
    group.relation.state = used(group.relation.state, is_recalled);
    (is_confirmed || is_recalled || group.learned >= recency.confirmed_since())
        .then_some(group.relation)
}
