//! Grammatical roles of English words, as far as claims need them, and the stems by which claims are compared.

use std::sync::LazyLock;

use anamne_text::analyser::Analyser;
use rustc_hash::{FxHashMap, FxHashSet};

/// Words with a grammatical role rather than a topic.
const FUNCTION_WORDS: &str = "a an the this that these those such i me my mine myself we us our ours ourselves you your yours
    yourself he him his himself she her hers herself it its itself they them their theirs themselves who whom whose which what
    when where why how am is are was were be been being do does did doing done have has had having 's can could will would shall
    should may might must ought and or but nor if then else than so because although though while whereas unless until since
    as of at by for with without about against between among into onto through throughout during before after above below to
    from up down in out on off over under within toward towards upon per via no not never ever yet any some all both each every
    either neither few many much more most other another own same too very just only also even still already again now here there
    once always often sometimes usually really actually currently recently lately finally today yesterday tomorrow tonight
    maybe perhaps probably basically honestly personally definitely completely totally quite rather pretty well back away around
    ago soon later one ones etc like gonna gotta kinda sorta yes yeah no ok okay oh hey hi please thanks anything something
    nothing everything anyone someone everyone nobody anybody somebody previously formally officially successfully yet anymore
    any-more together instead along across near despite except including regarding concerning plus minus let's far long least
    last next new old zero one two three four five six seven eight nine ten eleven twelve twenty hundred thousand dozen several lot lots bit little great good";

/// Generic words, which say little about the topic.
const GENERIC: &str = "project thing course session work app application feature time day week month year way part stuff people kind
    example help problem question issue task case number total amount area point place side end start level type step set
    lot bit event program training class process system user data information experience idea plan goal team group item
    tool method approach skill section current daily weekly monthly different first second third final main basic simple
    similar related specific certain personal sort form piece version use change page code platform formal prior previous real recent growth
    actual dedicated person life proper single software";

/// Verbs by meaning; those of one line may stand for each other.
const VERB_GROUPS: &[&str] = &[
    "write implement build create develop make code set design add draft compose produce construct program configure setup craft prepare generate",
    "use try work integrate install download adopt employ utilize apply run handle manage operate play touch leverage rely experiment",
    "attend take enroll enrol complete finish participate join study learn register sign go practice practise solve attempt do undergo pass",
    "deploy publish release launch ship host push",
    "test check verify review evaluate validate benchmark measure",
    "fix resolve solve debug repair correct patch address",
    "work collaborate partner team cooperate co-write pair join",
    "submit send share hand deliver turn forward mail",
    "meet see talk speak chat call interview visit contact discuss",
    "visit go travel be fly hike climb explore see tour drive",
    "eat drink taste try consume have order",
    "own have get obtain buy purchase acquire receive adopt possess secure",
    "receive get accept earn win obtain gain",
    "miss skip cancel",
    "read finish watch see listen study review",
    "run swim bike play practice practise train exercise compete race jog",
    "run swim ride walk hike race finish complete do",
    "cook bake make prepare",
    "live stay reside move rent",
    "teach mentor coach train tutor lead guide",
    "paint draw sketch sculpt make create",
    "love like enjoy adore prefer favor favour",
    "hate dislike detest loathe despise",
    "support allow require need include provide offer contain accept expose store cost",
    "hire employ recruit",
    "travel go visit take fly drive ride",
    "smoke vape",
    "give present deliver speak hold host organize organise run",
    "plant grow garden harvest",
    "fill file complete submit sign",
    "sell trade market",
    "invest buy put save",
    "negotiate discuss agree sign",
    "experience suffer feel face encounter hit",
    "perform sing dance act play",
    "track log record monitor measure",
    "break fracture injure hurt sprain",
    "analyze analyse examine study investigate research",
    "schedule book arrange plan organize organise set",
    "apply submit interview",
    "update upgrade change modify revise edit adjust",
    "consult see hire talk speak meet work",
];

/// Verbs of thought, speech and idioms: with "never" they make no claim about the world.
const IDLE_VERBS: &str = "know think feel realize realise imagine expect dream forget mind let fail cease stop end guess
    understand believe remember want wish need hope say mention tell seem look sound appear thought knew felt matter care hurt hear
    heard consider figure find found decide be get got shy doubt regret wonder notice lose tire grow come settle";

