//! Roles, which favour some kinds and categories of memory.

use std::collections::BTreeSet;

use anamne_store::view::Attributes;
use anamne_store::{RecallConfig, RoleConfig};
use anamne_types::{Category, InvalidValue, Kind};

/// A built-in role, with the points that it gives.
struct BuiltIn {
    name: &'static str,
    kinds: &'static [(Kind, f32)],
    categories: &'static [(Category, f32)],
}

/// A space's own role overrides a built-in one of the same name.
const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "developer",
        kinds: &[(Kind::Skill, 1.0)],
        categories: &[
            (Category::CodePattern, 1.0),
            (Category::BugFix, 1.0),
            (Category::Configuration, 1.0),
        ],
    },
    BuiltIn {
        name: "architect",
        kinds: &[],
        categories: &[
            (Category::ArchitectureDecision, 1.0),
            (Category::Constraint, 1.0),
            (Category::Insight, 1.0),
        ],
    },
    BuiltIn {
        name: "reviewer",
        kinds: &[],
        categories: &[
            (Category::BugFix, 1.0),
            (Category::Constraint, 1.0),
            (Category::Preference, 1.0),
            (Category::CodePattern, 1.0),
        ],
    },
    BuiltIn {
        name: "planner",
        kinds: &[(Kind::Episode, 1.0), (Kind::Thought, 0.5)],
        categories: &[
            (Category::ArchitectureDecision, 1.0),
            (Category::Constraint, 0.5),
        ],
    },
    BuiltIn {
        name: "assistant",
        kinds: &[(Kind::Message, 0.5)],
        categories: &[(Category::Preference, 1.0), (Category::Reference, 1.0)],
    },
];

/// Points by the number of a kind or category.
type Points = [f32; 16];

/// The preferences of a role.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RolePreferences {
    kinds: Points,
    categories: Points,
    importance: f32,
}

impl RolePreferences {
    /// The preferences of the role with this name: the space's own, or a built-in one. An unknown name is refused with
    /// the known ones.
    pub(crate) fn named(role: &str, settings: &RecallConfig) -> Result<Self, InvalidValue> {
        if let Some(config) = settings.roles.get(role) {
            return Ok(Self::from_config(config));
        }
        if let Some(role) = BUILT_IN.iter().find(|built_in| built_in.name == role) {
            return Ok(Self::from_config(&RoleConfig {
                kinds: role.kinds.iter().copied().collect(),
                categories: role.categories.iter().copied().collect(),
                ..RoleConfig::default()
            }));
        }
        let own = settings.roles.keys().map(String::as_str);
        let names: BTreeSet<&str> = BUILT_IN.iter().map(|role| role.name).chain(own).collect();
        let names: Vec<&str> = names.into_iter().collect();
        Err(InvalidValue::new(
            "role",
            format!("one of {}", names.join(", ")),
            role,
        ))
    }

    fn from_config(role: &RoleConfig) -> Self {
        let kinds = role.kinds.iter();
        let categories = role.categories.iter();
        Self {
            kinds: points(kinds.map(|(kind, points)| (kind.number(), *points))),
            categories: points(categories.map(|(about, points)| (about.number(), *points))),
            importance: role.importance,
        }
    }

    /// The points of a memory, from −[`RoleConfig::MOST_POINTS`] to [`RoleConfig::MOST_POINTS`].
    pub(crate) fn fit(&self, attributes: &Attributes) -> f32 {
        let points_of =
            |points: &Points, number: u8| points.get(usize::from(number)).copied().unwrap_or(0.0);
        let above_default = (f32::from(attributes.importance) - 5.0) / 5.0;
        let sum = points_of(&self.kinds, attributes.kind)
            + points_of(&self.categories, attributes.category)
            + self.importance * above_default;
        sum.clamp(-RoleConfig::MOST_POINTS, RoleConfig::MOST_POINTS)
    }
}

fn points(values: impl Iterator<Item = (u8, f32)>) -> Points {
    let mut points = Points::default();
    for (number, value) in values {
        if let Some(place) = points.get_mut(usize::from(number)) {
            *place = value;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes_of(kind: Kind, category: Option<Category>, importance: u8) -> Attributes {
        Attributes {
            kind: kind.number(),
            category: category.map_or(0, Category::number),
            importance,
            ..Attributes::default()
        }
    }

    fn settings(role: &str, config: RoleConfig) -> RecallConfig {
        let mut settings = RecallConfig::default();
        settings.roles.insert(role.to_owned(), config);
        settings
    }

    #[test]
    fn a_built_in_role_favours_only_its_kinds_and_categories() {
        let developer =
            RolePreferences::named("developer", &RecallConfig::default()).expect("known role");
        let check = |kind, category, points: f32| {
            let fit = developer.fit(&attributes_of(kind, category, 9));
            assert!((fit - points).abs() < 1e-6, "{kind} {category:?} {fit}");
        };
        check(Kind::Skill, None, 1.0);
        check(Kind::Fact, Some(Category::BugFix), 1.0);
        check(Kind::Fact, Some(Category::Preference), 0.0);
        check(Kind::Message, None, 0.0);
    }

    #[test]
    fn a_role_of_the_space_overrides_a_built_in_one() {
        let config = RoleConfig {
            importance: 2.0,
            kinds: [(Kind::Fact, 0.5)].into(),
            categories: [(Category::BugFix, 1.0)].into(),
        };
        let reviewer =
            RolePreferences::named("reviewer", &settings("reviewer", config)).expect("known role");
        let check = |kind, category, importance, points: f32| {
            let fit = reviewer.fit(&attributes_of(kind, category, importance));
            assert!((fit - points).abs() < 1e-6, "{kind} {category:?} {fit}");
        };
        check(Kind::Fact, Some(Category::BugFix), 5, 1.5);
        check(Kind::Fact, Some(Category::Constraint), 5, 0.5);
        check(Kind::Message, None, 10, 2.0);
        // The sum is clamped.
        check(Kind::Fact, Some(Category::BugFix), 10, 3.0);
    }

    #[test]
    fn an_unknown_role_is_refused_with_all_names() {
        let settings = settings("gardener", RoleConfig::default());
        let refusal = RolePreferences::named("pilot", &settings).expect_err("refused");
        assert_eq!(refusal.field(), "role");
        assert_eq!(
            refusal.accepts(),
            "one of architect, assistant, developer, gardener, planner, reviewer"
        );
    }

    #[test]
    fn every_kind_and_category_number_fits_the_points() {
        let kinds = Kind::ALL.iter().map(|kind| kind.number());
        let categories = Category::ALL.iter().map(|category| category.number());
        for number in kinds.chain(categories) {
            assert!(usize::from(number) < Points::default().len());
        }
    }
}
