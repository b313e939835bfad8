//! The readable text of a page.

/// Elements whose content is not text of the page.
const SKIPPED: [&str; 10] = [
    "script", "style", "nav", "noscript", "template", "svg", "iframe", "footer", "form", "head",
];

/// Elements that end a line.
const BLOCKS: [&str; 20] = [
    "p",
    "div",
    "br",
    "li",
    "tr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "section",
    "article",
    "ul",
    "ol",
    "table",
    "pre",
    "blockquote",
    "main",
    "title",
];

/// Longest name of a tag that is recognised, in bytes.
const MAX_NAME_BYTES: usize = 16;

/// Whether a text is HTML rather than plain text.
pub(super) fn is_html(text: &str) -> bool {
    let start = text.trim_start().as_bytes();
    let begins =
        |mark: &[u8]| start.len() >= mark.len() && start[..mark.len()].eq_ignore_ascii_case(mark);
    begins(b"<!doctype html") || begins(b"<html") || begins(b"<head") || begins(b"<body")
}

/// The text of a page without tags, scripts and navigation; runs of white space become one space or line feed. One pass
/// without nesting: O(bytes), whatever the page.
pub(super) fn readable(html: &str) -> String {
    let mut text = String::with_capacity(html.len() / 3);
    let mut rest = html;
    // The element whose content is skipped, and how many of it are open.
    let mut skipped: Option<(&'static str, usize)> = None;
    while let Some(at) = rest.find('<') {
        if skipped.is_none() {
            add_text(&rest[..at], &mut text);
        }
        rest = &rest[at..];
        let (tag, behind) = split_tag(rest);
        rest = behind;
        let Some((name, is_end)) = name_of(tag) else {
            if skipped.is_none() && !tag.starts_with("<!") {
                add_text(tag, &mut text);
            }
            continue;
        };
        match &mut skipped {
            Some((open, depth)) if name.eq_ignore_ascii_case(open) => {
                *depth = if is_end { *depth - 1 } else { *depth + 1 };
                if *depth == 0 {
                    skipped = None;
                }
            }
            Some(_) => {}
            None => {
                let found = SKIPPED
                    .iter()
                    .find(|skipped| name.eq_ignore_ascii_case(skipped));
                if let Some(found) = found.filter(|_| !is_end && !tag.ends_with("/>")) {
                    skipped = Some((found, 1));
                }
                let is_block = BLOCKS.iter().any(|block| name.eq_ignore_ascii_case(block));
                add_text(if is_block { "\n" } else { "" }, &mut text);
            }
        }
    }
    if skipped.is_none() {
        add_text(rest, &mut text);
    }
    text.trim_end().to_owned()
}

/// The tag or comment at the beginning, and what follows; a lone `<` is its own.
fn split_tag(rest: &str) -> (&str, &str) {
    let end = if rest.starts_with("<!--") {
        rest.find("-->").map(|at| at + 3).or(Some(rest.len()))
    } else if name_of(rest).is_some() || rest.starts_with("<!") {
        rest.find('>').map(|at| at + 1).or(Some(rest.len()))
    } else {
        None
    };
    rest.split_at(end.unwrap_or(1))
}

/// The name of a tag, and whether it ends an element.
fn name_of(tag: &str) -> Option<(&str, bool)> {
    let inner = tag.strip_prefix('<')?;
    let (inner, is_end) = match inner.strip_prefix('/') {
        Some(inner) => (inner, true),
        None => (inner, false),
    };
    let bytes = inner.as_bytes().iter().take(MAX_NAME_BYTES);
    let length = bytes
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let is_name = inner.starts_with(|first: char| first.is_ascii_alphabetic());
    is_name.then(|| (&inner[..length], is_end))
}

/// Adds a text with single white space and without character references.
fn add_text(raw: &str, text: &mut String) {
    let mut rest = raw;
    while let Some(character) = rest.chars().next() {
        let (character, length) = if character == '&' {
            reference(rest).unwrap_or((character, 1))
        } else {
            (character, character.len_utf8())
        };
        rest = &rest[length..];
        if !character.is_whitespace() {
            text.push(character);
            continue;
        }
        let is_break = character == '\n' && raw.len() == 1;
        match text.chars().next_back() {
            Some(' ') if is_break => {
                text.pop();
                text.push('\n');
            }
            None | Some('\n' | ' ') => {}
            Some(_) => text.push(if is_break { '\n' } else { ' ' }),
        }
    }
}

/// The character of a reference such as `&amp;` or `&#39;`, and the reference's length.
fn reference(text: &str) -> Option<(char, usize)> {
    let window = text.as_bytes().iter().take(10);
    let end = window.clone().position(|&byte| byte == b';')?;
    let name = &text[1..end];
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?).filter(|character| !character.is_control())?
        }
    };
    Some((character, end + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_html, readable};

    #[test]
    fn scripts_navigation_and_tags_disappear() {
        let page = "<!DOCTYPE html><html><head><title>x</title><style>a{}</style></head><body>\
            <nav><ul><li>Home</li></ul></nav><h1>Ports &amp; ships</h1><p>The  <b>pilot</b>\n boat</p>\
            <script>if (a < b) { alert('<p>') }</script><!-- <p>hidden</p> --><p>1 &lt; 2&#33;</p></body>";
        assert!(is_html(page));
        assert_eq!(readable(page), "Ports & ships\nThe pilot boat\n1 < 2!");
    }

    #[test]
    fn broken_pages_give_some_text() {
        for (page, expected) in [
            ("a < b and <", "a < b and <"),
            ("<p>open", "open"),
            ("<script>never closed", ""),
            ("<!-- never closed", ""),
            ("&#0; &unknown; &", "&#0; &unknown; &"),
        ] {
            assert_eq!(readable(page), expected);
        }
    }

    proptest! {
        #[test]
        fn any_page_is_read_and_never_grows(page in "[<>a-z&;#/! \\-\\n\"é]{0,200}") {
            prop_assert!(readable(&page).len() <= page.len());
        }
    }
}
