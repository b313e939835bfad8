use crate::personal::checks;
use crate::personal::tests::{check, check_none, with_luhn};

/// The number with the last characters that `is_valid` accepts, tried in order: its rules are tested by acceptance of
/// known bodies, and by refusal of every other check.
fn only_one(body: &str, ends: &[&str], context: &str) -> String {
    let texts = ends.iter().map(|end| format!("{body}{end}"));
    let found: Vec<_> = texts
        .filter(|text| {
            !crate::personal::tests::values(&format!("{context}{text}."), "national-id").is_empty()
        })
        .collect();
    assert_eq!(found.len(), 1, "{body}: {found:?}");
    found.into_iter().next().expect("one")
}

const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

fn hundred() -> Vec<String> {
    (0..100).map(|end| format!("{end:02}")).collect()
}

#[test]
fn exactly_one_check_digit_is_accepted() {
    for (body, context) in [
        ("4405140145", "PESEL "),
        ("8609574271", "Steuer-ID: "),
        ("11122233", "BSN "),
        ("12345678", "NIF "),
        ("14645428", "SIN "),
        ("23412341234", "aadhaar: "),
        ("11010519491231003", "ID card "),
        ("12345678901", "My Number: "),
        ("12395678", "tax file number "),
    ] {
        let found = only_one(body, &DIGITS, context);
        assert!(found.starts_with(body));
    }
    let pairs = hundred();
    let pairs: Vec<&str> = pairs.iter().map(String::as_str).collect();
    only_one("529.982.247-", &pairs, "CPF ");
    only_one("1 85 05 78 006 084 ", &pairs, "");
    only_one("85.07.30-033.", &pairs[1..29], "");
    only_one("010190432", &pairs, "");
}

#[test]
fn letters_follow_from_the_rest() {
    let letters: Vec<String> = ('A'..='Z').map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    only_one("48392716", &letters, "DNI ");
    only_one("48.392.716-", &letters, "");
    only_one("Y4839271", &letters, "");
    only_one("RSSMRA85T10A562", &letters, "");
    let all: Vec<&str> = DIGITS.iter().chain(&letters).copied().collect();
    only_one("131052-308", &letters, "");
    only_one("131052A307", &all, "");
}

#[test]
fn numbers_with_a_date_and_luhn() {
    let swedish = with_luhn("811218987");
    let dashed = format!("{}-{}", &swedish[..6], &swedish[6..]);
    check(&dashed, "national-id", &[&dashed]);
    check(
        &format!("personnummer 19{swedish}"),
        "national-id",
        &[&format!("19{swedish}")],
    );
    check_none(&swedish);
    let recent = with_luhn("240512123");
    check_none(&format!("build 20{}-{}", &recent[..6], &recent[6..]));
}

#[test]
fn shapes_without_checksums_need_words_or_dashes() {
    let (area, rest) = ("536", "90-4399");
    let ssn = format!("{area}-{rest}");
    check(&format!("was {ssn}."), "national-id", &[&ssn]);
    let packed = ssn.replace('-', "");
    check(&format!("SSN {packed}"), "national-id", &[&packed]);
    let nino = format!("AB{}C", "123456");
    check(&format!("NI number: {nino}"), "national-id", &[&nino]);
    check("AB 12 34 56 C", "national-id", &["AB 12 34 56 C"]);
    for text in [
        packed,
        nino,
        format!("{ssn}-1 x{ssn} 1-{ssn}"),
        "000-12-3456 666-12-3456 912-12-3456 536-00-1234 536-12-0000".to_owned(),
        format!("{}-{}", "078-05", "1120"),
        "QQ 12 34 56 C".to_owned(),
    ] {
        check_none(&text);
    }
}

#[test]
fn groups_of_four_with_verhoeff() {
    let with = |last: u8| {
        let digits: Vec<u8> = "39648210573"
            .bytes()
            .map(|byte| byte - b'0')
            .chain([last])
            .collect();
        checks::verhoeff(&digits)
    };
    let last = (0..10).find(|last| with(*last)).expect("a digit");
    let grouped = format!("3964 8210 573{last}");
    check(&grouped, "national-id", &[&grouped]);
    check_none(&format!("order {grouped}"));
    check_none(&grouped.replace(' ', ""));
}

#[test]
fn resident_numbers_end_with_x() {
    let body = (0..1000).map(|serial| format!("11010519900307{serial:03}"));
    let found = body
        .map(|body| format!("{body}X"))
        .filter(|text| !crate::personal::tests::values(text, "national-id").is_empty());
    assert!((85..97).contains(&found.count()));
}

/// A word, the two halves of a number with a right check, and whether the number is found without the word.
const EXAMPLES: [(&str, &str, &str, bool); 44] = [
    ("CURP", "HEGG560427", "MVZRRL04", true),
    ("RFC", "GODE561", "231GR8", false),
    ("CUIT", "20-0553", "6168-2", true),
    ("RUT", "12.531", ".909-2", true),
    ("rut:", "125319", "09-2", false),
    ("TC Kimlik No:", "100000", "00146", false),
    ("CNP:", "1630615", "123457", false),
    ("rodné číslo", "710319", "/2745", true),
    ("isikukood", "376050", "30299", false),
    ("asmens kodas", "333092", "40064", false),
    ("personas kods", "161175", "-19997", true),
    ("ЕГН", "75231", "69263", false),
    ("OIB", "333920", "05961", false),
    ("JMBG", "010100", "6500006", false),
    ("AMKA", "010130", "99997", false),
    ("αφμ", "0942", "59216", false),
    ("СНИЛС", "112-233", "-445 95", true),
    ("ИНН", "500100", "732259", false),
    ("NHS number", "943 476", " 5919", false),
    ("AHV", "756.9217", ".0769.85", true),
    ("PPS number", "64334", "35F", false),
    ("SVNR", "1237 0", "10180", false),
    ("kennitala", "120174", "-3399", true),
    ("SA ID number", "750330", "5044089", false),
    ("Teudat Zehut", "0393", "37423", false),
    ("NRIC", "S12345", "67D", true),
    ("身分證字號", "A12345", "6789", false),
    ("HKID", "G12345", "6(A)", true),
    ("Thai ID", "31006", "00445635", false),
    ("IRD number", "49-091", "-850", false),
    ("کد ملی", "04993", "70899", false),
    ("KVNR", "A12345", "6780", false),
    ("RV-Nummer", "15070649", "C103", true),
    ("dowód osobisty", "ABA3", "00000", false),
    ("Emirates ID", "784-1980", "-1234567-8", true),
    ("NIK", "317104", "4501900001", false),
    ("MyKad", "850312-", "14-5678", false),
    ("CCCD", "00109", "5012345", false),
    ("CNIC", "35202-", "1234567-1", false),
    ("PAN", "ABCPE", "1234F", false),
    ("cédula", "1.020.", "304.050", false),
    ("ITIN", "912-70", "-1234", false),
    ("n° de sécu", "1 85 05 78 006 ", "084 91", true),
    ("rodné číslo:", "485312", "/123", false),
];

#[test]
fn numbers_of_many_countries_are_found() {
    for (word, left, right, alone) in EXAMPLES {
        let number = format!("{left}{right}");
        check(&format!("{word} {number}"), "national-id", &[&number]);
        let found = crate::personal::tests::values(&number, "national-id");
        assert_eq!(!found.is_empty(), alone, "{number}");
    }
}
