//! The arguments of every command on the hostile store; a command that is missing here fails the test.

/// A command, and its successive lists of arguments.
pub(super) type Invocations = (&'static str, &'static [&'static [&'static str]]);

/// Ordered so that earlier commands leave something to show for later ones.
pub(super) const COMMANDS: &[Invocations] = &[
    ("init", &[&[]]),
    (
        "remember",
        &[
            &["{text}", "--author", "{name}", "--tag", "{name}"],
            &["x", "--kind", "{text}"],
            &["x", "--metadata", "{text}"],
        ],
    ),
    (
        "think",
        &[
            &["{text}", "--thread", "{name}"],
            &["x", "--follows", "{text}"],
        ],
    ),
    (
        "recall",
        &[
            &["{text}"],
            &[
                "launch date",
                "--explain",
                "--explain-plan",
                "--depth",
                "deep",
            ],
            &["nothing of {name}", "--min-confidence", "0.99"],
            &["x", "--since", "{text}"],
            &["x", "--role", "{text}"],
            &["x", "--across", "{name}"],
            &["x", "--naming", "{name}"],
        ],
    ),
    (
        "context",
        &[
            &["launch date"],
            &["--preset", "session-start"],
            &["x", "--as-of", "{text}"],
        ],
    ),
    (
        "show",
        &[
            &["m1"],
            &["m2"],
            &["m3"],
            &["m4"],
            &["m5"],
            &["m6"],
            &["{text}"],
            &["{name}3"],
        ],
    ),
    (
        "list",
        &[
            &[],
            &["--forgotten"],
            &["--author", "{name}"],
            &["--sort", "importance"],
            &["--until", "{text}"],
        ],
    ),
    (
        "edit",
        &[
            &["m2", "--content", "again {text}"],
            &["{text}", "--content", "x"],
        ],
    ),
    (
        "history",
        &[
            &["m1"],
            &["m1", "--as-of", "today"],
            &["m1", "--as-of", "{text}"],
        ],
    ),
    (
        "audit",
        &[&[], &["--actor", "{name}"], &["--memory", "{text}"]],
    ),
    (
        "link",
        &[
            &["m1", "m2", "--type", "related", "--reason", "{text}"],
            &["m1", "{text}", "--type", "related"],
        ],
    ),
    (
        "feedback",
        &[
            &["m3", "useful", "--note", "{text}"],
            &["{text}", "useful"],
            &["m3", "{text}"],
        ],
    ),
    ("knowledge", &[&[]]),
    (
        "knowledge list",
        &[&["--all"], &["--name", "{name}"], &["--type", "{text}"]],
    ),
    ("knowledge show", &[&["{name}"], &["{text}"]]),
    (
        "knowledge entity",
        &[
            &["{name} x", "--type", "tool"],
            &["{text}", "--type", "tool"],
        ],
    ),
    (
        "knowledge relation",
        &[
            &["{name}", "knows", "{name} Lind"],
            &["{name}", "{text}", "x"],
        ],
    ),
    (
        "knowledge property",
        &[&["{name}", "says", "{text}"], &["{name}", "{name}", "x"]],
    ),
    ("knowledge suggestions", &[&[]]),
    ("knowledge deny", &[&["{name}", "says"], &["{text}"]]),
    (
        "knowledge merge",
        &[&["{name} x", "{name}"], &["{text}", "{text}"]],
    ),
    (
        "knowledge distinct",
        &[&["{name}", "{name} Lind"], &["{text}", "x"]],
    ),
    (
        "graph",
        &[
            &["{name}"],
            &["{name}", "--format", "dot"],
            &["{name}", "--format", "svg"],
            &["{text}"],
            &["{name}", "-o", "{file}/x"],
        ],
    ),
    (
        "resolve",
        &[
            &["--all"],
            &[],
            &["{text}"],
            &["{text}", "--keep", "{text}"],
        ],
    ),
    (
        "check",
        &[&["m6", "m7", "m8"], &["--topic", "{text}"], &["{text}"]],
    ),
    ("extract", &[&[], &["--again"]]),
    (
        "enrich",
        &[&[], &["m1"], &["status"], &["--category", "insight"]],
    ),
    (
        "import",
        &[
            &["{file}"],
            &["{file}", "--skip-bad"],
            &["vault"],
            &["vault", "--skip-bad"],
            &["missing {file}"],
        ],
    ),
    // Standard output is data, which the export test compares byte by byte.
    (
        "export",
        &[
            &["--output", "exported {file}"],
            &["--output", "missing {file}/x"],
            &["--format", "markdown", "--into", "notes {file}"],
        ],
    ),
    ("stats", &[&[]]),
    (
        "summaries",
        &[
            &[],
            &["--by", "month"],
            &["--by", "session", "--thread", "{name}"],
            &["--since", "{text}"],
        ],
    ),
    ("consolidate", &[&[], &["--insights"], &["--apply"]]),
    ("spaces", &[&[]]),
    (
        "spaces set",
        &[
            &[],
            &["--model", "{text}"],
            &["--reranker", "{text}"],
            &["--quota", "1{text}"],
            &["--description", "{text}"],
        ],
    ),
    (
        "spaces add",
        &[
            &["m7", "--to", "{text}"],
            &["{text}", "--to", "team", "--tag", "{text}"],
        ],
    ),
    (
        "spaces remove",
        &[
            &["m7", "--from", "{text}"],
            &["{text}"],
            &["m7", "--from", "team"],
        ],
    ),
    ("promote", &[&["m7"], &["{text}", "--tag", "{text}"]]),
    ("demote", &[&["m7"], &["{text}"]]),
    ("spaces join", &[&["{text}", "{name}"], &["core", "{text}"]]),
    (
        "spaces split",
        &[
            &["core", "split", "--thread", "{name}", "--dry-run"],
            &["{text}", "{name}", "--thread", "{text}"],
        ],
    ),
    (
        "spaces delete",
        &[&["{text}"], &["team", "--yes", "{text}"]],
    ),
    ("retention", &[&[], &["--apply", "--yes"], &["--restore"]]),
    ("cache", &[]),
    (
        "cache store",
        &[
            &["launch date {name}", "--tool", "{name}"],
            &["{text}", "--moved-to", "{text}", "--for-query", "{text}"],
            &["x", "--parameters", "{text}"],
        ],
    ),
    (
        "cache lookup",
        &[
            &["launch date {name}", "--tool", "{name}"],
            &["date launch {name}", "--tool", "{name}"],
            &["{text}"],
        ],
    ),
    ("cache used", &[&["1", "m1"], &["1", "{text}"]]),
    ("cache list", &[&[], &["--matching", "{text}"]]),
    (
        "cache freshness",
        &[&["1d", "--source", "{text}"], &["{text}"]],
    ),
    ("cache savings", &[&[]]),
    (
        "cache invalidate",
        &[&["--url", "{text}"], &["--before", "{text}"]],
    ),
    ("guard", &[&[]]),
    ("guard set", &[&["email=mark"]]),
    (
        "guard allow",
        &[&["a-test-value"], &["a-test-value", "--remove"]],
    ),
    ("guard test", &[&["a text"]]),
    ("guard scan", &[&[]]),
    ("tiers", &[&[], &["--move"]]),
    ("meta", &[]),
    ("meta log", &[&[]]),
    ("meta topics", &[&[]]),
    ("meta quality", &[&[]]),
    ("meta performance", &[&[]]),
    ("meta clear", &[&[]]),
    ("experience", &[]),
    (
        "experience ask",
        &[
            &[
                "{text}", "--action", "{text}", "--object", "{text}", "--error", "{text}",
            ],
            &["a goal"],
        ],
    ),
    (
        "experience outcome",
        &[
            &[
                "tool",
                "{text}",
                "--error",
                "{text}",
                "--goal",
                "{text}",
                "--run",
                "r",
                "--ends-run",
            ],
            &["{text}"],
        ],
    ),
    (
        "experience lesson",
        &[
            &["title", "{text}", "--when", "{text}"],
            &["{text}", "{text}"],
        ],
    ),
    (
        "experience lessons",
        &[&[], &["--keep", "{text}"], &["--set-aside", "{text}"]],
    ),
    ("experience history", &[&["{text}"]]),
    ("experience skills", &[&[]]),
    ("experience keep", &[&["{text}"]]),
    ("experiment", &[&[]]),
    (
        "experiment start",
        &[
            &["{text}", "default", "words"],
            &["pages", "default", "{text}"],
        ],
    ),
    ("experiment show", &[&["{text}"]]),
    ("experiment stop", &[&["{text}"]]),
    ("experiment strategies", &[&[]]),
    ("working", &[&[]]),
    ("working set", &[&["key", "{text}"], &["{text}", "1"]]),
    ("working remove", &[&["key"], &["{text}"]]),
    ("tasks", &[&[]]),
    ("tasks run", &[&[]]),
    ("tasks pause", &[&["{text}"]]),
    ("tasks resume", &[&["{text}"]]),
    ("tasks retry", &[&["--all"], &["{text}"], &["7"]]),
    ("tasks cancel", &[&["{text}"], &["7"]]),
    ("tasks dead", &[&[]]),
    ("doctor", &[&[]]),
    ("backup", &[&["backup {file}"], &["store"]]),
    ("verify", &[&[]]),
    ("repair", &[&[]]),
    (
        "rewind",
        &[
            &["--at", "now", "--into", "rewound {file}"],
            &["--at", "{text}", "--into", "x"],
        ],
    ),
    (
        "forget",
        &[
            &["m7"],
            &["{text}"],
            &["--query", "{text}"],
            &["m8", "--hard", "--yes"],
            &["--all"],
        ],
    ),
    ("restore", &[&["m7"], &["{text}"]]),
    ("model", &[&[]]),
    (
        "model set",
        &[
            &[
                "--provider",
                "openai",
                "--model",
                "{text}",
                "--url",
                "http://127.0.0.1:1/{name}",
            ],
            &["--url", "{text}"],
            &["--key-env", "{text}"],
        ],
    ),
    ("model key", &[&[]]),
    ("model trust", &[&["--yes"]]),
    ("model test", &[&[]]),
    ("model off", &[&[]]),
    (
        "model embeddings",
        &[
            &[],
            &["{text}"],
            &["{name}", "--provider", "openai", "--url", "{text}"],
            &["{name}", "--provider", "openai", "--key-env", "{text}"],
            &["{name}", "--remove"],
        ],
    ),
    ("model list", &[&[]]),
    ("model verify", &[&[]]),
    ("model import", &[&["{text}"]]),
    ("model remove", &[&["{text}"]]),
    (
        "costs",
        &[&[], &["--model", "{text}"], &["--since", "{text}"]],
    ),
    ("mcp", &[&["--tools", "{text}"]]),
    (
        "login",
        &[
            &["{text}"],
            &["{name}", "--no-key"],
            &["http://127.0.0.1:9/{name}", "--no-key"],
        ],
    ),
    (
        "completions",
        &[&["bash"], &["zsh"], &["fish"], &["{text}"]],
    ),
    ("man", &[&[], &["--folder", "{file}/x"]]),
    (
        "setup",
        &[
            &["--status"],
            &["--dry-run", "--host", "{name}"],
            &["--dry-run", "--host", "claude-code"],
        ],
    ),
    ("status", &[&[]]),
    (
        "hook",
        &[
            &["session-start", "--host", "claude-code"],
            &["prompt", "--host", "{name}"],
            &["{text}"],
            &["git", "--install"],
        ],
    ),
    ("keys", &[&["{text}"]]),
    (
        "keys create",
        &[
            &["{text}", "--all-spaces"],
            &["x", "--spaces", "{name}", "--principal", "{name}"],
            &["x", "--all-spaces", "--tenant", "{text}"],
            &["{name}", "--all-spaces", "--principal", "x"],
        ],
    ),
    ("keys list", &[&[], &["--tenant", "{text}"]]),
    ("keys revoke", &[&["{text}"]]),
    ("tenants", &[&["{text}"]]),
    ("tenants create", &[&["{text}"], &["acme"]]),
    ("tenants list", &[&[]]),
    ("tenants show", &[&["{text}"], &["acme"]]),
    ("tenants limit", &[&["{name}", "--memories", "{text}"]]),
    ("tenants suspend", &[&["{text}"], &["acme"]]),
    ("tenants resume", &[&["{text}"], &["acme"]]),
    ("tenants export", &[&["{text}", "--output", "{file}/x"]]),
    ("tenants erase", &[&["{text}", "--yes"], &["acme", "--yes"]]),
    ("demo", &[&[]]),
];
