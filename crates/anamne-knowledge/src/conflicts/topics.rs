//! The weighted terms of a phrase.

use std::ops::Range;

use super::claim::Topic;
use super::tokens::{Kind, Token};
use super::words::{Stems, is_function_word, is_generic};

/// The terms of a phrase; the head of its first noun phrase comes first.
pub(super) fn topics(tokens: &[Token<'_>], range: Range<usize>, stems: &mut Stems) -> Vec<Topic> {
    let mut first_phrase: Vec<Topic> = Vec::new();
    let mut others: Vec<Topic> = Vec::new();
    let mut in_first = true;
    let mut of_any_sort = false;
    for at in range {
        let token = &tokens[at];
        let is_content = token.kind == Kind::Word && !is_function_word(&token.lower);
        if !is_content {
            let inside = token.kind == Kind::Number
                || token.is_one_of("a an the my our any some all this that these those other his her their your more 's");
            of_any_sort = token.is("any");
            in_first &= first_phrase.is_empty() || inside && !token.is_one_of("that");
            if token.is_one_of("before") {
                break;
            }
            continue;
        }
        let term = stems.of(&token.lower);
        let weight = if is_generic(&token.lower) {
            4
        } else if token.is_capitalised()
            || token
                .text
                .contains(|sign: char| sign.is_ascii_digit() || sign == '-')
        {
            14
        } else {
            10
        };
        let weight = if of_any_sort && !in_first {
            weight / 3
        } else {
            weight
        };
        let place = if in_first {
            &mut first_phrase
        } else {
            &mut others
        };
        place.push(Topic { term, weight });
    }
    let several = usize::from(first_phrase.len() > 1);
    first_phrase.rotate_right(several);
    for topic in &mut others {
        topic.weight = topic.weight * 6 / 10;
    }
    first_phrase.append(&mut others);
    let mut distinct: Vec<Topic> = Vec::new();
    for topic in first_phrase {
        if !distinct.iter().any(|known| known.term == topic.term) {
            distinct.push(topic);
        }
    }
    distinct.truncate(12);
    distinct
}
