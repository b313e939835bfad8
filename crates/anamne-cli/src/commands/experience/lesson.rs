//! `anamne experience lesson`.

use anamne::{Draft, Experience};

use crate::commands::remember;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::{ids, input, settling};

/// Record how to do something better
#[derive(Debug, clap::Args)]
pub(crate) struct Lesson {
    /// Its title
    title: String,
    /// What to do; standard input if not given
    text: Vec<String>,
    /// When it applies, in one sentence
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    when: String,
    /// It was learned from a failure
    #[arg(long)]
    failed: bool,
    /// An outcome that it was learned from; may be repeated
    #[arg(long, value_name = "ID")]
    from: Vec<String>,
}

impl Lesson {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let content = input::text("content", &self.text, output)?;
        let mut lesson = anamne::Lesson {
            title: self.title,
            description: self.when,
            succeeded: !self.failed,
            learned_from: Vec::new(),
        };
        Experience::Lesson(lesson.clone()).check()?;
        let space = place.space()?;
        lesson.learned_from = ids::resolve_all(&space, &self.from)?;
        let mut draft = Draft::experience(Experience::Lesson(lesson));
        draft.content = content;
        let remembered = space.remember(draft)?;
        remember::print(&remembered, output)?;
        settling::settle(&space, output)
    }
}
