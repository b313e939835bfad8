//! The speed of finding secrets alone: `cargo test --release -- --ignored --nocapture secrets_per_second`.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use super::*;

const LINES: [(&str, &str); 4] = [
    (
        "code",
        "fn load(path: &Path) -> io::Result<Config> {\n    let text = fs::read_to_string(path)?;\n    let key = map.get(\"name\");\n}\n",
    ),
    (
        "log",
        "2025-03-02T10:11:12.345Z INFO http request method=GET path=/v1/items?page=2 status=200 trace=4bf92f3577b34da6a3ce929d0e0e4736\n",
    ),
    (
        "prose",
        "We met on Tuesday and agreed that the migration has to wait until the index is rebuilt; Mara takes care of the notes.\n",
    ),
    (
        "json",
        "{\"id\": \"9b2f7c1e-4a6d-4f0b-8e3c-5d1a7b9c0e2f\", \"integrity\": \"sha512-Zm9vYmFyYmF6cXV4\", \"tokens\": 4096}\n",
    ),
];

#[test]
#[ignore = "prints a speed, decides nothing"]
fn secrets_per_second() {
    for (name, line) in LINES {
        let text = line.repeat(40_000);
        found(line);
        let start = Instant::now();
        let count = found(&text).len();
        let speed = text.len() as f64 / 1e6 / start.elapsed().as_secs_f64();
        println!("{name}: {speed:.0} MB/s, {count} findings");
    }
}
