//! The machine on which something was measured, without its name.

/// One line: cores, what the scans can use of them, system.
pub(crate) fn line() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let build = if cfg!(debug_assertions) {
        "; a debug build, whose figures mean nothing"
    } else {
        ""
    };
    format!(
        "machine: {cores} cores, {} ({}), {}{build}",
        std::env::consts::ARCH,
        features().join(" "),
        std::env::consts::OS
    )
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
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
    named(&known)
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    let known = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        (
            "dotprod",
            std::arch::is_aarch64_feature_detected!("dotprod"),
        ),
    ];
    named(&known)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    named(&[])
}

fn named(known: &[(&'static str, bool)]) -> Vec<&'static str> {
    let there: Vec<_> = known
        .iter()
        .filter(|(_, there)| *there)
        .map(|(name, _)| *name)
        .collect();
    if there.is_empty() {
        vec!["portable code"]
    } else {
        there
    }
}
