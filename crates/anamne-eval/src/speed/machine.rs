//! Describes the machine, without its name.

use anamne::SimdLevel;

/// One line: cores, CPU features that the scans can use and the level in use, system.
pub(crate) fn line() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let build = if cfg!(debug_assertions) {
        "; a debug build, whose figures mean nothing"
    } else {
        ""
    };
    format!(
        "machine: {cores} cores, {} ({}), vector searches at level {}, {}{build}",
        std::env::consts::ARCH,
        features().join(" "),
        SimdLevel::current(),
        std::env::consts::OS
    )
}

/// CPU features that the scans can use.
fn features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let known = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
        (
            "avx512vnni",
            std::arch::is_x86_feature_detected!("avx512vnni"),
        ),
        (
            "avx512vpopcntdq",
            std::arch::is_x86_feature_detected!("avx512vpopcntdq"),
        ),
    ];
    #[cfg(target_arch = "aarch64")]
    let known = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        (
            "dotprod",
            std::arch::is_aarch64_feature_detected!("dotprod"),
        ),
    ];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let known: [(&str, bool); 0] = [];
    let there = known.into_iter().filter(|(_, there)| *there);
    let mut names: Vec<_> = there.map(|(name, _)| name).collect();
    if names.is_empty() {
        names.push("portable code");
    }
    names
}
