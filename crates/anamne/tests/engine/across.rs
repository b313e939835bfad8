//! Queries over several spaces.

use anamne::text::tokens::estimate_tokens;
use anamne::{
    ContextPreset, ContextRequest, Draft, ErrorKind, Filter, Reached, Recall, SpaceChoice, Spaces,
    Store,
};

use crate::common::Home;

/// A store whose spaces contain what their names say, and `core` what is true in every project.
fn filled(home: &Home) -> Store {
    let (store, _) = home.store_with_clock("2026-03-01T12:00:00Z");
    for (space, texts) in [
        (
            "kitchen",
            &[
                "The sourdough starter is fed with rye flour every evening",
                "The oven runs ten degrees hotter than its dial says",
                "Grandmother's dumplings need buckwheat flour",
            ][..],
        ),
        (
            "garden",
            &[
                "The tomatoes are watered at six in the morning",
                "The apple tree was pruned in February",
                "Compost goes on the beds in late autumn",
            ][..],
        ),
        (
            "core",
            &[
                "Answer in metric units, everywhere",
                "The user's name is Ada",
            ][..],
        ),
    ] {
        let space = store.space(space).expect("a space");
        for text in texts {
            space.remember(*text).expect("remembered");
        }
    }
    store
}

fn named(names: &[&str], core: bool) -> Spaces {
    Spaces {
        choice: SpaceChoice::Named(names.iter().map(|name| (*name).to_owned()).collect()),
        core,
    }
}

fn proposed(hints: &[&str], most: usize) -> Spaces {
    Spaces {
        choice: SpaceChoice::Proposed {
            hints: hints.iter().map(|hint| (*hint).to_owned()).collect(),
            most,
        },
        core: false,
    }
}

#[test]
fn several_spaces_answer_as_one_and_each_result_says_where_it_is_from() {
    let home = Home::new();
    let store = filled(&home);
    let both = named(&["kitchen", "garden"], false);
    let answer = store
        .recall(&both, &Recall::new("when are the tomatoes watered?"))
        .expect("an answer");
    assert_eq!(answer.results[0].space.as_deref(), Some("garden"));
    assert!(answer.results[0].memory.content.contains("tomatoes"));
    let answer = store
        .recall(
            &both,
            &Recall::new("what is the sourdough starter fed with?"),
        )
        .expect("an answer");
    assert_eq!(answer.results[0].space.as_deref(), Some("kitchen"));
    assert!(
        answer
            .results
            .iter()
            .all(|hit| hit.space.as_deref() != Some("core"))
    );
}

#[test]
fn the_order_within_a_space_stays_when_answers_are_merged() {
    let home = Home::new();
    let store = filled(&home);
    let question = Recall::new("flour in the oven");
    let alone = store
        .space("kitchen")
        .and_then(|space| space.recall(&question))
        .expect("an answer");
    let merged = store
        .recall(&named(&["garden", "kitchen"], true), &question)
        .expect("an answer");
    let of_kitchen: Vec<_> = merged
        .results
        .iter()
        .filter(|hit| hit.space.as_deref() == Some("kitchen"))
        .map(|hit| hit.memory.id)
        .collect();
    let wanted: Vec<_> = alone.results.iter().map(|hit| hit.memory.id).collect();
    assert_eq!(of_kitchen, wanted);
}

#[test]
fn core_stands_beside_a_space_where_it_is_wanted_and_there() {
    let home = Home::new();
    let store = filled(&home);
    let question = Recall::new("which units does the user want, metric?");
    let beside = store
        .recall(&Spaces::one("garden"), &question)
        .expect("an answer");
    assert_eq!(beside.results[0].space.as_deref(), Some("core"));
    let alone = store
        .recall(&named(&["garden"], false), &question)
        .expect("an answer");
    assert!(alone.results.iter().all(|hit| hit.space.is_none()));
    assert!(
        alone
            .results
            .iter()
            .all(|hit| !hit.memory.content.contains("metric"))
    );
    let empty = Home::new();
    let (store, _) = empty.store_with_clock("2026-03-01T12:00:00Z");
    let space = store.space("garden").expect("a space");
    space.remember("The pond is a metre deep").expect("told");
    let answer = store
        .recall(
            &Spaces::one("garden"),
            &Recall::new("how deep is the pond?"),
        )
        .expect("an answer without a core space");
    assert_eq!(answer.results.len(), 1);
    assert_eq!(store.spaces().expect("names").len(), 1, "core was made");
}