/// Other verbs, so that their forms get the right base form.
const MORE_VERBS: &str = "improve increase decrease reduce shorten expand move postpone shift delay change update raise lower reach climb
    jump boost bump revise adjust reset decline shrink slip rise drop fall grow extend push reschedule save secure merge record close
    receive arrive serve drive leave continue believe achieve produce promote upgrade migrate replace switch stop start begin aim
    celebrate choose compare define describe explore finalize finalise include involve issue like locate name note notice place
    remove require rule shape store tie type value vote waste retire divorce marry graduate complete ensure estimate measure
    schedule score state suggest trace tune upgrade utilize validate wipe charge cycle dance evaluate hope hire insure invite juggle
    kite lease license mature nurse operate outline paste phrase pile practice praise prune queue quote rate realize reuse rinse route
    sense share size slice smoke solve stage subscribe terminate trade transcribe tutor use wire";

const IRREGULAR: &[(&str, &str)] = &[
    ("written", "write"),
    ("wrote", "write"),
    ("taken", "take"),
    ("took", "take"),
    ("built", "build"),
    ("made", "make"),
    ("used", "use"),
    ("done", "do"),
    ("did", "do"),
    ("gone", "go"),
    ("went", "go"),
    ("been", "be"),
    ("was", "be"),
    ("were", "be"),
    ("had", "have"),
    ("has", "have"),
    ("got", "get"),
    ("gotten", "get"),
    ("bought", "buy"),
    ("sold", "sell"),
    ("met", "meet"),
    ("seen", "see"),
    ("saw", "see"),
    ("spoken", "speak"),
    ("spoke", "speak"),
    ("sent", "send"),
    ("ran", "run"),
    ("swum", "swim"),
    ("swam", "swim"),
    ("eaten", "eat"),
    ("ate", "eat"),
    ("drunk", "drink"),
    ("drank", "drink"),
    ("flown", "fly"),
    ("flew", "fly"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("taught", "teach"),
    ("led", "lead"),
    ("given", "give"),
    ("gave", "give"),
    ("held", "hold"),
    ("won", "win"),
    ("left", "leave"),
    ("lost", "lose"),
    ("found", "find"),
    ("read", "read"),
    ("grown", "grow"),
    ("grew", "grow"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("sung", "sing"),
    ("sang", "sing"),
    ("ridden", "ride"),
    ("rode", "ride"),
    ("chosen", "choose"),
    ("chose", "choose"),
    ("broken", "break"),
    ("broke", "break"),
    ("set", "set"),
    ("put", "put"),
    ("hit", "hit"),
    ("hurt", "hurt"),
    ("quit", "quit"),
    ("kept", "keep"),
    ("told", "tell"),
    ("said", "say"),
    ("thought", "think"),
    ("knew", "know"),
    ("known", "know"),
    ("come", "come"),
    ("came", "come"),
    ("become", "become"),
    ("became", "become"),
    ("begun", "begin"),
    ("began", "begin"),
    ("spent", "spend"),
    ("paid", "pay"),
    ("caught", "catch"),
    ("worn", "wear"),
    ("wore", "wear"),
    ("risen", "rise"),
    ("rose", "rise"),
    ("fallen", "fall"),
    ("fell", "fall"),
    ("shot", "shoot"),
    ("cut", "cut"),
    ("let", "let"),
    ("heard", "hear"),
    ("felt", "feel"),
    ("slept", "sleep"),
    ("learnt", "learn"),
    ("forgotten", "forget"),
    ("forgot", "forget"),
    ("signed", "sign"),
    ("dove", "dive"),
    ("drove", "drive"),
];

static FUNCTIONS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| set_of(FUNCTION_WORDS));
static GENERICS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| set_of(GENERIC));
static MORE: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| set_of(MORE_VERBS));
static LEMMAS: LazyLock<FxHashMap<&'static str, &'static str>> =
    LazyLock::new(|| IRREGULAR.iter().copied().collect());
static GROUPS: LazyLock<FxHashMap<&'static str, u64>> = LazyLock::new(|| {
    let mut groups: FxHashMap<&'static str, u64> = FxHashMap::default();
    for (group, line) in VERB_GROUPS.iter().enumerate() {
        for verb in line.split_ascii_whitespace() {
            *groups.entry(verb).or_default() |= 1 << group;
        }
    }
    groups
});

