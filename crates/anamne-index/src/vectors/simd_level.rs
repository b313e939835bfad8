//! Which vector instructions searches use: the best of the processor, unless the program selects others.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use anamne_types::InvalidValue;

/// The level in use, as an index of [`SimdLevel::ALL`]; [`UNSELECTED`] for the best.
static CURRENT: AtomicU8 = AtomicU8::new(UNSELECTED);

const UNSELECTED: u8 = u8::MAX;

/// A set of vector instructions. All levels compute identical results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimdLevel {
    /// x86-64 with AVX-512 F, BW, VL, VNNI and VPOPCNTDQ.
    Avx512,
    /// x86-64 with AVX2.
    Avx2,
    /// 64-bit ARM.
    Neon,
    /// No instructions beyond those that the program was compiled for.
    Portable,
}

impl SimdLevel {
    /// All levels, best first.
    pub const ALL: &'static [Self] = &[Self::Avx512, Self::Avx2, Self::Neon, Self::Portable];

    /// The name, as in `ANAMNE_SIMD`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Neon => "neon",
            Self::Portable => "portable",
        }
    }

    /// The levels that this processor supports, best first; [`SimdLevel::Portable`] is always one of them.
    pub fn supported() -> &'static [Self] {
        static SUPPORTED: OnceLock<Vec<SimdLevel>> = OnceLock::new();
        SUPPORTED.get_or_init(|| {
            let all = Self::ALL.iter().copied();
            all.filter(|level| level.is_detected()).collect()
        })
    }

    /// The level that searches of this process use.
    #[inline]
    pub fn current() -> Self {
        let index = CURRENT.load(Ordering::Relaxed);
        if let Some(level) = Self::ALL.get(usize::from(index)) {
            return *level;
        }
        Self::supported()[0]
    }

    /// Makes all searches of this process use this level from now on. Refuses a level that the processor does not
    /// support.
    ///
    /// ```
    /// use anamne_index::vectors::SimdLevel;
    ///
    /// "portable".parse::<SimdLevel>()?.select()?;
    /// assert_eq!(SimdLevel::current(), SimdLevel::Portable);
    /// # Ok::<(), anamne_types::InvalidValue>(())
    /// ```
    pub fn select(self) -> Result<(), InvalidValue> {
        if !Self::supported().contains(&self) {
            let accepts = format!("one of {} on this processor", names(Self::supported()));
            return Err(InvalidValue::new("simd", accepts, self));
        }
        CURRENT.store(self as u8, Ordering::Relaxed);
        Ok(())
    }

    fn is_detected(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vnni")
                    && is_x86_feature_detected!("avx512vpopcntdq")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            Self::Portable => true,
            #[allow(unreachable_patterns)] // the levels of other architectures
            _ => false,
        }
    }
}

fn names(levels: &[SimdLevel]) -> String {
    let names: Vec<_> = levels.iter().map(|level| level.as_str()).collect();
    names.join(", ")
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl FromStr for SimdLevel {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let mut all = Self::ALL.iter().copied();
        all.find(|level| level.as_str() == text)
            .ok_or_else(|| InvalidValue::new("simd", format!("one of {}", names(Self::ALL)), text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_read_by_its_name() {
        for level in SimdLevel::ALL {
            assert_eq!(level.as_str().parse(), Ok(*level));
            assert_eq!(SimdLevel::ALL[*level as usize], *level);
        }
        for unknown in ["", "AVX2", "sse2", "avx2 "] {
            let refusal = unknown.parse::<SimdLevel>().unwrap_err().to_string();
            assert!(
                refusal.contains("avx512, avx2, neon, portable"),
                "{refusal}"
            );
        }
    }

    #[test]
    fn only_supported_levels_can_be_selected() {
        for level in SimdLevel::ALL {
            let supported = SimdLevel::supported().contains(level);
            assert_eq!(level.select().is_ok(), supported, "{level}");
            assert!(SimdLevel::supported().contains(&SimdLevel::current()));
        }
        SimdLevel::supported()[0].select().unwrap();
    }
}
