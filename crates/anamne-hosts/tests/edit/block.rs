//! The marked block of instruction files.

use anamne_hosts::edit::block::{block, remove_block, set_block};
use proptest::prelude::*;

#[test]
fn a_block_is_appended_after_an_empty_line_and_replaced_in_place() {
    let text = set_block("# Rules\n", "One.\nTwo.").unwrap();
    assert!(text.starts_with("# Rules\n\n<!-- anamne:begin"));
    assert!(text.ends_with("-->\nOne.\nTwo.\n<!-- anamne:end -->\n"));
    let later = format!("{text}\nMore.\n");
    let changed = set_block(&later, "Three.\n").unwrap();
    assert_eq!(block(&changed).unwrap(), Some("Three.\n"));
    assert!(changed.ends_with("<!-- anamne:end -->\n\nMore.\n"));
    assert_eq!(
        remove_block(&changed).unwrap().unwrap(),
        "# Rules\n\nMore.\n"
    );
}

#[test]
fn a_text_without_a_block_has_none_to_remove() {
    assert_eq!(
        block("# Rules\nsay `<!-- anamne:begin -->` twice\n").unwrap(),
        None
    );
    assert_eq!(remove_block("# Rules\n").unwrap(), None);
}

#[test]
fn markers_that_do_not_pair_up_are_an_error_with_the_line() {
    let check = |text: &str, line: usize| {
        for error in [
            block(text).unwrap_err(),
            set_block(text, "x").unwrap_err(),
            remove_block(text).unwrap_err(),
        ] {
            assert!(
                error.to_string().starts_with(&format!("line {line}: ")),
                "{error}"
            );
        }
    };
    check("a\n<!-- anamne:begin -->\nb\n", 2);
    check("a\nb\n<!-- anamne:end -->\n", 3);
    let twice = "<!-- anamne:begin -->\n<!-- anamne:end -->\n".repeat(2);
    check(&twice, 3);
    check("<!-- anamne:begin -->\n<!-- anamne:begin -->\n", 2);
    assert!(set_block("", "<!-- anamne:end -->").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn setting_and_removing_a_block_gives_back_the_bytes(text in "([a-z #]{0,6}(\r?\n)?){0,6}", body in "([a-z]{0,5}\n?){0,4}") {
        let with = set_block(&text, &body).unwrap();
        prop_assert_eq!(set_block(&with, &body).unwrap(), with.clone());
        let lines: Vec<_> = block(&with).unwrap().unwrap().lines().map(str::to_owned).collect();
        prop_assert_eq!(lines, body.lines().map(str::to_owned).collect::<Vec<_>>());
        prop_assert_eq!(remove_block(&with).unwrap(), Some(text));
    }

    #[test]
    fn any_text_is_edited_or_refused(text in "(<!-- anamne:(begin|end)[ -]{0,3}(-->)?|[a-z\r\n]{0,3}){0,8}") {
        if let Ok(with) = set_block(&text, "x") {
            prop_assert_eq!(block(&with).unwrap().map(str::trim_end), Some("x"));
            prop_assert_eq!(block(&remove_block(&with).unwrap().unwrap()).unwrap(), None);
        }
    }
}
