//! The live branch of a tree of entries.

use std::collections::{HashMap, HashSet};

/// A hash that stands for an id.
pub(super) type Key = [u8; 16];

/// The key of an id. O(length).
pub(super) fn key(id: &str) -> Key {
    let mut key = Key::default();
    key.copy_from_slice(&blake3::hash(id.as_bytes()).as_bytes()[..16]);
    key
}

/// What an entry follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// Nothing: the conversation begins here.
    Root,
    /// The entry with this key.
    Entry(Key),
    /// A compaction: what was said before goes on, at this entry if it is known, else at the one before.
    Compacted(Option<Key>),
}

/// An entry of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Its own key.
    pub(super) key: Key,
    /// What it follows.
    pub(super) parent: Parent,
    /// Whether it is part of the conversation, so that the live branch may end here.
    pub(super) said: bool,
    /// The message that it is a piece of. Hosts write one line for each block of a message, and parallel tool results
    /// fork the tree between the pieces.
    pub(super) message: Option<Key>,
}

/// Which entries are on the live branch: from the last one that is said up through its parents, with all pieces of their
/// messages. If `mend`, an unknown parent is taken for a lost line, and the branch goes on at the entry before; else the
/// branch ends there. O(entries).
pub(super) fn live(nodes: &[Node], mend: bool) -> Vec<bool> {
    let places: HashMap<Key, usize> = (0..).zip(nodes).map(|(at, node)| (node.key, at)).collect();
    let mut live = vec![false; nodes.len()];
    let mut next = nodes.iter().rposition(|node| node.said);
    while let Some(at) = next.filter(|at| !live[*at]) {
        live[at] = true;
        next = match nodes[at].parent {
            Parent::Root => None,
            Parent::Entry(key) => {
                let before = if mend { at.checked_sub(1) } else { None };
                places.get(&key).copied().or(before)
            }
            Parent::Compacted(key) => key
                .and_then(|key| places.get(&key).copied())
                .or(at.checked_sub(1)),
        };
    }
    add_pieces(nodes, &places, &mut live);
    live
}

fn add_pieces(nodes: &[Node], places: &HashMap<Key, usize>, live: &mut [bool]) {
    let messages: HashSet<Key> = (nodes.iter().zip(&*live))
        .filter_map(|(node, live)| node.message.filter(|_| *live))
        .collect();
    for (at, node) in nodes.iter().enumerate() {
        let Parent::Entry(parent) = node.parent else {
            continue;
        };
        let of_live = node
            .message
            .is_some_and(|message| messages.contains(&message));
        let follows = || places.get(&parent).is_some_and(|parent| live[*parent]);
        if of_live && follows() {
            live[at] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries as `key parent message`: parent `-` is the root, `^x` a compaction after x. A capital key isn't said.
    fn check(entries: &str, mend: bool, expected: &str) {
        let nodes: Vec<Node> = entries.split(", ").map(node).collect();
        let live = live(&nodes, mend);
        let names = entries.split(", ").map(|entry| &entry[..1]);
        let found: String = (names.zip(live).filter(|(_, live)| *live))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(found, expected, "{entries}");
    }

    fn node(entry: &str) -> Node {
        let words: Vec<&str> = entry.split(' ').collect();
        let parent = match words[1].strip_prefix('^') {
            Some(parent) => Parent::Compacted(Some(key(parent))),
            None if words[1] == "-" => Parent::Root,
            None => Parent::Entry(key(words[1])),
        };
        Node {
            key: key(words[0]),
            parent,
            said: words[0].chars().all(char::is_lowercase),
            message: words.get(2).map(|message| key(message)),
        }
    }

    #[test]
    fn a_rewind_leaves_its_branch_dead() {
        check("a -, b a, c b, d b, e d", true, "abde");
        check("a -, b a, c -, d c", true, "cd");
        check("a -, b a, C b", true, "ab");
    }

    #[test]
    fn a_compaction_does_not_cut_off_what_was_said_before() {
        check("a -, b a, x b, c a, B ^c, d B", true, "acBd");
        check("a -, b a, B ^lost, d B", false, "abBd");
    }

    #[test]
    fn parallel_tool_results_do_not_lose_pieces_of_a_message() {
        check("a -, b a m, c b m, r b, s c, d s", true, "abcsd");
        check("a -, b a m, c b m, s c, r b", true, "abcr");
        check("a -, b a m, x a, y x m, c b", true, "abc");
    }

    #[test]
    fn a_lost_line_is_bridged_only_where_it_can_be_one() {
        check("a -, b a, d c", true, "abd");
        check("a -, b a, d c", false, "d");
    }

    #[test]
    fn cycles_end() {
        check("a b, b a", true, "ab");
        check("a a", true, "a");
    }
}
