//! Text functions: analyser, sentences, snippets, quoting, and times in queries.

use anamne_text::analyser::Analyser;
use anamne_text::time::{expressions, parse_range};
use anamne_text::{normal, quote, sentences, snippet, tokens};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A document: its terms, sentences, windows, snippets and quotes. Ranges must be ordered and lie on character
/// boundaries.
pub(crate) fn analyser(bytes: &[u8]) -> bool {
    let text = &*String::from_utf8_lossy(bytes);
    let mut analyser = Analyser::new();
    analyser.document(text, &mut |term, _| assert!(!term.is_empty()));
    let start: String = text.chars().take(200).collect();
    let query = analyser.query(&start);
    let mut end = 0;
    for range in sentences::sentences(text) {
        assert!(range.start >= end && text.get(range.clone()).is_some());
        end = range.end;
    }
    for range in sentences::windows(text, 40) {
        assert!(text.get(range).is_some());
    }
    for (byte, term) in snippet::occurrences(text, &query.terms) {
        assert!(text.is_char_boundary(byte) && term < query.terms.len());
    }
    let _ = snippet::snippet(text, &query.terms, 160);
    let _ = (normal::normalise(text), normal::content_hash(text));
    let _ = tokens::estimate_tokens(tokens::truncate_to_tokens(text, 50));
    let _ = (quote::quote_block(text), quote::quote_name(text));
    let line = quote::on_one_line(text);
    assert!(!line.contains(quote::is_line_break), "{line}");
    !query.terms.is_empty()
}

/// A query: its terms, and the times it names relative to three instants.
pub(crate) fn query(bytes: &[u8]) -> bool {
    let text = &*String::from_utf8_lossy(bytes);
    let _ = Analyser::new().query(text);
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
    let now = Timestamp::from_second(1_760_000_000).expect("an instant");
    let mut named = false;
    for now in [now, Timestamp::MIN, Timestamp::MAX] {
        for zone in [&zone, &TimeZone::UTC] {
            named |= !expressions(text, now, zone).is_empty();
            if let Ok(range) = parse_range(text, now, zone) {
                assert!(range.start <= range.end, "{range:?}");
            }
        }
    }
    named
}
