//! Whether letters follow one another as they do in words.

/// The letters that often follow `a`, `b`, … in words of European languages and in identifiers, counted over the texts of this
/// repository without accents: these pairs are 96 % of all. Of random pairs they are 46 %.
const FOLLOWERS: [&str; 26] = [
    "abcdefghiklmnprstuvwxyz",
    "abeilorsuy",
    "acehiklorstuy",
    "adegilorsuy",
    "abcdefghiklmnopqrstuvwxy",
    "aefilortu",
    "aeghilnorsu",
    "aeimorstuy",
    "abcdefgklmnoprstuvxz",
    "aeiou",
    "aeiosu",
    "adefiklmostuvy",
    "abeimopsuy",
    "acdefghiklnorstuvy",
    "abcdefgiklmnoprstuvwxy",
    "aehiloprstu",
    "u",
    "abcdefgiklmnoprstuvy",
    "acehiklmnopstuwy",
    "acehilorstuwy",
    "abcdegiklmnprst",
    "aeio",
    "aehinors",
    "eipt",
    "aelmnops",
    "aei",
];

/// [`FOLLOWERS`] as a bit for each letter.
const PAIRS: [u32; 26] = pairs();

const fn pairs() -> [u32; 26] {
    let mut all = [0; 26];
    let mut first = 0;
    while first < 26 {
        let followers = FOLLOWERS[first].as_bytes();
        let mut at = 0;
        while at < followers.len() {
            all[first] |= 1 << (followers[at] - b'a');
            at += 1;
        }
        first += 1;
    }
    all
}

/// Whether the pairs of letters in a value are too unusual for words: three in ten of them, and two at least. Holds for four of
/// five random values of ten letters, and for one word in seventy. O(bytes).
pub(super) fn are_unlike_words(value: &str) -> bool {
    let (all, unusual) = unusual_pairs(value);
    unusual >= 2 && unusual * 10 >= all * 3
}

/// The pairs of letters in a value, and how many of them are rare in words. O(bytes).
pub(super) fn unusual_pairs(value: &str) -> (usize, usize) {
    let (mut all, mut unusual) = (0, 0);
    for pair in value.as_bytes().windows(2) {
        let &[first, second] = pair else {
            continue;
        };
        let begins_word = first.is_ascii_lowercase() && second.is_ascii_uppercase();
        if !first.is_ascii_alphabetic() || !second.is_ascii_alphabetic() || begins_word {
            continue;
        }
        let [first, second] = [first, second].map(|byte| byte.to_ascii_lowercase() - b'a');
        all += 1;
        unusual += usize::from(PAIRS[usize::from(first)] >> second & 1 == 0);
    }
    (all, unusual)
}

/// Whether words with capitals make up half of a value, one of them long and another not short:
/// `NSThumbnail1024x1024SizeKey`. O(bytes).
pub(super) fn are_joined_words(value: &str) -> bool {
    let bytes = value.as_bytes();
    if !bytes.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let (mut words, mut longest, mut all, mut at) = (0, 0, 0, 0);
    while at < bytes.len() {
        let small = bytes[at + 1..]
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase())
            .count();
        let end = at + 1 + small;
        let is_word = small >= 2 && bytes[at].is_ascii_uppercase();
        if is_word && !are_unlike_words(&value[at..end]) {
            words += usize::from(small >= 3);
            longest = longest.max(end - at);
            all += end - at;
        }
        at = end;
    }
    words >= 2 && longest >= 6 && all * 2 >= value.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_words_differ_from_random_characters() {
        for value in [
            "NSThumbnail1024x1024SizeKey",
            "AnsibleModule2ndRetryCount5",
            "GetObjectAcl2Response",
        ] {
            assert!(are_joined_words(value), "{value}");
        }
        for value in [
            "kQ9xVb2LmZ7pTr4s",
            "PipcBAcDskqVse6Xp2",
            "UegwSngNUPwUhscDZ3",
            "Meadow3779N72xkPq",
            "Product6127@Uei",
            "NfjaritBKjkhUWyo7wMjeEkGDgvDM0h8",
            "é",
            "",
        ] {
            assert!(!are_joined_words(value), "{value}");
        }
    }

    #[test]
    fn words_differ_from_random_letters() {
        for word in [
            "password",
            "databaseConnection",
            "HTTPServerFactory",
            "Zugangsdaten",
            "contraseña",
            "base64ToUtf8",
            "kubernetes-admin",
            "qualité",
        ] {
            assert!(!are_unlike_words(word), "{word}");
        }
        for value in [
            "DBdiso-JEVzqt-LTnvSM",
            "CFLarjgahqgQnEPTqipc5",
            "xkqjvbwz",
            "PnTtvfRq",
        ] {
            assert!(are_unlike_words(value), "{value}");
        }
    }
}
