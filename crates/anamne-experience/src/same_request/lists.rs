//! The word lists, from `data/request_words.txt` and `data/request_phrases.txt`.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};
use rustc_hash::{FxHashMap, FxHashSet};

/// Marks an operator among the words that stand for a phrase.
const OPERATOR_MARK: char = '@';

/// Longest phrase, in words.
pub(super) const MAX_PHRASE_WORDS: usize = 6;

/// Words and phrases with a role in requests.
pub(super) struct Lists {
    /// Words without meaning.
    pub(super) fillers: FxHashSet<&'static str>,
    /// Verbs without meaning at the beginning.
    pub(super) leading: FxHashSet<&'static str>,
    /// Operators that belong to the next word.
    pub(super) bound: FxHashSet<&'static str>,
    /// Operators that belong to no word.
    pub(super) free: FxHashSet<&'static str>,
    /// Stems of words whose arguments must not change places.
    pub(super) directed: FxHashSet<String>,
    /// Stems of units and currencies.
    pub(super) units: FxHashSet<String>,
    /// Stems of the names of months.
    pub(super) months: FxHashSet<String>,
    /// Fillers of other languages, which may be parts of names.
    pub(super) articles: FxHashSet<&'static str>,
    /// Words without inflection.
    pub(super) uninflected: FxHashSet<&'static str>,
    /// The first word of a word's group.
    pub(super) same: FxHashMap<&'static str, &'static str>,
    /// Words that stand for several.
    pub(super) compounds: FxHashMap<&'static str, Vec<Meant>>,
    /// Signs that stand for a word.
    pub(super) symbols: FxHashMap<&'static str, &'static str>,
    /// Units whose case counts behind a number.
    pub(super) cased: FxHashMap<&'static str, &'static str>,
    /// Fillers that say in which relation the next word stands.
    pub(super) prepositions: FxHashSet<&'static str>,
    /// Pronouns whose next word is their subject or their verb.
    pub(super) pronouns: FxHashSet<&'static str>,
    /// Words before the pronoun "I".
    pub(super) before_i: FxHashSet<&'static str>,
    /// Words that are names where they are written in capitals.
    pub(super) names_in_capitals: FxHashSet<&'static str>,
    /// Words that belong to their group only in capitals.
    pub(super) only_in_capitals: FxHashSet<&'static str>,
    /// Phrases, joined by spaces, and what stands for them.
    pub(super) phrases: FxHashMap<&'static str, Vec<Meant>>,
}

/// A word that stands for a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meant {
    pub(super) word: &'static str,
    pub(super) is_operator: bool,
}

/// The lists, parsed once.
pub(super) fn lists() -> &'static Lists {
    static LISTS: LazyLock<Lists> = LazyLock::new(|| load().expect("a test loads the data files"));
    &LISTS
}

fn load() -> Result<Lists, LexiconError> {
    let words = Lexicon::parse(
        "request_words.txt",
        include_str!("../../data/request_words.txt"),
    )?;
    let phrases = Lexicon::parse(
        "request_phrases.txt",
        include_str!("../../data/request_phrases.txt"),
    )?;
    let set = |section: &str| -> Result<FxHashSet<_>, LexiconError> {
        Ok(words.words(section)?.into_iter().collect())
    };
    let mut lists = Lists {
        fillers: set("fillers")?,
        leading: set("leading")?,
        bound: set("bound_operators")?,
        free: set("free_operators")?,
        directed: FxHashSet::default(),
        units: FxHashSet::default(),
        months: FxHashSet::default(),
        articles: set("articles")?,
        uninflected: set("uninflected")?,
        same: synonyms(&words)?,
        compounds: meanings(&words, "compounds")?,
        symbols: pairs(&words, "symbols")?,
        cased: pairs(&words, "cased_units")?,
        prepositions: set("prepositions")?,
        pronouns: set("pronouns")?,
        before_i: set("before_i")?,
        names_in_capitals: set("names_in_capitals")?,
        only_in_capitals: set("only_in_capitals")?,
        phrases: meanings(&phrases, "meanings")?,
    };
    for filler in phrases.names("fillers")? {
        lists.phrases.insert(filler, Vec::new());
    }
    lists.directed = first_forms(&words.words("directed")?, &lists);
    lists.fillers.extend(lists.articles.iter());
    lists.months = first_forms(&words.words("months")?, &lists);
    lists.units = first_forms(&words.words("units")?, &lists);
    Ok(lists)
}

fn first_forms(words: &[&'static str], lists: &Lists) -> FxHashSet<String> {
    words.iter().map(|word| lists.first_form(word)).collect()
}

fn synonyms(file: &Lexicon) -> Result<FxHashMap<&'static str, &'static str>, LexiconError> {
    let mut same = FxHashMap::default();
    for row in file.rows("same", 2)? {
        for form in row.cells[1].split_whitespace() {
            if same.insert(form, row.cells[0]).is_some() {
                return Err(row.fault(format!("{form:?} is in two groups")));
            }
        }
    }
    let chained = |row: &anamne_text::lexicon::Row| same.contains_key(row.cells[0]);
    match file.rows("same", 2)?.into_iter().find(chained) {
        Some(row) => Err(row.fault("the first word is in another group")),
        None => Ok(same),
    }
}

fn meanings(
    file: &Lexicon,
    section: &str,
) -> Result<FxHashMap<&'static str, Vec<Meant>>, LexiconError> {
    let rows = file.rows(section, 2)?.into_iter();
    let meaning = |word: &'static str| Meant {
        word: word.trim_start_matches(OPERATOR_MARK),
        is_operator: word.starts_with(OPERATOR_MARK),
    };
    let parsed = rows.map(|row| {
        let meant = row.cells[1].split_whitespace().map(meaning).collect();
        (row.cells[0], meant)
    });
    Ok(parsed.collect())
}

fn pairs(
    file: &Lexicon,
    section: &str,
) -> Result<FxHashMap<&'static str, &'static str>, LexiconError> {
    let rows = file.rows(section, 2)?.into_iter();
    Ok(rows.map(|row| (row.cells[0], row.cells[1])).collect())
}

impl Lists {
    /// The stem of the first word of a word's group. O(bytes).
    pub(super) fn first_form(&self, word: &str) -> String {
        if let Some(first) = self.same.get(word) {
            return super::stem::stem(first, self);
        }
        let stem = super::stem::stem(word, self);
        match self.same.get(stem.as_str()) {
            Some(first) => super::stem::stem(first, self),
            None => stem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_PHRASE_WORDS, lists, load};

    #[test]
    fn the_data_files_are_accepted() {
        load().expect("accepted");
    }

    #[test]
    fn phrases_have_a_bounded_number_of_words() {
        for phrase in lists().phrases.keys() {
            let words = phrase.split(' ').count();
            assert!((1..=MAX_PHRASE_WORDS).contains(&words), "{phrase}");
        }
    }

    #[test]
    fn operators_of_phrases_are_listed() {
        let lists = lists();
        let meant = lists.phrases.values().chain(lists.compounds.values());
        for meant in meant.flatten().filter(|meant| meant.is_operator) {
            let is_listed = lists.bound.contains(meant.word) || lists.free.contains(meant.word);
            assert!(is_listed, "{}", meant.word);
        }
    }
}
