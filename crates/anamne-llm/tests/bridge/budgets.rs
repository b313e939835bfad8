//! Budgets hold: across concurrent calls, several processes and lost calls.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use anamne_llm::{
    Bridge, BridgeError, BudgetKind, Call, CostQuery, CostRow, CostsBy, Ledger, PriceRule,
    Provider, Reply, Request, Usage,
};
use anamne_store::Clock;
use jiff::Timestamp;
use jiff::civil::date;

use crate::world::{ScriptedModel, World, alone_with_programs, question, replied};

/// Tokens that each answer of the scripted model uses.
const TAKEN: u64 = 1_050;

fn answering() -> Arc<dyn anamne_llm::LanguageModel> {
    Arc::new(ScriptedModel(|_: &Request| {
        Ok(replied("{\"n\": 1}", 1_000, 50))
    }))
}

fn world() -> World {
    let mut world = World::new(Provider::Openai, Vec::new());
    world.config.budgets.daily_dollars = 0.0;
    world.config.budgets.monthly_dollars = 0.0;
    world
}

fn ask(bridge: &Bridge) -> Result<Reply, BridgeError> {
    bridge.ask(&Call::of("core"), &question())
}

/// The upper bound of a call's usage, which is above its actual usage.
fn at_most() -> u64 {
    let most = question().at_most().total();
    assert!(most > TAKEN && most < 2 * TAKEN, "{most}");
    most
}

fn spent(bridge: &Bridge) -> u64 {
    let rows = bridge.ledger().costs(&CostQuery::default()).expect("costs");
    rows.iter()
        .map(|row| row.input_tokens + row.output_tokens)
        .sum()
}

/// The exhausted budget, and when it resets.
fn refusal(error: BridgeError) -> (BudgetKind, Option<Timestamp>) {
    let response = error.to_string();
    match error {
        BridgeError::BudgetExceeded {
            budget, opens_at, ..
        } => {
            assert!(response.contains(&budget.to_string()), "{response}");
            if let Some(opens_at) = opens_at {
                assert!(response.contains(&opens_at.to_string()), "{response}");
            }
            (budget, opens_at)
        }
        other => panic!("no budget refuses: {other}"),
    }
}

#[test]
fn a_budget_stops_calls_until_its_day_or_month_ends() {
    let price = PriceRule {
        prefix: "scripted".to_owned(),
        input: 1_000.0,
        output: 1_000.0,
    };
    let check = |set: &dyn Fn(&mut World), budget: BudgetKind, opens: &str| {
        let mut world = world();
        world.clock.set("2026-01-15T12:00:00Z");
        world.config.prices.push(price.clone());
        set(&mut world);
        let bridge = world.bridge_to(answering());
        assert!(ask(&bridge).is_ok());
        assert!(ask(&bridge).is_ok());
        let refused = refusal(ask(&bridge).expect_err("nothing is left"));
        assert_eq!(refused, (budget, opens.parse().ok()));
        assert_eq!(spent(&bridge), 2 * TAKEN, "what is refused costs nothing");
        world.clock.set(opens);
        assert!(ask(&bridge).is_ok(), "{budget} opens again");
    };
    let limit = 2 * TAKEN + at_most() - 1;
    let dollars = limit as f64 / 1_000.0;
    let (day, month) = ("2026-01-16T00:00:00Z", "2026-02-01T00:00:00Z");
    check(
        &|world| world.config.budgets.daily_tokens = limit,
        BudgetKind::DailyTokens,
        day,
    );
    check(
        &|world| world.config.budgets.monthly_tokens = limit,
        BudgetKind::MonthlyTokens,
        month,
    );
    check(
        &|world| world.config.budgets.daily_dollars = dollars,
        BudgetKind::DailyDollars,
        day,
    );
    check(
        &|world| world.config.budgets.monthly_dollars = dollars,
        BudgetKind::MonthlyDollars,
        month,
    );
    let both = |world: &mut World| {
        world.config.budgets.daily_tokens = limit;
        world.config.budgets.monthly_tokens = limit;
    };
    check(&both, BudgetKind::MonthlyTokens, month);
}

