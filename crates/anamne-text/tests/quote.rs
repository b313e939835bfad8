//! Foreign text is marked line by line, names stay within their line, and nothing invisible passes.

use std::borrow::Cow;

use anamne_text::quote::{
    MARK, MAX_NAME_CHARS, escape_invisible, is_invisible, is_line_break, lines, on_one_line,
    quote_block, quote_name,
};
use proptest::prelude::*;

/// Every line break character or sequence.
const BREAKS: [&str; 8] = [
    "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}",
];

#[test]
fn every_line_is_marked_whatever_ends_it() {
    for end in BREAKS {
        let text = format!("one{end}[m1] (fact) user{end}{end}## Said{end}");
        let wanted = "> one\n> [m1] (fact) user\n> \n> ## Said\n> ";
        assert_eq!(quote_block(&text), wanted, "{end:?}");
        let wanted = ["one", "[m1] (fact) user", "", "## Said", ""];
        assert_eq!(lines(&text).collect::<Vec<_>>(), wanted, "{end:?}");
    }
    assert_eq!(quote_block(""), "> ");
    assert_eq!(quote_block("\n\r"), "> \n> \n> ");
    assert_eq!(quote_block("a\tb"), "> a\tb");
}

#[test]
fn invisible_characters_are_escapes() {
    let check =
        |given: &str, wanted: &str| assert_eq!(escape_invisible(given), wanted, "{given:?}");
    check(
        "pay \u{202e}001\u{202c} now",
        "pay \\u{202E}001\\u{202C} now",
    );
    check("\u{e0041}\u{e0042}", "\\u{E0041}\\u{E0042}");
    check(
        "a\u{200b}b\u{2060}c\u{feff}d\u{ad}e\u{180e}",
        "a\\u{200B}b\\u{2060}c\\u{FEFF}d\\u{AD}e\\u{180E}",
    );
    check(
        "\u{1b}[31mred\u{9b}0m\u{7f}",
        "\\u{1B}[31mred\\u{9B}0m\\u{7F}",
    );
    check("\u{0}\r\u{b}\u{2028}", "\\u{0}\\u{D}\\u{B}\\u{2028}");
    check("tab\tline\r\nnext\n", "tab\tline\nnext\n");
    check("last\r", "last\\u{D}");
    check("\u{fdd0}\u{1ffff}\u{fffe}", "\\u{FDD0}\\u{1FFFF}\\u{FFFE}");
    check("葛\u{e0100}", "葛\\u{E0100}");
    check("\u{3164}\u{ffa0}\u{115f}", "\\u{3164}\\u{FFA0}\\u{115F}");
}

#[test]
fn what_a_script_or_an_emoji_needs_stays() {
    for text in [
        "plain",
        "naïve Ærøskøbing, 日本語 한국어 עברית العربية",
        "می\u{200c}خواهم",
        "क\u{94d}\u{200d}ष and ශ\u{dca}\u{200d}රී ලංකා",
        "👩\u{200d}💻 👩🏽\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈 ❤\u{fe0f} 1\u{fe0f}\u{20e3} 🇪🇺 ☎\u{fe0e}",
        "ᠮᠣᠩᠭᠣᠯ\u{180b}",
        "line\nand\ttab",
    ] {
        assert!(
            matches!(escape_invisible(text), Cow::Borrowed(_)) || escape_invisible(text) == text,
            "{text}"
        );
        assert_eq!(quote_block(text).replace("\n> ", "\n"), format!("> {text}"));
    }
}

#[test]
fn joiners_and_selectors_elsewhere_are_escapes() {
    for text in [
        "ad\u{200d}min",
        "ad\u{200c}min",
        "\u{200d}",
        "می\u{200c}\u{200c}خواهم",
        "می\u{200c}",
        "👩\u{200d}",
        "👩\u{200d}a",
        "a\u{fe0f}",
        "1\u{fe0f}",
        "❤\u{fe0f}\u{fe0f}",
        "❤\u{fe00}",
        "x\u{180b}",
    ] {
        assert!(escape_invisible(text).contains("\\u{"), "{text:?}");
    }
}

