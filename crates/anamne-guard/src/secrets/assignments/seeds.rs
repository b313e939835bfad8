//! Mnemonics.

use std::collections::BTreeSet;

use super::SEED_PHRASE;
use super::names::Name;
use crate::secrets::scan::{Basis, Scan};

/// A mnemonic of 12 to 24 words after its name.
pub(super) fn find(scan: &mut Scan, name: &Name) {
    let end = scan.line_end(name.span.end, 300);
    let line = super::floor(scan, name.span.end, end);
    let text = scan.slice(&line);
    let Some(start) = text.find([':', '=']).filter(|at| *at < 24) else {
        return;
    };
    let is_edge = |one: char| {
        one.is_whitespace() || matches!(one, '"' | '\'' | '`' | ':' | '=' | ';' | ',' | '.' | '}')
    };
    let phrase = text[start..].trim_matches(is_edge);
    let is_word = |word: &str| {
        (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let words: Vec<_> = phrase.split(' ').collect();
    let distinct: BTreeSet<_> = words.iter().collect();
    if matches!(words.len(), 12 | 15 | 18 | 21 | 24)
        && distinct.len() > 8
        && words.iter().all(|word| is_word(word))
    {
        let leading = text[start..].len() - text[start..].trim_start_matches(is_edge).len();
        let from = line.start + start + leading;
        scan.add(Basis::Name, SEED_PHRASE, from..from + phrase.len());
    }
}
