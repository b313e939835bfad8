//! Claims that somebody did, does or never did something.

mod being;
mod denials;

use std::ops::Range;

pub(super) use self::being::{BE, OWN, being};
use self::denials::denied;
use super::claim::{Action, Aspect, Topic};
use super::clauses::{Clause, Mode};
use super::tokens::{Kind, Token, is_at, says};
use super::topics::topics;
use super::words::{
    Stems, is_function_word, is_idle_verb, is_known_verb, is_past_form, verb_groups, verb_lemma,
};

/// An action read from a clause, before it becomes a claim.
pub(super) struct FoundAction {
    /// The tokens to quote.
    pub(super) tokens: Range<usize>,
    /// Empty for the speaker.
    pub(super) subject: Vec<String>,
    /// The terms of its object, the head first.
    pub(super) about: Vec<Topic>,
    pub(super) action: Action,
    pub(super) changed: bool,
}

/// Adverbs between an auxiliary and its verb.
const BETWEEN: &str = "just recently already also actually finally really even ever once now still only always currently successfully
    yet personally formally officially since then both all previously usually often sometimes regularly mostly mainly quickly
    truly honestly probably definitely fully completely initially";

/// Words after which a clause expresses a wish or an expectation.
const UNREAL: &str = "will would could should shall may might can must want wants need needs plan plans hope hoping aim aiming going
    trying try tried planning thinking considering wanting looking intend intending about supposed like love wish cannot";

