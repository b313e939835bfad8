//! Which relations and contradictions a language model made.

use anamne_types::{Contradiction, MadeBy, Relation, Row};

use super::{Graph, GraphError};
use crate::conflicts::CLAIMS_VERSION;

impl Graph {
    /// Names the model where one read a memory that a relation rests on, latest first.
    pub(super) fn attribute(&self, relations: &mut [Relation]) -> Result<(), GraphError> {
        let Some(readings) = &self.readings else {
            return Ok(());
        };
        for relation in relations.iter_mut().filter(|one| !one.asserted) {
            for evidence in &relation.evidence {
                let row = evidence.citation.strip_prefix('m');
                let row = row.and_then(|row| row.parse().ok()).map(Row);
                let model = row.map(|row| readings.model_of(row)).transpose()?;
                if let Some(model) = model.flatten() {
                    relation.made_by = MadeBy::Model(model);
                    break;
                }
            }
        }
        Ok(())
    }

    /// The contradiction, with the model's name where one judged it.
    pub(super) fn judged(&self, mut found: Contradiction) -> Result<Contradiction, GraphError> {
        let readings = self.readings.as_ref();
        let model = readings
            .map(|readings| readings.judge_of(&found.id))
            .transpose()?;
        if let Some(model) = model.flatten() {
            found.made_by = MadeBy::Model(model);
        }
        Ok(found)
    }
}

/// The rule that finds contradictions.
pub(super) fn contradiction_rule() -> MadeBy {
    MadeBy::rule("contradiction", CLAIMS_VERSION)
}
