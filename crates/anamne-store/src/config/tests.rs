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

#[test]
fn the_model_is_written_only_if_it_is_not_the_built_in_one() {
    let mut config = config();
    let (_folder, path, text) = written(&config);
    assert!(!text.contains("embedding"), "earlier versions read it too");
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
        text.contains("days = 365") && !text.contains("grace"),
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
    assert!(!text.contains("weights") && !text.contains("roles"));
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
