//! A store with terminal commands in every field.

use serde_json::{Value, json};

use crate::bench::{Bench, lines};

/// The beginning of a line that looks like one of the command.
pub(super) const FORGED: &str = "error: forged";

/// A text that sets a title, clears the screen, forges colours, reverses the reading order and forges a line.
pub(super) const TEXT: &str = "Mara Lind \u{1b}]0;title\u{7} \u{1b}[2J \u{1b}[31mred\u{1b}[0m \u{1b}[1A \u{9b}2J \u{8}\u{7f} \
     \u{202e}turned\u{202c} \u{2066}x\u{2069} hid\u{200b}den tag\u{e0041}\u{e0042} works at Hafen\r\nerror: forged\u{2028}error: forged\nerror: forged";

/// A name, which may not have control characters: direction marks, zero width, tags, and shell commands.
pub(super) const NAME: &str = "Ma\u{202e}ra\u{200b} \u{e0041}$(touch pwned) `id` \u{2067}\u{feff}";

/// Two contradicting statements.
const NEVER: &str =
    "I have never written any Flask routes in this project, \u{202e} \u{1b}[2J ever.";
const DID: &str = "I implemented a Flask route for the homepage \u{202e} \u{1b}[2J.\nerror: forged";

/// A file name, which may contain all of it.
const FILE: &str = "no\u{1b}[2Jte \u{202e}\u{9b}x\nerror: forged $(touch pwned)";

/// An argument with its placeholders filled.
pub(super) fn filled(argument: &str) -> String {
    argument
        .replace("{text}", TEXT)
        .replace("{name}", NAME)
        .replace("{file}", FILE)
}

fn record(number: u64, fields: Value) -> Value {
    let mut record = json!({
        "id": format!("{NAME}{number}"),
        "text": format!("{number} {TEXT}"),
        "author": NAME,
        "thread": NAME,
        "session": NAME,
        "tags": [NAME],
        "time": format!("2026-03-0{}T10:00:00Z", number % 8 + 1),
        "metadata": { NAME: TEXT, "list": [TEXT] },
        "links": [{ "to": format!("{NAME}{}", number.saturating_sub(1)), "type": "supports", "reason": TEXT }],
    });
    let Value::Object(fields) = fields else {
        return record;
    };
    for (name, value) in fields {
        record[name] = value;
    }
    record
}

fn records() -> String {
    let texts = [TEXT];
    lines([
        record(0, json!({ "links": [] })),
        record(
            1,
            json!({ "kind": "episode", "goal": TEXT, "plan": texts, "outcome": TEXT,
            "tool_log": [{ "tool": TEXT, "input": TEXT, "output": TEXT }] }),
        ),
        record(
            2,
            json!({ "kind": "skill", "name": NAME, "trigger": TEXT, "steps": texts, "code": TEXT }),
        ),
        record(
            3,
            json!({ "kind": "document", "title": TEXT, "source": TEXT }),
        ),
        record(4, json!({ "kind": "thought" })),
        record(5, json!({ "kind": "fact", "category": "insight" })),
        record(6, json!({ "author": "Ada\u{202e}", "text": NEVER })),
        record(7, json!({ "author": "Ada\u{202e}", "text": DID })),
        record(
            8,
            json!({ "kind": "fact", "text": format!("We deploy the parser on Fridays {NAME}") }),
        ),
        record(
            9,
            json!({ "kind": "fact", "text": format!("We deploy the parser on Fridays, {NAME}") }),
        ),
    ])
}

/// The store, written through every command that takes a text.
pub(super) fn store() -> Bench {
    let bench = Bench::new();
    let stored = |arguments: &[&str]| {
        let ran = bench.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    };
    stored(&["init"]);
    let settings = bench.store().join("spaces/core/space.toml");
    let written = std::fs::read_to_string(&settings).expect("settings");
    let with_words = format!("{written}\n[meta]\nqueries = \"text\"\n");
    let with_words = if written.contains("\n[meta]") {
        written
    } else {
        with_words
    };
    std::fs::write(&settings, with_words).expect("settings");
    let imported = bench.feed(&["import", "-"], records().as_bytes());
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    stored(&["spaces", "set", "--description", TEXT]);
    stored(&[
        "remember",
        TEXT,
        "--author",
        NAME,
        "--metadata",
        &format!("{NAME}={TEXT}"),
    ]);
    stored(&[
        "edit",
        "m1",
        "--content",
        &format!("changed {TEXT}"),
        "--tag",
        NAME,
    ]);
    stored(&["feedback", "m2", "useful", "--note", TEXT]);
    for (name, sort) in [
        (NAME, "person"),
        (&format!("{NAME}Kestrel"), "tool"),
        (&format!("{NAME} Kestrel"), "tool"),
    ] {
        stored(&[
            "knowledge",
            "entity",
            name,
            "--type",
            sort,
            "--alias",
            &format!("{name} alias"),
        ]);
    }
    stored(&["knowledge", "relation", NAME, "works_at", NAME]);
    stored(&["knowledge", "property", NAME, "motto", TEXT]);
    stored(&["recall", TEXT]);
    stored(&["forget", "m5"]);
    stored(&["extract"]);
    #[cfg(unix)]
    with_hostile_files(&bench);
    bench
}

/// Files with hostile names: notes, a file of bad lines, an unreadable space.
#[cfg(unix)]
fn with_hostile_files(bench: &Bench) {
    let vault = bench.folder().join("vault");
    std::fs::create_dir(&vault).expect("a folder");
    let note = format!("---\nkind: nonsense {TEXT}\n---\n{TEXT}\n");
    std::fs::write(vault.join(format!("{FILE}.md")), note).expect("a note");
    bench.file(
        FILE,
        lines([json!({ "text": "x", "kind": TEXT }), json!({ TEXT: TEXT })]),
    );
    let space = bench.store().join("spaces").join(FILE);
    std::fs::create_dir(&space).expect("a folder");
    std::fs::write(space.join("space.toml"), format!("name = \"{TEXT}")).expect("settings");
}
