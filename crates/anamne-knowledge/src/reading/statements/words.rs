//! Word categories in clauses: adverbs, auxiliaries, and words that may be part of a noun phrase.

use crate::reading::gazetteer::Class;

/// Words that may come between a subject and its verb.
pub(super) fn is_adverb(lower: &str, class: Class) -> bool {
    let listed = one_of!(
        lower,
        "also" "now" "currently" "still" "really" "just" "always" "already" "usually" "often"
        "actually" "recently" "finally" "officially" "only" "all" "then" "sometimes" "mostly"
        "mainly" "originally" "absolutely" "totally" "today" "yesterday" "even" "so" "very" "both"
        "quite" "pretty"
    );
    listed
        || (lower.len() > 4
            && lower.ends_with("ly")
            && !class.is_name()
            && !matches!(
                lower,
                "family" | "reply" | "apply" | "supply" | "assembly" | "italy"
            ))
}

/// Whether a word may be part of a noun phrase.
pub(super) fn may_be_noun(lower: &str, class: Class) -> bool {
    let grammar = class.is(Class::FUNCTION)
        && !one_of!(
            lower,
            "own" "second" "first" "last" "next" "same" "new" "two" "three" "four" "five" "six"
        );
    !grammar && !lower.starts_with('\'') && !is_auxiliary(lower)
}

/// Words without meaning of their own.
pub(super) fn is_vague(lower: &str) -> bool {
    one_of!(
        lower,
        "thing" "things" "lot" "lots" "bit" "way" "ways" "one" "stuff" "kind" "sort" "part" "time"
        "something" "same" "idea" "how" "it" "new" "own" "first" "next" "last" "second" "much"
        "good" "great" "few" "couple" "following" "other" "well" "better" "best" "hard" "together"
        "really" "sound"
    )
}

/// Forms of be, have, do and the modals.
pub(super) fn is_auxiliary(lower: &str) -> bool {
    one_of!(
        lower,
        "am" "is" "are" "was" "were" "be" "been" "being" "has" "have" "had" "having" "do" "does"
        "did" "will" "would" "could" "might" "may" "should" "must" "can" "shall" "'m" "'s" "'re"
        "'ve" "'ll" "'d" "won't" "wouldn't" "can't" "couldn't" "isn't" "aren't" "wasn't" "weren't"
        "don't" "doesn't" "didn't" "hasn't" "haven't" "hadn't" "shouldn't" "cannot" "gonna" "im"
        "ive" "dont" "doesnt" "didnt"
    )
}

pub(super) fn is_verb(lower: &str, class: Class) -> bool {
    is_auxiliary(lower) || class.is(Class::PERSON_VERB)
}

/// Words that express an opinion and not a property.
pub(super) fn is_judgement(word: &str) -> bool {
    word.starts_with("must-")
        || one_of!(
            word,
            "following" "good" "right" "correct" "same" "great" "nice" "bad" "better" "best" "bit"
            "lot" "pain" "mess" "joke" "problem" "must" "fantastic" "wonderful" "amazing"
            "beautiful" "lovely" "way" "excellent" "perfect" "solid" "big" "huge" "terrible" "awful"
            "real" "true" "crucial" "key" "powerful" "popular" "valuable" "useful" "important"
            "critical" "wise" "smart" "strong" "nightmare" "challenge" "issue" "blast" "win" "start"
            "step" "thing" "delight" "treat" "joy" "gem" "one" "reason" "result" "common"
            "possibility" "option" "choice" "idea" "plus" "fan" "part" "member" "little" "few"
            "kind" "sort" "type" "matter" "concern" "risk" "dream" "interesting" "unique" "special"
            "stunning" "incredible" "cool" "fun" "lifesaver" "reminder" "sign" "while" "fine" "long"
            "priority" "success" "failure" "bottleneck" "significant" "major" "classic" "simple"
            "hit" "no-brainer" "testament" "place" "time" "day" "example" "change" "difference"
            "mistake" "chance"
        )
}
