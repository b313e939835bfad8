//! Detects the language of a text by its function words and letters.
//!
//! Function words identify nearly every text of more than a few words, at the cost of a bit mask per word in the word
//! cache. Trigram statistics (`whatlang`) take 0.1 ms for any text; they are used only if the evidence is against
//! English but not clearly for another language.

use frostem::Algorithm;
use whatlang::Lang;

use crate::border;

/// A language in Latin script with a supported stemmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Swedish,
    Danish,
    Norwegian,
    Finnish,
    Polish,
    Czech,
    Hungarian,
    Romanian,
    Turkish,
}

/// Every language, in the order of the bits in a [`LanguageSet`], with its Snowball algorithm, its trigram language and
/// its code.
const TABLE: [(Language, Algorithm, Lang, &str); 16] = [
    (Language::English, Algorithm::English, Lang::Eng, "en"),
    (Language::German, Algorithm::German, Lang::Deu, "de"),
    (Language::French, Algorithm::French, Lang::Fra, "fr"),
    (Language::Spanish, Algorithm::Spanish, Lang::Spa, "es"),
    (Language::Italian, Algorithm::Italian, Lang::Ita, "it"),
    (Language::Portuguese, Algorithm::Portuguese, Lang::Por, "pt"),
    (Language::Dutch, Algorithm::Dutch, Lang::Nld, "nl"),
    (Language::Swedish, Algorithm::Swedish, Lang::Swe, "sv"),
    (Language::Danish, Algorithm::Danish, Lang::Dan, "da"),
    (Language::Norwegian, Algorithm::Norwegian, Lang::Nob, "no"),
    (Language::Finnish, Algorithm::Finnish, Lang::Fin, "fi"),
    (Language::Polish, Algorithm::Polish, Lang::Pol, "pl"),
    (Language::Czech, Algorithm::Czech, Lang::Ces, "cs"),
    (Language::Hungarian, Algorithm::Hungarian, Lang::Hun, "hu"),
    (Language::Romanian, Algorithm::Romanian, Lang::Ron, "ro"),
    (Language::Turkish, Algorithm::Turkish, Lang::Tur, "tr"),
];

/// Number of languages.
pub(super) const LANGUAGES: usize = TABLE.len();

impl Language {
    /// Every language, in the order of the bits in a [`LanguageSet`].
    pub(super) fn all() -> impl Iterator<Item = Self> {
        TABLE.into_iter().map(|(language, ..)| language)
    }

    /// The Snowball algorithm of the language.
    pub(super) fn algorithm(self) -> Algorithm {
        TABLE[self as usize].1
    }

    /// Its code by ISO 639-1.
    pub(super) fn code(self) -> &'static str {
        TABLE[self as usize].3
    }

    /// The language with this code.
    pub(super) fn of_code(code: &str) -> Option<Self> {
        let row = TABLE.into_iter().find(|row| row.3 == code);
        row.map(|(language, ..)| language)
    }

    fn of_trigrams(named: Lang) -> Option<Self> {
        let row = TABLE.into_iter().find(|row| row.2 == named);
        row.map(|(language, ..)| language)
    }
}

/// A set of languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LanguageSet(u16);

impl LanguageSet {
    /// The candidate languages of a short text of unknown language.
    ///
    /// The rest of [`Language::all`] needs evidence (a function word, a letter, a long text), because each candidate
    /// costs every such query one more lookup per word.
    pub(super) const CANDIDATES: Self = Self(0b0000_0000_1111_1110);

    pub(super) const ENGLISH: Self = Self(1);

    pub(super) const fn of(languages: &[Language]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < languages.len() {
            bits |= 1 << languages[at] as u16;
            at += 1;
        }
        Self(bits)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub(super) fn contains(self, language: Language) -> bool {
        self.0 & (1 << language as u16) != 0
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[must_use]
    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub(super) fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[must_use]
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Language> {
        Language::all().filter(move |language| self.contains(*language))
    }
}

/// The evidence of one word for the language of its text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// The languages that the word indicates.
    pub(super) languages: LanguageSet,
    /// The weight: 4 for a function word of one language, 2 for a shared one, 1 for a word with another meaning in
    /// English ("die", "war") or for a letter of several languages.
    pub(super) weight: u8,
}

/// The accumulated evidence of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scores {
    points: [u32; LANGUAGES],
    unique_english: bool,
    words: u32,
}

