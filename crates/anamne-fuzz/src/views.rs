//! The files of the views, with changed bytes and corrected checksums, so that the change gets past the checksum.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anamne_embed::StaticModel;
use anamne_index::columns::{ColumnsView, RowPredicate, Tokenise};
use anamne_index::latent::LatentIndex;
use anamne_index::lexical::LexicalView;
use anamne_index::vectors::VectorsView;
use anamne_store::view::{Change, ChangeFeed, Health, Record, View, ViewError};
use anamne_types::{Row, Seq};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// The length of a segment header, which ends with its checksum.
const HEADER: usize = 512;

/// A log of a dozen memories.
struct Log;

impl ChangeFeed for Log {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(Seq(12))
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        let change = |number: u64| Change {
            seq: Seq(number),
            row: Row(number as u32),
            record: Some(Record {
                text: format!("the harbour gauge reads {number} centimetres at noon"),
                ..Record::default()
            }),
        };
        Ok((after.0 + 1..=12).take(limit).map(change).collect())
    }
}

/// A tokenizer that maps each word to its length.
struct Lengths;

impl Tokenise for Lengths {
    fn name(&self) -> String {
        "lengths".to_owned()
    }

    fn tokens(&self, text: &str, out: &mut Vec<u16>) {
        out.extend(text.split(' ').map(|word| word.len() as u16));
    }
}

const VIEWS: [&str; 3] = ["columns", "lexical", "vectors"];

fn open(view: &str, folder: &Path) -> Option<Box<dyn View>> {
    let folder = folder.to_owned();
    Some(match view {
        "columns" => Box::new(ColumnsView::open(folder, Arc::new(Lengths))),
        "lexical" => Box::new(LexicalView::open(folder)),
        _ => Box::new(VectorsView::open(folder, Arc::new(StaticModel::builtin())).ok()?),
    })
}

/// The views of the log, folded once per process.
fn folded() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        for name in VIEWS {
            let view = open(name, &folder.path().join(name)).expect("a view");
            view.fold(&Log, &mut |_| {}).expect("folded");
        }
        folder
    });
    folder.path()
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            files.extend(files_under(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files.sort();
    files
}

/// Input format: byte 0 selects the view and whether checksums are corrected, byte 1 the file, bytes 2 and 3 the
/// offset. The rest is written there; without a rest the file is truncated there. In addition, the whole input is
/// decoded as a latent index.
pub(crate) fn files(bytes: &[u8]) -> bool {
    let _ = LatentIndex::decode(bytes, "lengths");
    let Some(([which, file, low, high], rest)) = bytes.split_first_chunk() else {
        return false;
    };
    let name = VIEWS[usize::from(which >> 1) % VIEWS.len()];
    let copy = tempfile::tempdir().expect("a folder");
    let original = folded().join(name);
    let files = files_under(&original);
    let chosen = &files[usize::from(*file) % files.len()];
    for path in &files {
        let target = copy
            .path()
            .join(path.strip_prefix(&original).expect("below it"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        fs::copy(path, target).expect("copied");
    }
    let chosen = copy
        .path()
        .join(chosen.strip_prefix(&original).expect("below it"));
    let at = usize::from(u16::from_le_bytes([*low, *high]));
    change(&chosen, at, rest, (which & 1 == 1).then_some(copy.path()));
    ask(name, copy.path())
}

/// Writes `bytes` at `at`; if `repair`, the view's folder, is given, corrects the checksums there.
fn change(path: &Path, at: usize, bytes: &[u8], repair: Option<&Path>) {
    let mut content = fs::read(path).expect("a file");
    let at = at % (content.len() + 1);
    let end = (at + bytes.len()).min(content.len());
    let before = checksum(&content);
    if bytes.is_empty() {
        content.truncate(at);
    }
    content[at.min(end)..end].copy_from_slice(&bytes[..end - at.min(end)]);
    if let Some(folder) = repair {
        if is_segment(path) && content.len() >= HEADER {
            let sum = xxh3_64(&content[..HEADER - 8]).to_le_bytes();
            content[HEADER - 8..HEADER].copy_from_slice(&sum);
            replace_in_manifest(folder, before, sum);
        } else if let Some(end) = content.len().checked_sub(8) {
            let sum = xxh3_64(&content[..end]).to_le_bytes();
            content[end..].copy_from_slice(&sum);
        }
    }
    fs::write(path, content).expect("written");
}

fn is_segment(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().contains("segment-"))
}

fn checksum(content: &[u8]) -> [u8; 8] {
    let sum = content.get(HEADER - 8..HEADER);
    sum.and_then(|sum| sum.try_into().ok()).unwrap_or_default()
}

/// Updates the manifest's copy of a segment header's checksum.
fn replace_in_manifest(folder: &Path, before: [u8; 8], after: [u8; 8]) {
    for path in files_under(folder)
        .into_iter()
        .filter(|path| !is_segment(path))
    {
        let mut content = fs::read(&path).expect("a file");
        let Some(at) = content.windows(8).position(|window| window == before) else {
            continue;
        };
        content[at..at + 8].copy_from_slice(&after);
        let end = content.len() - 8;
        let sum = xxh3_64(&content[..end]).to_le_bytes();
        content[end..].copy_from_slice(&sum);
        fs::write(&path, content).expect("written");
    }
}

/// Opens, queries, verifies and folds the view. Returns whether it is healthy then.
fn ask(name: &str, folder: &Path) -> bool {
    match name {
        "columns" => {
            let view = ColumnsView::open(folder, Arc::new(Lengths));
            let columns = view.snapshot();
            let _ = columns.select(&RowPredicate::default());
        }
        "vectors" => {
            let opened = VectorsView::open(folder, Arc::new(StaticModel::builtin()));
            if let Ok(view) = opened {
                let _ = view.search(&[0.1; 256], 5, None);
                let _ = view.holds(Row(3));
            }
        }
        _ => {}
    }
    let Some(view) = open(name, folder) else {
        return false;
    };
    let _ = (view.health(), view.verify());
    let _ = view.fold(&Log, &mut |_| {});
    matches!(view.health(), Health::Whole)
}
