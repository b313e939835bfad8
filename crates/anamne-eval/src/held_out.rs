//! Trees of the second look that were fitted without what is measured.
//!
//! The shipped trees were fitted on all sets, so figures with them are in sample. `fitting/second_look.py --folds` fits
//! the same trees without each family of sets, and without each fifth of the conversations.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne::Forest;

use crate::corpus::Corpus;
use crate::failure::Failure;
use crate::sets::family;

/// Parts of the conversations; `fitting/second_look.py` has the same number.
const FIFTHS: usize = 5;

/// What the trees were fitted without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HeldOut {
    /// All sets of the family: what to expect of an unknown kind of conversation.
    Family,
    /// A fifth of the conversations, among them the measured one: what to expect of a new conversation of a known kind.
    Conversation,
}

/// Selects the folder of the trees.
#[derive(clap::Args)]
pub(crate) struct FoldsFolder {
    /// A folder of trees that fitting/second_look.py --folds wrote; those of this crate if not given.
    #[arg(long, value_name = "FOLDER")]
    forests: Option<PathBuf>,
}

impl FoldsFolder {
    /// Reads all trees.
    pub(crate) fn read(&self) -> Result<Folds, Failure> {
        let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("data/forests");
        Folds::read(&self.forests.clone().unwrap_or_else(own))
    }
}

/// Selects the trees of a measurement.
#[derive(clap::Args)]
pub(crate) struct HeldOutOption {
    /// Rank with trees that were fitted without the measured family of sets or conversation, instead of the shipped
    /// ones, which were fitted on all known sets.
    #[arg(long, value_name = "PART")]
    held_out: Option<HeldOut>,
    #[command(flatten)]
    folds: FoldsFolder,
}

impl HeldOutOption {
    /// The trees of each corpus, in order; `None` is the shipped ones.
    pub(crate) fn forests(&self, corpora: &[Corpus]) -> Result<Vec<Option<Arc<Forest>>>, Failure> {
        let Some(held_out) = self.held_out else {
            return Ok(vec![None; corpora.len()]);
        };
        let folds = self.folds.read()?;
        let of_corpus = |corpus| folds.without(held_out, corpus);
        Ok(corpora.iter().map(of_corpus).collect())
    }

    /// Which trees are used, in words.
    pub(crate) fn label(&self, forest: Option<&Arc<Forest>>) -> &'static str {
        match (self.held_out, forest) {
            (None, _) => "the shipped trees, fitted on all known sets",
            (Some(_), None) => "the shipped trees, which don't know this set",
            (Some(HeldOut::Family), _) => "trees fitted without its family",
            (Some(HeldOut::Conversation), _) => {
                "trees fitted without its fifth of the conversations"
            }
        }
    }
}

/// The trees of all parts.
pub(crate) struct Folds {
    without_family: BTreeMap<String, Arc<Forest>>,
    without_fifth: Vec<Arc<Forest>>,
}

impl Folds {
    /// Reads `without-family-NAME.txt` of every family, and `without-fifth-N.txt` of every fifth. A missing fifth or a
    /// malformed file is an error.
    fn read(folder: &Path) -> Result<Self, Failure> {
        let entries = fs::read_dir(folder)
            .map_err(|error| format!("can't read {}: {error}", folder.display()))?;
        let mut without_family = BTreeMap::new();
        for entry in entries {
            let file = entry?.file_name().to_string_lossy().into_owned();
            let name = file.strip_prefix("without-family-");
            if let Some(family) = name.and_then(|name| name.strip_suffix(".txt")) {
                without_family.insert(family.to_owned(), read_forest(&folder.join(&file))?);
            }
        }
        let fifth = |number| read_forest(&folder.join(format!("without-fifth-{number}.txt")));
        Ok(Self {
            without_family,
            without_fifth: (0..FIFTHS).map(fifth).collect::<Result<_, _>>()?,
        })
    }

    /// The trees that were fitted without this corpus; `None` if its family was never fitted on, so that the shipped
    /// trees have not seen it.
    pub(crate) fn without(&self, held_out: HeldOut, corpus: &Corpus) -> Option<Arc<Forest>> {
        let of_family = self.without_family.get(family(&corpus.set))?;
        Some(match held_out {
            HeldOut::Family => of_family.clone(),
            HeldOut::Conversation => {
                self.without_fifth[fifth_of(&corpus.set, &corpus.name)].clone()
            }
        })
    }
}

