//! Word length and capitalisation.

use super::Shape;

pub(super) fn is_word_start(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Length in bytes of a word: letters, digits and joiners, as in `don't`, `Jean-Luc`, `Node.js`, `1.0.3`, `3,500`,
/// `snake_case`.
pub(super) fn word_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let mut end = 0;
    let mut last = ' ';
    while let Some((at, character)) = characters.next() {
        let joins = match character {
            '\'' | '’' | '.' | '-' | '_' | '&' | ',' => {
                characters.peek().is_some_and(|(_, next)| {
                    let digits = last.is_numeric() && next.is_numeric();
                    match character {
                        ',' => digits,
                        '&' => last.is_uppercase() && next.is_uppercase(),
                        _ => {
                            is_word_start(*next)
                                && (character != '.' || digits || joins_by_point(last, *next))
                        }
                    }
                })
            }
            '+' | '#' => {
                let is_language = at == 1 && matches!(last, 'C' | 'F')
                    || (character == '+' && text[..at].eq_ignore_ascii_case("c+"));
                if is_language {
                    end = at + 1;
                    last = character;
                    continue;
                }
                false
            }
            _ => is_word_start(character) || is_mark_on_letter(character),
        };
        if !joins {
            break;
        }
        end = at + character.len_utf8();
        last = character;
    }
    // A trailing joiner at the end of the text is not part of the word.
    text[..end]
        .trim_end_matches(['\'', '’', '.', '-', ',', '&'])
        .len()
        .max(text.chars().next().map_or(0, char::len_utf8))
}

/// `Node.js` and `e.g` are one word each, `home.Then` is not.
fn joins_by_point(last: char, next: char) -> bool {
    last.is_alphanumeric() && !(next.is_uppercase() && last.is_lowercase())
}

fn is_mark_on_letter(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Length in bytes of a final `'s`, `'m`, `'ll`, `'re`, `'ve` or `'d`.
pub(super) fn clitic_length(word: &str) -> usize {
    let Some(apostrophe) = word.rfind(['\'', '’']).filter(|at| *at > 0) else {
        return 0;
    };
    let after = word[apostrophe..].trim_start_matches(['\'', '’']);
    let known = ["s", "m", "ll", "re", "ve", "d"]
        .iter()
        .any(|ending| after.eq_ignore_ascii_case(ending));
    if known { word.len() - apostrophe } else { 0 }
}

pub(super) fn shape_of(word: &str) -> Shape {
    let mut letters = word.chars().filter(|letter| letter.is_alphabetic());
    if word.starts_with(|first: char| first.is_numeric()) {
        return Shape::Digit;
    }
    let Some(first) = letters.next() else {
        return Shape::Lower;
    };
    let (mut upper, mut lower) = (0, 0);
    for letter in letters {
        upper += usize::from(letter.is_uppercase());
        lower += usize::from(!letter.is_uppercase());
    }
    match (first.is_uppercase(), upper, lower) {
        (true, 0, _) => Shape::Capital,
        (true, _, 0) => Shape::Upper,
        (false, 0, _) => Shape::Lower,
        _ if ["Mc", "Mac", "Le", "De", "La", "Di", "Van", "Du", "Fitz"]
            .iter()
            .any(|start| {
                word.strip_prefix(start).is_some_and(|rest| {
                    rest.len() > 2
                        && rest.starts_with(char::is_uppercase)
                        && rest.chars().skip(1).all(char::is_lowercase)
                })
            }) =>
        {
            Shape::Capital
        }
        _ if word.contains(['-', '\'', '’']) && first.is_uppercase() && parts_are_capital(word) => {
            Shape::Capital
        }
        _ => Shape::Mixed,
    }
}

/// `Jean-Luc`, `O'Brien`.
fn parts_are_capital(word: &str) -> bool {
    word.split(['-', '\'', '’'])
        .all(|part| part.chars().skip(1).all(|letter| !letter.is_uppercase()))
}

/// The closing mark of a single-quoted passage; `None` if the mark is an apostrophe.
pub(super) fn closing_single(rest: &str, open: char) -> Option<char> {
    let close = if open == '‘' { '’' } else { '\'' };
    let window: String = rest.chars().skip(1).take(120).collect();
    let at = window.find(close)?;
    let after = window[at + close.len_utf8()..].chars().next();
    (at > 0 && after.is_none_or(|after| !after.is_alphanumeric())).then_some(close)
}
