//! A parsed text as a tree with the place of everything.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

/// A value and the bytes that it takes.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Scalar(Value),
    Table(Vec<Member>),
    List(Vec<Node>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) key: Range<usize>,
    pub(super) node: Node,
}

impl Node {
    pub(super) fn members(&self) -> Option<&[Member]> {
        match &self.shape {
            Shape::Table(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn items(&self) -> Option<&[Node]> {
        match &self.shape {
            Shape::List(items) => Some(items),
            _ => None,
        }
    }

    /// The member with this name; the last one of several.
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        self.members()?.iter().rfind(|member| member.name == name)
    }

    /// The node at a path of keys; an element of a list has its index for a key.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.child(key))
    }

    fn child(&self, key: &str) -> Option<&Self> {
        match self.items() {
            Some(items) => items.get(key.parse::<usize>().ok()?),
            None => Some(&self.member(key)?.node),
        }
    }

    /// The number of keys of `path` up to the first one that stands twice.
    pub(super) fn duplicate(&self, path: &[&str]) -> Option<usize> {
        let mut node = self;
        for (depth, key) in path.iter().enumerate() {
            let members = node.members().unwrap_or_default();
            let count = members.iter().filter(|member| member.name == *key).count();
            if count > 1 {
                return Some(depth + 1);
            }
            node = node.child(key)?;
        }
        None
    }

    /// The indices of the members with these names.
    pub(super) fn indices(&self, names: &[&str]) -> Vec<usize> {
        let names: HashSet<&str> = names.iter().copied().collect();
        let members = self.members().unwrap_or_default().iter().enumerate();
        let found = members.filter(|(_, member)| names.contains(member.name.as_str()));
        found.map(|(index, _)| index).collect()
    }

    /// The bytes of each member or item, keys included.
    pub(super) fn spans(&self) -> Vec<Range<usize>> {
        match &self.shape {
            Shape::Scalar(_) => Vec::new(),
            Shape::Table(members) => members.iter().map(Member::span).collect(),
            Shape::List(items) => items.iter().map(|item| item.span.clone()).collect(),
        }
    }

    /// The value, without places. Of duplicated keys the last one counts.
    pub(super) fn value(&self) -> Value {
        match &self.shape {
            Shape::Scalar(value) => value.clone(),
            Shape::Table(members) => Value::Object(table(members)),
            Shape::List(items) => Value::Array(items.iter().map(Self::value).collect()),
        }
    }
}

impl Member {
    pub(super) fn span(&self) -> Range<usize> {
        self.key.start..self.node.span.end.max(self.key.end)
    }
}

fn table(members: &[Member]) -> Map<String, Value> {
    let entries = members.iter();
    entries
        .map(|member| (member.name.clone(), member.node.value()))
        .collect()
}