fn read_forest(path: &Path) -> Result<Arc<Forest>, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("can't read {}: {error}", path.display()))?;
    let forest = Forest::read(&text).map_err(|refusal| format!("{}: {refusal}", path.display()))?;
    Ok(Arc::new(forest))
}

/// The fifth that a conversation belongs to: FNV-1a (Fowler, Noll and Vo) of 64 bits over `set/corpus`, modulo 5.
/// `fitting/second_look.py` has the same function.
fn fifth_of(set: &str, corpus: &str) -> usize {
    (fnv(&format!("{set}/{corpus}")) % FIFTHS as u64) as usize
}

fn fnv(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    text.bytes().fold(0xCBF2_9CE4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(set: &str, name: &str) -> Corpus {
        Corpus {
            set: set.to_owned(),
            name: name.to_owned(),
            records: Vec::new(),
            queries: Vec::new(),
        }
    }

    /// The folder of this crate.
    fn own() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("data/forests")
    }

    #[test]
    fn fifths_are_those_that_the_trees_were_fitted_without() {
        // The published value of the hash, and values of the Python function.
        assert_eq!(fnv("foobar"), 0x8594_4171_F739_67E8);
        for (set, name, fifth) in [
            ("beam", "100K-6", 0),
            ("coding", "ferry", 1),
            ("locomo", "conv-26", 2),
            ("support", "desk", 3),
            ("assistant", "year", 4),
            ("realmem", "Lin_Wanyu", 4),
        ] {
            assert_eq!(fifth_of(set, name), fifth, "{set}/{name}");
        }
    }

    #[test]
    fn every_known_family_and_fifth_has_its_own_trees() {
        let folds = Folds::read(&own()).expect("well-formed trees");
        let families: Vec<&String> = folds.without_family.keys().collect();
        let known = [
            "accounts",
            "assistant",
            "beam",
            "chat",
            "coding",
            "crew",
            "family",
            "locomo",
            "meetings",
            "notes",
            "novel",
            "operations",
            "pair",
            "physics",
            "projects",
            "realmem",
            "relocation",
            "research",
            "startup",
            "support",
            "team",
            "tutor",
        ];
        assert_eq!(families, known);
        let mut texts: Vec<String> = fs::read_dir(own())
            .expect("a folder")
            .map(|entry| fs::read_to_string(entry.expect("a file").path()).expect("a text"))
            .collect();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), known.len() + FIFTHS);
    }

    #[test]
    fn a_set_is_measured_without_its_whole_family() {
        let folds = Folds::read(&own()).expect("well-formed trees");
        let forest = |set, name, held_out| folds.without(held_out, &corpus(set, name));
        let is_same = |one: Option<Arc<Forest>>, other: &Arc<Forest>| {
            Arc::ptr_eq(&one.expect("trees"), other)
        };
        for set in ["beam", "beam500"] {
            let family = forest(set, "100K-6", HeldOut::Family);
            assert!(is_same(family, &folds.without_family["beam"]));
        }
        let fifth = forest("beam", "100K-6", HeldOut::Conversation);
        assert!(is_same(fifth, &folds.without_fifth[0]));
        for held_out in [HeldOut::Family, HeldOut::Conversation] {
            assert!(forest("other", "100K-6", held_out).is_none());
        }
    }

    #[test]
    fn incomplete_and_malformed_trees_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let refusal = || {
            let read = Folds::read(folder.path());
            read.err().expect("a refusal").to_string()
        };
        assert!(refusal().contains("without-fifth-0.txt"), "{}", refusal());
        for file in fs::read_dir(own()).expect("a folder") {
            let file = file.expect("a file");
            fs::copy(file.path(), folder.path().join(file.file_name())).expect("a copy");
        }
        assert!(Folds::read(folder.path()).is_ok());
        let spoilt = folder.path().join("without-family-coding.txt");
        let text = fs::read_to_string(&spoilt).expect("a text");
        fs::write(&spoilt, text + "0<=0?l0:l9 1 2\n").expect("written");
        let refusal = refusal();
        assert!(
            refusal.contains("without-family-coding.txt") && refusal.contains("is not a tree"),
            "{refusal}"
        );
    }
}
