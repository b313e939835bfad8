//! Lessons that apply to a situation.

use std::collections::BTreeMap;

use anamne_experience::ExperienceView;
use anamne_types::{Memory, Row};

use super::{Advice, AdviceCase, AdviceKind, ExperienceQuery};
use crate::Error;
use crate::space::Space;

/// Cosine from which a lesson applies.
const APPLIES: f32 = 0.5;

impl Space {
    pub(super) fn lessons(
        &self,
        view: &ExperienceView,
        query: &ExperienceQuery,
        limit: usize,
    ) -> Result<Vec<Advice>, Error> {
        let asked = [&query.goal, &query.action, &query.object, &query.error];
        let asked: Vec<&str> = asked.map(String::as_str).into_iter().collect();
        let found = view.lessons(&asked.join(" "), limit)?;
        let applying: Vec<_> = found
            .into_iter()
            .filter(|(cosine, _)| *cosine >= APPLIES)
            .collect();
        let rows: Vec<Row> = applying.iter().map(|(_, row)| *row).collect();
        let cosines: BTreeMap<Row, f32> = applying
            .into_iter()
            .map(|(cosine, row)| (row, cosine))
            .collect();
        let memories = self.inner.source.get_rows(&rows)?.into_iter();
        Ok(memories
            .map(|(row, memory)| of_lesson(memory, cosines.get(&row).copied().unwrap_or_default()))
            .collect())
    }
}

fn of_lesson(memory: Memory, cosine: f32) -> Advice {
    Advice {
        kind: AdviceKind::Lesson,
        confidence: cosine * memory.confidence * memory.trust,
        successes: 0,
        failures: 0,
        too_few: false,
        steps: Vec::new(),
        cases: vec![AdviceCase {
            memory: memory.id,
            citation: memory.citation(),
            succeeded: true,
        }],
        subject: memory.content,
    }
}
