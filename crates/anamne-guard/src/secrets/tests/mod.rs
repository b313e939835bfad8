//! Tests of everything that finds secrets. Secrets are put together here, so that none stands in the sources.

mod clean;
mod context;
mod formats;
mod linear;
mod named;
mod named_places;
mod near;
mod notations;
mod repeats;
mod speed;
mod structured;
mod tables;
mod values;
mod wrapped;

use std::cell::RefCell;

use super::*;
use codes::{base62, crc32};

/// What is found in a text: kinds and values.
fn found(text: &str) -> Vec<(&'static str, &str)> {
    let mut findings = Vec::new();
    find(text, &mut findings);
    findings
        .iter()
        .map(|finding| (finding.kind.name(), &text[finding.span.clone()]))
        .collect()
}

/// Characters that look random but are the same in every run.
fn random(alphabet: &str, length: usize, seed: u64) -> String {
    let letters: Vec<_> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[(state >> 20) as usize % letters.len()]
    };
    (0..length).map(|_| next()).collect()
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A token with GitHub's checksum.
fn github(prefix: &str, seed: u64) -> String {
    let body = random(ALNUM, 30, seed);
    let sum = base62(crc32(body.as_bytes()));
    format!("{prefix}{body}{}", String::from_utf8_lossy(&sum))
}

/// Checks that a text holds exactly one secret of a kind.
fn check(text: &str, kind: &str, value: &str) {
    expect(text, &[(kind, value)]);
}

/// Checks that a text holds no secret.
fn clean(text: &str) {
    expect(text, &[]);
}

thread_local! {
    static FAULTS: Faults = const { Faults(RefCell::new(Vec::new())) };
}

/// What was found against expectation; a test ends with [`settle`].
struct Faults(RefCell<Vec<String>>);

fn expect(text: &str, expected: &[(&str, &str)]) {
    let found = found(text);
    if found != expected {
        FAULTS.with(|faults| {
            faults
                .0
                .borrow_mut()
                .push(format!("{text:?}\n    {found:?}, expected {expected:?}"));
        });
    }
}

/// Fails with everything that was found against expectation.
fn settle() {
    let faults = FAULTS.with(|faults| faults.0.take());
    assert!(
        faults.is_empty(),
        "{} faults:\n  {}",
        faults.len(),
        faults.join("\n  ")
    );
}

#[test]
fn kinds_are_sorted_and_named_well() {
    let kinds = kinds();
    assert!(kinds.len() > 100 && kinds.is_sorted());
    let is_plain = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    for kind in kinds {
        assert!(is_plain(kind.name()), "{kind}");
    }
}

#[test]
fn published_examples_are_known() {
    let aws = ["AKIA", "IOSFODNN7", "EXAMPLE"].concat();
    assert!(is_published_example(&aws));
    let sample = [
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0",
        "c2ln",
    ]
    .join(".");
    assert!(is_published_example(&sample));
    assert!(is_published_example(
        &["sk_test", "4eC39HqLyjWDarjtT1zdp7dc"].join("_")
    ));
    assert!(!is_published_example(&github("ghp_", 1)));
}
