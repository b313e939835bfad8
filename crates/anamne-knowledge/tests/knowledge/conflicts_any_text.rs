//! Properties of conflict detection for any texts in any order.

use anamne_knowledge::conflicts::{Claim, Conflicts, Keys, Link, MOST_CLAIMS, claims, keys};
use anamne_knowledge::reading::Utterance;
use jiff::Timestamp;
use proptest::prelude::*;

fn read(text: &str, seconds: i64) -> Vec<Claim> {
    claims(&Utterance {
        text,
        author: "ada",
        role: None,
        at: Timestamp::from_second(seconds).unwrap(),
    })
}

/// Memories, many of them in conflict, each with its time in seconds.
fn memories() -> impl Strategy<Value = Vec<(&'static str, i64)>> {
    let text = prop::sample::select(vec![
        "I've never used Terraform.",
        "I use Terraform every day.",
        "I switched from Terraform to Pulumi.",
        "The rent of the studio is €900.",
        "The rent of the studio is now €950.",
        "I've completed 5 chess puzzles.",
        "I've now completed 9 chess puzzles.",
        "What is the rent of the studio?",
    ]);
    prop::collection::vec((text, 0_i64..100_000), 0..14)
}

fn links(memories: &[(u32, (&str, i64))]) -> Vec<Link> {
    let mut conflicts = Conflicts::new();
    for &(row, (text, seconds)) in memories {
        conflicts.insert(row, read(text, seconds));
    }
    conflicts.links()
}

fn numbered(memories: Vec<(&'static str, i64)>) -> Vec<(u32, (&'static str, i64))> {
    (0_u32..).zip(memories).collect()
}

proptest! {
    #[test]
    fn the_order_of_arrival_does_not_matter(memories in memories(), seed in any::<u64>()) {
        let mut memories = numbered(memories);
        let expected = links(&memories);
        memories.sort_by_key(|(row, _)| (u64::from(*row) + 1).wrapping_mul(seed | 1));
        prop_assert_eq!(links(&memories), expected);
    }

    #[test]
    fn removing_a_memory_is_like_never_inserting_it(memories in memories(), gone in 0_u32..14) {
        let memories = numbered(memories);
        let mut conflicts = Conflicts::new();
        for &(row, (text, seconds)) in &memories {
            conflicts.insert(row, read(text, seconds));
        }
        conflicts.remove(gone);
        let others: Vec<_> = memories.into_iter().filter(|(row, _)| *row != gone).collect();
        prop_assert_eq!(conflicts.links(), links(&others));
    }

    #[test]
    fn the_earlier_claim_is_the_older_one(memories in memories()) {
        let memories = numbered(memories);
        for link in links(&memories) {
            let order = |row: u32| (memories[row as usize].1.1, row);
            prop_assert!(order(link.earlier.row) < order(link.later.row));
        }
    }

    #[test]
    fn any_text_is_extracted_and_stored(text in any::<String>()) {
        let found = read(&text, 0);
        prop_assert!(found.len() <= MOST_CLAIMS);
        for claim in found {
            prop_assert!(text.get(claim.span.clone()).is_some());
            prop_assert!(claim.quote.len() <= Claim::QUOTE_BYTES);
            let stored = serde_json::to_string(&claim).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Claim>(&stored).unwrap(), &claim);
        }
    }

    #[test]
    fn prose_with_numbers_is_extracted_and_keyed(
        text in "((I|we|my|The|have|never|n't|'s|İ|used|is now|from|to|of|\\$?[0-9]{1,4}[%,.:kK]?[0-9]?|April|Tuesday|ß-Kettle|,|\\.|\\?|\"|\\[|🙂) ?){0,40}",
    ) {
        for claim in read(&text, 0) {
            let Keys { listed, sought } = keys(&claim);
            prop_assert!(listed.len() <= Keys::MOST && sought.len() <= Keys::MOST);
            prop_assert!(!listed.is_empty());
        }
    }
}

#[test]
fn a_megabyte_of_anything_is_extracted() {
    for piece in [
        "I've never used it and ",
        "7 ",
        "never ",
        "[",
        "\"",
        "I have 3 cats. ",
        "``` ",
    ] {
        let found = read(&piece.repeat(1_000_000 / piece.len()), 0);
        assert!(found.len() <= MOST_CLAIMS, "{piece}");
    }
}

#[test]
fn a_stored_claim_is_small() {
    let text = "I'm busy, but I've now completed 12 listening exercises in Spanish, and I never skipped an evening with my tutor.";
    let found = read(text, 0);
    assert!(!found.is_empty());
    for claim in found {
        assert!(serde_json::to_string(&claim).unwrap().len() < 1200);
    }
}
