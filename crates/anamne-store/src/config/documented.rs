//! `space.toml` with its documentation: a comment above each setting, and the settings that have their default as
//! comments.

use std::fmt::Write as _;

use toml::{Table, Value};

/// A setting: section, key, meaning, and the default as TOML; without a default it always stands in the file.
type Setting = (&'static str, &'static str, &'static str, &'static str);

/// Every setting, in the order of the file.
pub(super) const SETTINGS: &[Setting] = &[
    (
        "",
        "format",
        "The version of this file. Not to be changed.",
        "",
    ),
    ("", "name", "The name of the space. Not to be changed.", ""),
    (
        "",
        "description",
        "What the space is about, for people and for agents that choose a space.",
        "",
    ),
    (
        "",
        "created_at",
        "When the space was created. Not to be changed.",
        "",
    ),
    (
        "recall",
        "recency_days",
        "Decay: days until the recency of a memory falls to 37 %. Above 0, at most 36525.",
        "",
    ),
    (
        "recall",
        "weights",
        "Weights of ranking features, by the names in explanations: -1000 to 1000.",
        "",
    ),
    (
        "recall",
        "roles",
        "Points from -3 to 3 by importance, kind and category, for queries in a role.",
        "",
    ),
    (
        "quota",
        "bytes",
        "Maximum size of the files of the space, in bytes; 0 for no limit.",
        "0",
    ),
    (
        "retention",
        "days",
        "Memories older than this are forgotten; 0 for never.",
        "0",
    ),
    (
        "retention",
        "grace_days",
        "Forgotten memories are erased after this many more days of use: 1 to 36525.",
        "30",
    ),
    (
        "tiers",
        "active_days",
        "Maximum age of memories in the active tier, in days; at least 1.",
        "30",
    ),
    (
        "tiers",
        "recent_days",
        "Maximum age of memories in the recent tier, in days; older ones are archived.",
        "90",
    ),
    (
        "embedding",
        "model",
        "The embedding model: builtin, a model of the store, or SOURCE:MODEL of a source in model.toml.",
        "\"builtin\"",
    ),
    (
        "embedding",
        "query_wait_ms",
        "How long a query waits for its vector from a SOURCE:MODEL, in milliseconds: 0 (never ask) to 10000.",
        "800",
    ),
    (
        "embedding",
        "batch_from",
        "From so many texts on, a new SOURCE:MODEL is asked in batches, at half price within a day; 0: never.",
        "0",
    ),
    (
        "intake",
        "kinds",
        "The accepted kinds of memories, such as [\"fact\", \"message\"]; empty for all.",
        "[]",
    ),
    (
        "intake",
        "duplicates",
        "What counts as a duplicate: exact (the same text), semantic (also a rewording) or none.",
        "\"exact\"",
    ),
    (
        "intake",
        "similarity",
        "With semantic: the similarity of a rewording, 0.5 to 1.",
        "0.95",
    ),
    (
        "intake",
        "quality",
        "Told texts of lower quality are refused: 0 (accept everything) to 1.",
        "0.0",
    ),
    (
        "budgets",
        "daily_dollars",
        "US dollars per day for models, within model.toml; 0 for no limit.",
        "0.0",
    ),
    (
        "budgets",
        "monthly_dollars",
        "US dollars per month for models; 0 for no limit.",
        "0.0",
    ),
    (
        "budgets",
        "daily_tokens",
        "Tokens per day for models; 0 for no limit.",
        "0",
    ),
    (
        "budgets",
        "monthly_tokens",
        "Tokens per month for models; 0 for no limit.",
        "0",
    ),
    (
        "meta",
        "planning",
        "Whether recall may skip tiers that are unlikely to contain results.",
        "true",
    ),
    (
        "meta",
        "queries",
        "What is recorded about queries: hashed, text or off.",
        "\"hashed\"",
    ),
    (
        "backup",
        "folder",
        "The folder of automatic backups, an absolute path; empty for none.",
        "\"\"",
    ),
    (
        "backup",
        "every_hours",
        "The interval of the backups, in hours.",
        "24",
    ),
    (
        "backup",
        "keep",
        "How many backups are kept; at least 1.",
        "7",
    ),
    (
        "recompute",
        "importance",
        "Whether current importance is computed from use, links and age; false shows what was told.",
        "true",
    ),
    (
        "recompute",
        "links",
        "Whether the strength of links decays; false shows what was told.",
        "true",
    ),
    (
        "recompute",
        "half_life_days",
        "Days until the points for use and youth halve. Above 0, at most 36525.",
        "60.0",
    ),
    (
        "recompute",
        "link_half_life_days",
        "Days until a link that is neither told again nor used has half its strength. Above 0, at most 36525.",
        "60.0",
    ),
    (
        "recompute",
        "link_floor",
        "The share of its told strength that a link keeps at least: 0 to 1.",
        "0.1",
    ),
    (
        "guard",
        "actions",
        "What happens to secrets and personal data, by kind or group: off, mark, redact or refuse.",
        "{}",
    ),
    (
        "guard",
        "allow",
        "Values that are no secrets; * stands for any characters.",
        "[]",
    ),
    ("guard", "names", "Names of people to look for.", "[]"),
    (
        "guard",
        "paths",
        "Files whose imports are not checked; * stands for any characters.",
        "[]",
    ),
    (
        "guard",
        "private",
        "Whether every memory is private: sent to models on this machine only.",
        "false",
    ),
    (
        "project",
        "",
        "The project of the space: what identifies it, and its folders.",
        "",
    ),
    (
        "project",
        "folders",
        "The folders that lead to the space.",
        "",
    ),
    (
        "project",
        "joined",
        "The space into which its memories were moved.",
        "",
    ),
    (
        "project",
        "formerly",
        "The space that an earlier version used for this project.",
        "",
    ),
];

