//! Dates of a single word: `2026-02-03`, `3.2.2026`, `1990s`.

/// `2026-02-03`, `2026-02`, `2026-q1`.
pub(super) fn is_iso(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str| {
        part.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| part.parse::<u32>().ok())
            .flatten()
    };
    let year =
        parts[0].len() == 4 && number(parts[0]).is_some_and(|year| (1000..3000).contains(&year));
    match parts[1..] {
        [month] => {
            year && month.len() == 2
                && (number(month).is_some_and(|month| (1..=12).contains(&month))
                    || month.starts_with('q'))
        }
        [month, day] => {
            year && month.len() == 2
                && day.len() == 2
                && number(month).is_some_and(|month| (1..=12).contains(&month))
                && number(day).is_some_and(|day| (1..=31).contains(&day))
        }
        _ => false,
    }
}

/// `3.2.2026`.
pub(super) fn is_dotted(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let [day, month, year] = parts[..] else {
        return false;
    };
    let within = |part: &str, most: u32| {
        part.len() <= 2
            && part
                .parse::<u32>()
                .is_ok_and(|number| (1..=most).contains(&number))
    };
    within(day, 31)
        && within(month, 12)
        && year.len() == 4
        && year.bytes().all(|byte| byte.is_ascii_digit())
}

/// `1990s`.
pub(super) fn is_decade(text: &str) -> bool {
    text.len() == 5
        && text.ends_with("0s")
        && text[..4]
            .parse::<u16>()
            .is_ok_and(|year| (1700..2100).contains(&year))
}
