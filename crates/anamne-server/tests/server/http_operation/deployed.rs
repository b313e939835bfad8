//! The files in `deploy/`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use saphyr_parser::{Event, Parser};
use serde_json::Value;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    let path: PathBuf = path.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The scalars of a YAML file.
fn scalars(name: &str) -> Vec<String> {
    let text = read(name);
    let mut scalars = Vec::new();
    for event in Parser::new_from_str(&text) {
        let (event, _) = event.unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Event::Scalar(value, ..) = event {
            scalars.push(value.into_owned());
        }
    }
    assert!(!scalars.is_empty(), "{name} is empty");
    scalars
}

/// Every string with this name in JSON.
fn strings<'a>(value: &'a Value, name: &str, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                match value {
                    Value::String(text) if field == name => found.push(text),
                    value => strings(value, name, found),
                }
            }
        }
        Value::Array(values) => {
            for value in values {
                strings(value, name, found);
            }
        }
        _ => {}
    }
}

/// The names of metrics in a query.
fn metrics(query: &str) -> BTreeSet<String> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let words = query.split(|character| !is_part(character));
    let ours = words.filter(|word| word.starts_with("anamne_") || word.starts_with("process_"));
    ours.map(str::to_owned).collect()
}

#[test]
fn the_dashboard_shows_metrics_that_exist() {
    let text = read("grafana/dashboards/anamne.json");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let mut queries = Vec::new();
    strings(&dashboard, "expr", &mut queries);
    assert!(queries.len() >= 8, "{queries:?}");
    let there = super::metrics::names();
    let mut shown = BTreeSet::new();
    for query in queries {
        let named = metrics(query);
        assert!(!named.is_empty(), "{query}");
        for name in named {
            assert!(there.contains(&name), "no metric {name}: {query}");
            shown.insert(name);
        }
    }
    assert!(shown.len() >= 8, "{shown:?}");
    let panels = dashboard["panels"].as_array().expect("panels");
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64()).collect();
    assert_eq!(ids.len(), panels.len(), "each panel has its own id");
}

#[test]
fn the_services_fit_together() {
    let compose = scalars("compose.yaml");
    for file in [
        "./prometheus.yml",
        "./grafana/provisioning",
        "./grafana/dashboards",
    ] {
        assert!(
            compose.iter().any(|value| value.starts_with(file)),
            "{file} is mounted"
        );
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
        assert!(path.join(file).exists(), "{file}");
    }
    assert!(scalars("prometheus.yml").contains(&"anamne:7331".to_owned()));
    scalars("grafana/provisioning/datasources/prometheus.yaml");
    let provider = scalars("grafana/provisioning/dashboards/anamne.yaml");
    let folder = provider.iter().find(|value| value.starts_with('/'));
    let folder = folder.expect("a folder of dashboards");
    assert!(compose.iter().any(|value| value.contains(folder.as_str())));
}

#[test]
fn the_unit_and_the_image_start_the_server_without_rights() {
    let unit = read("anamne.service");
    let mut section = "";
    let mut settings = BTreeSet::new();
    for line in unit.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            section = name.strip_suffix(']').expect("a section");
            continue;
        }
        let (name, value) = line.split_once('=').expect("a setting");
        settings.insert(format!("{section}.{name}={value}"));
    }
    for hardened in [
        "Service.DynamicUser=yes",
        "Service.ProtectSystem=strict",
        "Service.ProtectHome=yes",
        "Service.NoNewPrivileges=yes",
        "Service.PrivateTmp=yes",
        "Service.CapabilityBoundingSet=",
        "Service.RestrictSUIDSGID=yes",
        "Service.MemoryDenyWriteExecute=yes",
        "Service.StateDirectory=anamne",
        "Install.WantedBy=multi-user.target",
    ] {
        assert!(settings.contains(hardened), "{hardened}: {settings:?}");
    }
    let start = settings
        .iter()
        .find(|line| line.starts_with("Service.ExecStart="));
    assert!(start.is_some_and(|start| start.contains(" serve")));

    let image = read("Dockerfile");
    let lines = || image.lines().map(str::trim);
    let last_stage = lines().rfind(|line| line.starts_with("FROM "));
    assert_eq!(last_stage, Some("FROM scratch"));
    let user = lines().rfind(|line| line.starts_with("USER "));
    assert_eq!(user, Some("USER 65532:65532"));
    assert!(image.contains("musl") && image.contains("--locked"));
}
