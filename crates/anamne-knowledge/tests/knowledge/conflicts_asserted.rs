//! What governs a verb or a value decides whether its sentence states something.

use anamne_types::ConflictKind;

use crate::conflicts::{CONTESTED, SUPERSEDED, check};

/// No later sentence contradicts the earlier one.
fn check_none(earlier: &str, later: &[&str]) {
    let cases: Vec<(&str, &str, Option<ConflictKind>)> =
        later.iter().map(|later| (earlier, *later, None)).collect();
    check(&cases);
}

#[test]
fn a_value_that_is_denied_asked_wished_or_doubted_supersedes_nothing() {
    check_none(
        "The session timeout is 15 minutes.",
        &[
            "The session timeout was not raised to 45 minutes.",
            "The session timeout has never been changed to 45 minutes.",
            "The session timeout wasn't lowered to 45 minutes.",
            "We did not change the session timeout to 45 minutes.",
            "Never raise the session timeout to 45 minutes.",
            "Raise the session timeout to 45 minutes.",
            "Please raise the session timeout to 45 minutes.",
            "Was the session timeout raised to 45 minutes?",
            "Has the session timeout been increased to 45 minutes?",
            "Session timeout increased to 45 minutes?",
            "Nadia asked whether the session timeout was raised to 45 minutes.",
            "The session timeout should be raised to 45 minutes.",
            "The session timeout may be raised to 45 minutes.",
            "The session timeout might have been raised to 45 minutes.",
            "The session timeout could be 45 minutes.",
            "The session timeout would be raised to 45 minutes if the auditors agree.",
            "The session timeout must be raised to 45 minutes.",
            "The session timeout will be raised to 45 minutes next spring.",
            "The session timeout is going to be raised to 45 minutes.",
            "Support wants the session timeout raised to 45 minutes.",
            "Support proposed that the session timeout be raised to 45 minutes.",
            "We discussed raising the session timeout to 45 minutes.",
            "Perhaps the session timeout was raised to 45 minutes.",
            "Omar believes the session timeout was raised to 45 minutes.",
            "I dreamt that the session timeout was raised to 45 minutes.",
            "Omar says the session timeout was raised to 45 minutes, which is wrong.",
            "The session timeout was raised to 45 minutes. That was a mistake.",
            "I raised the session timeout to 45 minutes by accident; I reverted it.",
            "We almost raised the session timeout to 45 minutes.",
        ],
    );
}

#[test]
fn a_value_of_another_time_or_of_a_part_supersedes_nothing() {
    check_none(
        "The session timeout is 15 minutes.",
        &[
            "In 2021 the session timeout was raised to 45 minutes.",
            "The session timeout was originally reduced to 45 minutes.",
            "Years ago the session timeout was raised to 45 minutes.",
            "During the audit the session timeout was raised to 45 minutes.",
            "During the audit, we raised the session timeout to 45 minutes.",
            "We temporarily raised the session timeout to 45 minutes.",
            "The session timeout was raised to 45 minutes for a week.",
            "We raised the session timeout to 45 minutes for one client.",
            "We raised the session timeout to 45 minutes for the kiosks only.",
            "The session timeout of the test system was raised to 45 minutes.",
            "The session timeout on staging was raised to 45 minutes.",
        ],
    );
}

#[test]
fn a_change_that_is_stated_supersedes() {
    let cases: Vec<(&str, &str, Option<ConflictKind>)> = [
        "The session timeout was raised to 45 minutes.",
        "We raised the session timeout to 45 minutes.",
        "The session timeout is now 45 minutes.",
        "As requested, the session timeout was raised to 45 minutes.",
        "The session timeout has been raised to 45 minutes since 2021.",
        "Omar said that the session timeout was raised to 45 minutes.",
        "The clients didn't like it, so we raised the session timeout to 45 minutes.",
        "Because users complained, the session timeout was raised to 45 minutes.",
        "Why was the session timeout raised to 45 minutes?",
        "I raised the session timeout to 45 minutes, is this wrong?",
    ]
    .into_iter()
    .map(|later| ("The session timeout is 15 minutes.", later, SUPERSEDED))
    .collect();
    check(&cases);
}

#[test]
fn a_date_that_is_not_set_supersedes_nothing() {
    check_none(
        "The monthly review is on Thursday.",
        &[
            "The monthly review was not moved to Friday.",
            "Is the monthly review moved to Friday?",
            "Could the monthly review be moved to Friday?",
            "The monthly review may be moved to Friday.",
            "Lars wants the monthly review moved to Friday.",
            "The monthly review is expected to be moved to Friday.",
        ],
    );
    check(&[
        (
            "The monthly review is on Thursday.",
            "The monthly review was moved to Friday.",
            SUPERSEDED,
        ),
        (
            "The monthly review is on Thursday.",
            "The monthly review will be moved to Friday.",
            SUPERSEDED,
        ),
    ]);
}