/// The clock's current time plus `days`.
fn days_after(world: &World, days: i64) -> Timestamp {
    let now = anamne_store::Clock::now(world.clock.as_ref());
    now + jiff::SignedDuration::from_hours(24 * days)
}

#[test]
fn a_quota_lowers_the_budget_of_a_month_and_never_raises_it() {
    for (budget, quota) in [(0.0, 2.1), (9.0, 2.1), (2.1, 9.0), (2.1, 0.0)] {
        let mut world = world();
        world.config.prices.push(PriceRule {
            prefix: "scripted".to_owned(),
            input: 1_000.0,
            output: 1_000.0,
        });
        let unit = at_most() as f64 / 1_000.0;
        world.config.budgets.daily_dollars = 0.0;
        world.config.budgets.monthly_dollars = budget * unit;
        let bridge = world.bridge_to(answering()).spending_at_most(quota * unit);
        let refused = std::iter::repeat_with(|| ask(&bridge))
            .take(99)
            .find_map(Result::err);
        let (kind, _) = refusal(refused.expect("nothing is left"));
        assert_eq!(kind, BudgetKind::MonthlyDollars, "{budget} {quota}");
        let most = 2.1 * at_most() as f64;
        assert!(spent(&bridge) as f64 <= most, "{budget} {quota}");
    }
}

#[test]
fn changing_the_clock_neither_resets_a_budget_nor_blocks_it_for_years() {
    for (wrong, months) in [
        ("2036-03-15T12:00:00Z", false),
        ("1970-01-01T00:00:00Z", false),
        ("2036-03-15T12:00:00Z", true),
        ("1970-01-01T00:00:00Z", true),
    ] {
        let mut world = world();
        let limit = 2 * TAKEN + at_most() - 1;
        if months {
            world.config.budgets.monthly_tokens = limit;
        } else {
            world.config.budgets.daily_tokens = limit;
        }
        let bridge = world.bridge_to(answering());
        world.clock.set("2026-03-15T12:00:00Z");
        assert!(ask(&bridge).is_ok());
        // The clock goes back and forth: both days share one budget.
        world.clock.set(wrong);
        assert!(ask(&bridge).is_ok(), "there is room for one more");
        for instant in ["2026-03-15T13:00:00Z", wrong, "2026-03-15T14:00:00Z", wrong] {
            world.clock.set(instant);
            let refused = refusal(ask(&bridge).expect_err("nothing is left"));
            let opens = refused.1.expect("it opens");
            assert!(opens <= days_after(&world, 31), "{opens}");
        }
        assert_eq!(spent(&bridge), 2 * TAKEN);
        let opens = if months {
            "2026-04-01T00:00:00Z"
        } else {
            "2026-03-16T00:00:00Z"
        };
        world.clock.set(opens);
        assert!(ask(&bridge).is_ok(), "{wrong}: it opens when it should");
        let rows = bridge.ledger().costs(&CostQuery::default()).expect("costs");
        let days: Vec<_> = rows.iter().map(|row| row.key.as_str()).collect();
        assert_eq!(days[0], "2026-03-15", "{days:?}");
        assert!(!days.contains(&&wrong[..10]), "{days:?}");
    }
}

#[test]
fn after_a_long_idle_time_a_budget_resets_within_days() {
    let mut world = world();
    world.config.budgets.monthly_tokens = TAKEN + at_most() - 1;
    let bridge = world.bridge_to(answering());
    world.clock.set("2026-03-31T12:00:00Z");
    assert!(ask(&bridge).is_ok());
    assert!(ask(&bridge).is_err());
    // This looks the same as a clock set ahead; the third day is accepted.
    for day in ["2026-06-10", "2026-06-11"] {
        world.clock.set(&format!("{day}T12:00:00Z"));
        let (_, opens) = refusal(ask(&bridge).expect_err("not believed yet"));
        assert!(opens.expect("it opens") <= days_after(&world, 1));
    }
    world.clock.set("2026-06-12T12:00:00Z");
    assert!(ask(&bridge).is_ok());
}

#[test]
fn a_call_that_is_larger_than_its_budget_never_gets_through() {
    let mut world = world();
    world.config.budgets.daily_tokens = at_most() - 1;
    let error = ask(&world.bridge_to(answering())).expect_err("too large");
    assert!(error.to_string().contains("raise it"), "{error}");
    assert_eq!(refusal(error), (BudgetKind::DailyTokens, None));
}

