//! The type of a name: its own words and the words around it give points to each type.

mod after;
mod before;
mod within;

use anamne_types::EntityType;

use super::proper::Candidate;
use crate::reading::tokens::Tokens;

/// Points for each type of entity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Points([f32; 12]);

impl Points {
    pub(super) fn add(&mut self, entity_type: EntityType, points: f32) {
        self.0[entity_type as usize] += points;
    }

    /// Adds the points from another occurrence, limited to ±4 per type.
    pub(super) fn merge(&mut self, other: &Self) {
        const MAX_POINTS: f32 = 4.0;
        for (own, others) in self.0.iter_mut().zip(other.0) {
            *own = (*own + others).clamp(-MAX_POINTS, MAX_POINTS);
        }
    }

    /// The sum of both, without a limit.
    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        for (own, others) in sum.0.iter_mut().zip(other.0) {
            *own += others;
        }
        sum
    }

    /// The type with the most points, its points, and its lead over the second.
    pub(super) fn best(&self) -> (EntityType, f32, f32) {
        let mut best = (EntityType::Concept, 0.0_f32);
        let mut second = 0.0_f32;
        for entity_type in TYPES {
            let points = self.0[entity_type as usize];
            if points > best.1 {
                second = best.1;
                best = (entity_type, points);
            } else if points > second {
                second = points;
            }
        }
        (best.0, best.1, best.1 - second)
    }
}

const TYPES: [EntityType; 6] = [
    EntityType::Person,
    EntityType::Organisation,
    EntityType::Place,
    EntityType::Tool,
    EntityType::Project,
    EntityType::Concept,
];

/// The points from the words of a name.
pub(super) fn own_points(tokens: &Tokens<'_>, candidate: &Candidate) -> Points {
    let mut points = Points::default();
    within::add(tokens, candidate, &mut points);
    points
}

/// The points from the words around an occurrence of a name.
pub(super) fn points_around(tokens: &Tokens<'_>, candidate: &Candidate) -> Points {
    let mut points = Points::default();
    before::add(tokens, candidate, &mut points);
    after::add(tokens, candidate, &mut points);
    points
}
