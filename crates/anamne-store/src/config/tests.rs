use anamne_types::{Category, Kind};

use super::*;

fn config() -> SpaceConfig {
    SpaceConfig::new("tests", Timestamp::UNIX_EPOCH)
}

/// Writes the settings to a file; returns its folder, path and content.
fn written(config: &SpaceConfig) -> (tempfile::TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("space.toml");
    config.write(&path).expect("written");
    let text = std::fs::read_to_string(&path).expect("read");
    (folder, path, text)
}

/// The text without its comments: what earlier versions read.
fn plain(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn the_model_is_written_only_if_it_is_not_the_built_in_one() {
    let mut config = config();
    let (_folder, path, text) = written(&config);
    assert!(
        !plain(&text).contains("embedding"),
        "earlier versions read it too"
    );
    assert_eq!(
        SpaceConfig::read(&path).expect("read"),
        Some(config.clone())
    );
    config.embedding.model = "owner/model 8".to_owned();
    config.write(&path).expect("written");
    assert_eq!(SpaceConfig::read(&path).expect("read"), Some(config));
}

#[test]
fn retention_is_bounded_and_old_files_get_the_default_grace_period() {
    let (_folder, path, usual) = written(&config());
    let check = |lines: &str, accepted: Option<(u32, u32)>| {
        std::fs::write(&path, format!("{usual}\n[retention]\n{lines}\n")).expect("written");
        let read = SpaceConfig::read(&path).ok().flatten();
        let found = read.map(|config| (config.retention.days, config.retention.grace_days));
        assert_eq!(found, accepted, "{lines}");
    };
    check("", Some((0, 30)));
    check("days = 365", Some((365, 30)));
    check("days = 365\ngrace_days = 1", Some((365, 1)));
    check("grace_days = 0", None);
    check("grace_days = -1", None);
    check("days = 100000\ngrace_days = 36525", Some((100_000, 36_525)));
    check("grace_days = 36526", None);
    check("grace = 5", None);
}

#[test]
fn the_default_grace_period_is_not_written_for_earlier_versions() {
    let mut config = config();
    config.retention.days = 365;
    let (_folder, _, text) = written(&config);
    assert!(
        text.contains("days = 365") && !plain(&text).contains("grace"),
        "{text}"
    );
}

#[test]
fn a_model_name_is_one_line_of_text() {
    let check = |model: &str, accepted: bool| {
        let mut config = config();
        config.embedding.model = model.to_owned();
        assert_eq!(config.check().is_ok(), accepted, "{model:?}");
    };
    check("builtin", true);
    check("模型/8", true);
    check("", false);
    check("two\nlines", false);
    check(&"x".repeat(200), true);
    check(&"x".repeat(201), false);
}

#[test]
fn weights_and_roles_round_trip() {
    let mut config = config();
    let (_folder, path, text) = written(&config);
    let settings = plain(&text);
    assert!(!settings.contains("weights") && !settings.contains("roles"));
    config.recall.weights.insert("recency".to_owned(), 1.5);
    let reviewer = RoleConfig {
        importance: 2.0,
        kinds: [(Kind::Fact, 0.5)].into(),
        categories: [(Category::BugFix, -1.0)].into(),
    };
    config
        .recall
        .roles
        .insert("the reviewer".to_owned(), reviewer);
    config.write(&path).expect("written");
    assert_eq!(SpaceConfig::read(&path).expect("read"), Some(config));
}

#[test]
fn weights_and_roles_are_bounded() {
    let (_folder, path, usual) = written(&config());
    let check = |lines: &str, accepted: bool| {
        std::fs::write(&path, format!("{usual}\n{lines}\n")).expect("written");
        let read = SpaceConfig::read(&path);
        assert_eq!(read.is_ok(), accepted, "{lines}: {read:?}");
    };
    check("[recall.weights]\nrecency = -1000", true);
    check("[recall.weights]\nrecency = 1000.5", false);
    check("[recall.weights]\nrecency = nan", false);
    check("[recall.weights]\nrecency = inf", false);
    check(
        "[recall.roles.a]\nimportance = 3\nkinds = { fact = -3 }",
        true,
    );
    check("[recall.roles.a]\nimportance = 3.5", false);
    check("[recall.roles.a]\nkinds = { fact = nan }", false);
    check("[recall.roles.a]\nkinds = { rumour = 1 }", false);
    check("[recall.roles.a]\ncategories = { bug_fix = 4 }", false);
    check("[recall.roles.a]\ncolour = 1", false);
    check("[recall.roles.\" \"]\nimportance = 1", false);
    check("[recall.roles.\"a\\u0007\"]\nimportance = 1", false);
}

/// Settings in which no section has its default.
fn full() -> SpaceConfig {
    let mut config = config();
    config.description = "a\n[intake]\nquality = 1\n\"\"\"".to_owned();
    config.recall.weights.insert("recency".to_owned(), 1.5);
    config.recall.roles.insert(
        "the reviewer".to_owned(),
        RoleConfig {
            importance: 2.0,
            ..RoleConfig::default()
        },
    );
    config.quota.bytes = 5;
    config.retention = RetentionConfig {
        days: 400,
        grace_days: 31,
    };
    config.tiers.active_days = 7;
    config.embedding = EmbeddingConfig {
        model: "openai:text-embedding-3-small".to_owned(),
        query_wait_ms: 500,
        batch_from: 5_000,
    };
    config.intake = IntakeConfig {
        kinds: vec![Kind::Fact, Kind::Message],
        duplicates: Duplicates::Semantic,
        similarity: 0.9,
        quality: 0.25,
    };
    config.budgets.daily_dollars = 0.5;
    config.meta.planning = false;
    config.backup.keep = 3;
    config.recompute = RecomputeConfig {
        importance: true,
        links: false,
        half_life_days: 14.5,
        link_half_life_days: 90.0,
        link_floor: 0.3,
    };
    config.guard.private = true;
    config.guard.names.push("Mara Lind".to_owned());
    config.project.folders.push(crate::ProjectFolder {
        path: "/mill/api".to_owned(),
        identity: "path:/mill/api".to_owned(),
        remote: None,
        stamp: None,
    });
    config
}

#[test]
fn every_setting_is_documented_in_the_file_and_the_file_says_the_same() {
    let config = full();
    let (_folder, path, text) = written(&config);
    assert_eq!(
        SpaceConfig::read(&path).expect("read"),
        Some(config.clone())
    );
    assert!(text.contains("similarity = 0.9\n"), "{text}");
    let settings = toml::Table::try_from(&config).expect("a table");
    for (section, value) in &settings {
        let values = value.as_table().cloned().unwrap_or_default();
        let keys = if value.is_table() {
            values.keys().cloned().collect()
        } else {
            vec![section.clone()]
        };
        for key in keys {
            let section = if value.is_table() {
                section.as_str()
            } else {
                ""
            };
            let known = documented::SETTINGS.iter();
            let known = known.filter(|(of, name, ..)| (*of, *name) == (section, key.as_str()));
            let meaning = known.map(|(.., meaning, _)| *meaning).next();
            let meaning = meaning.unwrap_or_else(|| panic!("say what {section}.{key} means"));
            assert!(text.contains(meaning), "{section}.{key}: {text}");
        }
    }
}

#[test]
fn the_defaults_in_the_comments_are_the_defaults() {
    let (_folder, path, text) = written(&config());
    let (before, defaults) = text.split_once("# Other settings").expect("the defaults");
    let is_setting = |line: &&str| line.starts_with('[') || line.contains(" = ");
    let lines = defaults.lines().filter_map(|line| line.strip_prefix("# "));
    let uncommented: String = lines
        .filter(is_setting)
        .flat_map(|line| [line, "\n"])
        .collect();
    std::fs::write(&path, format!("{before}\n{uncommented}")).expect("written");
    assert!(uncommented.contains("query_wait_ms = 800"), "{uncommented}");
    assert_eq!(SpaceConfig::read(&path).expect("read"), Some(config()));
}

#[test]
fn what_a_space_accepts_is_bounded() {
    let (_folder, path, usual) = written(&config());
    let check = |lines: &str, problem: Option<&str>| {
        std::fs::write(&path, format!("{usual}\n{lines}\n")).expect("written");
        let read = SpaceConfig::read(&path).map_err(|error| error.to_string());
        match problem {
            None => assert!(read.is_ok(), "{lines}: {read:?}"),
            Some(words) => {
                let said = read.expect_err(lines);
                assert!(
                    said.contains(words) && said.contains("space.toml"),
                    "{lines}: {said}"
                );
            }
        }
    };
    check("[intake]\nkinds = [\"fact\"]\nduplicates = \"none\"", None);
    check("[intake]\nkinds = [\"rumour\"]", Some("rumour"));
    check("[intake]\nduplicates = \"fuzzy\"", Some("semantic"));
    check("[intake]\nsimilarity = 0.4", Some("intake.similarity"));
    check("[intake]\nsimilarity = nan", Some("0.5 to 1"));
    check("[intake]\nquality = 1.5", Some("intake.quality"));
    check(
        "[budgets]\ndaily_dollars = -1",
        Some("budgets.daily_dollars"),
    );
    check("[budgets]\nweekly_dollars = 1", Some("weekly_dollars"));
    check(
        "[embedding]\nquery_wait_ms = 10001",
        Some("embedding.query_wait_ms"),
    );
    check("[embedding]\nquery_wait_ms = 0", None);
    check("[recompute]\nlinks = false\nlink_floor = 0", None);
    check("[recompute]\nhalf_life_days = 36525", None);
    check(
        "[recompute]\nhalf_life_days = 0",
        Some("recompute.half_life_days"),
    );
    check("[recompute]\nhalf_life_days = nan", Some("above 0"));
    check(
        "[recompute]\nlink_half_life_days = 36526",
        Some("recompute.link_half_life_days"),
    );
    check("[recompute]\nlink_floor = 1.1", Some("0 to 1"));
    check("[recompute]\nspeed = 3", Some("speed"));
}