/// All actions that the clause asserts or denies of its subject. `underway`: the memory contains code, so that trying to do
/// something counts as having begun. `before`: the previous clause, to which a relative clause may refer.
pub(super) fn actions(
    tokens: &[Token<'_>],
    clause: &Clause,
    before: Option<&Clause>,
    underway: bool,
    stems: &mut Stems,
) -> Vec<FoundAction> {
    if clause.mode != Mode::Assertion {
        return Vec::new();
    }
    let Some(head) = verb_phrase(tokens, clause, underway, stems) else {
        return Vec::new();
    };
    if head.aspect.is_negative() {
        denied(tokens, clause, before, &head, stems)
    } else {
        done(tokens, clause, &head, stems)
    }
}

/// The subject, aspect and verb of a clause.
pub(super) struct VerbPhrase {
    /// Empty for the speaker.
    pub(super) subject: Vec<String>,
    pub(super) aspect: Aspect,
    /// The index of the verb.
    pub(super) verb: usize,
    pub(super) changed: bool,
}

impl VerbPhrase {
    /// The action with this verb (in its base form), quote and topic.
    fn with(&self, verb: String, tokens: Range<usize>, about: Vec<Topic>) -> FoundAction {
        FoundAction {
            tokens,
            subject: self.subject.clone(),
            about,
            action: Action {
                groups: verb_groups(&verb),
                verb,
                aspect: self.aspect,
                day: None,
            },
            changed: self.changed,
        }
    }
}

fn verb_phrase(
    tokens: &[Token<'_>],
    clause: &Clause,
    underway: bool,
    stems: &mut Stems,
) -> Option<VerbPhrase> {
    let range = clause.tokens.clone();
    let mut at = range.start;
    let lead = |at: usize| {
        at < range.end
            && tokens[at].is_one_of(
                "but so and because since although though while whereas considering given that which why then well also \
                 now hmm especially yeah yes no nope nah yep honestly sadly unfortunately luckily ok okay even",
            )
    };
    while lead(at) {
        at += 1;
    }
    if at < range.end && tokens[at].is("after") {
        return after_doing(tokens, range, at);
    }
    let (subject, next) = subject(tokens, at..range.end, stems)?;
    predicate(tokens, next..range.end, subject, underway)
}

/// `after completing it`: the speaker did it.
fn after_doing(tokens: &[Token<'_>], range: Range<usize>, at: usize) -> Option<VerbPhrase> {
    let mut verb = at + 1;
    while verb < range.end && tokens[verb].is_one_of("having finally successfully recently just") {
        verb += 1;
    }
    let token = tokens.get(verb).filter(|_| verb < range.end)?;
    (token.lower.ends_with("ing") || is_past_form(&token.lower)).then_some(VerbPhrase {
        subject: Vec::new(),
        aspect: Aspect::Done,
        verb,
        changed: false,
    })
}

/// The subject, and the start of the rest. An elided subject (`just downloaded it`, `never been there`) is the speaker.
fn subject(
    tokens: &[Token<'_>],
    range: Range<usize>,
    stems: &mut Stems,
) -> Option<(Vec<String>, usize)> {
    let first = tokens.get(range.start).filter(|_| !range.is_empty())?;
    if first.is_one_of("i we") {
        return Some((Vec::new(), range.start + 1));
    }
    if first.is_one_of("have never just recently finally not") {
        return Some((Vec::new(), range.start));
    }
    if first.is_one_of("you he she it they there this that these those what who how") {
        return None;
    }
    let names = first.is_one_of("the our my his her their a an") || first.is_capitalised();
    if !names || is_known_verb(&first.lower) {
        return None;
    }
    // A noun phrase before an auxiliary or a known verb.
    let end = range.clone().take(7).find(|&at| {
        let token = &tokens[at];
        at > range.start
            && (token.is_one_of("has have does do did is are never no not was were had 's")
                || (is_known_verb(&token.lower)
                    && token.lower.ends_with('s')
                    && !token.is_capitalised()))
    })?;
    let terms: Vec<String> = tokens[range.start..end]
        .iter()
        .filter(|token| token.is_said() && !is_function_word(&token.lower))
        .map(|token| stems.of(&token.lower))
        .collect();
    (!terms.is_empty()).then_some((terms, end))
}

fn predicate(
    tokens: &[Token<'_>],
    range: Range<usize>,
    subject: Vec<String>,
    underway: bool,
) -> Option<VerbPhrase> {
    let mut at = range.start;
    let mut have = false;
    let mut been = false;
    let mut be = false;
    let mut negated = false;
    let mut never = false;
    let mut ceased = false;
    let mut doing = false;
    let mut changed = false;
    let mut attempted = false;
    while at < range.end {
        let token = &tokens[at];
        let nexts = tokens.get(at + 1).filter(|_| at + 1 < range.end);
        if token.is_one_of("have has had 've") && nexts.is_some_and(|next| may_follow_have(next)) {
            have = true;
        } else if token.is("been")
            && have
            && nexts.is_some_and(|next| next.lower.ends_with("ing") || next.is_one_of(BETWEEN))
        {
            been = true;
        } else if token.is_one_of("am is are was were 's") {
            be = true;
        } else if token.is_one_of("do does did")
            && nexts.is_some_and(|next| next.is_one_of("not never actually really"))
        {
            doing = true;
            have |= token.is("did");
        } else if token.is("not") {
            negated = true;
        } else if token.is("never") {
            never = true;
        } else if token.is("no") && nexts.is_some_and(|next| next.is("longer")) {
            ceased = true;
            at += 1;
        } else if token.is_one_of("stopped quit") && !negated {
            ceased = true;
            have = false;
        } else if underway
            && (token.is_one_of("trying working attempting struggling") && be
                || token.is_one_of("to on with")
                    && tokens[at - 1].is_one_of("trying working attempting struggling"))
        {
            attempted = true;
        } else if token.is_one_of("now recently just finally") {
            changed |= token.is_one_of("now finally");
        } else if token.is_one_of("started began")
            && nexts.is_some_and(|next| next.lower.ends_with("ing"))
        {
            changed = true;
            be = true;
        } else if !token.is_one_of(BETWEEN) {
            break;
        }
        at += 1;
    }
    let verb = tokens.get(at).filter(|_| at < range.end)?;
    let feels = verb.is_one_of("love like") && !is_at(tokens, at + 1, "to it that how");
    if verb.kind != Kind::Word
        || (verb.is_one_of(UNREAL) && !feels)
        || is_function_word(&verb.lower)
            && !feels
            && !verb.is_one_of("been do done did have had has own")
    {
        return None;
    }
    let anymore = says(&tokens[range.clone()], "anymore")
        || tokens[range.clone()]
            .windows(2)
            .any(|pair| pair[0].is("any") && pair[1].is("more"));
    if attempted {
        let negative = negated || never || ceased;
        return (!negative).then_some(VerbPhrase {
            subject,
            aspect: Aspect::Underway,
            verb: at,
            changed: false,
        });
    }
    let progressive = verb.lower.ends_with("ing") && (be || been);
    let past = is_past_form(&verb.lower) || (have && verb.is("been"));
    let next = tokens.get(at + 1).filter(|_| at + 1 < range.end);
    if verb_lemma(&verb.lower) == "give" && next.is_some_and(|next| next.is_one_of("up in")) {
        return None;
    }
    let averse = is_averse(&verb.lower);
    let aspect = if averse {
        if negated || never || ceased {
            return None;
        }
        Aspect::NotOngoing
    } else if ceased || (negated && anymore) {
        Aspect::Ceased
    } else if never && (have || past) {
        Aspect::Never
    } else if never {
        Aspect::NotOngoing
    } else if negated && have {
        Aspect::NotDone
    } else if negated && (doing || progressive) {
        Aspect::NotOngoing
    } else if negated || (be && !progressive) {
        return None;
    } else if progressive {
        Aspect::Ongoing
    } else if have || past {
        Aspect::Done
    } else {
        Aspect::Ongoing
    };
    Some(VerbPhrase {
        subject,
        aspect,
        verb: at,
        changed: changed || anymore || ceased || says(&tokens[at..range.end], "again"),
    })
}

/// Whether the verb means not to like something.
fn is_averse(verb: &str) -> bool {
    matches!(
        verb_lemma(verb).as_str(),
        "hate" | "dislike" | "detest" | "loathe" | "despise"
    )
}

/// Whether `have` before this word is an auxiliary.
fn may_follow_have(next: &Token<'_>) -> bool {
    next.is_one_of(BETWEEN)
        || next.is_one_of("not never been")
        || (next.kind == Kind::Word && is_past_form(&next.lower) && !is_function_word(&next.lower))
        || next.is_one_of("had done")
}

/// The base form of a verb. `been` (to a place) counts as `go`, verbs of dislike as `like`.
pub(super) fn action_verb(token: &Token<'_>) -> String {
    let lemma = verb_lemma(&token.lower);
    match lemma.as_str() {
        "be" => "go".to_owned(),
        _ if is_averse(&lemma) => "like".to_owned(),
        _ => lemma,
    }
}

/// The start of a verb phrase, including auxiliaries and adverbs.
pub(super) fn phrase_start(tokens: &[Token<'_>], verb: usize) -> usize {
    let mut start = verb;
    while start > 0
        && verb - start < 6
        && (tokens[start - 1].is_one_of(BETWEEN)
            || tokens[start - 1]
                .is_one_of("i we have has had not never do does did been am is are no longer"))
    {
        start -= 1;
    }
    start
}

fn done(
    tokens: &[Token<'_>],
    clause: &Clause,
    phrase: &VerbPhrase,
    stems: &mut Stems,
) -> Vec<FoundAction> {
    let lemma = action_verb(&tokens[phrase.verb]);
    let end = clause.tokens.end;
    if is_idle_verb(&lemma) && !matches!(lemma.as_str(), "get" | "got") {
        return Vec::new();
    }
    let about = topics(tokens, phrase.verb + 1..end, stems);
    if about.is_empty() {
        return Vec::new();
    }
    vec![phrase.with(lemma, phrase_start(tokens, phrase.verb)..end, about)]
}
