//! Lessons that apply to a situation.

use std::collections::BTreeMap;

use anamne_experience::ExperienceView;
use anamne_types::{Memory, Row};

use super::skills::Record;
use super::{Advice, AdviceCase, AdviceKind, ExperienceQuery};
use crate::Error;
use crate::space::Space;

/// Cosine from which a lesson applies.
const APPLIES: f32 = 0.5;

impl Space {
    /// The lessons that apply to a task, most certain first: told ones, kept ones, and those that finished attempts suggest. O(goals).
    pub(crate) fn applying_lessons(&self, task: &str, most: usize) -> Result<Vec<Advice>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        if task.trim().is_empty() {
            return Ok(Vec::new());
        }
        let query = ExperienceQuery {
            goal: task.to_owned(),
            ..ExperienceQuery::default()
        };
        let mut found = self.lessons(view, &query, most)?;
        found.extend(self.proposed_for(view, &query, &[])?);
        found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        found.truncate(most);
        Ok(found)
    }

    /// The lessons that apply to a situation and don't keep failing.
    pub(super) fn lessons(
        &self,
        view: &ExperienceView,
        query: &ExperienceQuery,
        limit: usize,
    ) -> Result<Vec<Advice>, Error> {
        let found = view.lessons(&query.words(), limit)?.into_iter();
        let applying = found.filter(|(cosine, _)| *cosine >= APPLIES);
        let cosines: BTreeMap<Row, f32> = applying.map(|(cosine, row)| (row, cosine)).collect();
        let rows: Vec<Row> = cosines.keys().copied().collect();
        let mut advice = Vec::new();
        for (row, memory) in self.inner.source.get_rows(&rows)? {
            let cosine = cosines.get(&row).copied().unwrap_or_default();
            let prior = f64::from(cosine * memory.confidence * memory.trust);
            let record = self.record_of(view, memory.id, prior)?;
            if !record.is_failing() {
                advice.push(of_lesson(memory, record));
            }
        }
        Ok(advice)
    }
}

fn of_lesson(memory: Memory, record: Record) -> Advice {
    Advice {
        kind: AdviceKind::Lesson,
        confidence: record.confidence,
        successes: record.successes,
        failures: record.failures,
        too_few: record.too_few,
        other_error: String::new(),
        recorded_error: String::new(),
        differs: false,
        steps: Vec::new(),
        cases: [vec![AdviceCase::of(&memory, true)], record.cases].concat(),
        subject: memory.content,
        lesson: None,
    }
}
