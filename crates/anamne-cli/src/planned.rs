//! Describes how a question was interpreted, planned and declined.

use anamne::{
    Abstention, Clarification, IgnoredTime, Plan, Reached, ReadingKind, Step, Tier, UnderstoodTime,
    Work,
};

use crate::card;
use crate::dates::Dates;
use crate::failure::Failure;
use crate::output::{BOLD, Output, counted, paint};
use crate::wording::{named, one_line, percent, size};

/// `“last week” taken for 2026-02-23 00:00 to 2026-03-02 00:00`.
pub(crate) fn understood(time: &UnderstoodTime, dates: &Dates) -> String {
    let words = one_line(&time.words);
    let since = time.since.map(|since| dates.absolute(since));
    let until = time.until.map(|until| dates.absolute(until));
    let taken = match (since, until) {
        (Some(since), Some(until)) => format!("{since} to {until}"),
        (Some(since), None) => format!("from {since} on"),
        (None, Some(until)) => format!("before {until}"),
        (None, None) => "any time".to_owned(),
    };
    format!("“{words}” understood as {taken}")
}

/// `“in March” had no effect: it is unclear which time is meant`.
pub(crate) fn ignored(time: &IgnoredTime) -> String {
    let words = one_line(&time.words);
    format!("“{words}” had no effect: {}", time.why())
}

/// How far a narrow question was widened.
pub(crate) fn reached(reached: Reached) -> &'static str {
    match reached {
        Reached::Session => "answered by the session",
        Reached::Space => "no likely result in the session; searched the space",
        Reached::Core => "no likely result in the session and the space; searched core too",
    }
}

/// What a question may mean: `“Runa” may be Runa Olsen (m3, m7) or Runa Berg (m5)`.
pub(crate) fn ambiguous(clarification: &Clarification) -> String {
    let readings = clarification.readings.iter().map(|reading| {
        let what = match reading.kind {
            ReadingKind::Entity => "",
            ReadingKind::Thread => "the thread ",
        };
        let name = named(&reading.name);
        format!("{what}{name} ({})", reading.results.join(", "))
    });
    let readings: Vec<String> = readings.collect();
    let words = named(&clarification.words);
    format!("“{words}” may be {}: which?", readings.join(" or "))
}

/// Why recall abstained, and the best candidate.
pub(crate) fn declined(abstained: &Abstention) -> String {
    let threshold = percent(abstained.threshold);
    let nearest = match &abstained.nearest {
        Some(nearest) => format!(
            " Nearest: {} with {}: {}",
            nearest.citation,
            percent(nearest.confidence),
            one_line(&nearest.excerpt)
        ),
        None => String::new(),
    };
    format!(
        "no result reaches {} confidence. {}{nearest}",
        threshold.trim(),
        abstained.looked_at
    )
}

/// The path to a result: `found m12 → mentions Rust → m40`.
pub(crate) fn path(path: &[Step]) -> String {
    let steps: Vec<String> = path
        .iter()
        .map(|step| format!("{} {}", step.by.replace('_', " "), one_line(&step.to)))
        .collect();
    steps.join(" → ")
}

/// Prints the searched tiers, the work, and the reasons.
pub(crate) fn print(plan: &Plan, output: &mut Output) -> Result<(), Failure> {
    let tiers = |tiers: &[Tier]| {
        let names: Vec<String> = tiers.iter().map(ToString::to_string).collect();
        names.join(", ")
    };
    let expected = if plan.planned {
        touched(plan.expected)
    } else {
        String::new()
    };
    let mut rows = vec![
        ("searched", tiers(&plan.tiers)),
        ("left out", tiers(&plan.left_out)),
        ("expected", expected),
        ("touched", touched(plan.work)),
    ];
    if plan.widened {
        rows.push(("widened", "the first answer was weak".to_owned()));
    }
    rows.extend(plan.reasons.iter().map(|reason| ("why", reason.clone())));
    rows.retain(|(_, value)| !value.is_empty());
    let title = if plan.planned {
        "Plan"
    } else {
        "Plan (all that is within reach)"
    };
    output.line("")?;
    output.line(paint(BOLD, title))?;
    card::print_table(&rows, "  ", output)
}

fn touched(work: Work) -> String {
    format!(
        "{}, {}, {}",
        counted(work.tiers.into(), "tier"),
        counted(work.rows, "row"),
        size(work.bytes)
    )
}