#[test]
fn names_lose_what_gives_our_lines_their_form() {
    let check = |given: &str, wanted: &str| assert_eq!(quote_name(given), wanted, "{given:?}");
    check("Ann", "Ann");
    check("Seán O'Brien-Müller", "Seán O'Brien-Müller");
    check("  two\r\n words ", "two words");
    check("[m1] (preference) user: x", "m1 preference user: x");
    check("## Facts and skills", "Facts and skills");
    check("> quoted", "quoted");
    check("C#", "C#");
    check("a,b，c、d", "a b c d");
    check("“x” «y» `z` \"w\"", "x y z w");
    check("［m1］【x】〔y〕", "m1 x y");
    check("\u{202e}nimda", "\\u202Enimda");
    check("\u{e0041}", "\\uE0041");
    check("src/mcp/quote.rs", "src/mcp/quote.rs");
    check("", "unnamed");
    check("[],\n", "unnamed");
    let long = "x".repeat(500);
    check(&long, &format!("{}…", "x".repeat(MAX_NAME_CHARS)));
}

#[test]
fn a_message_stays_on_one_line() {
    assert_eq!(
        on_one_line(" a\r\n\n b\u{2028}c\u{1b}[0m\t"),
        "a b c\\u{1B}[0m"
    );
}

#[test]
fn quoting_costs_linear_time_and_bounded_space() {
    for unit in [
        "\n",
        "\r\n",
        "\u{202e}",
        "\u{200d}",
        "[",
        "x",
        "👩\u{200d}",
        "\u{0}",
    ] {
        let text = unit.repeat(200_000);
        assert!(escape_invisible(&text).len() <= 6 * text.len());
        assert!(quote_block(&text).len() <= 6 * text.len() + MARK.len());
        assert!(quote_name(&text).chars().count() <= MAX_NAME_CHARS + 1);
    }
}

/// Text of parts that attacks use.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(BREAKS.to_vec()).prop_map(str::to_owned),
        prop::sample::select(vec![
            "[m1] ",
            "(fact) ",
            "user",
            "## Said",
            "> ",
            ">",
            "#",
            ",",
            "\"",
            "`",
            "\u{202e}",
            "\u{2066}",
            "\u{200b}",
            "\u{200d}",
            "\u{200c}",
            "\u{e0041}",
            "\u{fe0f}",
            "👩",
            "ب",
            "\u{1b}[2J",
            "\t",
            " ",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
        "[a-z ]{0,8}",
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// Whether a text has no hidden characters, and no line break but the line feed.
fn is_plain(text: &str) -> bool {
    let joins = |character: char| {
        matches!(
            character,
            '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\u{180b}'..='\u{180f}'
        )
    };
    text.chars().all(|character| {
        matches!(character, '\n' | '\t') || !is_invisible(character) || joins(character)
    })
}

proptest! {
    #[test]
    fn no_line_escapes_its_mark(text in hostile()) {
        let quoted = quote_block(&text);
        prop_assert!(is_plain(&quoted));
        prop_assert!(lines(&quoted).all(|line| line.starts_with(MARK)));
        prop_assert!(!quoted.contains(|character| character != '\n' && is_line_break(character)));
        prop_assert!(quoted.len() <= 6 * text.len() + MARK.len());
    }

    #[test]
    fn escaping_twice_is_escaping_once(text in hostile()) {
        let once = escape_invisible(&text).into_owned();
        prop_assert!(is_plain(&once));
        prop_assert_eq!(escape_invisible(&once), once.as_str());
        prop_assert!(!on_one_line(&text).contains(is_line_break));
        prop_assert!(is_plain(&on_one_line(&text)));
    }

    #[test]
    fn no_name_leaves_its_line(text in hostile()) {
        let name = quote_name(&text);
        prop_assert!(is_plain(&name));
        prop_assert!(!name.is_empty() && name.trim() == name);
        prop_assert!(name.chars().count() <= MAX_NAME_CHARS + 1);
        let gives_form = ['(', ')', '[', ']', '{', '}', '<', '>', ',', '"', '`'];
        prop_assert!(!name.contains(gives_form) && !name.contains(is_line_break));
        prop_assert!(!name.starts_with('#'));
        prop_assert_eq!(quote_name(&name), name);
    }
}
