//! What the rules, or a model, say about memories that nobody put into a category: hooks store nearly all of them so.

use std::collections::BTreeMap;

use anamne_knowledge::enrichment::Enricher;
use anamne_store::view::MemoryFeed;
use anamne_text::sentences::sentences;
use anamne_types::{Body, Category, Filter, Memory, Role, Row};

use super::{DECIDED, DECISIONS, MATTERS, SelectedMemory};
use crate::Error;
use crate::space::Space;

/// Categories of what was decided, and of rules if they say so.
const RULES: [Category; 4] = [
    DECISIONS[0],
    DECISIONS[1],
    DECISIONS[2],
    Category::CodePattern,
];

/// Words of a rule that holds from now on.
const LASTING: [&str; 24] = [
    "always",
    "never",
    "from now on",
    "every time",
    "whenever",
    "prefer",
    "prefers",
    "in future",
    "in the future",
    "by default",
    "going forward",
    "as a rule",
    "don't ever",
    "at all times",
    "immer",
    "nie",
    "niemals",
    "ab jetzt",
    "ab sofort",
    "künftig",
    "in zukunft",
    "grundsätzlich",
    "bevorzuge",
    "bevorzugen",
];

/// The beginnings of a request, which is done once.
const REQUESTS: [&str; 8] = [
    "please",
    "can you",
    "could you",
    "would you",
    "will you",
    "bitte",
    "kannst du",
    "könntest du",
];

/// Categories of memories that are shown if they are important.
const FACTS: [Category; 3] = [Category::Configuration, Category::BugFix, Category::Insight];

/// Minimum importance of them.
const IMPORTANT: u8 = 7;

/// The latest memories of one category, and of [`FACTS`], that are compared.
const COMPARED: usize = 24;
const COMPARED_FACTS: usize = 12;

/// The latest memories that are judged here, where the background has not enriched them yet.
const JUDGED: usize = 60;

/// The most memories that are chosen: more than a block can hold.
const CHOSEN: usize = 24;

/// Of a text of more bytes the sentence that was decided is shown.
const SHORT: usize = 240;

/// The sentences of a long text that are looked at, and the bytes that have them.
const SENTENCES: usize = 12;
const LONGEST: usize = 4 << 10;

/// Its name among unavailable views.
const VIEW: &str = "summaries";

/// What stands beside a memory.
struct Noted {
    memory: Memory,
    category: Category,
    importance: u8,
}

impl Space {
    /// Decisions, constraints and preferences that were said but not put into a category, and important facts: the most
    /// important first, then what a person said, then latest first. Only without a filter. Reads a bounded number of texts.
    pub(super) fn noted(
        &self,
        filter: &Filter,
        latest: &[Memory],
        degraded: &mut Vec<String>,
    ) -> Result<Vec<SelectedMemory>, Error> {
        if !filter.is_empty() || !self.inner.derived.summaries.is_enriched() {
            return Ok(Vec::new());
        }
        let Ok(mut found) = self.in_categories(latest) else {
            degraded.push(VIEW.to_owned());
            return Ok(Vec::new());
        };
        let now = self.now();
        found.retain(|_, memory| super::is_current(memory, now));
        let memories: Vec<Memory> = found.into_values().collect();
        let mut noted: Vec<Noted> = Vec::new();
        for (memory, judged) in memories.iter().zip(self.judged(&memories)?) {
            if let Some((category, importance)) = judged {
                noted.push(Noted {
                    memory: memory.clone(),
                    category,
                    importance,
                });
            }
        }
        noted.sort_by_key(|one| {
            let memory = &one.memory;
            let is_by_person = !is_by_agent(memory);
            let is_rule = is_lasting(&memory.content);
            std::cmp::Reverse((one.importance, is_rule, is_by_person, memory.row))
        });
        let enricher = Enricher::new();
        Ok(noted
            .into_iter()
            .filter_map(|one| one.selected(&enricher))
            .take(CHOSEN)
            .collect())
    }

