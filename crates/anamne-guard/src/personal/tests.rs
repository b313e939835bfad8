//! Checks over all kinds.

use proptest::prelude::*;

use super::scan::Scan;
use super::{KINDS, Wanted, find, has_checksum};
use crate::{DataKind, Finding, Names};

/// What is found in a text.
pub(super) fn all(text: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    find(text, &Names::default(), Wanted::All, &mut found);
    let value = |finding: &Finding| (finding.kind.name(), text[finding.span.clone()].to_owned());
    found.iter().map(value).collect()
}

/// What is found of a kind.
pub(super) fn values(text: &str, kind: &str) -> Vec<String> {
    let found = all(text).into_iter().filter(|(found, _)| *found == kind);
    found.map(|(_, value)| value).collect()
}

/// Exactly these values, of one kind, are found.
pub(super) fn check(text: &str, kind: &'static str, expected: &[&str]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|value| (kind, (*value).to_owned()))
        .collect();
    assert_eq!(all(text), expected, "{text}");
}

/// Nothing is found.
pub(super) fn check_none(text: &str) {
    assert_eq!(all(text), [], "{text}");
}

/// Digits with the check digit of Luhn's check.
pub(super) fn with_luhn(body: &str) -> String {
    let values = |text: &str| text.bytes().map(|byte| byte - b'0').collect::<Vec<_>>();
    let mut candidates = (0..10).map(|last| format!("{body}{last}"));
    let valid = candidates.find(|text| super::checks::luhn(&values(text)));
    valid.expect("one of ten digits")
}

/// The text in groups of these lengths.
pub(super) fn grouped(text: &str, lengths: &[usize], gap: &str) -> String {
    let mut rest = text;
    let groups = lengths.iter().map(|length| {
        let (group, after) = rest.split_at(*length);
        rest = after;
        group
    });
    groups.collect::<Vec<_>>().join(gap)
}

#[test]
fn kinds_have_names_and_some_have_checksums() {
    let with: Vec<_> = KINDS
        .into_iter()
        .filter(|kind| has_checksum(*kind))
        .map(DataKind::name)
        .collect();
    assert_eq!(with, ["card", "iban", "national-id"]);
}

#[test]
fn names_come_from_the_list() {
    let mut found = Vec::new();
    let names = Names::new(["Ada Lind"]);
    find("Ask Ada Lind.", &names, Wanted::Checked, &mut found);
    assert_eq!(
        (found[0].kind.name(), found[0].span.clone()),
        ("name", 4..12)
    );
}

#[test]
fn a_text_with_several_kinds() {
    let text =
        "Mara (mara@lind.io, +49 171 2345678) was born on 3 May 1985, lives at Lindenstraße 5.";
    let kinds: Vec<_> = all(text).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["email", "phone", "birth-date", "street-address"]);
}

#[test]
fn everyday_lines() {
    for (text, kind, value) in [
        (
            "Reach Jonas under +49-89-1234567 before noon",
            "phone",
            "+49-89-1234567",
        ),
        ("ping me: (+44) 7700 900 456", "phone", "+44) 7700 900 456"),
        ("mein Handy: 0151/234 567 89", "phone", "0151/234 567 89"),
        ("Fax 089 / 12 34 56 - 78", "phone", "089 / 12 34 56 - 78"),
        ("Mi móvil es 612 34 56 78.", "phone", "612 34 56 78"),
        ("il mio cellulare: 333 1234567", "phone", "333 1234567"),
        ("mijn nummer: 06-12345678", "phone", "06-12345678"),
        (
            "contact,ada.lind@uni-kiel.de,active",
            "email",
            "ada.lind@uni-kiel.de",
        ),
        (
            "author = \"Ada Lind <ada@lind.dev>\"",
            "email",
            "ada@lind.dev",
        ),
        ("Client 84.17.53.9 was blocked", "ip-address", "84.17.53.9"),
        ("{\"ip\":\"5.9.24.8\"}", "ip-address", "5.9.24.8"),
        (
            "X-Forwarded-For: 91.198.174.192, 10.0.0.1",
            "ip-address",
            "91.198.174.192",
        ),
        (
            "Ship it to 48 Maple Drive, Portland, OR 97205",
            "street-address",
            "48 Maple Drive, Portland, OR 97205",
        ),
        (
            "Sie wohnt Am Markt 5, 24103 Kiel",
            "street-address",
            "Am Markt 5, 24103 Kiel",
        ),
        (
            "J'habite au 8, rue des Lilas, 69003 Lyon",
            "street-address",
            "8, rue des Lilas, 69003 Lyon",
        ),
        (
            "Address: 182 Park Blvd, Denver, CO 98101",
            "street-address",
            "182 Park Blvd, Denver, CO 98101",
        ),
        (
            "{\"street\":\"952 Oak Avenue\",\"city\":\"Dublin\"}",
            "street-address",
            "952 Oak Avenue",
        ),
        ("* (212) 555-0187", "phone", "(212) 555-0187"),
        ("Ada, geb. am 12.03.1985", "birth-date", "12.03.1985"),
        (
            "Ada was born 1985-03-12 in Kiel",
            "birth-date",
            "1985-03-12",
        ),
        ("Ada's birthday: 12 March", "birth-date", "12 March"),
    ] {
        check(text, kind, &[value]);
    }
}

