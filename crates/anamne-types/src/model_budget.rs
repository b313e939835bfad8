//! How large a context block is for a language model, by its name.

/// The families of models with their context windows.
const FAMILIES: &str = include_str!("../data/context_windows.txt");

/// A block takes one part in this many of the context window: recalled memories stand beside the conversation.
const SHARE: usize = 100;

/// The smallest and the largest budget.
const SMALLEST: usize = 250;
const LARGEST: usize = 8_000;

/// The budget of a context block for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelBudget {
    /// The family that the name belongs to: `claude-sonnet`.
    pub family: &'static str,
    /// The family's context window in tokens.
    pub window: usize,
    /// The budget in tokens: 1 % of the window, at least 250 and at most 8 000.
    pub tokens: usize,
}

impl ModelBudget {
    /// The budget for a model with this name, as providers, clouds and local servers write it; `None` if its family is
    /// unknown. The longest family that the name contains as whole words counts. O(families · name).
    pub fn of(model: &str) -> Option<Self> {
        let name = model.trim().to_lowercase();
        let (family, window) = families()
            .filter(|(family, _)| contains_words(&name, family))
            .max_by_key(|(family, _)| family.len())?;
        Some(Self {
            family,
            window,
            tokens: (window / SHARE).clamp(SMALLEST, LARGEST),
        })
    }
}

/// The families and their windows.
fn families() -> impl Iterator<Item = (&'static str, usize)> {
    let lines = FAMILIES.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (family, window) = line.split_once(' ')?;
        Some((family, window.trim().parse().ok()?))
    })
}

/// Whether a name contains a family, neither preceded nor followed by a letter or digit.
fn contains_words(name: &str, family: &str) -> bool {
    name.match_indices(family).any(|(start, found)| {
        let before = name[..start].chars().next_back();
        let after = name[start + found.len()..].chars().next();
        let is_apart = |other: Option<char>| other.is_none_or(|other| !other.is_alphanumeric());
        is_apart(before) && is_apart(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(model: &str, expected: Option<(&str, usize)>) {
        let known = ModelBudget::of(model);
        let known = known.map(|budget| (budget.family, budget.tokens));
        assert_eq!(known, expected, "{model}");
    }

    #[test]
    fn a_name_belongs_to_the_longest_family_that_it_contains() {
        check("claude-sonnet-4", Some(("claude-sonnet", 2_000)));
        check("anthropic/claude-opus-4.1", Some(("claude-opus", 2_000)));
        let of_cloud = "us.anthropic.claude-3-5-sonnet-20241022-v2:0";
        check(of_cloud, Some(("claude-3", 2_000)));
        check("Claude-Instant", Some(("claude", 1_000)));
        check("gpt-4o-mini", Some(("gpt-4o", 1_280)));
        check("gpt-4", Some(("gpt-4", SMALLEST)));
        check("gpt-4.1-nano", Some(("gpt-4.1", LARGEST)));
        check("openai:gpt-5", Some(("gpt-5", 4_000)));
        check("llama3.1:8b", Some(("llama3.1", 1_280)));
        check("models/gemini-2.5-pro", Some(("gemini-2.5", LARGEST)));
    }

    #[test]
    fn an_unknown_name_has_no_budget() {
        for model in ["", "qzx-9", "claudette", "gpt", "biogpt-4", "gpt-40", "o12"] {
            check(model, None);
        }
    }

    #[test]
    fn the_table_is_sorted_and_every_line_is_read() {
        let lines = FAMILIES.lines().filter(|line| !line.starts_with('#'));
        let families: Vec<_> = families().collect();
        assert_eq!(families.len(), lines.count());
        assert!(families.is_sorted_by(|one, other| one.0 < other.0));
        let is_lower = |family: &str| family == family.to_lowercase();
        assert!(
            families
                .iter()
                .all(|(family, window)| is_lower(family) && *window >= 4_000)
        );
    }
}
