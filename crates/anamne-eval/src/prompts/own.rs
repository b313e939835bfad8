//! Our own prompts: what people type to an agent that no memory of the measured conversations is evidence for.

/// The prompts of each kind, one per line.
const FILES: [(&str, &str); 6] = [
    (
        "small talk",
        include_str!("../../data/prompts/small_talk.txt"),
    ),
    ("commands", include_str!("../../data/prompts/commands.txt")),
    ("coding", include_str!("../../data/prompts/coding.txt")),
    (
        "knowledge",
        include_str!("../../data/prompts/knowledge.txt"),
    ),
    ("tasks", include_str!("../../data/prompts/tasks.txt")),
    (
        "other languages",
        include_str!("../../data/prompts/other_languages.txt"),
    ),
];

/// The names of the kinds.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    FILES.into_iter().map(|(kind, _)| kind)
}

/// Kind and text of every prompt.
pub(super) fn prompts() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.into_iter().flat_map(|(kind, text)| {
        let lines = text.lines();
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(move |line| (kind, line))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_at_least_300_different_prompts() {
        let different: BTreeSet<_> = prompts().map(|(_, text)| text).collect();
        assert_eq!(different.len(), prompts().count());
        assert!(different.len() >= 300, "{}", different.len());
    }

    #[test]
    fn every_kind_has_prompts() {
        for kind in kinds() {
            assert!(prompts().any(|(of, _)| of == kind), "{kind}");
        }
    }
}
