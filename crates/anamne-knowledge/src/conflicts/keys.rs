//! The keys under which a claim is listed, and those under which it looks for conflicts.

use super::claim::{Action, Claim, Content, Quantity, Topic};

/// The keys of a claim. Two claims can only conflict if one looks up a key under which the other is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Keys under which the claim is listed; at most [`Keys::MOST`], distinct, sorted.
    pub listed: Vec<u64>,
    /// Keys under which it looks for others; at most [`Keys::MOST`], distinct, sorted.
    pub sought: Vec<u64>,
}

impl Keys {
    /// Maximum number of keys in each list.
    pub const MOST: usize = 10;
}

/// The keys of a claim: hashes of its subject, its kind, and one or two terms of its topic.
///
/// Actions and denials are listed under different keys, and each looks up only the other: so every look-up finds denials,
/// which are rare, or comes from one. Values are listed by dimension and topic.
pub fn keys(claim: &Claim) -> Keys {
    let mut keys = match &claim.content {
        Content::Action(action) => action_keys(claim, action),
        Content::Quantity(quantity) => quantity_keys(claim, quantity),
    };
    for list in [&mut keys.listed, &mut keys.sought] {
        list.truncate(Keys::MOST);
        list.sort_unstable();
        list.dedup();
    }
    keys
}

fn action_keys(claim: &Claim, action: &Action) -> Keys {
    let who = if claim.subject.is_empty() {
        format!("i {}", claim.author)
    } else {
        claim.subject.join(" ")
    };
    let listed = |sort: &str| {
        terms_of(&claim.about)
            .into_iter()
            .map(|terms| hash(&["action", sort, &who, &terms]))
            .collect()
    };
    let (own, other) = if action.aspect.is_negative() {
        ("no", "yes")
    } else {
        ("yes", "no")
    };
    Keys {
        listed: listed(own),
        sought: listed(other),
    }
}

/// The head and other significant terms, then the head paired with each other term.
fn terms_of(about: &[Topic]) -> Vec<String> {
    const TELLING: u8 = 6;
    let telling = about
        .iter()
        .enumerate()
        .filter(|(place, topic)| *place == 0 || topic.weight >= TELLING);
    let mut found: Vec<String> = telling
        .map(|(_, topic)| topic.term.clone())
        .take(5)
        .collect();
    for other in about.iter().skip(1).take(5) {
        found.push(pair(&about[0].term, &other.term));
    }
    found
}

fn quantity_keys(claim: &Claim, quantity: &Quantity) -> Keys {
    // A bare number may be a count of any noun beside it.
    let dimensions: Vec<String> = match quantity.dimension.as_str() {
        "number" => claim
            .about
            .iter()
            .take(3)
            .map(|topic| format!("count:{}", topic.term))
            .collect(),
        dimension => vec![dimension.to_owned()],
    };
    let mut listed = Vec::new();
    for dimension in &dimensions {
        let counted = dimension.strip_prefix("count:");
        if dimensions.len() > 1 {
            listed.push(hash(&["quantity", dimension]));
            continue;
        }
        let terms: Vec<&str> = claim
            .about
            .iter()
            .map(|topic| topic.term.as_str())
            .filter(|term| Some(*term) != counted)
            .take(4)
            .collect();
        for (place, term) in terms.iter().enumerate() {
            if counted.is_some() {
                listed.push(hash(&["quantity", dimension, term]));
            }
            for other in &terms[place + 1..] {
                if counted.is_none() {
                    listed.push(hash(&["quantity", dimension, &pair(term, other)]));
                }
            }
        }
        if terms.len() < 2 || counted.is_some() {
            listed.push(hash(&["quantity", dimension]));
        }
    }
    listed.truncate(Keys::MOST);
    Keys {
        sought: listed.clone(),
        listed,
    }
}

fn pair(a: &str, b: &str) -> String {
    if a <= b {
        format!("{a} {b}")
    } else {
        format!("{b} {a}")
    }
}

/// FNV-1a with a final mixing step: the same on every machine and in every build.
fn hash(parts: &[&str]) -> u64 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0xff])) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    state ^= state >> 32;
    state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state ^ (state >> 29)
}
