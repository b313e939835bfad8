//! What a space learns from its own recall: query log, feedback, statistics.

use serde_json::{Value, json};

use crate::bench::Bench;

fn features(answer: &Value, name: &str) -> f64 {
    let features = answer["results"][0]["explanation"]["features"].as_array();
    let features = features.expect("a table of features");
    let found = features.iter().find(|feature| feature[0] == name);
    let value = found.and_then(|feature| feature[1].as_f64());
    value.unwrap_or_else(|| panic!("no feature {name} in {features:?}"))
}

#[test]
fn questions_are_logged_judged_and_cleared() {
    let bench = Bench::new();
    let id = bench.remember(&["The staging database listens on port 5433"]);
    let question = ["recall", "which port does staging use?"];
    bench.json(&question);
    let log = bench.json(&["meta", "log"]);
    let queries = log["queries"].as_array().expect("a list");
    assert_eq!((queries.len(), &queries[0]["results"]), (1, &json!(1)));
    assert!(queries[0].get("words").is_none(), "{}", queries[0]);
    let shown = bench.run(&["meta", "log"]).stdout;
    assert!(shown.contains("1 result, best confidence"), "{shown}");
    let judged = bench.json(&["feedback", &id, "useful"]);
    assert_eq!(
        (&judged["useful"], &judged["useless"]),
        (&json!(1), &json!(0))
    );
    let said = bench.run(&["feedback", &id, "useful"]).stdout;
    assert!(said.contains("useful twice, useless never"), "{said}");
    let number = format!("q{}", queries[0]["number"]);
    let judged = bench.json(&["feedback", &number, "useless"]);
    assert_eq!(
        (&judged["useful"], &judged["useless"]),
        (&json!(2), &json!(1))
    );
    let shown = bench.run(&["show", &id]).stdout;
    assert!(
        shown.contains("feedback    useful twice, useless once") && !shown.contains("anamne."),
        "{shown}"
    );
    let answer = bench.json(&question);
    assert!(
        (features(&answer, "feedback") - 0.2).abs() < 1e-6,
        "{answer}"
    );
    assert_eq!(bench.json(&["meta", "clear"]), json!({"cleared": true}));
    assert_eq!(bench.json(&["meta", "log"])["queries"], json!([]));
    let answer = bench.json(&question);
    assert!(features(&answer, "feedback") > 0.0, "it was told: {answer}");
    assert_eq!(bench.run(&["feedback", "q999", "useful"]).code, 3);
    assert_eq!(bench.run(&["feedback", &id, "perhaps"]).code, 2);
    for of in [&id, "q1"] {
        for (option, value) in [
            ("--used", id.as_str()),
            ("--wanted", "another"),
            ("--should-ask", "which port?"),
        ] {
            let ran = bench.run(&["feedback", of, "useful", option, value]);
            assert_eq!(ran.code, 2, "{of} {option} {}", ran.stderr);
        }
    }
    let shown = bench.run(&["show", &id]).stdout;
    assert!(shown.contains("useful twice, useless once"), "{shown}");
}

#[test]
fn a_memory_that_is_shown_by_its_id_counts_as_opened() {
    let bench = Bench::new();
    let id = bench.remember(&["The staging database listens on port 5433"]);
    let question = ["recall", "which port does staging use?"];
    assert!(features(&bench.json(&question), "access") < 1e-6);
    (0..2).for_each(|_| drop(bench.json(&["show", &id])));
    let answer = bench.json(&question);
    assert!((features(&answer, "access") - 0.5).abs() < 1e-3, "{answer}");
    bench.json(&["meta", "clear"]);
    assert!(features(&bench.json(&question), "access") < 1e-6);
}

#[test]
fn a_plan_lists_the_searched_tiers() {
    let bench = Bench::new();
    bench.remember(&["The staging database listens on port 5433"]);
    let plan = ["recall", "which port does staging use?", "--explain-plan"];
    let shown = bench.run(&plan).stdout;
    assert!(
        shown.contains("touched") && shown.contains("1 tier,"),
        "{shown}"
    );
    assert!(!shown.contains("0 tiers"), "{shown}");
    assert_eq!(bench.json(&plan)["plan"]["tiers"], json!(["active"]));
}

#[test]
fn topics_say_how_well_they_are_known() {
    let bench = Bench::new();
    for text in ["Ada Lovelace works at Acme", "Ada Lovelace moved to Turin"] {
        bench.remember(&[text]);
    }
    bench.json(&["extract"]);
    bench.json(&["recall", "where does Ada Lovelace work?"]);
    let topics = bench.json(&["meta", "topics"]);
    let topics = topics["topics"].as_array().expect("a list").clone();
    let of_ada = topics.iter().find(|topic| topic["topic"] == "Ada Lovelace");
    assert_eq!(of_ada.expect("a topic")["memories"], json!(2), "{topics:?}");
    let shown = bench.run(&["meta", "topics"]).stdout;
    assert!(shown.contains("2 memories"), "{shown}");
}
