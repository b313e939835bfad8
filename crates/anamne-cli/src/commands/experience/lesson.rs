//! `anamne experience lesson`.

use anamne::Experience;

use crate::commands::remember;
use crate::failure::Failure;
use crate::input;
use crate::output::Output;
use crate::place::Place;

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
        let content = input::some_text("content", &self.text, output)?;
        let mut lesson = anamne::Lesson {
            title: self.title,
            description: self.when,
            succeeded: !self.failed,
            ..anamne::Lesson::default()
        };
        Experience::Lesson(lesson.clone()).check()?;
        let space = place.reached()?;
        lesson.learned_from = space.resolve_all(&self.from)?;
        let remembered = space.record_lesson(&lesson, &content)?;
        remember::print(&remembered, output)?;
        space.settle(output)
    }
}