#[test]
fn a_model_without_a_price_is_bounded_by_tokens_alone() {
    let mut world = world();
    world.config.budgets.daily_dollars = 0.000_001;
    let bridge = world.bridge_to(answering());
    assert!(ask(&bridge).is_ok());
    let rows = bridge.ledger().costs(&CostQuery::default()).expect("costs");
    assert_eq!((rows[0].unpriced, rows[0].cost.dollars()), (1, 0.0));
}

#[test]
fn a_running_call_reserves_its_maximum() {
    let mut world = world();
    world.config.budgets.daily_tokens = at_most() + TAKEN;
    let other = Arc::new(world.bridge_to(answering()));
    let meanwhile = Mutex::new(Vec::new());
    let asking = other.clone();
    let model = ScriptedModel(move |_: &Request| {
        let mut meanwhile = meanwhile.lock().expect("nothing panics");
        // Another process asks while this call is running: there is room for one of the two.
        meanwhile.push(ask(&asking));
        assert!(matches!(
            meanwhile[0],
            Err(BridgeError::BudgetExceeded { .. })
        ));
        Ok(replied("{\"n\": 1}", 1_000, 50))
    });
    assert!(ask(&world.bridge_to(Arc::new(model))).is_ok());
    assert!(
        ask(&other).is_ok(),
        "what was reserved and not taken is free again"
    );
    assert_eq!(spent(&other), 2 * TAKEN);
}

/// A call whose process dies.
fn dying(world: &World) {
    let model = ScriptedModel(|_: &Request| panic!("the process is gone"));
    let bridge = world.bridge_to(Arc::new(model));
    let call = std::panic::AssertUnwindSafe(|| ask(&bridge));
    assert!(std::panic::catch_unwind(call).is_err());
}

#[test]
fn a_call_whose_process_died_counts_as_spent() {
    let mut world = world();
    world.config.budgets.daily_tokens = 2 * at_most() - 1;
    dying(&world);
    let bridge = world.bridge_to(answering());
    assert!(ask(&bridge).is_err(), "it is held at once");
    assert_eq!(spent(&bridge), 0, "and counted when it must be over");
    world.clock.pass_hours(1);
    assert!(ask(&bridge).is_err(), "it stays spent");
    world.config.budgets.daily_tokens = 0;
    assert!(ask(&world.bridge_to(answering())).is_ok());
    assert_eq!(spent(&bridge), at_most() + TAKEN);
    let rows = bridge.ledger().costs(&CostQuery::default()).expect("costs");
    assert_eq!((rows[0].calls, rows[0].estimated), (2, 1));
}

#[test]
fn a_call_that_comes_back_after_it_was_given_up_is_counted_once() {
    let world = world();
    let clock = world.clock.clone();
    let other = Arc::new(world.bridge_to(answering()));
    let asking = other.clone();
    let model = ScriptedModel(move |_: &Request| {
        // The machine slept for hours; meanwhile another process counts this call as lost.
        clock.pass_hours(2);
        assert!(ask(&asking).is_ok());
        assert_eq!(spent(&asking), at_most() + TAKEN);
        Ok(replied("{\"n\": 1}", 1_000, 50))
    });
    assert!(ask(&world.bridge_to(Arc::new(model))).is_ok());
    assert_eq!(spent(&other), 2 * TAKEN);
    let rows = other.ledger().costs(&CostQuery::default()).expect("costs");
    assert_eq!(
        (rows[0].calls, rows[0].estimated, rows[0].unpriced),
        (2, 0, 2)
    );
}

#[test]
fn failures_count_only_what_may_be_charged() {
    let world = world();
    let failing = |failure: fn() -> BridgeError| {
        let bridge = world.bridge_to(Arc::new(ScriptedModel(move |_: &Request| Err(failure()))));
        assert!(ask(&bridge).is_err());
        spent(&bridge)
    };
    let refused = || BridgeError::Status {
        host: "host".to_owned(),
        status: 400,
        message: String::new(),
        retry_after: None,
    };
    assert_eq!(failing(refused), 0);
    let broken = || BridgeError::Malformed {
        host: "host".to_owned(),
        reason: "not JSON",
    };
    assert_eq!(failing(broken), question().likely().total());
}

