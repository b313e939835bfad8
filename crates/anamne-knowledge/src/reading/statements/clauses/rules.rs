//! Clause patterns: a verb, what stands before it, what stands after it, and the relation that they tell.

use std::sync::LazyLock;

use anamne_types::EntityType;
use rustc_hash::FxHashMap;

/// What a pattern asks of one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// Someone, or a party.
    Person,
    /// Someone, an organisation, or who `we` are.
    Party,
    /// Anything with a name, or a thing such as `the port`.
    Any,
    /// Anything with a name but people.
    Made,
    /// A place.
    Place,
    /// An organisation, or what may be one.
    Organisation,
    /// Anything with a name.
    Named,
    /// Anything with a name but dates and people, or a thing in words.
    Thing,
    /// A program, idea, project, symbol or the like, with a name.
    Technical,
    /// A day or longer time.
    Date,
    /// A date or a version.
    DateOrVersion,
    /// A happening with a name.
    Happening,
}

impl Want {
    /// Whether an end with a name of this type will do; `None` is a value in words.
    pub(super) fn accepts(self, entity_type: Option<EntityType>) -> bool {
        use EntityType::{
            Concept, Date, File, Organisation, Person, Place, Project, Symbol, Tool, Url, Version,
        };
        let Some(kind) = entity_type else {
            return matches!(self, Self::Thing | Self::Happening);
        };
        match self {
            Self::Person => kind == Person,
            Self::Party => matches!(kind, Person | Organisation),
            Self::Any => !matches!(kind, Date | Version | Url),
            Self::Made => !matches!(kind, Date | Version | Url | Person),
            Self::Place => kind == Place,
            Self::Organisation => matches!(kind, Organisation | Project | Concept | Tool | Place),
            Self::Named => kind != Date && kind != Url,
            Self::Thing => !matches!(kind, Date | Person),
            Self::Technical => matches!(
                kind,
                Tool | Project | Symbol | Concept | File | Url | Organisation | Version
            ),
            Self::Date => kind == Date,
            Self::DateOrVersion => matches!(kind, Date | Version),
            Self::Happening => matches!(kind, Concept | Project),
        }
    }
}

/// A clause pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) subject: Want,
    /// Words that must follow the verb, one of them; `""` for none.
    pub(super) after: &'static [&'static str],
    pub(super) object: Want,
    pub(super) relation: &'static str,
    pub(super) confidence: f32,
    /// The verb is a participle after a form of be.
    pub(super) passive: bool,
    /// What stands after is what the statement is about.
    pub(super) swapped: bool,
}

/// The rules of a verb.
pub(super) fn rules_of(verb: &str) -> &'static [Rule] {
    static RULES: LazyLock<FxHashMap<&'static str, Vec<Rule>>> = LazyLock::new(build);
    RULES.get(verb).map_or(&[], Vec::as_slice)
}

fn build() -> FxHashMap<&'static str, Vec<Rule>> {
    let mut rules: FxHashMap<&'static str, Vec<Rule>> = FxHashMap::default();
    for (verbs, rule) in TABLE {
        for verb in verbs.split_ascii_whitespace() {
            rules.entry(verb).or_default().push(*rule);
        }
    }
    rules
}

impl Rule {
    /// A rule for an active verb and for statements about its subject.
    const fn new(
        subject: Want,
        after: &'static [&'static str],
        object: Want,
        relation: &'static str,
        confidence: f32,
    ) -> Self {
        Self {
            subject,
            after,
            object,
            relation,
            confidence,
            passive: false,
            swapped: false,
        }
    }

    const fn passive(mut self) -> Self {
        self.passive = true;
        self
    }

    const fn swapped(mut self) -> Self {
        self.swapped = true;
        self
    }
}

/// Writes rules in the order of a sentence: subject, verbs, the words after them, object; then what they tell, how sure
/// that is, and what is special.
macro_rules! rules {
    ($($subject:ident $verbs:literal [$($after:literal)+] $object:ident:
        $relation:literal, $confidence:literal $(, $special:ident)*;)+) => {
        &[$((
            $verbs,
            Rule::new(Want::$subject, &[$($after),+], Want::$object, $relation, $confidence)
                $(.$special())*
        )),+]
    };
}

