//! The embedding cache is bounded, removes erased texts, and is never the only copy.

use std::sync::Arc;

use anamne::EmbeddingCache;
use anamne::embed::{ModelIdentity, VectorCache};
use tempfile::TempDir;

fn model() -> ModelIdentity {
    ModelIdentity::new("far", "1")
}

fn hash(text: &str) -> Vec<u8> {
    blake3::hash(text.as_bytes()).as_bytes()[..16].to_vec()
}

struct Kept {
    folder: TempDir,
    cache: EmbeddingCache,
}

fn kept(most_bytes: u64) -> Kept {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = EmbeddingCache::at(&folder.path().join("embedding-cache.db"), most_bytes);
    Kept { folder, cache }
}

impl Kept {
    fn put(&self, text: &str) {
        let vector = [text.len() as u16; 100];
        self.cache.put(&model(), &[(text, &vector)]).expect("kept");
    }

    fn holds(&self, text: &str) -> bool {
        let found = self.cache.get(&model(), &[text]).expect("read");
        found[0].is_some()
    }
}

#[test]
fn what_is_kept_comes_back_for_its_model_alone() {
    let kept = kept(1 << 20);
    assert_eq!(kept.cache.get(&model(), &["text"]), Ok(vec![None]));
    let vector: Vec<u16> = (0..100).collect();
    kept.cache
        .put(&model(), &[("text", &vector), ("", &[7])])
        .expect("kept");
    let found = kept.cache.get(&model(), &["text", "other", ""]);
    assert_eq!(found, Ok(vec![Some(vector), None, Some(vec![7])]));
    let other = ModelIdentity::new("far", "2");
    assert_eq!(kept.cache.get(&other, &["text"]), Ok(vec![None]));
    assert_eq!(kept.cache.size().expect("read").vectors, 2);
}

#[test]
fn what_was_not_used_for_longest_goes_when_room_is_needed() {
    let kept = kept(2_000);
    for number in 0..10 {
        kept.put(&format!("text {number}"));
        assert!(kept.holds("text 0"), "used all the time");
    }
    assert!(kept.holds("text 9"));
    assert!(!kept.holds("text 1"));
    let size = kept.cache.size().expect("read");
    assert!(size.bytes <= 2_000 && size.vectors == 6, "{size:?}");
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let kept = kept(1 << 20);
    kept.put("text");
    for file in crate::common::files_under(kept.folder.path()) {
        let mode = std::fs::metadata(&file)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}

#[test]
fn a_text_that_is_forgotten_leaves_the_file() {
    let kept = kept(1 << 20);
    for text in ["the first secret", "a second one", "what stays"] {
        kept.put(text);
    }
    let secrets = ["the first secret", "a second one"];
    let holding = |text: &str| crate::common::files_with(kept.folder.path(), &hash(text));
    assert!(!holding(secrets[0]).is_empty());
    assert_eq!(kept.cache.forget(&secrets).expect("forgotten"), 2);
    for secret in secrets {
        assert_eq!(holding(secret), Vec::<std::path::PathBuf>::new());
    }
    assert!(kept.holds("what stays"));
    assert_eq!(kept.cache.forget(&secrets).expect("forgotten"), 0);
    assert_eq!(kept.cache.size().expect("read").vectors, 1);
}

#[test]
fn several_may_use_it_at_once() {
    let kept = kept(1 << 20);
    let path = kept.folder.path().join("embedding-cache.db");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = path.clone();
            scope.spawn(move || {
                let cache = EmbeddingCache::at(&path, 1 << 20);
                for number in 0..25 {
                    let text = format!("{writer} says {number}");
                    let vector = [number; 8];
                    cache.put(&model(), &[(&text, &vector)]).expect("kept");
                    let found = cache.get(&model(), &[&text]).expect("read");
                    assert_eq!(found, [Some(vector.to_vec())]);
                }
            });
        }
    });
    assert_eq!(kept.cache.size().expect("read").vectors, 100);
}

#[test]
fn a_damaged_file_is_replaced_by_an_empty_one() {
    let kept = kept(1 << 20);
    kept.put("text");
    let path = kept.folder.path().join("embedding-cache.db");
    let cache = Arc::new(EmbeddingCache::at(&path, 1 << 20));
    std::fs::remove_file(path.with_extension("db-wal")).expect("removed");
    std::fs::write(&path, vec![7; 40_000]).expect("damaged");
    assert_eq!(cache.get(&model(), &["text"]), Ok(vec![None]));
    cache.put(&model(), &[("text", &[1, 2])]).expect("kept");
    assert_eq!(cache.get(&model(), &["text"]), Ok(vec![Some(vec![1, 2])]));
}