#[test]
fn an_answer_that_says_nothing_of_its_tokens_is_estimated() {
    let world = world();
    let model = ScriptedModel(|_: &Request| {
        let mut reply = replied("{\"n\": 1}", 0, 0);
        reply.usage = None;
        Ok(reply)
    });
    let bridge = world.bridge_to(Arc::new(model));
    assert!(ask(&bridge).is_ok());
    let rows = bridge.ledger().costs(&CostQuery::default()).expect("costs");
    let Usage {
        input_tokens,
        output_tokens,
    } = question().likely();
    assert_eq!(
        (rows[0].input_tokens, rows[0].output_tokens),
        (input_tokens, output_tokens)
    );
    assert_eq!(rows[0].estimated, 1);
}

/// The budget that the concurrent tests share.
const CROWD_TOKENS: u64 = 40 * TAKEN;

/// Variable with the ledger folder of a child process of this test.
const CHILD: &str = "ANAMNE_TEST_SPENDING_CHILD";

/// Asks until the budget is exhausted; returns the number of successful calls.
fn spend_all(folder: &Path) -> usize {
    let mut world = world();
    world.config.budgets.daily_tokens = CROWD_TOKENS;
    let ledger = Arc::new(Ledger::open(&folder.join("catalog.db")).expect("a ledger"));
    let bridge = Bridge::new(
        world.config.clone(),
        answering(),
        ledger,
        world.clock.clone(),
        world.pace.clone(),
    );
    let mut calls = 0;
    loop {
        match ask(&bridge) {
            Ok(_) => calls += 1,
            Err(BridgeError::BudgetExceeded { .. }) => return calls,
            Err(other) => panic!("{other}"),
        }
    }
}

fn assert_spent_to_the_limit(folder: &Path) {
    let ledger = Ledger::open(&folder.join("catalog.db")).expect("a ledger");
    let rows = ledger.costs(&CostQuery::default()).expect("costs");
    let spent = rows[0].input_tokens + rows[0].output_tokens;
    assert!(spent <= CROWD_TOKENS, "{spent}");
    assert_eq!(spent, rows[0].calls * TAKEN);
    // Running calls reserve more than they use, so callers may stop a little early, but only by the reserved amount.
    assert!(spent + 4 * at_most() > CROWD_TOKENS, "{spent}");
}

#[test]
fn threads_stay_within_a_budget_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let calls: usize = std::thread::scope(|scope| {
        let spenders: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| spend_all(folder.path())))
            .collect();
        spenders
            .into_iter()
            .map(|spender| spender.join().expect("no panic"))
            .sum()
    });
    assert!(calls > 0);
    assert_spent_to_the_limit(folder.path());
}

/// Starts `count` child processes that each run one test of this file, and waits for them.
fn run_children(count: usize, test: &str, folder: &Path) {
    let this = std::env::current_exe().expect("this test");
    let start = |_| {
        let _alone = alone_with_programs();
        Command::new(&this)
            .args(["--exact", test, "--nocapture"])
            .env(CHILD, folder)
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("a child")
    };
    let children: Vec<_> = (0..count).map(start).collect();
    for mut child in children {
        assert!(child.wait().expect("a child").success());
    }
}

