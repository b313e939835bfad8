//! Draws a graph in the DOT language of Graphviz.

use std::fmt::Write;

use anamne::{KnowledgeState, Neighbourhood, Object};
use jiff::Timestamp;

use super::{in_order, is_over, label};
use crate::wording::one_line;

/// The drawing as a digraph.
pub(crate) fn dot(around: &Neighbourhood, now: Timestamp) -> String {
    let mut text = String::from(
        "digraph anamne {\n  graph [rankdir=LR, overlap=false, splines=true];\n  \
         node [shape=box, style=rounded, fontname=\"Helvetica\"];\n  \
         edge [fontname=\"Helvetica\", fontsize=10];\n",
    );
    for (steps, entity) in &around.entities {
        let label = format!(
            "{}\n{}",
            one_line(&entity.name),
            one_line(entity.type_word())
        );
        let weight = if *steps == 0 { ", penwidth=3" } else { "" };
        let style = match entity.state {
            KnowledgeState::Inferred => ", style=\"rounded,dashed\"",
            _ => "",
        };
        let id = quoted(&entity.id.to_string());
        let _ = writeln!(text, "  {id} [label={}{weight}{style}];", quoted(&label));
    }
    for relation in in_order(around, now) {
        let end = match &relation.object {
            Object::Entity { id, .. } => quoted(&id.to_string()),
            Object::Value(value) => {
                let id = quoted(&format!("value {}", relation.id));
                let label = quoted(&one_line(value));
                let _ = writeln!(text, "  {id} [label={label}, shape=plaintext, style=\"\"];");
                id
            }
        };
        let mut label = label(relation);
        let mut style = String::new();
        if relation.state == KnowledgeState::Contested {
            label.push_str("\ncontested");
            style.push_str(", color=\"#b35900\", fontcolor=\"#b35900\"");
        }
        if is_over(relation, now) {
            style.push_str(", style=dashed");
        }
        if relation.both_ways {
            style.push_str(", dir=both");
        }
        let subject = quoted(&relation.subject.to_string());
        let _ = writeln!(
            text,
            "  {subject} -> {end} [label={}{style}];",
            quoted(&label)
        );
    }
    text.push_str("}\n");
    text
}

/// A quoted DOT string in which backslashes are literal and line breaks stay line breaks.
fn quoted(text: &str) -> String {
    let text = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use anamne::EntityType;

    use super::super::samples::{entity, relation, star};
    use super::*;

    #[test]
    fn the_drawing_reads_as_it_was_agreed() {
        insta::assert_snapshot!(dot(&star(1), Timestamp::UNIX_EPOCH));
    }

    #[test]
    fn nothing_in_a_name_ends_the_string_that_holds_it() {
        assert_eq!(quoted(r#"a "b" \N"#), r#""a \"b\" \\N""#);
        let hostile = entity("\"]; evil [label=\"\n\\", EntityType::Symbol);
        let mut around = Neighbourhood::default();
        let value = Object::Value("\"; }\u{1b}[2J".to_owned());
        around.relations.push(relation(&hostile, "says", value));
        around.entities.push((0, hostile));
        let text = dot(&around, Timestamp::UNIX_EPOCH);
        assert!(
            text.contains(r#"label="\"]; evil [label=\" \\\nsymbol""#),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
        for line in text.lines() {
            let bare = line.replace("\\\\", "").replace("\\\"", "");
            assert_eq!(bare.matches('"').count() % 2, 0, "{line}");
        }
    }
}
