//! Lessons for the unfinished work of the block.

use std::collections::BTreeSet;

use anamne_types::{Body, Filter, Memory};

use super::{LESSONS, SelectedMemory};
use crate::Error;
use crate::space::Space;

/// Unfinished tasks for which lessons are looked for, latest first.
const MOST_TASKS: usize = 3;

/// Its name among unavailable views.
const VIEW: &str = "experience";

/// Lessons of one task.
const OF_TASK: usize = 1;

impl Space {
    /// The best lesson for each unfinished task, as far as any applies: a kept or told one, or one that finished attempts suggest,
    /// beside the newest attempt. Only without a filter. O(goals).
    pub(super) fn lessons_for_tasks(
        &self,
        filter: &Filter,
        unfinished: &[&Memory],
        degraded: &mut Vec<String>,
    ) -> Result<Vec<SelectedMemory>, Error> {
        let mut chosen = Vec::new();
        if !filter.is_empty() || degraded.iter().any(|view| view == VIEW) {
            return Ok(chosen);
        }
        let mut shown = BTreeSet::new();
        for task in unfinished.iter().take(MOST_TASKS) {
            let goal = match &task.body {
                Body::Episode { goal, .. } => goal.as_str(),
                _ => task.content.as_str(),
            };
            let Ok(lessons) = self.applying_lessons(goal, OF_TASK) else {
                degraded.push(VIEW.to_owned());
                break;
            };
            for lesson in lessons {
                let passage = lesson.on_one_line();
                let Some(case) = lesson.cases.first() else {
                    continue;
                };
                let memory = self.read(case.memory)?;
                if shown.insert(passage.clone()) && memory.deleted_at.is_none() {
                    chosen.push(SelectedMemory {
                        confidence: lesson.confidence,
                        passage: Some(passage),
                        ..SelectedMemory::whole(memory, LESSONS)
                    });
                }
            }
        }
        Ok(chosen)
    }
}
