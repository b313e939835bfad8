//! The table of capabilities and interfaces: `docs/doors.md` is generated from `data/doors.toml`, which is checked
//! against the engine's methods, the command line, the tools, the routes, the hooks and the tests that exist.

mod faults;
mod known;
mod page;
#[path = "../../../anamne/tests/engine/common/public_methods.rs"]
mod public_methods;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use known::Known;
use table::Table;

/// Set to any value, it makes the test write the page instead of comparing it.
const REWRITE: &str = "ANAMNE_WRITE_DOORS";

/// The folder of all crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn table() -> Table {
    let path = crates().join(table::PLACE);
    let text = fs::read_to_string(path).expect("the table");
    Table::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", table::PLACE))
}

#[test]
fn every_capability_is_in_the_table_with_its_tests() {
    let faults = faults::all(&table(), &Known::read());
    assert!(faults.is_empty(), "\n\n{}\n", faults.join("\n\n"));
}

#[test]
fn the_page_is_as_generated() {
    let place = crates().join("../docs/doors.md");
    let generated = page::of(&table(), &Known::read());
    if std::env::var_os(REWRITE).is_some() {
        fs::write(&place, &generated).expect("the page is written");
    }
    let published = fs::read_to_string(&place).unwrap_or_default();
    assert!(
        published == generated,
        "docs/doors.md is out of date; write it with:\n  {REWRITE}=1 cargo test -p anamne-cli --bin anamne doors"
    );
}

/// The table, changed by `change`, has a fault that contains `expected`.
#[track_caller]
fn check_fault(change: impl Fn(&str) -> String, expected: &str) {
    let known = Known::read();
    let text = fs::read_to_string(crates().join(table::PLACE)).expect("the table");
    let changed = change(&text);
    assert_ne!(changed, text, "the change changes something");
    let changed = Table::parse(&changed).unwrap_or_else(|error| panic!("{error}"));
    let found = faults::all(&changed, &known);
    assert!(
        found.iter().any(|fault| fault.contains(expected)),
        "{expected:?} is not among {found:#?}"
    );
}

#[test]
fn a_table_that_is_not_complete_or_not_true_fails() {
    let replaced = |from: &'static str, to: &'static str| move |text: &str| text.replace(from, to);
    check_fault(
        replaced("\"Space::unlink\"", "\"Space::link\""),
        "`Space::unlink` of Rust is in no row",
    );
    check_fault(
        replaced("\"cache savings\"", "\"cache list\""),
        "`cache savings` of the command line is in no row",
    );
    check_fault(
        replaced("\"memory_link\"", "\"memory_get\""),
        "`memory_link` of MCP is in no row",
    );
    check_fault(
        replaced("\"GET /v1/spaces/{space}/tiers\"", "\"GET /v1/spaces\""),
        "`GET /v1/spaces/{space}/tiers` of REST is in no row",
    );
    check_fault(
        replaced("/tiers/moves\"", "/tiers/removals\""),
        "`POST /v1/spaces/{space}/tiers/removals`, which does not exist",
    );
    check_fault(
        replaced("rest = { none = \"host\" }", ""),
        "says nothing about REST",
    );
    check_fault(
        replaced(
            "rest_upkeep.rs::the_log_is_listed_by_time_actor_kind_and_memory",
            "rest_knowledge.rs::outcomes_teach_what_worked",
        ),
        "none of its tests of REST mentions `GET /v1/spaces/{space}/log`",
    );
    check_fault(
        replaced("\"before-compaction\"", "\"turn-end\""),
        "`before-compaction` of hooks is in no row",
    );
    check_fault(
        replaced("\"Space::unlink\"", "\"Space::unlink_gone\""),
        "`Space::unlink_gone`, which does not exist",
    );
    check_fault(
        replaced("\"recall --depth\"", "\"recall --deepness\""),
        "`recall --deepness`, which does not exist",
    );
    check_fault(
        replaced("\"memory_search depth\"", "\"memory_search deepness\""),
        "`memory_search deepness`, which does not exist",
    );
    check_fault(
        replaced("{ none = \"person\" }", "{ none = \"nobody\" }"),
        "no reason `nobody`",
    );
    check_fault(
        replaced("mcp = { none = \"person\" }", ""),
        "says nothing about MCP",
    );
    check_fault(
        replaced("::a_list_pages_and_filters", "::a_list_sings"),
        "the test `mcp_tools.rs::a_list_sings`, which does not exist",
    );
    check_fault(
        replaced(
            "mcp_tools.rs::links_are_created_shown_and_removed",
            "mcp_guard.rs::store_and_update_say_what_was_redacted",
        ),
        "none of its tests of MCP mentions `memory_link`",
    );
}
