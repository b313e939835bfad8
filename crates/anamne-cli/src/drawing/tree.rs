//! Draws a tree of lines for a terminal.

use anamne::{Entity, Neighbourhood, Relation};
use anstyle::Style;
use textwrap::core::display_width;

use super::{Branch, End, Subtree, build_tree};
use crate::dates::Dates;
use crate::known;
use crate::output::{BOLD, DIM, paint};
use crate::wording::one_line;

/// Minimum width of a label, at any depth.
const NARROWEST: usize = 16;

/// The drawing as lines of at most `width` columns.
pub(crate) fn tree(around: &Neighbourhood, width: usize, dates: &Dates) -> Vec<String> {
    let Some(root) = build_tree(around, dates.now) else {
        return Vec::new();
    };
    let mut lines = Lines {
        written: Vec::new(),
        width,
        dates,
    };
    let mut label = vec![(BOLD, one_line(&root.entity.name))];
    label.push((DIM, format!("  {}", kind(root.entity))));
    lines.push("", label, Vec::new());
    lines.branches(&root, "");
    lines.written
}

/// The type of an entity, and its state.
fn kind(entity: &Entity) -> String {
    match known::state(entity.state) {
        Some((_, state)) => format!("{} · {state}", one_line(entity.type_word())),
        None => one_line(entity.type_word()),
    }
}

struct Lines<'a> {
    written: Vec<String>,
    width: usize,
    dates: &'a Dates,
}

impl Lines<'_> {
    fn branches(&mut self, sprout: &Subtree<'_>, indent: &str) {
        let last = sprout.branches.len().saturating_sub(1);
        for (place, branch) in sprout.branches.iter().enumerate() {
            let (fork, below) = if place == last {
                ("└─ ", "   ")
            } else {
                ("├─ ", "│  ")
            };
            self.branch(sprout, branch, &format!("{indent}{fork}"));
            if let End::Subtree(next) = &branch.end {
                self.branches(next, &format!("{indent}{below}"));
            }
        }
    }

    fn branch(&mut self, from: &Subtree<'_>, branch: &Branch<'_>, fork: &str) {
        let relation = branch.relation;
        let (word, arrow, end) = known::reach(relation, from.entity.id);
        let over = known::is_over(relation, self.dates);
        let style = |style: Style| if over { DIM } else { style };
        let mut label = vec![(DIM, format!("{word} {arrow} "))];
        let mut details = Vec::new();
        match &branch.end {
            End::Subtree(sprout) => {
                label.push((style(BOLD), end));
                details.push((DIM, one_line(sprout.entity.type_word())));
            }
            End::Elsewhere(_) => label.push((style(Style::new()), end)),
            End::Value(value) => label.push((style(Style::new()), one_line(value))),
        }
        details.extend(self.details(relation));
        self.push(fork, label, details);
    }

    fn details(&self, relation: &Relation) -> Vec<(Style, String)> {
        known::details(relation, self.dates)
    }

    /// Adds a line: the whole label if it fits, followed by as many details as fit.
    fn push(&mut self, fork: &str, label: Vec<(Style, String)>, details: Vec<(Style, String)>) {
        let mut room = self
            .width
            .saturating_sub(display_width(fork))
            .max(NARROWEST);
        let mut line = paint(DIM, fork);
        for (style, text) in label {
            let shown = cut(&text, room);
            room -= display_width(&shown);
            line.push_str(&paint(style, shown));
        }
        let mut separator = "  ";
        for (style, text) in details {
            let needed = display_width(&text) + display_width(separator);
            if needed > room {
                break;
            }
            room -= needed;
            line.push_str(&paint(DIM, separator));
            line.push_str(&paint(style, text));
            separator = " · ";
        }
        self.written.push(line);
    }
}

/// Cuts the text to `room` columns; a cut text ends with `…`.
pub(super) fn cut(text: &str, room: usize) -> String {
    if display_width(text) <= room {
        return text.to_owned();
    }
    let mut shown = text.to_owned();
    while display_width(&shown) + 1 > room && shown.pop().is_some() {}
    if room > 0 {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use anamne::EntityType;
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::super::samples::{entity, relation, star, to};
    use super::*;

    fn plain(around: &Neighbourhood, width: usize) -> Vec<String> {
        let dates = Dates {
            now: Timestamp::UNIX_EPOCH,
            zone: TimeZone::UTC,
        };
        tree(around, width, &dates)
            .iter()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .collect()
    }

    #[test]
    fn an_entity_is_drawn_once_and_every_relation_too() {
        let mut around = star(2);
        let (one, other) = (&around.entities[1].1.clone(), &around.entities[2].1.clone());
        around
            .relations
            .push(relation(one, "partner_of", to(other)));
        insta::assert_snapshot!(plain(&around, 80).join("\n"));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_in_any_script() {
        let mut around = star(3);
        let far = entity(&"巣箱の重さ".repeat(20), EntityType::Concept);
        let near = around.entities[1].1.clone();
        around
            .relations
            .push(relation(&near, "related_to", to(&far)));
        around.entities.push((2, far));
        for width in [40, 60, 100] {
            for line in plain(&around, width) {
                assert!(display_width(&line) <= width, "{width}: {line}");
            }
        }
    }
}