fn meaning(section: &str, key: &str) -> Option<&'static str> {
    let mut settings = SETTINGS.iter();
    let found = settings.find(|(of, name, ..)| *of == section && *name == key);
    found.map(|(.., meaning, _)| *meaning)
}

/// Whether a value has a header of its own: a table, or an array of tables.
fn is_section(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        Value::Array(values) => values.first().is_some_and(Value::is_table),
        _ => false,
    }
}

/// The settings as TOML text with comments. `settings` are values of the file, by section.
pub(super) fn documented(settings: &Table) -> Result<String, toml::ser::Error> {
    let mut text = String::new();
    for (key, value) in settings.iter().filter(|(_, value)| !is_section(value)) {
        write(&mut text, "", key, value)?;
    }
    for (section, value) in settings {
        let Value::Table(values) = value else {
            continue;
        };
        text.push('\n');
        comment(&mut text, meaning(section, ""));
        let _ = writeln!(text, "[{section}]");
        for (key, value) in values.iter().filter(|(_, value)| !is_section(value)) {
            write(&mut text, section, key, value)?;
        }
        for default in defaults_of(section).filter(|(_, key, ..)| !values.contains_key(*key)) {
            append_default(&mut text, default);
        }
        for (key, value) in values.iter().filter(|(_, value)| is_section(value)) {
            text.push('\n');
            comment(&mut text, meaning(section, key));
            let inner = Table::from_iter([(key.clone(), shortened(value))]);
            let whole = Table::from_iter([(section.clone(), Value::Table(inner))]);
            text.push_str(&toml::to_string(&whole)?);
        }
    }
    append_defaults(&mut text, settings);
    Ok(text)
}

fn write(
    text: &mut String,
    section: &str,
    key: &str,
    value: &Value,
) -> Result<(), toml::ser::Error> {
    comment(text, meaning(section, key));
    let line = Table::from_iter([(key.to_owned(), shortened(value))]);
    text.push_str(&toml::to_string(&line)?);
    Ok(())
}

/// The value with the shortest form of each number that was a single-precision one: 0.9, not 0.8999999761581421.
fn shortened(value: &Value) -> Value {
    match value {
        Value::Float(number) if f64::from(*number as f32).to_bits() == number.to_bits() => {
            let short = (*number as f32).to_string().parse();
            Value::Float(short.unwrap_or(*number))
        }
        Value::Array(values) => Value::Array(values.iter().map(shortened).collect()),
        Value::Table(values) => {
            let inner = values.iter();
            Value::Table(
                inner
                    .map(|(key, value)| (key.clone(), shortened(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

fn comment(text: &mut String, meaning: Option<&str>) {
    if let Some(meaning) = meaning {
        let _ = writeln!(text, "# {meaning}");
    }
}

/// The settings of a section that have a default.
fn defaults_of(section: &str) -> impl Iterator<Item = &'static Setting> {
    let of_section = move |setting: &&Setting| setting.0 == section && !setting.3.is_empty();
    SETTINGS.iter().filter(of_section)
}

fn append_default(text: &mut String, (_, key, meaning, default): &Setting) {
    let _ = writeln!(text, "# {meaning}\n# {key} = {default}");
}

/// Appends the sections that are not in the file, as comments. Older versions of the program, which don't know all of
/// them, read the file too.
fn append_defaults(text: &mut String, settings: &Table) {
    text.push_str("\n# Other settings, with their defaults. To change one, remove the `# ` before it and before its\n");
    text.push_str("# section.\n");
    let mut last = "";
    for (section, ..) in SETTINGS {
        if *section == last || settings.contains_key(*section) {
            continue;
        }
        last = section;
        for (number, default) in defaults_of(section).enumerate() {
            if number == 0 {
                let _ = writeln!(text, "#\n# [{section}]");
            }
            append_default(text, default);
        }
    }
}