#[test]
fn what_two_spaces_both_hold_comes_once() {
    let home = Home::new();
    let store = filled(&home);
    let same = "Deployments are frozen in the last week of the year";
    for space in ["kitchen", "garden"] {
        let space = store.space(space).expect("a space");
        space.remember(same).expect("told");
    }
    let everywhere = Spaces {
        choice: SpaceChoice::All,
        core: true,
    };
    let answer = store
        .recall(&everywhere, &Recall::new("when are deployments frozen?"))
        .expect("an answer");
    let times = answer
        .results
        .iter()
        .filter(|hit| hit.memory.content == same);
    assert_eq!(times.count(), 1);
}

#[test]
fn a_question_without_a_space_goes_where_something_is_known_of_it() {
    let home = Home::new();
    let store = filled(&home);
    for (question, wanted) in [
        ("when was the apple tree pruned?", "garden"),
        ("what do grandmother's dumplings need?", "kitchen"),
        ("what is the name of the user?", "core"),
    ] {
        let proposals = store.propose_spaces(question, &[], 2).expect("proposals");
        let proposals = proposals.spaces;
        assert_eq!(proposals[0].space, wanted, "{question}: {proposals:?}");
        assert!(!proposals[0].reasons.is_empty());
        assert!((0.0..=1.0).contains(&proposals[0].likelihood));
        let answer = store
            .recall(&proposed(&[], 1), &Recall::new(question))
            .expect("an answer");
        assert!(
            answer
                .results
                .iter()
                .all(|hit| hit.space.as_deref().is_none_or(|space| space == wanted))
        );
    }
}

#[test]
fn a_hint_and_a_description_speak_for_a_space_before_it_knows_anything() {
    let home = Home::new();
    let store = filled(&home);
    let workshop = store.space("workshop").expect("a space");
    workshop.remember("Nothing of note").expect("told");
    let hinted = store
        .propose_spaces("zyzzyva quokka", &["work".to_owned()], 1)
        .expect("proposals");
    assert_eq!(hinted.spaces[0].space, "workshop");
    workshop
        .configure(|config| "Saws, planes and varnish".clone_into(&mut config.description))
        .expect("set");
    let described = store.propose_spaces("varnish", &[], 1).expect("proposals");
    assert_eq!(described.spaces[0].space, "workshop");
}

#[test]
fn the_space_that_has_the_answer_is_proposed_however_many_were_written_since() {
    let home = Home::new();
    let store = filled(&home);
    for number in 1..=20 {
        let space = store.space(&format!("place-{number}")).expect("a space");
        let text = format!("Lunch is at noon in place {number}");
        space.remember(text).expect("told");
    }
    let question = "when was the apple tree pruned?";
    let proposals = store.propose_spaces(question, &[], 2).expect("proposals");
    assert_eq!(proposals.spaces[0].space, "garden", "{proposals:?}");
    assert_eq!(proposals.not_sampled, 0);
    let answer = store.recall(&proposed(&[], 2), &Recall::new(question));
    let answer = answer.expect("an answer");
    assert!(answer.results[0].memory.content.contains("apple tree"));
    assert_eq!(answer.degraded, Vec::<String>::new());
}

