//! Formats entities, relations and contradictions for a person.

use anamne::{
    ConflictKind, Dispute, Entity, EntityId, EntityScope, Evidence, KnowledgeState, Relation,
};
use anstyle::Style;

use crate::dates::Dates;
use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, GREEN, Output, YELLOW, memories, paint};
use crate::wording::{one_line, wrapped};

/// Maximum citations of a relation; the rest is counted.
const CITED: usize = 3;

/// The label of a state; `None` for the normal state.
pub(crate) fn state(state: KnowledgeState) -> Option<(Style, &'static str)> {
    match state {
        KnowledgeState::Inferred => Some((DIM, "inferred")),
        KnowledgeState::Active => None,
        KnowledgeState::Stable => Some((GREEN, "stable")),
        KnowledgeState::Contested => Some((YELLOW, "contested")),
    }
}

/// A relation with its other end, seen from an entity: `works_at → Hafen GmbH`, `leads ← Jonas Berg`.
pub(crate) fn reach(relation: &Relation, from: EntityId) -> (String, &'static str, String) {
    let word = one_line(relation.relation.as_str());
    let (arrow, end) = if relation.subject == from {
        ("→", relation.object.text())
    } else {
        ("←", relation.subject_name.as_str())
    };
    let arrow = if relation.both_ways { "↔" } else { arrow };
    (word, arrow, one_line(end))
}

/// The validity period, as far as known.
pub(crate) fn validity(relation: &Relation, dates: &Dates) -> Option<String> {
    let until = |end| {
        let word = if is_over(relation, dates) {
            "ended"
        } else {
            "until"
        };
        format!("{word} {}", dates.day(end))
    };
    match (relation.valid_from, relation.holds_through()) {
        (None, None) => None,
        (Some(from), None) => Some(format!("since {}", dates.day(from))),
        (None, Some(end)) => Some(until(end)),
        (Some(from), Some(end)) => Some(format!("since {}, {}", dates.day(from), until(end))),
    }
}

/// Whether the relation has ended.
pub(crate) fn is_over(relation: &Relation, dates: &Dates) -> bool {
    relation.valid_to.is_some_and(|end| end <= dates.now)
}

/// The citations of the evidence: `m12 m31 +5`.
pub(crate) fn citations(evidence: &[Evidence], mentions: u64) -> String {
    let mut cited: Vec<_> = evidence
        .iter()
        .take(CITED)
        .map(|evidence| evidence.citation.clone())
        .collect();
    let rest = mentions.saturating_sub(cited.len() as u64);
    if rest > 0 {
        cited.push(format!("+{rest}"));
    }
    cited.join(" ")
}

/// The details of a relation: state, validity, source and citations.
pub(crate) fn details(relation: &Relation, dates: &Dates) -> Vec<(Style, String)> {
    let mut parts: Vec<(Style, String)> = Vec::new();
    parts.extend(state(relation.state).map(|(style, word)| (style, word.to_owned())));
    if relation.asserted {
        parts.push((GREEN, "asserted".to_owned()));
        let told = [
            ("weight", relation.told_weight),
            ("confidence", sureness(relation)),
        ];
        for (word, share) in told {
            parts.extend(share.map(|share| (DIM, format!("{word} {share}"))));
        }
    }
    if relation.made_by.is_model() {
        parts.push((
            DIM,
            format!("by {}", one_line(&relation.made_by.to_string())),
        ));
    }
    parts.extend(validity(relation, dates).map(|text| (DIM, text)));
    let cited = citations(&relation.evidence, relation.mentions);
    if !cited.is_empty() {
        parts.push((CYAN, cited));
    }
    parts
}

/// The confidence that a person gave a relation, if it is below 1.
pub(crate) fn sureness(relation: &Relation) -> Option<f32> {
    (relation.asserted && relation.confidence < 1.0).then_some(relation.confidence)
}

/// Styled parts, joined by dots.
pub(crate) fn joined(parts: &[(Style, String)]) -> String {
    let painted: Vec<_> = parts
        .iter()
        .map(|(style, text)| paint(*style, text))
        .collect();
    painted.join(&paint(DIM, " · "))
}

/// Prints an entity on one line: name, type, number and times of mentions. Aliases, tags and attributes follow.
pub(crate) fn print_entity(entity: &Entity, output: &mut Output) -> Result<(), Failure> {
    let mut parts = vec![(DIM, one_line(entity.type_word()))];
    if entity.scope == EntityScope::Personal {
        parts.push((YELLOW, entity.scope.to_string()));
    }
    parts.extend(state(entity.state).map(|(style, word)| (style, word.to_owned())));
    parts.push((DIM, memories(entity.mentions)));
    let (first, last) = (
        output.dates.day(entity.first_seen),
        output.dates.day(entity.last_seen),
    );
    let seen = if first == last {
        first
    } else {
        format!("{first} to {last}")
    };
    parts.push((DIM, seen));
    output.line(format_args!(
        "{}  {}",
        paint(BOLD, one_line(&entity.name)),
        joined(&parts)
    ))?;
    let names =
        |names: &[String]| -> Vec<String> { names.iter().map(|name| one_line(name)).collect() };
    let attributes: Vec<_> = entity
        .attributes
        .iter()
        .map(|(name, value)| one_line(&format!("{name}: {}", written(value))))
        .collect();
    for (words, list) in [
        ("also called ", names(&entity.aliases)),
        ("tagged ", names(&entity.tags)),
        ("", attributes),
    ] {
        if list.is_empty() {
            continue;
        }
        let text = format!("{words}{}", list.join(", "));
        for line in wrapped(&text, output.width.saturating_sub(4)) {
            output.line(format_args!("    {}", paint(DIM, line)))?;
        }
    }
    Ok(())
}

/// An attribute's value: text without quotes, other values as JSON.
fn written(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The label of a dispute for the memory that it concerns.
pub(crate) fn dispute(dispute: &Dispute) -> (Style, String) {
    let other = &dispute.citation;
    match (dispute.kind, dispute.holds) {
        (ConflictKind::Superseded, Some(true)) => (DIM, format!("supersedes {other}")),
        (ConflictKind::Superseded, _) => (YELLOW, format!("outdated by {other}")),
        (ConflictKind::Contested, None) => (YELLOW, format!("contested by {other}")),
        (ConflictKind::Contested, Some(true)) => {
            (GREEN, format!("resolved: holds against {other}"))
        }
        (ConflictKind::Contested, Some(false)) => {
            (YELLOW, format!("resolved as wrong: {other} holds"))
        }
    }
}

/// Prints the disputing memories, one per line, with the reason.
pub(crate) fn print_disputes(
    disputes: &[Dispute],
    indent: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let width = output.width.saturating_sub(indent.len());
    for one in disputes {
        let (style, head) = dispute(one);
        let mut style = Some(style);
        let whole = format!("{head}: {}", one_line(&one.reason));
        for line in wrapped(&whole, width) {
            let line = match style.take() {
                Some(style) => match line.strip_prefix(head.as_str()) {
                    Some(rest) => format!("{}{}", paint(style, &head), paint(DIM, rest)),
                    None => paint(style, line),
                },
                None => paint(DIM, line),
            };
            output.line(format_args!("{indent}{line}"))?;
        }
    }
    Ok(())
}
