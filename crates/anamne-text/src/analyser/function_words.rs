//! The function words of each language, from `data/function_words.txt`: evidence of the language, and dropped from queries.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::language::{Evidence, Language, LanguageSet};
use crate::lexicon::{Lexicon, LexiconError};

type EvidenceByWord = FxHashMap<&'static str, Evidence>;

/// The evidence that a function word gives of its languages; `None` for any other word. `word` is lower case.
pub(super) fn evidence_of(word: &str) -> Option<Evidence> {
    static EVIDENCE: LazyLock<EvidenceByWord> =
        LazyLock::new(|| load().expect("a test loads the data file"));
    EVIDENCE.get(word).copied()
}

fn load() -> Result<EvidenceByWord, LexiconError> {
    const TEXT: &str = include_str!("../../data/function_words.txt");
    let file = Lexicon::parse("function_words.txt", TEXT)?;
    let mut languages: FxHashMap<&'static str, LanguageSet> = FxHashMap::default();
    for (language, section) in SECTIONS {
        for word in file.words(section)? {
            let set = languages.entry(word).or_default();
            *set = set.union(LanguageSet::of(&[language]));
        }
    }
    let homographs: FxHashSet<_> = file.words("english_homographs")?.into_iter().collect();
    let weighed = |(word, languages): (&'static str, LanguageSet)| {
        let is_homograph = !languages.contains(Language::English) && homographs.contains(word);
        let weight = match (is_homograph, languages.len()) {
            (true, _) => 1,
            (false, 1) => 4,
            (false, _) => 2,
        };
        (word, Evidence { languages, weight })
    };
    Ok(languages.into_iter().map(weighed).collect())
}

const SECTIONS: [(Language, &str); 16] = [
    (Language::English, "english"),
    (Language::German, "german"),
    (Language::French, "french"),
    (Language::Spanish, "spanish"),
    (Language::Italian, "italian"),
    (Language::Portuguese, "portuguese"),
    (Language::Dutch, "dutch"),
    (Language::Swedish, "swedish"),
    (Language::Danish, "danish"),
    (Language::Norwegian, "norwegian"),
    (Language::Finnish, "finnish"),
    (Language::Polish, "polish"),
    (Language::Czech, "czech"),
    (Language::Hungarian, "hungarian"),
    (Language::Romanian, "romanian"),
    (Language::Turkish, "turkish"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_has_a_section_for_every_language() {
        load().unwrap();
        let text = include_str!("../../data/function_words.txt");
        let mut expected: Vec<_> = SECTIONS.iter().map(|(_, section)| *section).collect();
        expected.push("english_homographs");
        expected.sort_unstable();
        assert_eq!(Lexicon::parse("f", text).unwrap().sections(), expected);
    }

    #[test]
    fn a_word_of_one_language_weighs_more_than_a_shared_one_and_than_an_english_word() {
        let weight = |word| evidence_of(word).map(|evidence| evidence.weight);
        assert_eq!(weight("the"), Some(4));
        assert_eq!(weight("nicht"), Some(4));
        assert_eq!(weight("is"), Some(2));
        assert_eq!(weight("die"), Some(1));
        assert_eq!(weight("memory"), None);
    }
}
