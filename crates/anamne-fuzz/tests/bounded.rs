//! Runs every fuzz target on its corpus and on a fixed number of mutations, the same in every run.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use anamne_fuzz::{MAX_INPUT_BYTES, TARGETS, Target};

/// Panics on any thread of this process: the engine's tasks and threads may catch theirs.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn count_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            usual(panic);
        }));
    });
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Deterministic pseudo-random numbers (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Byte sequences that often break parsers.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\xff",
    b"\n",
    b"\"",
    b"\\u0000",
    b"{",
    b"}",
    b"[",
    b"[[[[[[[[[[[[[[[[",
    b"null",
    b"-1",
    b"1e999",
    b"18446744073709551615",
    b"9223372036854775808",
    b"---\n",
    b": ",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\xcc\x81",
    b"\xf0\x9f\x91\xa9\xe2\x80\x8d",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\0\0\0\0\0\0\0\x80",
];

/// One to four mutations of `seed`, which may splice in parts of `other`.
fn changed(seed: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(bytes.len() + 1);
        let end = (at + 1 + numbers.below(32)).min(bytes.len());
        match numbers.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << numbers.below(8),
            1 if at < bytes.len() => bytes[at] = numbers.next() as u8,
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => {
                let piece = bytes[at..end].repeat(1 + numbers.below(64));
                bytes.splice(at..at, piece);
            }
            5 => {
                let from = numbers.below(other.len());
                bytes.splice(at..end, other[from..].iter().take(256).copied());
            }
            _ => {
                let piece = PIECES[numbers.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    bytes.truncate(MAX_INPUT_BYTES);
    bytes
}

fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = root().join("corpus").join(target.name);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read(path).expect("a file"))
        .collect()
}

#[track_caller]
fn run(name: &str) {
    count_panics();
    let target = Target::named(name).expect("a target");
    let seeds = corpus(target);
    assert!(!seeds.is_empty(), "{name} has a corpus");
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let changes = (0..target.runs).map(|number| {
        let other = &seeds[numbers.below(seeds.len())];
        changed(&seeds[number % seeds.len()], other, &mut numbers)
    });
    let inputs: Vec<_> = seeds.iter().cloned().chain(changes).collect();
    let mut taken = 0;
    for (number, bytes) in inputs.iter().enumerate() {
        let before = PANICS.load(Ordering::SeqCst);
        let ran = catch_unwind(AssertUnwindSafe(|| target.run(bytes)));
        let Ok(was_taken) = ran else {
            panic!("{name} panics at this input: {}", bytes.escape_ascii());
        };
        taken += usize::from(was_taken && number < seeds.len());
        // Other targets run concurrently, so the first one to report may not be the cause.
        let panicked = PANICS.load(Ordering::SeqCst) != before;
        assert!(
            !panicked,
            "a task panicked, perhaps {name}'s at this input: {}",
            bytes.escape_ascii()
        );
    }
    assert!(taken > 0, "nothing of the corpus of {name} is taken");
}

/// A test per target, and one that checks for completeness.
macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name));
            }
        )*

        #[test]
        fn every_target_has_a_test_a_corpus_and_a_file_for_cargo_fuzz() {
            let names: BTreeSet<_> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
            let tested = [$(stringify!($name)),*].map(str::to_owned).into();
            assert_eq!(names, tested);
            let stems = |folder: PathBuf| -> BTreeSet<String> {
                let entries = fs::read_dir(folder).expect("a folder");
                let stem = |path: PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
                entries.map(|entry| stem(entry.expect("an entry").path())).collect()
            };
            assert_eq!(names, stems(root().join("corpus")));
            assert_eq!(names, stems(root().join("../../fuzz/fuzz_targets")));
            let manifest = fs::read_to_string(root().join("../../fuzz/Cargo.toml")).expect("a manifest");
            for name in names {
                assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
            }
        }
    };
}

targets! {
    analyser cross_encoder export_file front_matter import_line journal_line journal_payload mcp_wire
    model_files query recall segment settings view_files
}
