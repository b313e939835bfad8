//! The words of streets, from `data/personal_streets.txt`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};

pub(super) struct Streets {
    pub(super) after: BTreeSet<&'static str>,
    pub(super) after_weak: BTreeSet<&'static str>,
    pub(super) never: BTreeSet<&'static str>,
    pub(super) between: BTreeSet<&'static str>,
    pub(super) before: BTreeSet<&'static str>,
    pub(super) ends: BTreeSet<&'static str>,
    pub(super) ends_weak: BTreeSet<&'static str>,
    pub(super) small: BTreeSet<&'static str>,
    pub(super) inside: BTreeSet<&'static str>,
}

impl Streets {
    pub(super) fn load() -> Result<Self, LexiconError> {
        const TEXT: &str = include_str!("../../../data/personal_streets.txt");
        let file = Lexicon::parse("personal_streets.txt", TEXT)?;
        let set = |section| file.words(section).map(|words| words.into_iter().collect());
        Ok(Self {
            after: set("after")?,
            after_weak: set("after-weak")?,
            never: set("never")?,
            between: set("between")?,
            before: set("before")?,
            ends: set("ends")?,
            ends_weak: set("ends-weak")?,
            small: set("small")?,
            inside: set("inside")?,
        })
    }
}

pub(super) fn streets() -> &'static Streets {
    static STREETS: LazyLock<Streets> =
        LazyLock::new(|| Streets::load().expect("a test loads the data file"));
    &STREETS
}
