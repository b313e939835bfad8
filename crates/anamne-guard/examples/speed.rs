//! Prints how many megabytes per second are checked, and the time for a memory of 300 bytes.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use anamne_guard::{Guard, Policy};

const CODE: &str = "fn load(path: &Path) -> io::Result<Config> {\n    let text = fs::read_to_string(path)?;\n    let key = map.get(\"name\");\n    toml::from_str(&text).map_err(into_io)\n}\n";
const LOG: &str = "2025-03-02T10:11:12.345Z INFO http request method=GET path=/v1/items?page=2 status=200 duration_ms=12 trace=4bf92f3577b34da6a3ce929d0e0e4736\n";
const PROSE: &str = "We met on Tuesday and agreed that the migration has to wait until the index is rebuilt; Mara takes care of the release notes.\n";
const JSON: &str = "{\"id\": \"9b2f7c1e-4a6d-4f0b-8e3c-5d1a7b9c0e2f\", \"integrity\": \"sha512-Zm9vYmFyYmF6cXV4\", \"tokens\": 4096, \"author\": \"m\"}\n";

fn main() {
    let guard = Guard::new(Policy::default());
    let mixed = [CODE, LOG, PROSE, JSON].concat().repeat(20_000);
    for (name, text) in [
        ("code", CODE.repeat(40_000)),
        ("log", LOG.repeat(40_000)),
        ("prose", PROSE.repeat(40_000)),
        ("json", JSON.repeat(40_000)),
        ("mixed", mixed),
    ] {
        guard.findings(&text[..1_000]);
        let start = Instant::now();
        let found = guard.findings(&text).len();
        let speed = text.len() as f64 / 1e6 / start.elapsed().as_secs_f64();
        println!("{name}: {speed:.0} MB/s, {found} findings");
    }
    let memory = PROSE.repeat(3);
    let start = Instant::now();
    let found: usize = (0..10_000).map(|_| guard.findings(&memory).len()).sum();
    println!(
        "one memory of {} bytes: {:.1} µs, {found} findings",
        memory.len(),
        start.elapsed().as_secs_f64() * 100.0
    );
}
