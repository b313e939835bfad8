//! Tiers of memories by age.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::InvalidValue;
use crate::body::string_enum;

string_enum! {
    /// Which tiers a query searches: one and all hotter ones.
    #[derive(Default)]
    Temperature as "temperature" {
        /// The active tier.
        Hot = 1 "hot",
        /// The active and the recent tier.
        Warm = 2 "warm",
        /// The active and the recent tier and the archives: every tier.
        Cold = 3 "cold",
        /// Every tier.
        #[default]
        All = 4 "all",
    }
}

impl Temperature {
    /// Whether a query of this temperature searches a tier; with `alone`, without the hotter tiers.
    pub fn reaches(self, tier: Tier, alone: bool) -> bool {
        let of_tier = match tier {
            Tier::Active => Self::Hot,
            Tier::Recent => Self::Warm,
            Tier::Archive { .. } => Self::Cold,
        };
        match self {
            Self::All => true,
            _ if alone => self == of_tier,
            _ => self >= of_tier,
        }
    }

    /// Whether it searches every tier.
    pub fn is_everything(self, alone: bool) -> bool {
        self == Self::All || (self == Self::Cold && !alone)
    }
}

/// The tier of a memory. Hotter tiers compare as less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// New, changed or used memories.
    Active,
    /// Slightly older memories.
    Recent,
    /// Old memories of one quarter of a year.
    Archive {
        /// The year, 1 to 9999.
        year: i16,
        /// The quarter, 1 to 4.
        quarter: u8,
    },
}

impl Tier {
    /// The archive of memories that happened at a time, in UTC.
    pub fn archive_of(at: Timestamp) -> Self {
        let date = at.to_zoned(TimeZone::UTC).date();
        Self::Archive {
            year: date.year().max(1),
            quarter: (date.month() as u8 - 1) / 3 + 1,
        }
    }

    /// Its stored number; it never changes: 0, 1, or ten times the year plus the quarter.
    pub fn number(self) -> u32 {
        match self {
            Self::Active => 0,
            Self::Recent => 1,
            Self::Archive { year, quarter } => {
                u32::from(year.unsigned_abs()) * 10 + u32::from(quarter)
            }
        }
    }

    /// The tier stored under `number`, if there is one.
    pub fn from_number(number: u32) -> Option<Self> {
        match (number, number % 10) {
            (0, _) => Some(Self::Active),
            (1, _) => Some(Self::Recent),
            (11..=99_994, quarter @ 1..=4) => Some(Self::Archive {
                year: i16::try_from(number / 10).ok()?,
                quarter: quarter as u8,
            }),
            _ => None,
        }
    }
}

impl PartialOrd for Tier {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Tier {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let (is_archive, number) = (self.number() > 1, self.number());
        // Of two archives the later one is hotter.
        if is_archive && other.number() > 1 {
            other.number().cmp(&number)
        } else {
            number.cmp(&other.number())
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Active => formatter.pad("active"),
            Self::Recent => formatter.pad("recent"),
            Self::Archive { year, quarter } => {
                formatter.pad(&format!("archive-{year:04}Q{quarter}"))
            }
        }
    }
}

impl FromStr for Tier {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let archive = || {
            let (year, quarter) = text.strip_prefix("archive-")?.split_once('Q')?;
            let number =
                year.parse::<u32>().ok()?.checked_mul(10)? + quarter.parse::<u32>().ok()?;
            Self::from_number(number).filter(|tier| tier.to_string() == text)
        };
        match text {
            "active" => Ok(Self::Active),
            "recent" => Ok(Self::Recent),
            _ => archive()
                .ok_or_else(|| InvalidValue::new("tier", "active, recent or archive-2026Q3", text)),
        }
    }
}

impl Serialize for Tier {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Tier {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_reads_back_from_its_word_and_its_number() {
        let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
        let third = Tier::archive_of(at("2026-07-01T00:00:00Z"));
        assert_eq!(third.to_string(), "archive-2026Q3");
        assert_eq!(
            Tier::archive_of(at("2026-06-30T23:59:59Z")).number(),
            20_262
        );
        for tier in [Tier::Active, Tier::Recent, third] {
            assert_eq!(tier.to_string().parse::<Tier>(), Ok(tier));
            assert_eq!(Tier::from_number(tier.number()), Some(tier));
        }
        for text in [
            "",
            "archive",
            "archive-2026Q5",
            "archive-2026Q0",
            "archive-26Q1",
            "hot",
        ] {
            assert!(text.parse::<Tier>().is_err(), "{text}");
        }
        for number in [2, 9, 10, 20_260, 20_265, 100_001] {
            assert_eq!(Tier::from_number(number), None, "{number}");
        }
    }

    #[test]
    fn hotter_tiers_come_first() {
        let archive = |year, quarter| Tier::Archive { year, quarter };
        let mut tiers = [
            archive(2025, 4),
            Tier::Recent,
            archive(2026, 1),
            Tier::Active,
        ];
        tiers.sort();
        assert_eq!(
            tiers,
            [
                Tier::Active,
                Tier::Recent,
                archive(2026, 1),
                archive(2025, 4)
            ]
        );
    }

    #[test]
    fn a_temperature_picks_its_tier_and_the_hotter_ones() {
        let archive = Tier::from_number(20_261).expect("an archive");
        let reached = |temperature: Temperature, alone| {
            [Tier::Active, Tier::Recent, archive].map(|tier| temperature.reaches(tier, alone))
        };
        for (temperature, with_hotter, alone) in [
            (Temperature::Hot, [true, false, false], [true, false, false]),
            (Temperature::Warm, [true, true, false], [false, true, false]),
            (Temperature::Cold, [true, true, true], [false, false, true]),
            (Temperature::All, [true, true, true], [true, true, true]),
        ] {
            assert_eq!(reached(temperature, false), with_hotter, "{temperature}");
            assert_eq!(reached(temperature, true), alone, "{temperature} alone");
            for (alone, tiers) in [(false, with_hotter), (true, alone)] {
                let everything = temperature.is_everything(alone);
                assert_eq!(everything, tiers == [true; 3], "{temperature} {alone}");
            }
        }
    }
}