#[test]
fn a_named_space_must_be_there_and_a_choice_must_name_one() {
    let home = Home::new();
    let store = filled(&home);
    let question = Recall::new("anything");
    let missing = store.recall(&named(&["garden", "cellar"], true), &question);
    assert_eq!(missing.expect_err("no cellar").kind(), ErrorKind::NotFound);
    let none = store.recall(&named(&[], true), &question);
    assert_eq!(none.expect_err("no name").kind(), ErrorKind::Refused);
    let none = store.recall(&proposed(&[], 0), &question);
    assert_eq!(none.expect_err("none").kind(), ErrorKind::Refused);
}

#[test]
fn a_space_that_cant_be_asked_is_named_and_the_others_answer() {
    let home = Home::new();
    drop(filled(&home));
    let broken = home.root().join("spaces/kitchen/space.toml");
    let settings = std::fs::read_to_string(&broken).expect("settings");
    std::fs::write(&broken, settings.replace("format = 1", "format = 999")).expect("written");
    let (store, _) = home.store_with_clock("2026-03-01T12:00:00Z");
    let everywhere = Spaces {
        choice: SpaceChoice::All,
        core: true,
    };
    let answer = store
        .recall(&everywhere, &Recall::new("when are the tomatoes watered?"))
        .expect("the others answer");
    assert!(answer.results[0].memory.content.contains("tomatoes"));
    let named = answer.degraded.iter().any(|view| view.contains("kitchen"));
    assert!(named, "{:?}", answer.degraded);
}

/// The spaces of [`filled`], with one session in the garden.
fn with_session(home: &Home) -> Store {
    let store = filled(home);
    let garden = store.space("garden").expect("a space");
    for text in [
        "The greenhouse door is locked with code 4417",
        "The greenhouse is heated to twelve degrees",
    ] {
        let mut draft = Draft::new(text);
        draft.session = Some("tuesday".to_owned());
        garden.remember(draft).expect("remembered");
    }
    store
}

#[test]
fn a_narrow_query_stops_at_the_session_that_answers_it() {
    let home = Home::new();
    let store = with_session(&home);
    let recall = Recall::new("which code locks the greenhouse door?").narrow("tuesday");
    let answer = store
        .recall(&Spaces::one("garden"), &recall)
        .expect("an answer");
    assert_eq!(answer.reached, Some(Reached::Session));
    assert!(answer.results[0].memory.content.contains("4417"));
    let sessions = answer
        .results
        .iter()
        .map(|hit| hit.memory.session.as_deref());
    assert!(sessions.clone().all(|session| session == Some("tuesday")));
    let space = store.space("garden").expect("a space");
    let alone = space.recall(&recall).expect("an answer");
    assert_eq!(alone.reached, Some(Reached::Session));
}

#[test]
fn a_narrow_query_widens_to_the_space_and_to_core_and_says_so() {
    let home = Home::new();
    let store = with_session(&home);
    let ask = |words: &str| {
        let recall = Recall::new(words).narrow("tuesday");
        store.recall(&Spaces::one("garden"), &recall)
    };
    let in_space = ask("when was the apple tree pruned, in February?").expect("an answer");
    assert_eq!(in_space.reached, Some(Reached::Space), "{in_space:?}");
    assert!(in_space.results[0].memory.content.contains("apple tree"));
    let units = "which units does the user want, metric?";
    let in_core = ask(units).expect("an answer");
    assert_eq!(in_core.reached, Some(Reached::Core));
    assert_eq!(in_core.results[0].space.as_deref(), Some("core"));
    // The last answer is that of a query without a session.
    let wide = store
        .recall(&Spaces::one("garden"), &Recall::new(units))
        .expect("an answer");
    let ids = |answer: &anamne::Answer| -> Vec<_> {
        answer.results.iter().map(|hit| hit.memory.id).collect()
    };
    assert_eq!(ids(&in_core), ids(&wide));
    assert_eq!(wide.reached, None);
}

