# Everything CI runs.
check:
    .ci/run

# Format everything.
format:
    cargo fmt --all

# Tests only.
test:
    cargo test --workspace

# Cost tests with texts of every kind, up to a megabyte each.
cost:
    ANAMNE_COST=full cargo test --profile dist --workspace --test cost

# Run the demo.
demo:
    cargo run --release -- demo

# Recall quality on a folder of conversations with questions and on our own, with trees that have not seen them.
recall data:
    cargo run --profile dist -p anamne-eval -- report --data {{data}} --data crates/anamne-eval/data/recall

# Recall quality of every configuration, with the shipped trees; in sample on the sets that they were fitted on.
configurations data:
    cargo run --profile dist -p anamne-eval -- recall --data {{data}}

# Recall quality in other languages.
languages:
    cargo run --profile dist -p anamne-eval -- recall --data crates/anamne-eval/data/languages

# Extraction quality on annotated texts: entities and relations.
reading:
    cargo run --profile dist -p anamne-eval -- knowledge reading crates/anamne-knowledge/annotations/*.jsonl

# Category, importance, keywords and links that rules note beside memories, on annotated memories.
enrichment:
    cargo run --profile dist -p anamne-eval -- knowledge enrichment --half held-out crates/anamne-knowledge/annotations/enrichment/*.jsonl

# The guard on labelled texts, next to two other scanners from PyPI and npm.
guard:
    cargo run --profile dist -p anamne-eval -- guard secrets --half held-out --peers
    cargo run --profile dist -p anamne-eval -- guard personal --half held-out
    cargo run --profile dist -p anamne-eval -- guard speed

# Speed compared with peers and physical limits.
speed:
    cargo run --profile dist -p anamne-eval -- speed

# Check dependencies for known vulnerabilities; needs cargo-deny.
audit:
    cargo deny check

# Run one fuzz target until stopped; needs a nightly toolchain and cargo-fuzz. `just test` runs each target briefly.
fuzz target *options:
    mkdir -p fuzz/corpus/{{target}}
    cargo +nightly fuzz run --fuzz-dir fuzz {{target}} fuzz/corpus/{{target}} crates/anamne-fuzz/corpus/{{target}} -- -max_len=65536 {{options}}

# Use the memory with the official Python and TypeScript clients, over HTTP and stdio; needs Node.js and Python.
mcp-clients:
    cargo build -p anamne-cli
    tools/mcp-clients/install target/mcp-clients
    tools/mcp-clients/mcp_clients.py --anamne target/debug/anamne --clients target/mcp-clients

# Generated requests to a server by its OpenAPI description; needs Node.js and Python.
rest-schema examples="50":
    cargo build -p anamne-cli
    tools/mcp-clients/install target/mcp-clients
    tools/mcp-clients/rest_schema.py --anamne target/debug/anamne --clients target/mcp-clients --examples {{examples}}

# The server next to the engine, and 100 clients for ten minutes while it is killed three times; needs Node.js and Python.
load:
    tools/load/install target/load
    cargo build --profile dist -p anamne-cli -p anamne-eval
    tools/load/served.py compare --anamne target/dist/anamne --eval target/dist/anamne-eval --generator target/load
    tools/load/served.py soak --anamne target/dist/anamne --seconds 600
    tools/load/served.py tenants --anamne target/dist/anamne

# Set up, use and remove Anamne in real agent hosts from npm; needs Node.js, Python and git.
real-hosts host="all":
    cargo build -p anamne-cli
    tools/real-hosts/install target/hosts
    tools/real-hosts/real_hosts.py {{host}} --anamne target/debug/anamne --hosts target/hosts
