//! Which tiers can contain a time range.

use anamne_types::Tier;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;

/// Whether a tier can contain a memory that happened at or after `since` and before `until`.
///
/// An archive only contains memories of its quarter. The active and the recent tier may contain any time: recently
/// stored or changed memories are there, whenever they happened.
///
/// ```
/// use anamne_recall::can_hold;
/// use anamne_types::Tier;
///
/// let archive = Tier::Archive { year: 2024, quarter: 3 };
/// let at = |text: &str| text.parse().ok();
/// assert!(can_hold(archive, at("2024-09-30T23:59:59Z"), None));
/// assert!(!can_hold(archive, at("2024-10-01T00:00:00Z"), None));
/// assert!(!can_hold(archive, None, at("2024-07-01T00:00:00Z")));
/// assert!(can_hold(Tier::Recent, at("2024-10-01T00:00:00Z"), None));
/// ```
pub fn can_hold(tier: Tier, since: Option<Timestamp>, until: Option<Timestamp>) -> bool {
    let Tier::Archive { year, quarter } = tier else {
        return true;
    };
    let begins = beginning(year, quarter);
    let ends = match quarter {
        4 => beginning(year.saturating_add(1), 1),
        quarter => beginning(year, quarter + 1),
    };
    // Times before the year 1 are in the archives of that year.
    let is_first = year <= 1;
    let too_late =
        !is_first && until.is_some_and(|until| begins.is_some_and(|begins| until <= begins));
    let too_early = since.is_some_and(|since| ends.is_some_and(|ends| ends <= since));
    !too_late && !too_early
}

/// The start of a quarter, in UTC; `None` past the end of the calendar.
fn beginning(year: i16, quarter: u8) -> Option<Timestamp> {
    let month = i8::try_from(3 * (u32::from(quarter).clamp(1, 4) - 1) + 1).ok()?;
    let first = Date::new(year, month, 1).ok()?;
    Offset::UTC.to_timestamp(first.at(0, 0, 0, 0)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every time is in its own archive only, also with tight bounds.
    #[test]
    fn an_archive_holds_exactly_its_quarter() {
        let start: Timestamp = "2023-12-30T00:00:00Z".parse().expect("an instant");
        let archives: Vec<Tier> = (2022..=2026)
            .flat_map(|year| (1..=4).map(move |quarter| Tier::Archive { year, quarter }))
            .collect();
        for hours in 0..=(24 * 400) {
            let at = start + jiff::SignedDuration::from_hours(hours);
            let (own, after) = (
                Tier::archive_of(at),
                at + jiff::SignedDuration::from_secs(1),
            );
            for &archive in &archives {
                let holds = can_hold(archive, Some(at), Some(after));
                assert_eq!(holds, archive == own, "{archive} {at}");
            }
        }
    }

    #[test]
    fn the_first_and_last_instants_are_covered() {
        for at in [Timestamp::MIN, Timestamp::MAX] {
            let own = Tier::archive_of(at);
            assert!(can_hold(own, Some(at), None), "{own}");
            assert!(own == Tier::archive_of(Timestamp::MAX) || can_hold(own, None, Some(at)));
        }
    }
}
