//! Vectors of remote models: each provider's form, damaged answers, limits, and sources in the settings.

use std::time::Duration;

use anamne_llm::{
    Approvals, Bridge, BridgeConfig, BridgeContext, BridgeError, BudgetKind, Budgets, Call,
    CostQuery, Embedded, EmbeddingSource, MODEL_FILE, NoKeychain, Pace, Provider, Purpose,
};
use anamne_store::Clock;
use serde_json::{Value, json};

use crate::world::{Turn, World, json_of};

fn world(provider: Provider, script: Vec<Turn>) -> World {
    let mut world = World::new(provider, script);
    "embed-1".clone_into(&mut world.config.embedding_model);
    world
}

fn embed(world: &World, call: &Call<'_>) -> Result<Embedded, BridgeError> {
    world.bridge().embed(call, &["one", "two"], Purpose::Memory)
}

/// An answer of OpenAI's form with the vectors of two texts.
fn openai(one: &Value, two: &Value) -> Value {
    json!({
        "object": "list", "model": "embed-1",
        "data": [{"object": "embedding", "index": 1, "embedding": two},
            {"object": "embedding", "index": 0, "embedding": one}],
        "usage": {"prompt_tokens": 7, "total_tokens": 7},
    })
}

fn good() -> Turn {
    Turn::json(&openai(&json!([1, 2e-3]), &json!([0.5, -1.0])))
}

#[test]
fn vectors_come_back_in_the_order_of_the_texts() {
    let mut world = world(Provider::Openai, vec![good(), good()]);
    let vectors = embed(&world, &Call::of("core")).expect("vectors").vectors;
    assert_eq!(vectors, [vec![1.0, 0.002], vec![0.5, -1.0]]);
    world.dimensions = Some(2);
    embed(&world, &Call::of("core")).expect("vectors");
    let seen = world.server.seen();
    assert_eq!(seen[0].path, "/api/embeddings");
    let body = json_of(&seen[0]);
    assert_eq!(body["input"], json!(["one", "two"]));
    assert_eq!(body["model"], "embed-1");
    assert_eq!(body.get("dimensions"), None);
    assert_eq!(json_of(&seen[1])["dimensions"], 2);
    let costs = world.bridge().ledger().costs(&CostQuery::default());
    let costs = costs.expect("costs");
    assert_eq!((costs[0].input_tokens, costs[0].output_tokens), (14, 0));
}

#[test]
fn gemini_gets_a_batch_with_the_purpose_of_its_texts() {
    let answer = json!({"embeddings": [{"values": [1.0, 0.0]}, {"values": [0.0, 1.0]}]});
    let script = vec![Turn::json(&answer), Turn::json(&answer)];
    let mut world = world(Provider::Gemini, script);
    world.dimensions = Some(2);
    let bridge = world.bridge();
    for purpose in [Purpose::Memory, Purpose::Query] {
        let embedded = bridge.embed(&Call::of("core"), &["one", "two"], purpose);
        let vectors = embedded.expect("vectors").vectors;
        assert_eq!(vectors, [vec![1.0, 0.0], vec![0.0, 1.0]]);
    }
    let seen = world.server.seen();
    assert_eq!(seen[0].path, "/api/models/embed-1:batchEmbedContents");
    assert!(seen[0].header("x-goog-api-key").is_some());
    let (memories, query) = (json_of(&seen[0]), json_of(&seen[1]));
    assert_eq!(
        memories["requests"][1],
        json!({"model": "models/embed-1", "content": {"parts": [{"text": "two"}]},
            "taskType": "RETRIEVAL_DOCUMENT", "outputDimensionality": 2})
    );
    assert_eq!(query["requests"][0]["taskType"], "RETRIEVAL_QUERY");
    // Without reported tokens, the costs are estimated.
    let costs = bridge.ledger().costs(&CostQuery::default()).expect("costs");
    assert_eq!(costs[0].estimated, 2);
    assert!(costs[0].input_tokens > 0);
}

