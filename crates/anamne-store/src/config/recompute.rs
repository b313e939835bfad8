//! Whether and how current importance and current strength are computed.

use anamne_types::InvalidValue;
use serde::{Deserialize, Serialize};

/// How current importance and the current strength of links are computed from what was told. Off shows what was told;
/// nothing told changes either way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecomputeConfig {
    /// Whether importance is recomputed from use, links and age.
    pub importance: bool,
    /// Whether the strength of links decays.
    pub links: bool,
    /// Days until the part of importance that comes from use and youth has halved.
    pub half_life_days: f32,
    /// Days until the strength of a link that is neither told again nor used has halved.
    pub link_half_life_days: f32,
    /// The share of its told strength that a link keeps at least, 0 to 1.
    pub link_floor: f32,
}

impl Default for RecomputeConfig {
    fn default() -> Self {
        Self {
            importance: true,
            links: true,
            half_life_days: 60.0,
            link_half_life_days: 60.0,
            link_floor: 0.1,
        }
    }
}

impl RecomputeConfig {
    /// The maximum half-life, in days: a hundred years.
    const MOST_DAYS: f32 = 36_525.0;

    pub(super) fn check(&self) -> Result<(), InvalidValue> {
        for (field, days) in [
            ("recompute.half_life_days", self.half_life_days),
            ("recompute.link_half_life_days", self.link_half_life_days),
        ] {
            if !(days > 0.0 && days <= Self::MOST_DAYS) {
                let accepts = format!("a number above 0, at most {} days", Self::MOST_DAYS);
                return Err(InvalidValue::new(field, accepts, days));
            }
        }
        if !(0.0..=1.0).contains(&self.link_floor) {
            let accepts = "a number from 0 to 1";
            return Err(InvalidValue::new(
                "recompute.link_floor",
                accepts,
                self.link_floor,
            ));
        }
        Ok(())
    }
}