/// The detection result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LanguageVerdict {
    /// The languages other than English whose stems are added to the base stems.
    pub(super) guests: LanguageSet,
    /// The languages whose function words are treated as stop words.
    pub(super) stops: LanguageSet,
    /// Whether the evidence was sufficient.
    pub(super) known: bool,
}

impl LanguageVerdict {
    fn known(languages: LanguageSet) -> Self {
        let guests = languages.without(LanguageSet::ENGLISH);
        Self {
            guests,
            stops: languages,
            known: true,
        }
    }
}

/// Maximum words of a short text: one of unknown language gets the stems of every candidate.
const SHORT: u32 = 12;

/// Minimum bytes for trigram statistics.
const MIN_TRIGRAM_BYTES: usize = 60;

/// Maximum bytes for trigram statistics.
const TRIGRAM_SAMPLE: usize = 400;

impl Scores {
    /// Adds a word's evidence.
    #[inline]
    pub(super) fn add(&mut self, evidence: Evidence) {
        self.words += 1;
        if evidence.weight == 0 {
            return;
        }
        let mut bits = evidence.languages.0;
        self.unique_english |= bits == 1;
        while bits != 0 {
            self.points[bits.trailing_zeros() as usize] += u32::from(evidence.weight);
            bits &= bits - 1;
        }
    }

    /// Detects the language of a document, or a block of it, by its words; reads `text` only if they are inconclusive.
    ///
    /// `before` is the verdict on the preceding block. A short text gets the stems of every candidate only with some
    /// evidence against English: otherwise the few short English notes without a function word would be the only ones
    /// with guest terms, which would make those terms rare and give them a high weight.
    pub(super) fn verdict_on_document(
        &self,
        text: &str,
        before: Option<LanguageVerdict>,
    ) -> LanguageVerdict {
        let leaders = self.leaders();
        let stored = known_verdict(leaders).or(before.filter(|before| before.known));
        stored.unwrap_or_else(|| self.fallback_verdict(text, leaders, self.is_foreign()))
    }

    /// Detects the language of a query by its words.
    pub(super) fn verdict_on_query(&self, text: &str) -> LanguageVerdict {
        let leaders = self.leaders();
        known_verdict(leaders).unwrap_or_else(|| self.fallback_verdict(text, leaders, true))
    }

    /// The language with the most evidence, or by trigrams if there is evidence against English and no clear leader.
    pub(super) fn language(&self, text: &str) -> Option<Language> {
        let top = self.top();
        let leads = |language: &Language| top >= 2 && self.points[*language as usize] == top;
        let mut leaders = Language::all().filter(leads);
        match (leaders.next(), leaders.next()) {
            (Some(language), None) => Some(language),
            (Some(Language::English), _) if self.unique_english => Some(Language::English),
            _ if text.len() >= MIN_TRIGRAM_BYTES => detect_by_trigrams(text),
            (first, _) => first,
        }
    }

    /// Trigrams are used only with evidence against English: prose in a listed language nearly always contains function
    /// words, but lists and code lack them, and trigrams take longer than everything else.
    fn fallback_verdict(&self, text: &str, leaders: LanguageSet, guess: bool) -> LanguageVerdict {
        if self.is_foreign()
            && self.words > SHORT / 2
            && text.len() >= MIN_TRIGRAM_BYTES
            && let Some(language) = detect_by_trigrams(text)
        {
            return LanguageVerdict::known(LanguageSet::of(&[language]));
        }
        let every = guess && self.words <= SHORT;
        let guests = if every {
            LanguageSet::CANDIDATES
        } else {
            LanguageSet::default()
        };
        LanguageVerdict {
            guests,
            stops: leaders.union(LanguageSet::ENGLISH),
            known: false,
        }
    }

