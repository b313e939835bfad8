//! Fills a template's slots.

use super::templates::Template;
use super::{Expected, values};
use crate::chance::Chance;
use crate::failure::Failure;

/// Opens a slot.
pub(super) const SLOT: char = '⟦';

/// Encloses the part of a value that must be found, if it isn't the whole value.
pub(super) const PART: [char; 2] = ['⟪', '⟫'];

/// The text, and what must be found in it.
pub(super) fn fill(
    template: &Template<'_>,
    chance: &mut Chance,
) -> Result<(String, Vec<Expected>), Failure> {
    let mut text = String::new();
    let mut expected = Vec::new();
    let mut rest = template.text;
    while let Some((before, slot, after)) = next_slot(rest) {
        push_plain(&mut text, before);
        let is_expected = slot.starts_with('!');
        let slot = slot.trim_start_matches('!');
        let (name, argument) = slot.split_once(':').unwrap_or((slot, ""));
        let value = values::value(name, argument, chance)
            .ok_or_else(|| format!("no value for {slot:?} in {:?}", template.text))?;
        let start = text.len();
        let part = push_value(&mut text, &value);
        if is_expected {
            expected.push(Expected {
                span: part.unwrap_or(start..text.len()),
                class: class(name, template.group).to_owned(),
            });
        }
        rest = after;
    }
    push_plain(&mut text, rest);
    Ok((text, expected))
}

fn next_slot(text: &str) -> Option<(&str, &str, &str)> {
    let (before, slot) = text.split_once(SLOT)?;
    let (slot, after) = slot.split_once('⟧')?;
    Some((before, slot, after))
}

fn push_plain(text: &mut String, plain: &str) {
    text.extend(plain.chars().map(|character| match character {
        '⏎' => '\n',
        '⇥' => '\t',
        other => other,
    }));
}

/// Appends a value without its marks; returns the place of the part between them.
fn push_value(text: &mut String, value: &str) -> Option<std::ops::Range<usize>> {
    let mut marks = Vec::new();
    for character in value.chars() {
        if PART.contains(&character) {
            marks.push(text.len());
        } else {
            text.push(character);
        }
    }
    match marks[..] {
        [start, end] => Some(start..end),
        _ => None,
    }
}

/// Kinds of personal data have their own class; secrets have their section's.
fn class<'name>(value: &'name str, group: &'name str) -> &'name str {
    match value {
        "email" | "phone" | "iban" | "card" => value,
        "id" => "national-id",
        "ip" | "ipv6" => "ip-address",
        "birth" => "birth-date",
        "address" => "street-address",
        _ => group,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::set::templates;

    fn filled(template: &str) -> (String, Vec<String>) {
        let file = format!("## chat txt\n{template}\n");
        let templates = templates::parse(&file);
        let (text, expected) = fill(&templates[0], &mut Chance::new(1)).expect("a text");
        let values = expected.iter().map(|one| text[one.span.clone()].to_owned());
        let values = values.collect();
        (text, values)
    }

    #[test]
    fn slots_are_filled_and_marked_ones_are_expected() {
        let (text, values) = filled("a⏎ ⟦int:7:7⟧ ⟦!digits:6⟧, ä⇥⟦!hex:8⟧");
        assert!(text.starts_with("a\n 7 "));
        assert_eq!(values.len(), 2);
        assert_eq!(values[0].len(), 6);
        assert!(text.ends_with(&format!("ä\t{}", values[1])));
    }

    #[test]
    fn unknown_slots_are_faults() {
        let templates = templates::parse("## chat txt\n⟦nothing⟧\n");
        let fault = fill(&templates[0], &mut Chance::new(1)).expect_err("a fault");
        assert!(fault.to_string().contains("nothing"));
    }

    #[test]
    fn part_of_a_value_may_be_expected() {
        let mut text = String::from("ä");
        assert_eq!(push_value(&mut text, "ab⟪cd⟫e"), Some(4..6));
        assert_eq!(text, "äabcde");
    }
}
