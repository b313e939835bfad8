use super::*;

fn words() -> Strategy {
    Strategy::named("words").unwrap()
}

/// A question of `count` words.
fn question(count: usize) -> Situation {
    let query = "what ".repeat(count);
    Situation::of_query(&anamne_types::Recall::new(query))
}

fn learned(cases: &[(&str, Situation, f32)]) -> Learned {
    let mut learned = Learned::default();
    for (strategy, situation, success) in cases {
        assert!(learned.add(strategy, 0, &situation.features(), *success));
    }
    learned
}

#[test]
fn nothing_learned_means_the_default() {
    for exploration in [0.0, 0.05, f64::NAN] {
        let choice = Learned::default().learner(exploration);
        let choice = choice.choose(&question(3), &[]).unwrap();
        assert_eq!(choice.strategy, Strategy::DEFAULT);
        assert_eq!((choice.learned_from, choice.explores), (0, false));
    }
}

#[test]
fn what_helped_is_chosen_where_it_helped() {
    let mut cases = Vec::new();
    for _ in 0..60 {
        let (short, long) = (question(2), question(60));
        cases.extend([("default", short, 1.0), ("default", long, 0.0)]);
        cases.extend([("words", short, 0.0), ("words", long, 1.0)]);
    }
    let learner = learned(&cases).learner(0.0);
    let chosen = |count| learner.choose(&question(count), &[]).unwrap().strategy;
    assert_eq!(chosen(2), Strategy::DEFAULT);
    assert_eq!(chosen(60), words());
}

#[test]
fn the_same_cases_in_any_order_and_batches_are_the_same_state() {
    let case = |number: usize| {
        let strategy = Strategy::ALL[number % Strategy::ALL.len()].name();
        (strategy, question(number), (number % 3) as f32 / 2.0)
    };
    let mut cases: Vec<_> = (0..60).map(case).collect();
    let all = learned(&cases);
    let mut batches = learned(&cases[40..]);
    batches.merge(&learned(&cases[..40]));
    cases.reverse();
    assert_eq!(all, learned(&cases));
    assert_eq!(all, batches);
    assert_eq!(all.cases(), 60);
}

#[test]
fn what_is_unknown_is_not_learned_from() {
    let mut learned = Learned::default();
    let features = question(3).features();
    assert!(!learned.add("no strategy", 0, &features, 1.0));
    assert!(!learned.add("words", 0, &features[1..], 1.0));
    assert!(!learned.add("words", 0, &features, f32::NAN));
    let mut broken = features;
    broken[1] = f32::INFINITY;
    assert!(!learned.add("words", 0, &broken, 1.0));
    assert_eq!(learned, Learned::default());
}

#[test]
fn trying_costs_no_more_than_the_share_that_was_promised() {
    // All others always fail, the default always helps.
    let mut learned = Learned::default();
    let (mut others, searches) = (0, 1_000);
    for number in 0..searches {
        let situation = question(number % 9);
        let chosen = learned.learner(0.1).choose(&situation, &[]).unwrap();
        let is_default = chosen.strategy == Strategy::DEFAULT;
        others += usize::from(!is_default);
        assert!(others <= 1 + number / 10, "{others} of {number}");
        let success = if is_default { 1.0 } else { 0.0 };
        learned.add(chosen.strategy.name(), 0, &situation.features(), success);
    }
    assert!(others > 0, "others are tried");
}

#[test]
fn a_strategy_that_helps_later_is_used_later() {
    let mut learned = Learned::default();
    for _ in 0..60 {
        let features = question(4).features();
        for (strategy, tried, success) in [
            ("default", 0, 0.9),
            ("words", 0, 0.1),
            ("default", 1, 0.1),
            ("words", 1, 0.9),
        ] {
            learned.add(strategy, tried, &features, success);
        }
    }
    let learner = learned.learner(0.0);
    let first = learner.choose(&question(4), &[]).unwrap().strategy;
    assert_eq!(first, Strategy::DEFAULT);
    let second = learner.choose(&question(4), &[first]).unwrap().strategy;
    assert_eq!(second, words());
    let all = [Strategy::DEFAULT; Learner::MOST_SEARCHES];
    assert_eq!(learner.choose(&question(4), &all), None);
}

#[test]
fn searching_ends_where_nothing_helps() {
    let mut learned = Learned::default();
    for strategy in Strategy::ALL {
        for tried in 0..3 {
            for _ in 0..40 {
                learned.add(strategy.name(), tried, &question(4).features(), 0.0);
            }
        }
    }
    let learner = learned.learner(0.0);
    assert!(learner.choose(&question(4), &[]).is_some());
    assert_eq!(learner.choose(&question(4), &[Strategy::DEFAULT]), None);
}