#[test]
fn redacted_and_technical_text_is_clean() {
    for text in [
        "[personal:email] [personal:phone] tel: [personal:phone] born [personal:birth-date] [personal:iban]",
        "phone=${PHONE} dob={{ dob }} ssn=$SSN email=%s card=<card> iban=xxxx",
        "12:34:56.789012 INFO worker-17 took 1234567 us, 4096 of 16384 bytes (25.0 %)",
        "https://x.dev/a/1234567890/b?id=9876543210&t=1712345678",
        "d41d8cd98f00b204e9800998ecf8427e 9007199254740991 0xdeadbeef12345678",
        "serde = \"1.0.219\" checksum = \"5f0e2c6ed6606019b4e29e69dbaba95b11854410e5347d525002456dbbb786b6\"",
        "matrix [[1, 2, 3], [4, 5, 6]] at 3.14159265358979 and -0.00012345678 1e-10",
        "[2024-05-06T12:30:45.123456Z] pid=12345 tid=140735 code=0x7fff5fbff8c0",
        "2024-05-06 12:30:45,123 - 192.168.0.1 - - \"GET / HTTP/1.1\" 200 1234567",
        "-rw-r--r-- 1 root root 1234567 2024-05-06 12:30 file-1.2.3.tar.gz",
        "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d",
        "(872) 391 - 8872 = ? and 4 * (872) 391 - 8872",
    ] {
        check_none(text);
    }
}

/// The steps for a text, and that all spans are valid.
fn steps(text: &str) -> usize {
    let mut checked = Scan::new(text);
    checked.run_checked(&mut Vec::new());
    let mut found = Vec::new();
    let mut scan = Scan::new(text);
    scan.run(&mut found);
    let mut end = 0;
    for finding in &found {
        assert!(
            finding.span.start >= end && finding.span.start < finding.span.end,
            "{text:?} {found:?}"
        );
        assert!(
            text.get(finding.span.clone()).is_some(),
            "{text:?} {finding:?}"
        );
        end = finding.span.end;
    }
    scan.steps.max(checked.steps)
}

#[test]
fn hostile_texts_take_linear_time() {
    let shapes = [
        "@",
        "a@",
        "1 ",
        "1-",
        "1.",
        "(1)",
        "1",
        "a1",
        "2001:",
        "+1",
        "+49 ",
        "a@b.",
        "12 A ",
        "Straße 1 ",
        "Calle A 1 ",
        "DE1",
        "born 1 ",
        "tel 1",
        "1.1.1.1.",
        "://",
        "AAAAAA1",
        "\u{e4}@\u{e4}.",
        "geb. 1. M\u{e4}rz ",
        "1 May ",
        "phone",
        "1\u{a0}",
        "rue 1 rue ",
        "a.",
        "x1@",
    ];
    for shape in shapes {
        let counts = [2_000, 4_000, 8_000].map(|times| steps(&shape.repeat(times)));
        assert!(
            counts[2] <= 8_000 * shape.len() * 500 + 1_000,
            "{shape}: {counts:?}"
        );
        assert!(
            counts[2] <= counts[1] * 21 / 10 + 1_000,
            "{shape}: {counts:?}"
        );
    }
}

/// Texts made of the pieces that the detectors look at.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "1",
        "12",
        "1985",
        "030",
        "4539",
        "@",
        ".",
        "-",
        "/",
        "(",
        ")",
        "+",
        " ",
        "\n",
        ",",
        ":",
        "a",
        "A",
        "DE",
        "X",
        "born ",
        "tel ",
        "May ",
        "März ",
        "Straße ",
        "rue ",
        "Calle ",
        "née ",
        "é",
        "年",
        "月",
        "日",
        "web.de",
        "2001:db8::",
        "\u{a0}",
        "bis ",
        "de ",
        "th",
        "º",
        "ssn ",
        "RSSMRA85",
        "T10A562",
        "’",
        "d'",
        "🦀",
        "n°",
        "12a",
        "via ",
        "str.",
        ", ",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Texts made of numbers, those with checksums among them, and of words that name them.
fn numbers() -> impl Strategy<Value = String> {
    let card = with_luhn("453972018364927");
    let pieces = [
        &card,
        &grouped(&card, &[4, 4, 4, 4], " "),
        "DE89370400440532013000",
        "DE89 3704 0044 0532 0130 00",
        "078-05-1121",
        "219-09-9998",
        "SSN: ",
        "National ID ",
        "phone ",
        "born ",
        "12.03.1985",
        "+49 30 1234567",
        "(030) 12 34 56",
        "12 Main Street",
        "10.1.2.3",
        "mara@example.org",
        "52998224725",
        "CPF ",
        " ",
        ", ",
        "; ",
        "\n",
        "-",
        "/",
        "x",
        "1",
        "order ",
    ];
    let pieces = pieces.map(ToString::to_string).to_vec();
    prop::collection::vec(prop::sample::select(pieces), 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn kinds_with_checksums_are_found_alike_if_only_they_are_wanted(text in numbers()) {
        let of = |wanted| {
            let mut found = Vec::new();
            find(&text, &Names::default(), wanted, &mut found);
            found.retain(|finding| has_checksum(finding.kind));
            found
        };
        prop_assert_eq!(of(Wanted::Checked), of(Wanted::All));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        steps(&text);
    }

    #[test]
    fn no_text_of_pieces_panics(text in pieces()) {
        let steps = steps(&text);
        prop_assert!(steps <= 600 * text.len() + 1_000);
    }

    #[test]
    fn what_is_found_is_gone_once_replaced(text in pieces()) {
        let mut found = Vec::new();
        Scan::new(&text).run(&mut found);
        for finding in found {
            let (start, end) = (finding.span.start, finding.span.end);
            prop_assert!(text.is_char_boundary(start) && text.is_char_boundary(end));
        }
    }
}
