//! The agent loop of the example: the second run of a task takes fewer steps.

#[path = "../../examples/agent_loop/agent.rs"]
mod agent;
#[path = "../../examples/agent_loop/workshop.rs"]
mod workshop;

use agent::{Agent, RunReport};

use crate::common::Home;

const GOAL: &str = "publish the next release of the parser";

#[test]
fn second_run_of_a_task_takes_fewer_steps() {
    let home = Home::new();
    let space = home.space();
    let told = "Please publish the next release of the parser. We release with: make release";
    let first = Agent::new(&space, "first", GOAL).work_on(told);
    let first = first.expect("a run");
    let asked = "Please publish the next release of the parser.";
    let second = Agent::new(&space, "second", GOAL).work_on(asked);
    let second = second.expect("a run");
    assert!(first.succeeded && second.succeeded, "{first:?} {second:?}");
    assert_eq!((first.actions, first.failed, first.searches), (12, 6, 1));
    assert_eq!((second.actions, second.failed, second.searches), (6, 0, 0));
    assert_eq!(second.planned, second.actions);
}

#[test]
fn run_with_a_similar_goal_takes_over_what_worked() {
    let home = Home::new();
    let space = home.space();
    let told = "Publish the release of the parser. We release with: make release";
    let first = Agent::new(&space, "first", GOAL).work_on(told);
    let other = "publish a new release of the parser";
    let similar =
        Agent::new(&space, "other", other).work_on("Publish a new release of the parser.");
    let (first, similar) = (first.expect("a run"), similar.expect("a run"));
    assert!(
        similar.succeeded && similar.actions < first.actions,
        "{first:?} {similar:?}"
    );
}

#[test]
fn without_the_memory_nothing_is_taken_over() {
    let told = "Publish the release. We release with: make release";
    let run = || -> RunReport {
        let home = Home::new();
        let space = home.space();
        let run = Agent::new(&space, "only", GOAL).work_on(told);
        run.expect("a run")
    };
    assert_eq!(run(), run());
}
