//! Personal data.
//!
//! One pass stops at each `@` and at each run of digits, and looks around it within fixed bounds. Numbers that mean
//! nothing by themselves need a word near them that names them.

mod address;
mod card;
mod checks;
mod context;
mod date;
mod email;
mod iban;
mod ip;
mod national;
mod number;
mod phone;
mod scan;
#[cfg(test)]
mod tests;
mod words;

use crate::{DataKind, Finding, Names};

const ADDRESS: DataKind = DataKind::personal("street-address");
const BIRTH_DATE: DataKind = DataKind::personal("birth-date");
const CARD: DataKind = DataKind::personal("card");
const EMAIL: DataKind = DataKind::personal("email");
const IBAN: DataKind = DataKind::personal("iban");
const IP: DataKind = DataKind::personal("ip-address");
const NAME: DataKind = DataKind::personal("name");
const NATIONAL: DataKind = DataKind::personal("national-id");
const PHONE: DataKind = DataKind::personal("phone");

/// The kinds of personal data.
pub(crate) const KINDS: [DataKind; 9] = [
    BIRTH_DATE, CARD, EMAIL, IBAN, IP, NAME, NATIONAL, PHONE, ADDRESS,
];

/// Whether values of a kind carry a checksum.
pub(crate) fn has_checksum(kind: DataKind) -> bool {
    [IBAN, CARD, NATIONAL].contains(&kind)
}

/// How much is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Nothing.
    Nothing,
    /// Kinds with a checksum, and names.
    Checked,
    /// All kinds.
    All,
}

impl Wanted {
    /// What has to be looked for if these kinds are wanted.
    pub(crate) fn of(is_wanted: impl Fn(DataKind) -> bool) -> Self {
        let wanted: Vec<_> = KINDS.into_iter().filter(|kind| is_wanted(*kind)).collect();
        let is_checked = |kind: &DataKind| has_checksum(*kind) || *kind == NAME;
        if wanted.is_empty() {
            Self::Nothing
        } else if wanted.iter().all(is_checked) {
            Self::Checked
        } else {
            Self::All
        }
    }
}

/// Finds personal data, of other kinds too where they are found on the way. O(bytes).
pub(crate) fn find(text: &str, names: &Names, wanted: Wanted, found: &mut Vec<Finding>) {
    match wanted {
        Wanted::Nothing => return,
        Wanted::Checked => scan::Scan::new(text).run_checked(found),
        Wanted::All => scan::Scan::new(text).run(found),
    }
    let named = names.places(text).into_iter();
    found.extend(named.map(|span| Finding { kind: NAME, span }));
}