#[test]
fn damaged_vectors_are_errors_and_may_have_cost_something() {
    let entry = |index: u64, vector: Value| json!({"index": index, "embedding": vector});
    for data in [
        json!([entry(0, json!([1.0]))]),
        json!([entry(0, json!([1.0])), entry(0, json!([1.0]))]),
        json!([entry(0, json!([1.0])), entry(7, json!([1.0]))]),
        json!([entry(0, json!([1.0])), entry(1, json!([1.0, 2.0]))]),
        json!([entry(0, json!([1.0])), entry(1, json!(["1.0"]))]),
        json!([entry(0, json!([1.0])), entry(1, json!([null]))]),
        json!([entry(0, json!([1.0])), entry(1, json!([1e300]))]),
        json!([entry(0, json!([])), entry(1, json!([]))]),
        json!("none"),
    ] {
        let world = world(Provider::Openai, vec![Turn::json(&json!({"data": data}))]);
        let vectors = embed(&world, &Call::of("core"));
        assert!(
            matches!(vectors, Err(BridgeError::Malformed { .. })),
            "{data}"
        );
        let costs = world.bridge().ledger().costs(&CostQuery::default());
        assert_eq!(costs.expect("costs")[0].estimated, 1, "{data}");
    }
    for embeddings in [
        json!([{"values": [1.0]}]),
        json!([{"values": [1.0]}, {"values": [1.0, 2.0]}]),
        json!([{"values": [1.0]}, {"values": ["NaN"]}]),
        json!([{"values": [1.0]}, {}]),
        json!(7),
    ] {
        let answer = json!({"embeddings": embeddings});
        let world = world(Provider::Gemini, vec![Turn::json(&answer)]);
        let vectors = embed(&world, &Call::of("core"));
        assert!(
            matches!(vectors, Err(BridgeError::Malformed { .. })),
            "{answer}"
        );
    }
}

#[test]
fn an_endless_answer_is_not_read() {
    let world = world(Provider::Openai, vec![Turn::Endless(200 << 20)]);
    let vectors = embed(&world, &Call::of("core"));
    assert!(matches!(vectors, Err(BridgeError::TooLarge { .. })));
}

#[test]
fn anthropic_and_a_bridge_without_an_embedding_model_offer_none() {
    let bare = World::new(Provider::Openai, Vec::new());
    let refused = embed(&bare, &Call::of("core"));
    assert!(matches!(refused, Err(BridgeError::NotOffered { .. })));
    let world = world(Provider::Anthropic, Vec::new());
    let refused = anamne_llm::remote_embedder(&world.config, None, None, world.clock.clone());
    assert!(matches!(refused, Err(BridgeError::NotOffered { .. })));
}

#[test]
fn refusals_are_waited_for_and_failures_retried() {
    let busy = Turn::status(429, &json!({})).with("retry-after", "7");
    let script = vec![busy, Turn::status(500, &json!({})), good()];
    let world = world(Provider::Openai, script);
    embed(&world, &Call::of("core")).expect("vectors");
    assert_eq!(world.server.seen().len(), 3);
    let waited = world.pace.elapsed();
    assert!(waited >= Duration::from_secs(7), "{waited:?}");
}

#[test]
fn somebody_who_waits_gets_an_answer_or_an_error_at_once() {
    // The provider asks for more time than there is.
    let busy = Turn::status(429, &json!({})).with("retry-after", "7");
    let slow = world(Provider::Openai, vec![busy, good()]);
    let call = Call::of("core").waited_for(Some(Duration::from_secs(1)));
    let refused = embed(&slow, &call);
    assert!(matches!(
        refused,
        Err(BridgeError::Status { status: 429, .. })
    ));
    assert_eq!(slow.server.seen().len(), 1);
    // Nobody listens: it is not tried again.
    let gone = world(Provider::Openai, Vec::new());
    let refused = embed(&gone, &Call::of("core").waited_for(None));
    assert!(matches!(refused, Err(BridgeError::Connection { .. })));
    assert_eq!(gone.pace.elapsed(), Duration::ZERO);
}