    /// Whether some language has more evidence than English.
    fn is_foreign(&self) -> bool {
        self.top() > self.points[0]
    }

    fn top(&self) -> u32 {
        self.points.iter().copied().max().unwrap_or(0)
    }

    /// The languages with more than two thirds of the best score; only English if it has the best score and a word that
    /// is unique to English. Empty without significant evidence.
    fn leaders(&self) -> LanguageSet {
        let top = self.top();
        if top < 2 {
            return LanguageSet::default();
        }
        if self.unique_english && self.points[0] == top {
            return LanguageSet::ENGLISH;
        }
        let near = |language: &Language| self.points[*language as usize] * 3 > top * 2;
        let leaders: Vec<Language> = Language::all().filter(near).collect();
        LanguageSet::of(&leaders)
    }
}

fn known_verdict(leaders: LanguageSet) -> Option<LanguageVerdict> {
    (1..=4)
        .contains(&leaders.len())
        .then(|| LanguageVerdict::known(leaders))
}

fn detect_by_trigrams(text: &str) -> Option<Language> {
    let sample = &text[..border::at_or_before(text, TRIGRAM_SAMPLE)];
    let stored = whatlang::detect(sample).filter(whatlang::Info::is_reliable)?;
    Language::of_trigrams(stored.lang())
}

/// The evidence of the non-ASCII letters in a lower-case word.
pub(super) fn evidence_of_letters(word: &str) -> Evidence {
    let mut languages: Option<LanguageSet> = None;
    for letter in word.chars().filter(|letter| !letter.is_ascii()) {
        let users = users_of_letter(letter);
        languages = Some(languages.map_or(users, |before| before.intersection(users)));
    }
    let languages = languages.unwrap_or_default();
    let weight = match languages.len() {
        0 => 0,
        1 => 3,
        _ => 1,
    };
    Evidence { languages, weight }
}

fn users_of_letter(letter: char) -> LanguageSet {
    #[allow(clippy::enum_glob_use, reason = "a table of languages")]
    use Language::*;
    LanguageSet::of(match letter {
        'ß' => &[German],
        'ä' => &[German, Swedish, Finnish],
        'ö' => &[German, Swedish, Finnish, Turkish, Hungarian],
        'ü' => &[German, Turkish, Hungarian, Spanish],
        'å' => &[Swedish, Danish, Norwegian],
        'æ' | 'ø' => &[Danish, Norwegian],
        'ñ' | '¿' | '¡' => &[Spanish],
        'ã' | 'õ' => &[Portuguese],
        'â' => &[French, Portuguese, Romanian],
        'ç' => &[French, Portuguese, Turkish],
        'è' | 'ù' => &[French, Italian],
        'ê' | 'ô' => &[French, Portuguese],
        'ë' | 'ï' => &[French, Dutch],
        'à' => &[French, Italian, Portuguese],
        'ì' | 'ò' => &[Italian],
        'î' => &[French, Romanian],
        'œ' | 'û' => &[French],
        'é' => &[French, Spanish, Portuguese, Italian, Czech, Hungarian],
        'á' | 'í' => &[Spanish, Portuguese, Czech, Hungarian],
        'ó' => &[Spanish, Portuguese, Polish, Hungarian, Czech],
        'ú' => &[Spanish, Portuguese, Hungarian, Czech],
        'ą' | 'ę' | 'ł' | 'ś' | 'ć' | 'ż' | 'ź' | 'ń' => &[Polish],
        'ě' | 'ř' | 'ů' | 'č' | 'š' | 'ž' | 'ý' | 'ď' | 'ť' | 'ň' => &[Czech],
        'ő' | 'ű' => &[Hungarian],
        'ă' | 'ș' | 'ț' | 'ţ' => &[Romanian],
        'ş' => &[Turkish, Romanian],
        'ğ' | 'ı' => &[Turkish],
        _ => &[],
    })
}