fn set_of(words: &'static str) -> FxHashSet<&'static str> {
    words.split_ascii_whitespace().collect()
}

/// Whether a word is in a space-separated list.
pub(super) fn is_listed(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|listed| listed == word)
}

/// Whether a word (in lower case) has a grammatical role rather than a topic.
pub(super) fn is_function_word(lower: &str) -> bool {
    FUNCTIONS.contains(lower)
}

/// Whether a word says little about the topic.
pub(super) fn is_generic(lower: &str) -> bool {
    GENERICS.contains(lower) || GENERICS.contains(lower.trim_end_matches('s'))
}

/// Whether denying this verb makes no claim that another statement could contradict.
pub(super) fn is_idle_verb(lemma: &str) -> bool {
    is_listed(IDLE_VERBS, lemma)
}

/// The groups of a verb, as a bit set; 0 for verbs without a group.
pub(super) fn verb_groups(lemma: &str) -> u64 {
    GROUPS.get(lemma).copied().unwrap_or(0)
}

/// Whether a word is a form of a known verb.
pub(super) fn is_known_verb(form: &str) -> bool {
    let lemma = verb_lemma(form);
    GROUPS.contains_key(lemma.as_str()) || LEMMAS.contains_key(form)
}

/// Whether a form can be a past tense or a past participle.
pub(super) fn is_past_form(form: &str) -> bool {
    LEMMAS.contains_key(form) || (form.len() > 3 && form.ends_with("ed"))
}

fn is_base(form: &str) -> bool {
    GROUPS.contains_key(form) || MORE.contains(form)
}

/// The base form of a verb: exact for known ones, by ending for others.
pub(super) fn verb_lemma(form: &str) -> String {
    if let Some(lemma) = LEMMAS.get(form) {
        return (*lemma).to_owned();
    }
    if is_base(form) {
        return form.to_owned();
    }
    let stem = ["ing", "ied", "ed", "ies", "es", "s"]
        .into_iter()
        .find_map(|end| form.strip_suffix(end).map(|stem| (stem, end)));
    let Some((stem, end)) = stem.filter(|(stem, _)| stem.len() > 1) else {
        return form.to_owned();
    };
    let undoubled = match stem.as_bytes() {
        [.., last, before] if last == before && !matches!(before, b's' | b'l' | b'e' | b'o') => {
            &stem[..stem.len() - 1]
        }
        _ => stem,
    };
    let candidates = [
        format!("{stem}e"),
        stem.to_owned(),
        undoubled.to_owned(),
        format!("{stem}y"),
        stem[..stem.len() - usize::from(stem.ends_with("ll"))].to_owned(),
    ];
    let known = candidates.iter().find(|candidate| is_base(candidate));
    match (known, end) {
        (Some(known), _) => known.clone(),
        (None, "ied" | "ies") => format!("{stem}y"),
        (None, _) => undoubled.to_owned(),
    }
}

/// The index terms of words, cached.
#[derive(Default)]
pub(super) struct Stems {
    analyser: Analyser,
    known: FxHashMap<String, String>,
}

impl Stems {
    /// The index term of a word in lower case, as in the lexical index.
    pub(super) fn of(&mut self, lower: &str) -> String {
        if let Some(stem) = self.known.get(lower) {
            return stem.clone();
        }
        let mut first = None;
        self.analyser.document(lower, &mut |term, _| {
            first.get_or_insert_with(|| term.to_owned());
        });
        let stem = first.unwrap_or_else(|| lower.to_owned());
        self.known.insert(lower.to_owned(), stem.clone());
        stem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_come_to_their_base_form() {
        for (form, lemma) in [
            ("written", "write"),
            ("implemented", "implement"),
            ("using", "use"),
            ("tried", "try"),
            ("running", "run"),
            ("enrolled", "enroll"),
            ("completing", "complete"),
            ("passed", "pass"),
            ("supports", "support"),
            ("brewed", "brew"),
            ("ed", "ed"),
        ] {
            assert_eq!(verb_lemma(form), lemma, "{form}");
        }
        assert_ne!(verb_groups("write") & verb_groups("implement"), 0);
        assert_eq!(verb_groups("write") & verb_groups("visit"), 0);
    }

    #[test]
    fn stems_are_those_of_the_index() {
        let mut stems = Stems::default();
        assert_eq!(stems.of("caches"), "cach");
        assert_eq!(stems.of("caches"), "cach");
        assert_eq!(stems.of("…"), "…");
    }
}
