//! Measurements, printed.

#![allow(clippy::print_stderr, reason = "that is what they are for")]

use std::time::{Duration, Instant};

use anamne::{NewKey, Options, Store, TenantQuota};

use super::{of_tenant, recall, records, tell};
use crate::common::served::Served;

/// Prints the time of a recognised and of a refused key.
#[test]
#[ignore = "a measurement"]
fn a_request_is_identified_in_microseconds() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open_with(Options::new(folder.path())).expect("a store");
    let records = store.server_records().expect("records");
    let keys: Vec<_> = (0..2_000)
        .map(|number| {
            records
                .create_key(&NewKey::named(format!("k{number}")))
                .expect("a key")
        })
        .collect();
    let unknown = format!("anamne_{}_{}", "0".repeat(16), "a".repeat(64));
    for (what, text) in [
        ("known", keys[1_000].key.as_str()),
        ("unknown", unknown.as_str()),
    ] {
        let mut times: Vec<Duration> = (0..5_000)
            .map(|_| {
                let key = anamne::KeyText::parse(text).expect("a key");
                let begun = Instant::now();
                let found = records.find_key(&key).expect("read");
                assert_eq!(found.is_some(), what == "known");
                begun.elapsed()
            })
            .collect();
        times.sort();
        eprintln!("{what}: p50 {:?}, p99 {:?}", times[2_500], times[4_950]);
    }
}

/// Prints memory and time of tenants that are opened in turn.
#[test]
#[ignore = "a measurement"]
fn a_cold_tenant_answers_soon_and_costs_little_memory() {
    const TENANTS: usize = 200;
    let server = Served::with(|settings| settings.open_tenants = TENANTS);
    let keys: Vec<String> = (0..TENANTS)
        .map(|number| {
            let name = format!("t{number}");
            records(&server)
                .create_tenant(&name, &TenantQuota::default())
                .expect("a tenant");
            let key = of_tenant(&server, &name);
            for told in 0..20 {
                tell(
                    &server,
                    &key,
                    &format!("Crane {told} of tenant {number} was repaired"),
                );
            }
            key
        })
        .collect();
    let other = server.beside(|settings| settings.open_tenants = TENANTS);
    let before = resident();
    let mut times = Vec::new();
    let mut warm = Vec::new();
    for key in &keys {
        for times in [&mut times, &mut warm] {
            let begun = Instant::now();
            recall(&other, key, "core", "which crane was repaired?").expect(200);
            times.push(begun.elapsed());
        }
    }
    let each = (resident() - before) / TENANTS as u64;
    times.sort();
    warm.sort();
    eprintln!(
        "cold p50 {:?} p95 {:?}, warm p50 {:?}; {} KiB for each open tenant",
        times[TENANTS / 2],
        times[TENANTS * 95 / 100],
        warm[TENANTS / 2],
        each >> 10
    );
}

/// Prints memory and time if few tenants are open and requests are distributed by Zipf's law.
#[test]
#[ignore = "a measurement"]
fn memory_stays_bounded_while_tenants_are_opened_and_closed() {
    const TENANTS: usize = 300;
    const REQUESTS: usize = 3_000;
    let server = Served::with(|settings| settings.open_tenants = 32);
    let keys: Vec<String> = (0..TENANTS)
        .map(|number| {
            let name = format!("t{number}");
            records(&server)
                .create_tenant(&name, &TenantQuota::default())
                .expect("a tenant");
            let key = of_tenant(&server, &name);
            tell(&server, &key, "The blue crane was repaired");
            key
        })
        .collect();
    let weights: Vec<f64> = (1..=TENANTS).map(|rank| 1.0 / rank as f64).collect();
    let whole: f64 = weights.iter().sum();
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    let mut times = Vec::new();
    for request in 0..REQUESTS {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        let mut left = (dice >> 11) as f64 / (1_u64 << 53) as f64 * whole;
        let chosen = weights.iter().position(|weight| {
            left -= weight;
            left <= 0.0
        });
        let begun = Instant::now();
        let key = &keys[chosen.unwrap_or(TENANTS - 1)];
        recall(&server, key, "core", "which crane was repaired?").expect(200);
        times.push(begun.elapsed());
        if (request + 1) % 500 == 0 {
            eprintln!("after {} requests: {} MiB", request + 1, resident() >> 20);
        }
    }
    times.sort();
    eprintln!(
        "p50 {:?}, p95 {:?}",
        times[REQUESTS / 2],
        times[REQUESTS * 95 / 100]
    );
}

/// Resident memory of this process in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    kib.and_then(|kib| kib.parse::<u64>().ok())
        .expect("a number")
        << 10
}
