//! `anamne experience`.

mod ask;
mod history;
mod lesson;
mod lessons;
mod outcome;
mod skills;

pub(crate) use ask::print as print_advice;

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Record what was done, and ask what worked
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An outcome says what was done and what came of it; a lesson says how to do
something better. `ask` answers from them: what ended an error, how often an
action or a goal succeeded, what runs with a similar goal did, and lessons that
apply. Hooks record the tool calls of agent hosts by themselves.

What ended an error is the last change before the failed call was repeated and
succeeded, or without a repetition the first change that succeeded. If the error
came back, it counts as failed. A call that only reads, such as ls, is none.
Where names or numbers differ from those asked for, the answer says so.

Confidence is the mean of a Beta distribution: it starts at the share of all
recent outcomes that succeeded and moves with every case; a case counts half
after 90 days. Fewer than three cases are reported as too few. Approval,
rejection and correction of an outcome count instead of what it recorded.

A goal that was reached at least three times, with a confidence of at least
0.75, is proposed as a skill. Outcomes with a skill or a lesson --in-view change
its confidence; one that keeps failing is set aside: kept, but no longer offered.

Finished runs, and episodes with a goal that were judged, suggest lessons: what
ended an error, what made the difference after failures, what always failed; at
most three of each. `ask` shows those that apply, `lessons` the newest, and
--keep stores one. Their confidence follows the runs since that did as they say.

Examples:
  anamne experience outcome Bash \"cargo test\" --failed --error \"linker not found\"
  anamne experience outcome task --goal \"release 2.0\" --run r7 --ends-run
  anamne experience ask --error \"linker not found\"
  anamne experience ask \"release 2.1\"
  anamne experience lesson \"Check the lock file\" --when \"a build fails in CI\" \\
    \"Compare Cargo.lock before reading the log.\"
  anamne experience history \"where is the release guide\"
  anamne experience skills
  anamne experience keep \"release 2.0\"
  anamne experience lessons --keep m12-0a1b2c3d4e5f

With --json: ask {\"advice\": [{\"kind\", \"subject\", \"steps\", \"confidence\",
  \"successes\", \"failures\", \"too_few\", \"cases\": [{\"memory\", \"citation\",
  \"succeeded\"}], \"differs\"?, \"other_error\"?, \"recorded_error\"?,
  \"lesson\"?: {\"item\", \"title\", \"description\", \"content\", \"succeeded\",
  \"model\"?}}], \"chance\": {\"chance\", \"same\", \"similar\"}|null};
  history {\"searches\": [{\"memory\", \"query\", \"strategy\", \"similarity\",
  \"usefulness\", ..}]}; skills {\"skills\": [{\"memory\", \"citation\",
  \"name\", \"confidence\", \"successes\", \"failures\", \"too_few\", \"set_aside\"}],
  \"proposals\": as ask}; lessons {\"proposals\": as ask}; others as
  `anamne remember`")]
pub(crate) struct Experience {
    #[command(subcommand)]
    what: Part,
}

#[derive(Debug, clap::Subcommand)]
enum Part {
    /// Ask what worked in a situation
    Ask(ask::Ask),
    /// Record an action and what came of it
    Outcome(Box<outcome::Outcome>),
    /// Record how to do something better
    Lesson(lesson::Lesson),
    /// Show the lessons that finished runs suggest, keep one, or set it aside
    Lessons(lessons::Lessons),
    /// Show earlier searches with similar queries
    History(history::History),
    /// Show skills, what came of them, and those that runs suggest
    Skills,
    /// Store the skill that runs suggest for a goal
    Keep(skills::Keep),
}

impl Experience {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        match self.what {
            Part::Ask(part) => part.run(place, output),
            Part::Outcome(part) => part.run(place, output),
            Part::Lesson(part) => part.run(place, output),
            Part::Lessons(part) => part.run(place, output),
            Part::History(part) => part.run(place, output),
            Part::Skills => skills::show(place, output),
            Part::Keep(part) => part.run(place, output),
        }
    }
}
