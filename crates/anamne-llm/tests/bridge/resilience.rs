//! Providers that are slow, broken, overloaded or that redirect.

use std::time::Duration;

use anamne_llm::{Bridge, BridgeError, Call, CostQuery, Pace, Provider, Request};
use serde_json::{Value, json};

use crate::world::{Form, KEY, PROVIDERS, Server, Turn, World, question};

fn good(provider: Provider) -> Turn {
    Turn::json(&Form(provider).structured(&json!({"n": 3})))
}

fn ask(bridge: &Bridge) -> Result<Value, BridgeError> {
    bridge.ask_for_json(&Call::of("core"), &question())
}

/// The result of a script, the number of requests and the time taken.
fn played(provider: Provider, script: Vec<Turn>) -> (Result<Value, BridgeError>, usize, Duration) {
    let world = World::new(provider, script);
    let answer = ask(&world.bridge());
    (answer, world.server.seen().len(), world.pace.elapsed())
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn transient_errors_are_retried() {
    for provider in PROVIDERS {
        let refusal = Form(provider).refusal("try again");
        for problem in [
            Turn::status(500, &refusal),
            Turn::status(529, &refusal),
            Turn::text(502, "<html>bad gateway</html>"),
            Turn::Close,
            Turn::Truncated(b"{\"content\": [".to_vec()),
        ] {
            let (answer, requests, waited) = played(provider, vec![problem, good(provider)]);
            assert_eq!(answer.expect("an answer"), json!({"n": 3}), "{provider:?}");
            assert_eq!(requests, 2);
            assert_eq!(
                waited,
                Duration::from_millis(750),
                "half a second and half of the rest"
            );
        }
    }
}

#[test]
fn pauses_double_and_attempts_end() {
    let refusal = Form(Provider::Openai).refusal("try again");
    let script = (0..5).map(|_| Turn::status(503, &refusal)).collect();
    let (answer, requests, waited) = played(Provider::Openai, script);
    assert!(matches!(
        answer,
        Err(BridgeError::Status { status: 503, .. })
    ));
    assert_eq!(requests, 4);
    assert_eq!(waited, Duration::from_millis(750 + 1_500 + 3_000));
}

#[test]
fn a_provider_says_how_long_it_wants_to_be_left_alone() {
    for (header, least) in [("7", 7), ("Sat, 31 Jan 2026 12:00:20 GMT", 20), ("0", 0)] {
        for provider in PROVIDERS {
            let refusal = Turn::status(429, &Form(provider).refusal("slow down"));
            let script = vec![refusal.with("retry-after", header), good(provider)];
            let (answer, requests, waited) = played(provider, script);
            assert_eq!(answer.expect("an answer"), json!({"n": 3}));
            assert_eq!(requests, 2);
            assert!(
                waited >= seconds(least) && waited < seconds(least + 2),
                "{header}: {waited:?}"
            );
        }
    }
}

#[test]
fn a_long_retry_after_is_respected() {
    let refusal = Turn::status(429, &Form(Provider::Openai).refusal("slow down"));
    let script = vec![refusal.with("retry-after", "600"), good(Provider::Openai)];
    let world = World::new(Provider::Openai, script);
    let bridge = world.bridge();
    assert!(matches!(
        ask(&bridge),
        Err(BridgeError::Status { status: 429, .. })
    ));
    assert_eq!(
        world.pace.elapsed(),
        Duration::ZERO,
        "nobody waits that long"
    );
    world.pace.sleep(seconds(599));
    assert!(matches!(ask(&bridge), Err(BridgeError::CircuitOpen { .. })));
    world.pace.sleep(seconds(1));
    assert_eq!(ask(&bridge).expect("an answer"), json!({"n": 3}));
    assert_eq!(world.server.seen().len(), 2);
}

#[test]
fn permanent_errors_are_not_retried() {
    for status in [400, 401, 403, 404, 413] {
        let refusal = Turn::status(status, &Form(Provider::Gemini).refusal("no"));
        let (answer, requests, _) = played(Provider::Gemini, vec![refusal, good(Provider::Gemini)]);
        assert!(
            matches!(answer, Err(BridgeError::Status { status: found, .. }) if found == status)
        );
        assert_eq!(requests, 1, "{status}");
    }
}

#[test]
fn a_slow_provider_is_left_at_the_time_limit() {
    for provider in PROVIDERS {
        let world = World::new(provider, vec![Turn::Hang]);
        let short = Request {
            longest: Duration::from_millis(50),
            ..question()
        };
        let error = world.model().complete(&short).expect_err("a time-out");
        assert!(
            matches!(error, BridgeError::TimedOut { sent: true, .. }),
            "{error:?}"
        );
        assert!(error.is_transient() && error.may_be_charged());
    }
}

#[test]
fn nobody_listening_is_an_error_that_costs_nothing() {
    let world = World::new(Provider::Openai, Vec::new());
    let error = ask(&world.bridge()).expect_err("nobody listens");
    assert!(
        matches!(error, BridgeError::Connection { sent: false, .. }),
        "{error:?}"
    );
    let costs = world
        .bridge()
        .ledger()
        .costs(&CostQuery::default())
        .expect("costs");
    assert_eq!(costs, []);
}

#[test]
fn a_provider_that_fails_again_and_again_is_left_alone_and_probed() {
    let failure = || Turn::status(500, &json!({}));
    let script = vec![
        failure(),
        failure(),
        failure(),
        failure(),
        good(Provider::Openai),
        good(Provider::Openai),
    ];
    let mut world = World::new(Provider::Openai, script);
    world.config.retries.attempts = 1;
    world.config.retries.failures_until_open = 3;
    let bridge = world.bridge();
    for _ in 0..3 {
        assert!(matches!(ask(&bridge), Err(BridgeError::Status { .. })));
    }
    assert!(matches!(ask(&bridge), Err(BridgeError::CircuitOpen { .. })));
    assert_eq!(
        world.server.seen().len(),
        3,
        "nothing was sent while it is open"
    );
    world.pace.sleep(seconds(60));
    assert!(
        matches!(ask(&bridge), Err(BridgeError::Status { .. })),
        "the probe fails"
    );
    assert!(matches!(ask(&bridge), Err(BridgeError::CircuitOpen { .. })));
    world.pace.sleep(seconds(60));
    assert!(ask(&bridge).is_ok(), "the second probe succeeds");
    assert!(ask(&bridge).is_ok(), "and it is closed");
    assert_eq!(world.server.seen().len(), 6);
}

#[test]
fn redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        for provider in PROVIDERS {
            let elsewhere = Server::start(vec![good(provider)]);
            let redirect = Turn::text(status, "").with("location", elsewhere.url());
            let (answer, requests, _) = played(provider, vec![redirect, good(provider)]);
            assert!(
                matches!(answer, Err(BridgeError::Redirected { .. })),
                "{answer:?}"
            );
            assert_eq!(requests, 1);
            assert_eq!(elsewhere.seen().len(), 0, "neither text nor key went there");
        }
    }
}