#[test]
fn an_unknown_session_widens_and_a_second_filter_by_session_is_refused() {
    let home = Home::new();
    let store = with_session(&home);
    let space = store.space("garden").expect("a space");
    let unknown = Recall::new("tomatoes").narrow("nobody knows it");
    let answer = space.recall(&unknown).expect("an answer");
    assert_eq!(answer.reached, Some(Reached::Space));
    assert!(!answer.results.is_empty());
    let twice = Recall::new("tomatoes").narrow("tuesday").filter(Filter {
        sessions: vec!["monday".to_owned()],
        ..Filter::default()
    });
    for refused in [twice, Recall::new("tomatoes").narrow(" ")] {
        let error = space.recall(&refused).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    }
}

#[test]
fn a_block_of_several_spaces_keeps_one_budget_and_its_citations_name_the_space() {
    let home = Home::new();
    let store = filled(&home);
    let both = named(&["kitchen", "garden"], true);
    for budget in [120, 400, 1_000] {
        let request = ContextRequest::new("flour for the tomatoes in metric units", budget);
        let context = store.context(&both, &request).expect("a context");
        assert!(context.tokens <= budget, "{} of {budget}", context.tokens);
        assert_eq!(context.tokens, estimate_tokens(&context.text));
        assert!(!context.entries.is_empty(), "{}", context.text);
        for entry in &context.entries {
            let space = entry.space.as_deref().expect("a space");
            let cited = format!("[{space}:{}]", entry.citation);
            assert!(context.text.contains(&cited), "{cited} in {}", context.text);
        }
        let preambles = context.text.matches("From memory:").count();
        assert_eq!(preambles, 1, "{}", context.text);
    }
    let request = ContextRequest::new("flour for the tomatoes in metric units", 1_000);
    let context = store.context(&both, &request).expect("a context");
    let spaces: std::collections::BTreeSet<_> = context
        .entries
        .iter()
        .filter_map(|entry| entry.space.as_deref())
        .collect();
    assert!(
        spaces.contains("kitchen") && spaces.contains("garden"),
        "{}",
        context.text
    );
}

#[test]
fn a_block_of_one_space_is_that_of_the_space_and_a_preset_has_one() {
    let home = Home::new();
    let store = filled(&home);
    let request = ContextRequest::new("when are the tomatoes watered?", 500);
    let alone = store
        .context(&named(&["garden"], false), &request)
        .expect("a context");
    let of_space = store
        .space("garden")
        .and_then(|space| space.context(&request))
        .expect("a context");
    assert_eq!(alone.text, of_space.text);
    assert!(alone.entries.iter().all(|entry| entry.space.is_none()));
    let preset = ContextRequest::preset(ContextPreset::SessionStart);
    let refused = store.context(&named(&["garden", "kitchen"], false), &preset);
    let refused = refused.expect_err("a preset is about one space");
    assert_eq!(refused.kind(), ErrorKind::Refused, "{refused}");
    assert!(store.context(&named(&["garden"], false), &preset).is_ok());
    let missing = store.context(&named(&["garden", "cellar"], false), &request);
    assert_eq!(missing.expect_err("missing").kind(), ErrorKind::NotFound);
}

#[test]
fn a_narrow_block_says_how_far_it_went() {
    let home = Home::new();
    let store = with_session(&home);
    let ask = |words: &str, spaces: &Spaces| {
        let mut request = ContextRequest::new(words, 500);
        request.recall.narrow = Some("tuesday".to_owned());
        store.context(spaces, &request).expect("a context")
    };
    let code = "which code locks the greenhouse door?";
    for spaces in [named(&["garden"], false), Spaces::one("garden")] {
        let context = ask(code, &spaces);
        assert_eq!(context.reached, Some(Reached::Session));
        assert!(context.text.contains("4417"), "{}", context.text);
        assert!(!context.text.contains("tomatoes"), "{}", context.text);
    }
    let wide = ask(
        "which units does the user want, metric?",
        &Spaces::one("garden"),
    );
    assert_eq!(wide.reached, Some(Reached::Core));
    assert!(wide.text.contains("[core:m1]"), "{}", wide.text);
}