#[test]
fn a_space_stays_within_its_own_budget() {
    let mut world = world(Provider::Openai, vec![good(), good()]);
    world.config.budgets = Budgets {
        daily_dollars: 0.0,
        monthly_dollars: 0.0,
        daily_tokens: 10_000,
        monthly_tokens: 0,
    };
    // A call reserves one token per byte and eight per text.
    let own = Budgets {
        daily_tokens: 24,
        ..world.config.budgets.clone()
    };
    let bridge = world.bridge();
    let ask = |space| {
        let call = Call::of(space).within_budgets(&own);
        bridge.embed(&call, &["one", "two"], Purpose::Memory)
    };
    ask("recipes").expect("vectors");
    let refused = ask("recipes").expect_err("the budget of the space is spent");
    assert!(
        matches!(
            &refused,
            BridgeError::BudgetExceeded { budget: BudgetKind::DailyTokens, space: Some(space), opens_at: Some(_), .. }
                if **space == *"recipes"
        ),
        "{refused:?}"
    );
    assert!(
        refused.to_string().contains("of the space recipes"),
        "{refused}"
    );
    ask("core").expect("another space has its own");
    let states = bridge
        .ledger()
        .budget_states_of("recipes", &own, world.clock.now());
    assert_eq!(states.expect("states")[2].spent, "7 tokens");
    let tiny = Budgets {
        daily_tokens: 5,
        ..own.clone()
    };
    let call = Call::of("recipes").within_budgets(&tiny);
    let refused = bridge.embed(&call, &["one", "two"], Purpose::Memory);
    let refused = refused.expect_err("larger than the budget");
    assert!(refused.to_string().contains("space.toml"), "{refused}");
}

fn source(url: &str, key_env: Option<&str>) -> EmbeddingSource {
    EmbeddingSource {
        provider: Provider::Openai,
        base_url: Some(url.to_owned()),
        key_env: key_env.map(str::to_owned),
    }
}

#[test]
fn a_source_is_used_after_approval_and_gets_its_own_key_alone() {
    let world = world(Provider::Openai, vec![good()]);
    let store = world.folder.path();
    let approvals = store.join("allowed.toml");
    let mut config = BridgeConfig::default();
    config.embeddings.insert(
        "local".to_owned(),
        source(&world.server.url(), Some("OPENAI_API_KEY")),
    );
    config.save(&store.join(MODEL_FILE)).expect("settings");
    let environment = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-own".to_owned());
    let open = |name: &str| {
        let surroundings = BridgeContext {
            clock: world.clock.clone(),
            pace: world.pace.clone(),
            environment: &environment,
            keychain: &NoKeychain,
            approvals: &approvals,
        };
        let name = name.parse().expect("a name");
        Bridge::open_for_embedding(store, &surroundings, &name)
    };
    let refused = open("local:embed-1@2").err().expect("not approved");
    assert!(
        matches!(refused, BridgeError::NotApproved { .. }),
        "{refused}"
    );
    let mut allowed = Approvals::open(&approvals).expect("approvals");
    allowed
        .approve(store, &config, world.clock.now())
        .expect("approved");
    let refused = open("other:embed-1@2").err().expect("no such source");
    assert!(refused.to_string().contains("it has local"), "{refused}");
    let bridge = open("local:embed-1@2").expect("a bridge");
    assert!(bridge.config().is_on_this_machine());
    assert!(
        !bridge.config().enabled,
        "the language model stays disabled"
    );
    bridge
        .embed(&Call::of("core"), &["one", "two"], Purpose::Query)
        .expect("vectors");
    let seen = world.server.seen();
    assert_eq!(seen[0].header("authorization"), Some("Bearer sk-own"));
    // Another address needs another approval.
    let changed = source("https://embeddings.example.org/v1", None);
    config.embeddings.insert("local".to_owned(), changed);
    config.save(&store.join(MODEL_FILE)).expect("settings");
    let refused = open("local:embed-1@2").err().expect("changed");
    assert!(refused.to_string().contains("embeddings"), "{refused}");
}
