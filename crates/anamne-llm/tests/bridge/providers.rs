//! The request and answer format of each provider.

use anamne_llm::{BridgeError, Call, CostQuery, Provider, Reply, Usage};
use serde_json::json;

use crate::world::{Form, PROVIDERS, Turn, World, json_of, question};

fn asked(provider: Provider, script: Vec<Turn>) -> (World, Result<Reply, BridgeError>) {
    let world = World::new(provider, script);
    let reply = world.model().complete(&question());
    (world, reply)
}

#[test]
fn a_question_goes_out_in_the_providers_form_and_its_answer_comes_back() {
    for provider in PROVIDERS {
        let form = Form(provider);
        let answer = form.structured(&json!({"n": 3}));
        let (world, reply) = asked(provider, vec![Turn::json(&answer)]);
        let reply = reply.expect("an answer");
        assert_eq!(reply.text, r#"{"n":3}"#, "{provider:?}");
        assert_eq!(reply.model, "model-1-20260101");
        assert!(!reply.cut);
        let usage = Usage {
            input_tokens: 120,
            output_tokens: 30,
        };
        assert_eq!(reply.usage, Some(usage));
        let seen = &world.server.seen()[0];
        form.assert_addressed(seen);
        let (system, turns) = form.conversation(seen);
        assert_eq!(system, "Say how many.");
        assert_eq!(turns, [("user".to_owned(), "How many?".to_owned())]);
    }
}

#[test]
fn the_form_of_the_answer_is_asked_for_as_the_provider_wants_it() {
    let body = |provider| {
        let (world, _) = asked(provider, vec![Turn::json(&json!({}))]);
        json_of(&world.server.seen()[0])
    };
    let bounded = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["n"], "additionalProperties": false});
    let mut plain = bounded.clone();
    plain["properties"]["n"] = json!({"type": "integer"});

    let anthropic = body(Provider::Anthropic);
    assert_eq!(anthropic["model"], "model-1");
    assert_eq!(anthropic["max_tokens"], 100);
    assert_eq!(anthropic["tools"][0]["input_schema"], bounded);
    assert_eq!(
        anthropic["tool_choice"],
        json!({"type": "tool", "name": "answer"})
    );

    let openai = body(Provider::Openai);
    assert_eq!(openai["model"], "model-1");
    assert_eq!(openai["max_tokens"], 100);
    assert_eq!(openai["temperature"], 0.0);
    assert_eq!(openai["response_format"]["type"], "json_schema");
    assert_eq!(openai["response_format"]["json_schema"]["strict"], true);
    assert_eq!(openai["response_format"]["json_schema"]["schema"], plain);

    let gemini = body(Provider::Gemini);
    assert_eq!(gemini["generationConfig"]["maxOutputTokens"], 100);
    assert_eq!(
        gemini["generationConfig"]["responseMimeType"],
        "application/json"
    );
    assert_eq!(gemini["generationConfig"]["responseJsonSchema"], bounded);
}

#[test]
fn a_parameter_that_a_model_refuses_is_left_out_from_then_on() {
    let learned = |provider, words: &str, gone: &str| {
        let form = Form(provider);
        let world = World::new(
            provider,
            vec![
                Turn::status(400, &form.refusal(words)),
                Turn::json(&form.structured(&json!({"n": 1}))),
                Turn::json(&form.structured(&json!({"n": 2}))),
            ],
        );
        let model = world.model();
        for _ in 0..2 {
            model.complete(&question()).expect("an answer");
        }
        let bodies: Vec<_> = world.server.seen().iter().map(json_of).collect();
        assert_eq!(bodies.len(), 3, "{words}");
        assert!(bodies[0].pointer(gone).is_some(), "{words}");
        assert!(bodies[1].pointer(gone).is_none(), "{words}");
        assert!(bodies[2].pointer(gone).is_none(), "{words}");
        bodies[2].clone()
    };
    learned(
        Provider::Anthropic,
        "temperature: not supported by this model",
        "/temperature",
    );
    let body = learned(
        Provider::Openai,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "/max_tokens",
    );
    assert_eq!(body["max_completion_tokens"], 100);
    learned(
        Provider::Openai,
        "'temperature' does not support 0",
        "/temperature",
    );
    learned(
        Provider::Openai,
        "response_format is not supported",
        "/response_format",
    );
    learned(
        Provider::Gemini,
        "Unknown name \"responseJsonSchema\" at 'generation_config'",
        "/generationConfig/responseJsonSchema",
    );
}

#[test]
fn a_refusal_that_repeats_itself_ends_the_asking() {
    for provider in PROVIDERS {
        let words = "temperature response_format tool_choice max_tokens responseJsonSchema responseMimeType";
        let refusals = (0..10).map(|_| Turn::status(400, &Form(provider).refusal(words)));
        let (world, reply) = asked(provider, refusals.collect());
        assert!(
            matches!(reply, Err(BridgeError::Status { status: 400, .. })),
            "{provider:?}"
        );
        assert!(world.server.seen().len() <= 4, "{provider:?}");
    }
}

#[test]
fn answers_that_are_cut_or_declined_are_told_apart() {
    for provider in PROVIDERS {
        let form = Form(provider);
        let (_world, reply) = asked(provider, vec![Turn::json(&form.cut("{\"n\":"))]);
        assert!(reply.expect("an answer").cut, "{provider:?}");
        let (_world, reply) = asked(provider, vec![Turn::json(&form.declined())]);
        assert!(
            matches!(reply, Err(BridgeError::Declined { .. })),
            "{provider:?} {reply:?}"
        );
    }
}

#[test]
fn answers_in_no_known_form_are_errors() {
    for provider in PROVIDERS {
        for body in [
            json!({}),
            json!([]),
            json!(null),
            json!({"content": 1, "choices": [], "candidates": {}}),
        ] {
            let (_world, reply) = asked(provider, vec![Turn::json(&body)]);
            assert!(
                matches!(reply, Err(BridgeError::Malformed { .. })),
                "{provider:?} {body}"
            );
        }
        for text in ["", "{", "<html></html>", "\u{0}\u{1}"] {
            let (_world, reply) = asked(provider, vec![Turn::text(200, text)]);
            assert!(
                matches!(reply, Err(BridgeError::Malformed { .. })),
                "{provider:?} {text}"
            );
        }
    }
}

#[test]
fn usage_that_is_missing_or_nonsense_does_no_harm() {
    for usage in [
        json!(null),
        json!({}),
        json!({"prompt_tokens": -1, "completion_tokens": "many"}),
    ] {
        let mut answer = Form(Provider::Openai).answer("{}");
        answer["usage"] = usage;
        let (_world, reply) = asked(Provider::Openai, vec![Turn::json(&answer)]);
        assert_eq!(reply.expect("an answer").usage, None);
    }
    let mut answer = Form(Provider::Openai).answer("{\"n\": 1}");
    answer["usage"] = json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX});
    let world = World::new(Provider::Openai, vec![Turn::json(&answer)]);
    let bridge = world.bridge();
    bridge
        .ask_for_json(&Call::of("core"), &question())
        .expect("an answer");
    let costs = bridge.ledger().costs(&CostQuery::default()).expect("costs");
    assert_eq!(costs[0].input_tokens, u64::from(u32::MAX));
}
