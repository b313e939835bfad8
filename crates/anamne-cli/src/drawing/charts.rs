//! Draws what experiments and searches came to, as self-contained SVG files.

use std::fmt::Write;

use anamne::{ExperimentReport, Space, StrategyWeek, Uplift};
use jiff::Timestamp;

use super::layout::text_width;
use super::svg::{COLOURS, escaped, style};
use crate::dates::Dates;
use crate::wording::at_most_characters;

/// Width of the picture of an experiment.
const WIDTH: f64 = 720.0;

/// Where the scale of differences begins and ends.
const SCALE: (f64, f64) = (180.0, 500.0);

/// Height of one arm.
const ROW: f64 = 34.0;

/// Margin around a picture.
const MARGIN: f64 = 24.0;

/// Height of the tallest column.
const TALLEST: f64 = 160.0;

/// Width of one week's column, with the gap to the next.
const COLUMN: f64 = 22.0;
const GAP: f64 = 4.0;

/// Number of the newest weeks that are drawn.
const MOST_WEEKS: usize = 52;

/// Longest name of a strategy, in characters.
const NAME: usize = 18;

/// The differences from the baseline with their intervals.
pub(crate) fn effects_picture(experiment: &ExperimentReport) -> String {
    let height = MARGIN * 3.0 + ROW * experiment.arms.len() as f64;
    let mut text = opened(WIDTH, height, &experiment.name);
    let most = greatest(&experiment.uplifts);
    let at = |difference: f64| {
        let share = (difference / most).clamp(-1.0, 1.0);
        f64::midpoint(SCALE.0, SCALE.1) + share * (SCALE.1 - SCALE.0) / 2.0
    };
    let bottom = height - MARGIN * 2.0;
    for difference in [-most, 0.0, most] {
        let (x, points) = (at(difference), 100.0 * difference);
        let _ = writeln!(
            text,
            "<line class=\"line\" x1=\"{x:.1}\" y1=\"{MARGIN}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"#8c959f\" stroke-width=\"0.6\"/>"
        );
        let label = if difference == 0.0 {
            "baseline".to_owned()
        } else {
            format!("{points:+.0} points")
        };
        write_text(&mut text, (x, bottom + 18.0), "middle", "pale", &label);
    }
    for (place, arm) in experiment.arms.iter().enumerate() {
        let y = MARGIN + ROW * (place as f64 + 0.5);
        let name = at_most_characters(&arm.strategy, NAME);
        write_text(&mut text, (MARGIN, y + 4.5), "start", "ink", &name);
        let rate = arm.rate.map_or_else(
            || "not judged".to_owned(),
            |rate| format!("{:.1} % of {} helped", 100.0 * rate, arm.judged),
        );
        let right = SCALE.1 + 14.0;
        write_text(&mut text, (right, y + 4.5), "start", "pale", &rate);
        let uplift = experiment.uplift_of(arm);
        let colour = COLOURS[1].0;
        if let Some(Uplift { low, high, .. }) = uplift {
            let (low, high) = (at(*low), at(*high));
            let _ = write!(
                text,
                "<line class=\"t1\" x1=\"{low:.1}\" y1=\"{y:.1}\" x2=\"{high:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/>"
            );
        }
        let of_baseline = (place == 0).then_some(0.0);
        if let Some(difference) = of_baseline.or(uplift.map(|uplift| uplift.difference)) {
            let _ = writeln!(
                text,
                "<circle class=\"f1\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{colour}\"/>",
                at(difference)
            );
        }
    }
    text.push_str("</svg>\n");
    text
}

/// The strategies of the newest year of searches, a column for each week in which there were any.
pub(crate) fn weeks_picture(weeks: &[StrategyWeek], dates: &Dates) -> String {
    let columns = columns(weeks);
    let names = names(weeks);
    let legend: f64 = names.iter().map(|name| 34.0 + text_width(name)).sum();
    let width = (MARGIN * 2.0 + COLUMN * columns.len() as f64).max(MARGIN * 2.0 + legend);
    let height = MARGIN * 4.0 + TALLEST;
    let mut text = opened(width, height, "Search strategies by week");
    let totals = columns.iter().map(|(_, column)| total(column));
    let most = totals.max().unwrap_or(0).max(1) as f64;
    let bottom = MARGIN + TALLEST;
    for (place, (week, column)) in columns.iter().enumerate() {
        let x = MARGIN + COLUMN * place as f64;
        let mut y = bottom;
        for part in *column {
            let tall = TALLEST * part.searches as f64 / most;
            y -= tall;
            let number = colour_of(&names, &part.strategy);
            let _ = writeln!(
                text,
                "<g><title>{}</title><rect class=\"f{number}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{tall:.1}\" fill=\"{}\"/></g>",
                escaped(&said(part, &dates.day(*week))),
                COLUMN - GAP,
                COLOURS[number].0
            );
        }
    }
    if let (Some((first, _)), Some((last, _))) = (columns.first(), columns.last()) {
        let label = match columns.len() {
            1 => format!("week of {}", dates.day(*first)),
            weeks => format!(
                "{weeks} weeks, {} to {}",
                dates.day(*first),
                dates.day(*last)
            ),
        };
        write_text(&mut text, (MARGIN, bottom + 18.0), "start", "pale", &label);
    }
    let mut x = MARGIN + 5.0;
    for name in &names {
        let number = colour_of(&names, name);
        let _ = write!(
            text,
            "<circle class=\"f{number}\" cx=\"{x:.1}\" cy=\"{:.1}\" r=\"5\" fill=\"{}\"/>",
            bottom + 44.0,
            COLOURS[number].0
        );
        write_text(&mut text, (x + 10.0, bottom + 48.0), "start", "pale", name);
        x += 34.0 + text_width(name);
    }
    text.push_str("</svg>\n");
    text
}