/// The rules by their verbs. The first that fits wins.
const TABLE: &[(&str, Rule)] = rules! {
    Person "live lives living" ["in" "at" "near" "outside"] Place: "lives_in", 0.9;
    Person "lived" ["in"] Place: "lives_in", 0.6;
    Person "reside resides residing" ["in"] Place: "lives_in", 0.9;
    Person "based" ["in" "out of"] Place: "lives_in", 0.75, passive;
    Made "based headquartered located situated hosted"
        ["in" "at" "near"] Place: "located_in", 0.85, passive;
    Person "moved relocated emigrated" ["to" "back to"] Place: "moved_to", 0.85;
    Person "come comes" ["from"] Place: "comes_from", 0.85;
    Person "born raised" ["in" "and raised in"] Place: "comes_from", 0.75, passive;
    Person "grew" ["up in"] Place: "comes_from", 0.8;
    Person "am is are 'm 's" ["from" "originally from"] Place: "comes_from", 0.8;
    Person "work works working" ["at" "for"] Organisation: "works_at", 0.85;
    Person "employed" ["at" "by"] Organisation: "works_at", 0.85, passive;
    Person "intern interns interning" ["at"] Organisation: "works_at", 0.75;
    Person "started"
        ["at" "working at" "working for" "a job at" "a new job at" "my new job at" "her new job at"
        "his new job at"] Organisation: "works_at", 0.75;
    Party "work works working worked" ["on"] Thing: "works_on", 0.7;
    Party "maintain maintains" [""] Thing: "works_on", 0.7;
    Person "study studies studying" ["at"] Organisation: "studies_at", 0.85;
    Person "enrolled" ["at" "in"] Organisation: "studies_at", 0.7;
    Any "member members" ["of"] Organisation: "member_of", 0.8;
    Person "plays" ["for"] Organisation: "member_of", 0.75;
    Person "joined" ["" "the"] Organisation: "member_of", 0.7;
    Person "joined" [""] Thing: "member_of", 0.7;
    Person "lead leads heads chairs coordinates" [""] Thing: "leads", 0.7;
    Any "led headed chaired" ["by"] Person: "leads", 0.8, passive, swapped;
    Person "charge" ["of"] Thing: "leads", 0.8;
    Party "responsible" ["for"] Thing: "leads", 0.75, passive;
    Party "own owns" [""] Thing: "owns", 0.85;
    Any "owned" ["by"] Party: "owns", 0.85, passive, swapped;
    Party "bought purchased acquired" [""] Thing: "owns", 0.65;
    Any "belongs belong" ["to"] Party: "owns", 0.7, swapped;
    Party "takes took taking" ["over"] Thing: "owns", 0.7;
    Made "belongs belong" ["to"] Named: "part_of", 0.65;
    Made "part" ["of"] Named: "part_of", 0.8;
    Party "created built designed founded invented developed authored composed co-founded cofounded"
        [""] Thing: "created", 0.75;
    Person "wrote" [""] Thing: "created", 0.7;
    Any "created built written designed founded invented developed authored composed directed
        produced maintained painted made"
        ["by"] Party: "created", 0.85, passive, swapped;
    Any "use uses using" [""] Technical: "uses", 0.85;
    Party "use uses using" [""] Thing: "uses", 0.6;
    Party "adopted" [""] Technical: "uses", 0.75;
    Any "switched migrated moved" ["to" "over to"] Technical: "uses", 0.75;
    Made "written built implemented powered driven"
        ["in" "with" "on" "on top of" "using" "by"] Technical: "uses", 0.8, passive;
    Any "depend depends rely relies relying" ["on" "upon"] Technical: "depends_on", 0.85;
    Made "requires require needs" [""] Technical: "depends_on", 0.7;
    Made "run runs running" ["on" "in" "under" "inside" "on top of"] Technical: "runs_on", 0.8;
    Made "hosted deployed installed running"
        ["on" "in" "to" "at"] Technical: "runs_on", 0.8, passive;
    Any "replaced superseded" ["by" "with"] Thing: "replaced_by", 0.85, passive;
    Made "replaces supersedes replaced" [""] Named: "replaced_by", 0.75, swapped;
    Made "becomes" [""] Technical: "replaced_by", 0.6;
    Made "renamed" ["to" "into"] Named: "replaced_by", 0.8, passive;
    Any "called known named nicknamed" ["" "as"] Named: "alias_of", 0.7, passive;
    Any "scheduled planned set due booked slated confirmed fixed"
        ["for" "on" "in" "by" ""] Date: "scheduled_for", 0.85, passive;
    Any "moved postponed pushed delayed rescheduled deferred brought shifted moves"
        ["to" "until" "back to" "forward to" "from"] DateOrVersion: "scheduled_for", 0.8;
    Any "starts begins opens launches ships ends closes takes happens leaves departs arrives lands
        expires"
        ["on" "in" "" "place on" "next"] Date: "scheduled_for", 0.75;
    Any "happened occurred" ["on" "in" ""] Date: "happened_on", 0.8;
    Any "took" ["place on" "place in" "place"] Date: "happened_on", 0.85;
    Made "released launched founded established published shipped opened started ended completed
        died finished merged deployed"
        ["on" "in" ""] Date: "happened_on", 0.75;
    Any "died" ["on" "in"] Date: "happened_on", 0.75;
    Person "born" ["on" "in"] Date: "born_on", 0.9, passive;
    Person "married engaged" ["to"] Person: "partner_of", 0.9, passive;
    Person "married" [""] Person: "partner_of", 0.8;
    Person "dating" [""] Person: "partner_of", 0.8;
    Person "like likes love loves enjoy enjoys adore adores liked loved enjoyed"
        [""] Thing: "likes", 0.75;
    Person "fan" ["of"] Thing: "likes", 0.8;
    Person "hate hates dislike dislikes detest despise" [""] Thing: "dislikes", 0.75;
    Person "prefer prefers" [""] Thing: "prefers", 0.8;
    Party "visited toured" [""] Place: "visited", 0.85;
    Party "visited" ["the" ""] Organisation: "visited", 0.7;
    Person "visited" [""] Thing: "visited", 0.6;
    Person "went traveled travelled flew drove been" ["to" "back to"] Place: "visited", 0.75;
    Person "attended" ["" "the"] Happening: "attended", 0.8;
    Person "participated took" ["in" "part in"] Happening: "attended", 0.75;
    Person "went" ["to"] Happening: "attended", 0.6;
    Any "fixed resolved solved" ["by"] Person: "fixed_by", 0.85, passive;
    Person "fixed resolved solved" [""] Thing: "fixed_by", 0.75, swapped;
    Made "upgraded updated bumped" ["to"] DateOrVersion: "has_version", 0.8, passive;
    Person "stand" [""] Thing: "dislikes", 0.75;
    Any "fixed resolved solved" ["by" "in" "with"] Thing: "fixed_by", 0.8, passive;
    Any "caused triggered" ["by"] Thing: "caused_by", 0.85, passive;
    Any "due" ["to"] Thing: "caused_by", 0.7, passive;
    Made "caused" [""] Thing: "caused_by", 0.6, swapped;
    Person "headed chaired" [""] Thing: "leads", 0.7;
    Person "landed arrived" ["in" "at"] Place: "visited", 0.75;
    Person "climbed hiked" ["" "up"] Place: "visited", 0.75;
    Person "ran" ["the" ""] Happening: "attended", 0.6;
    Person "swear swears" ["by"] Named: "likes", 0.7;
    Person "freelance freelances freelancing consulting"
        ["for" "mostly for" "at"] Organisation: "works_at", 0.7;
    Person "got" ["a job at" "a new job at"] Organisation: "works_at", 0.75;
};
