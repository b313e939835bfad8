//! The environment variables.

use crate::collector::Collector;
use crate::read;

const ENDPOINT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");

#[test]
fn without_an_endpoint_nothing_is_read() {
    for variables in [
        &[][..],
        &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
        &[
            ("OTEL_TRACES_SAMPLER", "nonsense"),
            ("OTEL_SERVICE_NAME", "x"),
        ],
        &[ENDPOINT, ("OTEL_SDK_DISABLED", "TRUE")],
        &[
            ENDPOINT,
            ("OTEL_TRACES_EXPORTER", "none"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ],
    ] {
        assert!(
            read(variables).expect("accepted").is_none(),
            "{variables:?}"
        );
    }
}

#[test]
fn what_can_not_be_used_is_refused_with_the_variable() {
    let check = |variable: &str, value: &str, said: &str| {
        let error = read(&[ENDPOINT, (variable, value)]).map(drop);
        let error = error.expect_err(&format!("{variable}={value}"));
        assert_eq!(error.variable, variable);
        assert!(error.to_string().starts_with(variable), "{error}");
        assert!(error.to_string().contains(said), "{error}");
    };
    let endpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    check(endpoint, "localhost:4318", "https://");
    check(
        endpoint,
        "http://collector:4318",
        "must begin with https://",
    );
    check(endpoint, "http://10.0.0.7:4318", "must begin with https://");
    check(endpoint, "https://name:word@collector.example", "user name");
    check(endpoint, "https://collector.example/?token=1", "?");
    check("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/protobuf");
    check(
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
        "http/json",
        "http/protobuf",
    );
    check("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", "none");
    check("OTEL_EXPORTER_OTLP_CERTIFICATE", "ca.pem", "not supported");
    for timeout in ["0", "-1", "1.5", "60001", "10s", "99999999999999999999"] {
        check("OTEL_EXPORTER_OTLP_TIMEOUT", timeout, "1 to 60000");
    }
    check("OTEL_BSP_MAX_QUEUE_SIZE", "0", "1 to 1048576");
    check("OTEL_BSP_SCHEDULE_DELAY", "x", "1 to 600000");
    check(
        "OTEL_TRACES_SAMPLER",
        "jaeger_remote",
        "parentbased_traceidratio",
    );
    check("OTEL_TRACES_EXPORTER", "zipkin", "otlp");
    check("OTEL_SDK_DISABLED", "1", "true");
    check("OTEL_RESOURCE_ATTRIBUTES", "name", "name=value");
    for ratio in ["2", "-0.1", "NaN", "inf", "half"] {
        let variables = [
            ENDPOINT,
            ("OTEL_TRACES_SAMPLER", "traceidratio"),
            ("OTEL_TRACES_SAMPLER_ARG", ratio),
        ];
        let error = read(&variables).map(drop).expect_err(ratio);
        assert_eq!(error.variable, "OTEL_TRACES_SAMPLER_ARG");
    }
}

#[test]
fn the_value_of_a_header_is_never_shown() {
    let headers = "OTEL_EXPORTER_OTLP_HEADERS";
    for refused in [
        "Bearer secretword",
        "authorization: Bearer secretword",
        "Bearer secretword=",
        "authorization=secretword%0Aword",
        "a=1,secretword",
        "content-length=secretword",
        "Host=secretword",
    ] {
        let error = read(&[ENDPOINT, (headers, refused)]).map(drop);
        let error = error.expect_err(refused);
        let shown = format!("{error} {error:?}").to_lowercase();
        assert!(!shown.contains("secretword"), "{shown}");
    }
    let given = "authorization=Bearer%20secretword";
    let settings = read(&[ENDPOINT, (headers, given)]).expect("accepted");
    let shown = format!("{:?}", settings.expect("settings"));
    assert!(!shown.contains("secretword"), "{shown}");
}

#[test]
fn what_is_set_for_traces_wins() {
    let collector = Collector::start();
    let url = format!("{}/a/path/", collector.endpoint());
    let variables = [
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url.as_str()),
        ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-one=1"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-two=2"),
        ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
    ];
    let server = crate::traced(&collector, &variables);
    server.get("/healthz");
    drop(server.end());
    let received = collector.received();
    let head = &received.first().expect("a request").head;
    // The URL is used as it is, and headers are not mixed.
    assert!(head.starts_with("POST /a/path/ HTTP/1.1\r\n"), "{head}");
    assert!(
        head.contains("x-one: 1") && !head.contains("x-two"),
        "{head}"
    );
}