#[test]
fn processes_stay_within_a_budget_together() {
    if let Some(folder) = std::env::var_os(CHILD) {
        spend_all(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    run_children(
        3,
        "budgets::processes_stay_within_a_budget_together",
        folder.path(),
    );
    assert_spent_to_the_limit(folder.path());
}

#[test]
fn the_ledger_is_its_owners_alone_and_not_older_than_its_file() {
    let world = world();
    let bridge = world.bridge_to(answering());
    ask(&bridge).expect("an answer");
    #[cfg(unix)]
    for name in ["catalog.db", "catalog.db-wal", "catalog.db-shm"] {
        assert_eq!(
            crate::world::mode(&world.folder.path().join(name)),
            0o600,
            "{name}"
        );
    }
    let database = rusqlite::Connection::open(world.catalog()).expect("a database");
    database
        .pragma_update(None, "user_version", 2)
        .expect("a version");
    assert!(matches!(
        Ledger::open(&world.catalog()),
        Err(BridgeError::Newer { found: 2, .. })
    ));
    let path = world.folder.path().join("other.db");
    std::fs::write(
        &path,
        "this is no database, and was never one, however long one looks at it",
    )
    .expect("a file");
    assert!(matches!(
        Ledger::open(&path),
        Err(BridgeError::Ledger { .. })
    ));
}

#[test]
fn costs_can_be_grouped() {
    let mut world = world();
    world.config.prices.push(PriceRule {
        prefix: "scripted".to_owned(),
        input: 1.0,
        output: 2.0,
    });
    let bridge = world.bridge_to(answering());
    for (at, space) in [
        ("2025-12-31T23:59:59Z", "core"),
        ("2026-01-01T00:00:00Z", "core"),
        ("2026-01-02T10:00:00Z", "garden"),
        ("2026-01-02T11:00:00Z", "garden"),
    ] {
        world.clock.set(at);
        bridge
            .ask(&Call::of(space), &question())
            .expect("an answer");
    }
    let ledger = bridge.ledger();
    let keys = |query: &CostQuery| -> Vec<(String, u64)> {
        let rows: Vec<CostRow> = ledger.costs(query).expect("costs");
        rows.into_iter().map(|row| (row.key, row.calls)).collect()
    };
    let by = |by| CostQuery {
        by,
        ..CostQuery::default()
    };
    let pairs = |pairs: &[(&str, u64)]| -> Vec<(String, u64)> {
        pairs
            .iter()
            .map(|(key, calls)| ((*key).to_owned(), *calls))
            .collect()
    };
    let days = pairs(&[("2025-12-31", 1), ("2026-01-01", 1), ("2026-01-02", 2)]);
    assert_eq!(keys(&by(CostsBy::Day)), days);
    assert_eq!(
        keys(&by(CostsBy::Month)),
        pairs(&[("2025-12", 1), ("2026-01", 3)])
    );
    assert_eq!(keys(&by(CostsBy::Model)), pairs(&[("scripted", 4)]));
    assert_eq!(
        keys(&by(CostsBy::Space)),
        pairs(&[("core", 2), ("garden", 2)])
    );
    let january = CostQuery {
        by: CostsBy::Space,
        from: Some(date(2026, 1, 1)),
        until: Some(date(2026, 1, 1)),
        ..CostQuery::default()
    };
    assert_eq!(keys(&january), pairs(&[("core", 1)]));
    let of_space = CostQuery {
        space: Some("garden".to_owned()),
        model: Some("scripted".to_owned()),
        ..CostQuery::default()
    };
    assert_eq!(keys(&of_space), pairs(&[("2026-01-02", 2)]));
    let row = &ledger.costs(&by(CostsBy::Model)).expect("costs")[0];
    assert!(
        (row.cost.dollars() - 4.0 * 0.001_1).abs() < 1e-12,
        "{}",
        row.cost
    );
    assert_eq!(row.cost.to_string(), "$0.004400");
    let response = serde_json::to_value(row).expect("JSON");
    assert_eq!(response["dollars"], 0.004_4);

    let ledger = bridge.ledger();
    let standings = ledger.budget_states(&world.config.budgets, world.clock.now());
    let standings = standings.expect("standings");
    assert_eq!(standings.len(), 4);
    assert!(
        standings
            .iter()
            .all(|state| state.limit.is_none() && !state.exhausted)
    );
    assert_eq!(standings[3].spent, format!("{} tokens", 3 * TAKEN));

    ledger.forget_space("garden").expect("no error");
    assert_eq!(keys(&by(CostsBy::Space)), pairs(&[("", 2), ("core", 2)]));
    assert_eq!(keys(&by(CostsBy::Day)), days, "what it cost still counts");
    let names = ["catalog.db", "catalog.db-wal"];
    for name in names {
        let bytes = std::fs::read(world.folder.path().join(name)).expect("a file");
        assert!(
            !bytes.windows(6).any(|window| window == b"garden"),
            "{name}"
        );
    }
}
