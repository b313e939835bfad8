//! A purge removes all words of dead rows from a view's files and leaves everything else unchanged.

use std::fs;
use std::path::Path;

use anamne_index::lexical::LexicalView;
use anamne_store::view::{Change, ChangeFeed, Fold, Health, Record, View, ViewError};
use anamne_text::analyser::Analyser;
use anamne_types::{Row, Seq};
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, Term};

/// An in-memory log.
#[derive(Default)]
struct Log(Vec<Change>);

impl Log {
    fn write(&mut self, row: u32, text: Option<&str>) {
        self.0.retain(|change| change.row != Row(row));
        let seq = self.0.iter().map(|change| change.seq.0).max().unwrap_or(0) + 1;
        let record = text.map(|text| Record {
            text: text.to_owned(),
            author_name: "Ines".to_owned(),
            ..Record::default()
        });
        self.0.push(Change {
            seq: Seq(seq),
            row: Row(row),
            record,
        });
    }
}

impl ChangeFeed for Log {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(self.0.last().map_or(Seq(0), |change| change.seq))
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        let later = self.0.iter().filter(|change| change.seq > after);
        Ok(later.take(limit).cloned().collect())
    }
}

/// Whether a dictionary of the index on disk contains the term, for a live or a dead document.
fn knows(folder: &Path, term: &str) -> bool {
    let copy = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let mut bytes = fs::read(&path).expect("a file");
        let name = path.file_name().expect("a name");
        if name == "meta.json" || name == ".managed.json" {
            // Without the seal it is the file that tantivy wrote.
            bytes.truncate(bytes.len() - 18);
        }
        fs::write(copy.path().join(name), bytes).expect("written");
    }
    let index = Index::open_in_dir(copy.path()).expect("an index");
    let field = index.schema().get_field("text").expect("the field");
    let searcher = index.reader().expect("a reader").searcher();
    searcher.segment_readers().iter().any(|segment| {
        let inverted = segment.inverted_index(field).expect("a dictionary");
        let postings = inverted
            .read_postings(
                &Term::from_field_text(field, term),
                IndexRecordOption::Basic,
            )
            .expect("postings");
        postings.is_some()
    })
}

fn found(view: &LexicalView, words: &str) -> Vec<u32> {
    let query = Analyser::new().query(words);
    let mut rows: Vec<_> = view
        .search(&query, 10, None)
        .expect("an answer")
        .into_iter()
        .map(|hit| hit.row.0)
        .collect();
    rows.sort_unstable();
    rows
}

#[test]
fn no_word_of_a_dead_row_stays_in_a_dictionary() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("active");
    let view = LexicalView::open(folder.clone());
    let mut log = Log::default();
    let mut silent = |_| {};
    assert_eq!(
        view.purge(&log, &mut silent).expect("nothing to do"),
        Fold::Nothing
    );
    assert!(!folder.exists(), "a purge publishes nothing by itself");
    for row in 1..=40 {
        log.write(row, Some("a common lantern"));
    }
    log.write(41, Some("a common lantern with a quellfruit"));
    view.fold(&log, &mut silent).expect("folded");
    log.write(42, Some("another lantern"));
    view.fold(&log, &mut silent).expect("folded");
    log.write(41, None);
    view.fold(&log, &mut silent).expect("folded");
    assert!(knows(&folder, "quellfruit"), "a fold alone leaves it there");
    let files = || fs::read_dir(&folder).expect("a folder").count();
    // The previous fold has already covered the log.
    assert!(matches!(
        view.purge(&log, &mut silent),
        Ok(Fold::Published(_))
    ));
    assert!(!knows(&folder, "quellfruit"));
    assert!(knows(&folder, "lantern"));
    let after = files();
    view.purge(&log, &mut silent).expect("nothing to purge");
    assert_eq!(files(), after, "nothing of what was replaced is left");
    assert_eq!(found(&view, "quellfruit"), Vec::<u32>::new());
    assert_eq!(found(&view, "another lantern").first(), Some(&1));
    assert_eq!((view.verify(), view.position()), (Health::Whole, Seq(43)));
    let again = LexicalView::open(folder);
    assert_eq!(found(&again, "another"), [42]);
}

#[test]
fn another_process_that_folds_is_not_overtaken() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("active");
    let view = LexicalView::open(folder.clone());
    let mut log = Log::default();
    log.write(1, Some("a lantern"));
    view.fold(&log, &mut |_| {}).expect("folded");
    let lock = fs::File::open(home.path().join("active.lock")).expect("the lock");
    lock.lock().expect("locked");
    assert_eq!(view.purge(&log, &mut |_| {}).expect("no error"), Fold::Busy);
    lock.unlock().expect("unlocked");
    assert_ne!(view.purge(&log, &mut |_| {}).expect("purged"), Fold::Busy);
}