#[test]
fn an_endless_answer_is_not_read() {
    let (answer, requests, _) = played(Provider::Openai, vec![Turn::Endless(1 << 30)]);
    assert!(
        matches!(answer, Err(BridgeError::TooLarge { .. })),
        "{answer:?}"
    );
    assert_eq!(requests, 1);
}

#[test]
fn a_call_that_is_taken_back_ends_while_it_waits() {
    let refusal = || Turn::status(500, &json!({}));
    let world = World::new(Provider::Openai, vec![refusal(), refusal()]);
    let cancelled = || !world.server.seen().is_empty();
    let call = Call {
        cancelled: &cancelled,
        ..Call::of("core")
    };
    let answer = world.bridge().ask(&call, &question());
    assert!(matches!(answer, Err(BridgeError::Cancelled)));
    assert_eq!(world.server.seen().len(), 1);
    assert_eq!(world.pace.elapsed(), Duration::ZERO);
}

#[test]
fn the_whole_call_has_a_deadline() {
    let refusal = Form(Provider::Openai).refusal("try again");
    let script = (0..4).map(|_| Turn::status(500, &refusal)).collect();
    let mut world = World::new(Provider::Openai, script);
    world.config.timeouts.total_seconds = 2;
    let answer = ask(&world.bridge());
    assert!(
        matches!(answer, Err(BridgeError::Status { .. })),
        "{answer:?}"
    );
    assert_eq!(
        world.server.seen().len(),
        2,
        "a third pause would pass the deadline"
    );
    assert!(world.pace.elapsed() < seconds(2));
}

#[test]
fn requests_above_the_rate_wait_for_their_minute() {
    let provider = Provider::Openai;
    let mut world = World::new(
        provider,
        vec![good(provider), good(provider), good(provider)],
    );
    world.config.limits.requests_per_minute = 2;
    let bridge = world.bridge();
    for expected in [0, 0, 60] {
        ask(&bridge).expect("an answer");
        assert_eq!(world.pace.elapsed(), seconds(expected));
    }
    world.config.timeouts.total_seconds = 30;
    world.config.limits.requests_per_minute = 1;
    let hurried = world.bridge_to(std::sync::Arc::new(crate::world::ScriptedModel(
        |_: &Request| Ok(crate::world::replied("{\"n\": 1}", 1, 1)),
    )));
    assert!(ask(&hurried).is_ok());
    assert!(matches!(
        ask(&hurried),
        Err(BridgeError::DeadlinePassed { .. })
    ));
}

#[test]
fn a_key_is_never_revealed() {
    for provider in PROVIDERS {
        let words = format!(
            "Incorrect API key provided: {KEY}. \u{1b}[31mGet one\u{202e} at\n\nhttps://example.org"
        );
        let refusal = Turn::status(401, &Form(provider).refusal(&words));
        let (answer, ..) = played(provider, vec![refusal]);
        let error = answer.expect_err("a refusal");
        let message = format!("{error} {error:?}");
        assert!(!message.contains(KEY), "{message}");
        assert!(
            message.contains("Incorrect API key provided: …."),
            "{message}"
        );
        assert!(!message.contains(['\u{1b}', '\u{202e}', '\n']), "{message}");
    }
    let page = Turn::text(503, &format!("<html>{KEY}</html>"));
    let (answer, ..) = played(Provider::Openai, vec![page]);
    assert!(!format!("{answer:?}").contains(KEY));
}

#[test]
fn a_server_without_tls_behind_an_address_with_tls_learns_nothing() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut received = vec![0; 16 << 10];
        let length = stream.read(&mut received).expect("a greeting");
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
            .expect("an answer");
        received.truncate(length);
        received
    });
    let mut world = World::new(Provider::Openai, Vec::new());
    world.config.retries.attempts = 1;
    world.config.base_url = Some(format!("https://{address}/v1"));
    let bridge = world.bridge();
    let error = ask(&bridge).expect_err("no TLS");
    assert!(
        matches!(error, BridgeError::Connection { sent: false, .. }),
        "{error:?}"
    );
    let received = String::from_utf8_lossy(&server.join().expect("no panic")).into_owned();
    assert!(!received.contains(KEY) && !received.contains("How many"));
    let costs = bridge.ledger().costs(&CostQuery::default()).expect("costs");
    assert_eq!(costs, []);
}
