# What CI runs.
check:
    .ci/run

# Format everything.
format:
    cargo fmt --all

# The tests alone.
test:
    cargo test --workspace

# What texts of every kind cost, up to a megabyte each.
cost:
    ANAMNE_COST=full cargo test --profile dist --workspace --test cost

# The demo.
demo:
    cargo run --release -- demo

# Quality on a folder of conversations with questions.
recall data:
    cargo run --profile dist -p anamne-eval -- recall --data {{data}}

# Names and statements that are read out of annotated texts.
reading:
    cargo run --profile dist -p anamne-eval -- knowledge reading crates/anamne-knowledge/annotations/*.jsonl

# Speed against peers and physical limits.
speed:
    cargo run --profile dist -p anamne-eval -- speed

# The vulnerabilities known in our dependencies; needs cargo-deny.
audit:
    cargo deny check

# One fuzz target for as long as you like; needs a nightly toolchain and cargo-fuzz. `just test` runs each for a moment.
fuzz target *options:
    mkdir -p fuzz/corpus/{{target}}
    cargo +nightly fuzz run --fuzz-dir fuzz {{target}} fuzz/corpus/{{target}} crates/anamne-fuzz/corpus/{{target}} -- -max_len=65536 {{options}}
