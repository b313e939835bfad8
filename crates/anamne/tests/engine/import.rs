//! Imports can be repeated, report invalid lines, and lose nothing.

use anamne::{BadLines, Error, Filter, Listing, Options, Space, Store};
use tempfile::TempDir;

fn space() -> (TempDir, Space) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    let space = store.space("tests").expect("a space");
    (folder, space)
}

const LINES: &str = r#"{"id": "a", "thread": "t", "position": 0, "time": "2026-02-03T09:12:00Z", "author": "Ada", "text": "Good morning"}
{"id": "b", "thread": "t", "position": 1, "time": "2026-02-03T09:13:00Z", "author": "Bo", "text": "Good morning"}

{"id": 7, "text": "A fact with links", "kind": "fact", "category": "constraint", "tags": ["x"], "links": [{"to": "a", "type": "supports"}], "mood": "calm"}
"#;

#[test]
fn an_import_that_is_run_again_changes_nothing() {
    let (_folder, space) = space();
    let first = space
        .import(LINES.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    assert_eq!(
        (first.lines, first.imported, first.known, first.links),
        (4, 3, 0, 1)
    );
    let again = space
        .import(LINES.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    assert_eq!((again.imported, again.known), (0, 3));
    let fact = space
        .get(
            space
                .find_imported("7")
                .expect("a look-up")
                .expect("a memory"),
        )
        .expect("a memory");
    assert_eq!(fact.metadata["mood"], "calm");
    assert_eq!(space.links(fact.id).expect("links").len(), 1);
}

#[test]
fn a_bad_line_is_named_and_what_came_before_it_stays() {
    for (bad, reason) in [
        (r#"{"text": }"#, "expected value"),
        (r#"{"text": ""}"#, "content"),
        (r#"{"text": "x", "importance": 11}"#, "importance"),
        (r#"{"text": "x", "kind": "rumour"}"#, "rumour"),
        (r#"{"no": "text"}"#, "text"),
        (r#"{"text": "x", "time": "yesterday"}"#, "time"),
        (
            r#"{"id": "a", "text": "something else"}"#,
            "different content",
        ),
    ] {
        let (_folder, space) = space();
        let text = format!("{LINES}{bad}\n{{\"text\": \"after\"}}\n");
        let error = space
            .import(text.as_bytes(), BadLines::Stop, &mut |_| {})
            .expect_err(bad);
        assert!(matches!(error, Error::BadLine { line: 5, .. }), "{error}");
        assert!(error.to_string().contains(reason), "{bad}: {error}");
        let before = space
            .list(&Listing {
                limit: 10,
                ..Listing::default()
            })
            .expect("a list");
        assert!(before.len() >= 3, "{bad}: what came before must stay");
        let skipped = space
            .import(text.as_bytes(), BadLines::Skip, &mut |_| {})
            .expect("imported");
        assert_eq!(
            skipped.bad.iter().map(|bad| bad.line).collect::<Vec<_>>(),
            [5]
        );
        let all = space
            .list(&Listing {
                limit: 10,
                ..Listing::default()
            })
            .expect("a list");
        assert!(all.iter().any(|memory| memory.content == "after"));
    }
}

#[test]
fn an_export_can_be_imported_elsewhere() {
    let (_folder, space) = space();
    space
        .import(LINES.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    let mut exported = Vec::new();
    let report = space.export(&mut exported).expect("exported");
    assert_eq!((report.exported, report.skipped.count), (3, 0));
    let (_other_folder, other) = self::space();
    let report = other
        .import(exported.as_slice(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    assert_eq!((report.imported, report.links), (3, 1));
    let of = |space: &Space| {
        let listing = Listing {
            limit: 10,
            filter: Filter::default(),
            ..Listing::default()
        };
        let mut memories = space.list(&listing).expect("a list");
        memories.sort_by(|one, other| one.external_id.cmp(&other.external_id));
        memories
            .into_iter()
            .map(|memory| {
                (
                    memory.content,
                    memory.body,
                    memory.thread,
                    memory.author,
                    memory.tags,
                    memory.occurred_at,
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&space), of(&other));
}

/// The number of records and bytes in each transaction of an import.
fn batches(lines: &str) -> Vec<(u64, u64)> {
    let (_folder, space) = space();
    let mut reached = Vec::new();
    let report = space
        .import(lines.as_bytes(), BadLines::Stop, &mut |report| {
            reached.push(report.imported);
        })
        .expect("imported");
    assert_eq!(report.imported, lines.lines().count() as u64);
    let mut left = lines.lines();
    let mut before = 0;
    let mut batches = Vec::new();
    for imported in reached {
        let records = imported - before;
        let bytes = left
            .by_ref()
            .take(records as usize)
            .map(str::len)
            .sum::<usize>();
        batches.push((records, bytes as u64));
        before = imported;
    }
    batches
}

#[test]
fn batches_are_bounded_by_records_and_by_bytes() {
    let line =
        |number: usize, bytes: usize| format!("{{\"text\": \"{number} {}\"}}\n", "x".repeat(bytes));
    let small: String = (0..1_200).map(|number| line(number, 10)).collect();
    let found = batches(&small);
    assert!(found.len() > 2, "{found:?}");
    assert!(
        found.iter().all(|(records, _)| *records <= 512),
        "{found:?}"
    );
    let large: String = (0..12).map(|number| line(number, 200_000)).collect();
    let found = batches(&large);
    assert!(
        found.iter().all(|(_, bytes)| *bytes <= 1 << 20),
        "{found:?}"
    );
    // Twelve metadata entries count too, not only content.
    let mood = "x".repeat(30_000);
    let line = |number: usize| format!("{{\"text\": \"{number}\", \"mood\": \"{mood}\"}}\n");
    let stored: String = (0..12).map(line).collect();
    let found = batches(&stored);
    assert!(found.len() > 1, "{found:?}");
}