#[test]
fn a_switch_that_was_not_made_ends_nothing() {
    check_none(
        "We use Gradle for our builds.",
        &[
            "We almost replaced Gradle with Bazel.",
            "We should have replaced Gradle with Bazel.",
            "We never replaced Gradle with Bazel.",
            "We replaced Gradle with Bazel in the sample project only.",
            "We replaced Gradle with Bazel for a week.",
            "We replaced Gradle with Bazel, but that was reverted.",
        ],
    );
    check(&[(
        "We use Gradle for our builds.",
        "We replaced Gradle with Bazel.",
        SUPERSEDED,
    )]);
}

#[test]
fn a_stay_that_ended_or_was_short_does_not_supersede() {
    check_none(
        "I live in Bergen.",
        &[
            "I moved to Turin for one winter.",
            "I moved to Turin in 1998.",
            "I moved to Turin and came back after a year.",
            "I moved to Turin in 1998 and returned in 2003.",
        ],
    );
    check(&[
        ("I live in Bergen.", "I moved to Turin.", SUPERSEDED),
        ("I moved to Turin.", "I moved back to Bergen.", SUPERSEDED),
    ]);
}

#[test]
fn values_of_two_things_do_not_supersede_each_other() {
    check(&[
        (
            "The sandbox has a quota of 20 builds.",
            "The main cluster has a quota of 300 builds.",
            None,
        ),
        (
            "The basic plan has a limit of 5 seats.",
            "The team plan has a limit of 50 seats.",
            None,
        ),
        (
            "The search module must keep its limit at 3 items.",
            "The export module must keep its limit at 8 items.",
            None,
        ),
        (
            "The mail service has a memory limit of 256 MB.",
            "The report service has a memory limit of 512 MB.",
            None,
        ),
        (
            "Ember Labs has 25 licences.",
            "Ember has 70 licences now.",
            None,
        ),
        (
            "Ember has 25 licences.",
            "Ember Labs reduced to 10 licences.",
            None,
        ),
        (
            "Account Nordic Toys Baltics is a separate customer: 15 licences, basic plan.",
            "Nordic Toys reduced to 55 licences.",
            None,
        ),
        (
            "Account Ember Labs: 15 licences.",
            "Ember now has 55 licences.",
            None,
        ),
        (
            "Nora has two dogs.",
            "Nora's brother has three dogs now.",
            None,
        ),
        (
            "The basic plan has a limit of 5 seats.",
            "The basic plan now has a limit of 8 seats.",
            SUPERSEDED,
        ),
        (
            "Ember has 25 licences.",
            "Ember has 70 licences now.",
            SUPERSEDED,
        ),
        (
            "Ember has 25 licences.",
            "Ember reduced to 10 licences.",
            SUPERSEDED,
        ),
        (
            "Ember has 25 licences.",
            "Ember could have 70 licences now.",
            None,
        ),
        (
            "GET /carts has a rate limit of 100 requests per minute.",
            "GET /bills has a rate limit of 50 requests per minute.",
            None,
        ),
        (
            "Nora's brother has two dogs.",
            "Nora's brother has three dogs now.",
            SUPERSEDED,
        ),
        (
            "My rent is €700.",
            "My landlord raised my rent to €760.",
            SUPERSEDED,
        ),
    ]);
}

#[test]
fn a_value_that_comes_back_supersedes_the_one_between() {
    check(&[
        (
            "The monthly review was moved to Friday.",
            "The monthly review is on Thursday again.",
            SUPERSEDED,
        ),
        (
            "The session timeout was raised to 45 minutes.",
            "The session timeout is back to 15 minutes.",
            SUPERSEDED,
        ),
        ("We no longer use Kafka.", "We use Kafka again.", SUPERSEDED),
    ]);
}

#[test]
fn a_narrower_denial_leaves_the_general_statement() {
    check(&[
        (
            "We use MariaDB.",
            "We don't use MariaDB for the metrics.",
            None,
        ),
        ("We use Podman.", "We don't use Podman in production.", None),
        (
            "Nora works at Hallmark Dairy.",
            "Nora doesn't work at Hallmark Dairy on Mondays.",
            None,
        ),
        (
            "Nora lives in Bergen.",
            "Nora doesn't live in Bergen in summer.",
            None,
        ),
        ("We use MariaDB.", "We don't use MariaDB.", CONTESTED),
        ("We use MariaDB.", "We no longer use MariaDB.", SUPERSEDED),
        (
            "We use MariaDB.",
            "We stopped using MariaDB in October.",
            SUPERSEDED,
        ),
        (
            "We use MariaDB for the metrics.",
            "We don't use MariaDB for the metrics.",
            CONTESTED,
        ),
    ]);
}