/// The beginning of a picture, up to its ground.
fn opened(width: f64, height: f64, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" role=\"img\">\n<title>{}</title>\n{}\
         <rect class=\"ground\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        escaped(title),
        style()
    )
}

fn write_text(text: &mut String, (x, y): (f64, f64), anchor: &str, class: &str, shown: &str) {
    let colour = if class == "ink" { "#1f2328" } else { "#59636e" };
    let _ = writeln!(
        text,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
        escaped(shown)
    );
}

/// The end of the scale: beyond all intervals, at least 5 points.
fn greatest(uplifts: &[Uplift]) -> f64 {
    let ends = uplifts
        .iter()
        .flat_map(|uplift| [uplift.low.abs(), uplift.high.abs()]);
    let most = ends.filter(|end| end.is_finite()).fold(0.05, f64::max);
    ((most * 20.0).ceil() / 20.0).min(1.0)
}

/// The newest weeks, oldest first.
fn columns(weeks: &[StrategyWeek]) -> Vec<(Timestamp, &[StrategyWeek])> {
    let columns = weeks.chunk_by(|one, next| one.week == next.week);
    let columns: Vec<_> = columns.map(|column| (column[0].week, column)).collect();
    columns[columns.len().saturating_sub(MOST_WEEKS)..].to_vec()
}

fn total(column: &[StrategyWeek]) -> u64 {
    column.iter().map(|part| part.searches).sum()
}

/// The strategies that were used: the known ones in their order, and one name for all others.
fn names(weeks: &[StrategyWeek]) -> Vec<String> {
    let used = |name: &str| weeks.iter().any(|week| week.strategy == name);
    let known = Space::search_strategies();
    let is_known = |week: &StrategyWeek| known.iter().any(|one| one.name == week.strategy);
    let mut names: Vec<String> = known
        .iter()
        .filter(|strategy| used(&strategy.name))
        .map(|strategy| strategy.name.to_string())
        .collect();
    if !weeks.iter().all(is_known) {
        names.push("other".to_owned());
    }
    names
}

/// The number of a strategy's colour; the first is grey, for those that are not known.
fn colour_of(names: &[String], strategy: &str) -> usize {
    let known = names
        .iter()
        .position(|name| name == strategy && name != "other");
    known.map_or(0, |place| 1 + place % (COLOURS.len() - 1))
}

fn said(part: &StrategyWeek, day: &str) -> String {
    format!(
        "{}: {} searches in the week of {day}, {} judged",
        part.strategy, part.searches, part.judged
    )
}

#[cfg(test)]
mod tests {
    use anamne::ArmReport;

    use super::*;

    fn arm(strategy: &str, judged: u64, successes: f64) -> ArmReport {
        ArmReport {
            strategy: strategy.to_owned(),
            searches: judged + 3,
            judged,
            successes,
            rate: (judged > 0).then(|| successes / judged as f64),
        }
    }

    fn experiment() -> ExperimentReport {
        ExperimentReport {
            name: "pages <b> & \u{1b}[2J".to_owned(),
            citation: "m7".to_owned(),
            at: Timestamp::UNIX_EPOCH,
            running: true,
            alpha: 0.05,
            arms: vec![arm("default", 40, 20.0), arm("words", 40, 26.0)],
            uplifts: vec![Uplift {
                arm: "words".to_owned(),
                difference: 0.15,
                low: -0.12,
                high: 0.41,
                p_value: 0.4,
            }],
            conclusion: None,
        }
    }

    #[test]
    fn an_arm_that_was_not_judged_has_a_place_but_no_difference() {
        let mut unjudged = experiment();
        unjudged.arms[1] = arm("words", 0, 0.0);
        unjudged.uplifts.clear();
        let picture = effects_picture(&unjudged);
        assert!(picture.contains("not judged"), "{picture}");
        assert_eq!(picture.matches("<circle").count(), 1, "{picture}");
    }

    fn week(number: i64, strategy: &str, searches: u64) -> StrategyWeek {
        StrategyWeek {
            week: Timestamp::from_second(number * 604_800).expect("a time"),
            strategy: strategy.to_owned(),
            searches,
            judged: 1,
            successes: 1.0,
        }
    }

    #[test]
    fn an_experiment_is_drawn_with_its_intervals() {
        let picture = effects_picture(&experiment());
        assert!(!picture.contains("<b>") && !picture.contains('\u{1b}'));
        insta::assert_snapshot!(picture);
    }

    #[test]
    fn weeks_are_drawn_in_the_strategies_colours() {
        let weeks = [
            week(1, "default", 9),
            week(1, "words", 3),
            week(2, "words", 8),
            week(2, "</svg>", 1),
        ];
        let picture = weeks_picture(&weeks, &Dates::of_this_machine());
        assert_eq!(picture.matches("</svg>").count(), 1, "{picture}");
        assert_eq!(picture.matches("<rect class=\"f").count(), 4, "{picture}");
        assert!(picture.contains(">other</text>"), "{picture}");
    }

    #[test]
    fn without_searches_or_with_years_of_them_the_picture_stays_bounded() {
        let dates = Dates::of_this_machine();
        let none = weeks_picture(&[], &dates);
        assert!(none.ends_with("</svg>\n"), "{none}");
        let years: Vec<_> = (0..500).map(|number| week(number, "words", 1)).collect();
        let picture = weeks_picture(&years, &dates);
        assert_eq!(picture.matches("<rect class=\"f").count(), MOST_WEEKS);
    }
}