    /// The latest memories of the categories, and the latest of all if the background has not judged them yet.
    fn in_categories(&self, latest: &[Memory]) -> Result<BTreeMap<Row, Memory>, Error> {
        let mut found = BTreeMap::new();
        let mut is_behind = true;
        let summaries = &self.inner.derived.summaries;
        if anamne_store::Derived::exists(&**summaries) {
            let head = MemoryFeed::head(&*self.inner.source)?;
            is_behind = summaries.open()?.enriched_position()? != head;
            let most = RULES.map(|category| (category, COMPARED));
            for (category, most) in most
                .into_iter()
                .chain(FACTS.map(|category| (category, COMPARED_FACTS)))
            {
                let memories = self.enriched(category, most)?.into_iter();
                found.extend(memories.map(|memory| (memory.row, memory)));
            }
        }
        if is_behind {
            for memory in latest.iter().take(JUDGED) {
                found.entry(memory.row).or_insert_with(|| memory.clone());
            }
        }
        Ok(found)
    }
}

impl Noted {
    fn selected(self, enricher: &Enricher) -> Option<SelectedMemory> {
        if is_decided(self.category, &self.memory.content) {
            // What an agent says in a conversation decides nothing.
            if is_by_agent(&self.memory) {
                return None;
            }
            return Some(SelectedMemory {
                passage: sentence_of(&self.memory.content, is_decided, enricher),
                ..SelectedMemory::whole(self.memory, DECIDED)
            });
        }
        let matters = FACTS.contains(&self.category) && self.importance >= IMPORTANT;
        matters.then(|| SelectedMemory {
            passage: sentence_of(
                &self.memory.content,
                |one, _| one == self.category,
                enricher,
            ),
            ..SelectedMemory::whole(self.memory, MATTERS)
        })
    }
}

/// Whether a text of this category says how to work from now on.
fn is_decided(category: Category, text: &str) -> bool {
    match category {
        Category::CodePattern => is_lasting(text),
        Category::Preference => is_lasting(text) || !begins_with(text, &REQUESTS),
        category => DECISIONS.contains(&category),
    }
}

fn is_lasting(text: &str) -> bool {
    let words = words_of(text);
    LASTING.iter().any(|phrase| says(&words, phrase))
}

fn begins_with(text: &str, phrases: &[&str]) -> bool {
    let words = words_of(text);
    let begins = |phrase: &&str| {
        let rest = words[1..].strip_prefix(phrase);
        rest.is_some_and(|rest| rest.starts_with(' '))
    };
    phrases.iter().any(begins)
}

/// Whether [`words_of`] a text have a phrase.
pub(super) fn says(words: &str, phrase: &str) -> bool {
    let bytes = words.as_bytes();
    words.match_indices(phrase).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        before == Some(&b' ') && bytes.get(at + phrase.len()) == Some(&b' ')
    })
}

/// The words of the beginning of a text in lower case, each between spaces.
pub(super) fn words_of(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let is_between = |letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '’';
    let mut words = String::from(" ");
    for word in text.split(is_between).filter(|word| !word.is_empty()) {
        words.extend(
            word.chars()
                .map(|letter| if letter == '’' { '\'' } else { letter })
                .flat_map(char::to_lowercase),
        );
        words.push(' ');
    }
    words
}

fn is_by_agent(memory: &Memory) -> bool {
    matches!(
        memory.body,
        Body::Message {
            role: Some(Role::Assistant)
        }
    )
}

/// The first sentence of a long text that has such a category by itself.
fn sentence_of(
    text: &str,
    is_shown: impl Fn(Category, &str) -> bool,
    enricher: &Enricher,
) -> Option<String> {
    if text.len() <= SHORT {
        return None;
    }
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let mut each = sentences(text).into_iter().take(SENTENCES);
    let found = each.find(|range| {
        let sentence = &text[range.clone()];
        let category = enricher.category(sentence);
        category.is_some_and(|category| is_shown(category, sentence))
    })?;
    Some(text[found].split_whitespace().collect::<Vec<_>>().join(" "))
}
