//! What the cache promises.

use anamne_types::MemoryId;
use jiff::{SignedDuration, Timestamp, ToSpan};
use tempfile::TempDir;

use super::{
    DEFAULT_FRESHNESS, FetchStatus, Fetched, Invalidation, Lookup, RequestKind, ToolRequest,
    ToolResults, Trigger,
};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn cache() -> (TempDir, ToolResults) {
    cache_of(1 << 30)
}

fn cache_of(most_bytes: u64) -> (TempDir, ToolResults) {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = ToolResults::at(&folder.path().join("external/tool-results.db"), most_bytes);
    (folder, cache)
}

fn search(text: &str) -> ToolRequest {
    ToolRequest::new(RequestKind::Search, "web", text)
}

fn page(url: &str) -> ToolRequest {
    ToolRequest::new(RequestKind::Page, "fetch", url)
}

fn fetched(content: &str) -> Fetched {
    Fetched {
        content: content.to_owned(),
        took_ms: 900,
        cost: 2_000,
        ..Fetched::default()
    }
}

fn with_status(status: FetchStatus) -> Fetched {
    Fetched {
        status,
        ..Fetched::default()
    }
}

fn outcome(cache: &ToolResults, request: &ToolRequest, now: Timestamp) -> &'static str {
    cache.look_up(request, now).expect("looked up").name()
}

#[test]
fn a_request_for_tomorrow_is_another_one_on_the_next_day() {
    let (_folder, cache) = cache();
    let noon = NOW + 12.hours();
    for text in ["weather in Oslo tomorrow", "concerts in Oslo this week"] {
        cache
            .store(&search(text), &fetched("rain"), noon)
            .expect("stored");
        let worded = search(&format!("please tell me the {text}"));
        for request in [search(text), worded] {
            assert_ne!(
                outcome(&cache, &request, noon + 2.hours()),
                "miss",
                "{text}"
            );
        }
    }
    let tomorrow = search("weather in Oslo tomorrow");
    assert_eq!(outcome(&cache, &tomorrow, noon + 13.hours()), "stale");
    let worded = search("what's the weather in Oslo tomorrow?");
    assert_eq!(outcome(&cache, &worded, noon + 13.hours()), "miss");
    let week = search("concerts in Oslo this week");
    assert_eq!(outcome(&cache, &week, noon + 13.hours()), "exact");
    assert_eq!(outcome(&cache, &week, noon + 160.hours()), "stale");
    let hours = search("downloads in the last 24 hours");
    cache.store(&hours, &fetched("7"), noon).expect("stored");
    assert_eq!(outcome(&cache, &hours, noon + 10.minutes()), "exact");
    assert_eq!(outcome(&cache, &hours, noon + 2.hours()), "stale");
}

#[test]
fn a_lookup_finds_the_request_and_its_wordings_and_nothing_else() {
    let (_folder, cache) = cache();
    let asked = search("flights from Oslo to Rome in May");
    assert_eq!(outcome(&cache, &asked, NOW), "miss");
    cache
        .store(&asked, &fetched("three a day"), NOW)
        .expect("stored");
    assert_eq!(outcome(&cache, &asked, NOW), "exact");
    let worded = search("please show me flights to Rome from Oslo in May");
    let Lookup::Semantic(found) = cache.look_up(&worded, NOW).expect("looked up") else {
        panic!("no semantic hit");
    };
    assert_eq!(
        (found.request, found.content.as_str()),
        (asked, "three a day")
    );
    assert_eq!(
        outcome(&cache, &search("flights from Rome to Oslo in May"), NOW),
        "miss"
    );
    let other_tool = ToolRequest::new(
        RequestKind::Search,
        "news",
        "flights from Oslo to Rome in May",
    );
    assert_eq!(outcome(&cache, &other_tool, NOW), "miss");
}

#[test]
fn freshness_is_by_rule_and_shorter_for_what_was_in_vain() {
    let (_folder, cache) = cache();
    let day = SignedDuration::from_hours(24);
    let after = |duration: SignedDuration| NOW.saturating_add(duration).expect("a time");
    let (docs, news) = (
        page("https://docs.example.com/a"),
        page("https://news.example.com/a"),
    );
    cache
        .set_freshness(None, "News.example.com", day)
        .expect("set");
    cache.store(&docs, &fetched("docs"), NOW).expect("stored");
    cache.store(&news, &fetched("news"), NOW).expect("stored");
    assert_eq!(outcome(&cache, &news, after(day)), "stale");
    assert_eq!(outcome(&cache, &docs, after(day)), "exact");
    assert_eq!(outcome(&cache, &docs, after(DEFAULT_FRESHNESS)), "stale");
    let dead = page("https://docs.example.com/dead");
    cache
        .store(&dead, &with_status(FetchStatus::Dead), NOW)
        .expect("stored");
    assert_eq!(outcome(&cache, &dead, NOW), "negative");
    assert_eq!(outcome(&cache, &dead, after(day)), "stale");
    let blocked = page("https://docs.example.com/blocked");
    cache
        .store(&blocked, &with_status(FetchStatus::Blocked), NOW)
        .expect("stored");
    assert_eq!(
        outcome(&cache, &blocked, after(SignedDuration::from_hours(1))),
        "stale"
    );
}

#[test]
fn a_stale_result_gives_way_to_a_fresh_one_in_other_words() {
    let (_folder, cache) = cache();
    let later = NOW + 300.hours();
    cache
        .store(&search("rust async book"), &fetched("old"), NOW)
        .expect("stored");
    cache
        .store(&search("async book rust"), &fetched("new"), later)
        .expect("stored");
    let found = cache
        .look_up(&search("rust async book"), later)
        .expect("looked up");
    assert_eq!(
        (
            found.name(),
            found.result().map(|found| found.content.as_str())
        ),
        ("semantic", Some("new"))
    );
}

#[test]
fn a_clock_in_the_far_future_deletes_nothing() {
    let (_folder, cache) = cache();
    cache
        .store(&search("rust async book"), &fetched("kept"), NOW)
        .expect("stored");
    let far = Timestamp::MAX;
    cache
        .store(&search("python async book"), &fetched("new"), far)
        .expect("stored");
    assert_eq!(outcome(&cache, &search("rust async book"), far), "stale");
    assert_eq!(outcome(&cache, &search("rust async book"), NOW), "exact");
}

#[test]
fn a_result_from_the_future_is_not_fresh_before_that_time_comes() {
    let (_folder, cache) = cache();
    let fast = NOW + 8_760.hours();
    cache
        .store(&search("rust async book"), &fetched("kept"), fast)
        .expect("stored");
    assert_eq!(outcome(&cache, &search("rust async book"), NOW), "stale");
    assert_eq!(outcome(&cache, &search("async book rust"), NOW), "miss");
    assert_eq!(outcome(&cache, &search("rust async book"), fast), "exact");
}

#[test]
fn savings_count_what_hits_would_have_cost() {
    let (_folder, cache) = cache();
    cache
        .store(&search("rust async book"), &fetched("x"), NOW)
        .expect("stored");
    for text in ["rust async book", "async book rust", "go async book"] {
        let lookup = cache.look_up(&search(text), NOW).expect("looked up");
        cache.note_lookup(&lookup).expect("noted");
    }
    let savings = cache.savings().expect("savings");
    assert_eq!(
        (savings.exact_hits, savings.semantic_hits, savings.misses),
        (1, 1, 1)
    );
    assert_eq!(
        (savings.calls(), savings.saved_ms, savings.saved_cost),
        (2, 1_800, 4_000)
    );
}

#[test]
fn results_are_invalidated_by_address_source_tool_and_age() {
    let check = |which: Invalidation, removed: u64| {
        let (_folder, cache) = cache();
        for (turn, request) in [
            page("https://a.example/x?utm_source=mail"),
            page("https://a.example/y"),
            page("https://b.example/x"),
            search("rust async book"),
        ]
        .iter()
        .enumerate()
        {
            let now = NOW + i64::try_from(turn).expect("small").hours();
            cache.store(request, &fetched("text"), now).expect("stored");
        }
        assert_eq!(
            cache.invalidate(&which).expect("removed"),
            removed,
            "{which:?}"
        );
        assert_eq!(cache.savings().expect("savings").results, 4 - removed);
        assert_eq!(
            cache.search("text", 9).expect("found").len() as u64,
            4 - removed
        );
        if removed == 4 {
            assert_eq!(cache.savings().expect("savings").bytes, 0);
        }
    };
    check(Invalidation::Url("https://A.example/x#top".into()), 1);
    check(Invalidation::Source("a.example".into()), 2);
    check(Invalidation::Source("https://a.example/any".into()), 2);
    check(Invalidation::Tool("fetch".into()), 3);
    check(Invalidation::Before(NOW + 2.hours()), 2);
    check(Invalidation::All, 4);
}

#[test]
fn results_that_were_used_or_took_long_outlive_others() {
    let (_folder, cache) = cache_of(40_000);
    let content = "x".repeat(1_000);
    let slow = Fetched {
        took_ms: 60_000,
        ..fetched(&content)
    };
    cache
        .store(&search("slow report"), &slow, NOW)
        .expect("stored");
    cache
        .store(&search("popular report"), &fetched(&content), NOW)
        .expect("stored");
    for _ in 0..50 {
        let lookup = cache
            .look_up(&search("popular report"), NOW)
            .expect("looked up");
        cache.note_lookup(&lookup).expect("noted");
    }
    for number in 0..60 {
        let request = search(&format!("report number {number}"));
        cache
            .store(&request, &fetched(&content), NOW)
            .expect("stored");
    }
    let savings = cache.savings().expect("savings");
    assert!(
        savings.bytes <= 40_000 && savings.results < 20,
        "{savings:?}"
    );
    assert_eq!(outcome(&cache, &search("slow report"), NOW), "exact");
    assert_eq!(outcome(&cache, &search("popular report"), NOW), "exact");
    assert_eq!(outcome(&cache, &search("report number 0"), NOW), "miss");
}

#[test]
fn links_to_erased_memories_disappear() {
    let (_folder, cache) = cache();
    let memory = |byte| MemoryId::from_bytes([byte; 16]);
    let request = search("rust async book");
    let triggered = Fetched {
        triggered_by: Some(Trigger::Memory(memory(1))),
        ..fetched("x")
    };
    let number = cache.store(&request, &triggered, NOW).expect("stored");
    cache
        .note_used(number, &[memory(1), memory(2)])
        .expect("noted");
    cache.note_used(number + 7, &[memory(3)]).expect("ignored");
    assert_eq!(
        cache.linked_memories().expect("linked"),
        [memory(1), memory(2)]
    );
    cache.purge(&[memory(1)]).expect("purged");
    let found = cache.look_up(&request, NOW).expect("looked up");
    let found = found.result().expect("found");
    assert_eq!(
        (&found.triggered_by, found.used_in.as_slice()),
        (&None, &[memory(2)][..])
    );
    assert!(!cache.note_used(99, &[memory(2)]).expect("looked up"));
}

#[test]
fn pages_are_stored_as_text_and_found_by_their_words() {
    let (_folder, cache) = cache();
    let html = "<html><script>evil()</script><p>The pilot boat leaves</p></html>";
    cache
        .store(&page("https://a.example/boat"), &fetched(html), NOW)
        .expect("stored");
    let found = cache.search("pilot AND \"boat NEAR(", 5).expect("found");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].content, "The pilot boat leaves");
    assert_eq!(cache.search("evil", 5).expect("found"), []);
    assert_eq!(cache.search("", 5).expect("found"), []);
}

#[test]
fn a_damaged_file_is_replaced_by_an_empty_one() {
    let (_folder, cache) = cache();
    std::fs::create_dir_all(cache.path().parent().expect("a folder")).expect("made");
    std::fs::write(cache.path(), [7; 9_000]).expect("written");
    assert_eq!(outcome(&cache, &search("rust async book"), NOW), "miss");
    cache
        .store(&search("rust async book"), &fetched("x"), NOW)
        .expect("stored");
    assert_eq!(cache.problems().expect("checked"), [""; 0]);
}

#[test]
fn nothing_is_no_result_unless_the_status_says_so() {
    let (_folder, cache) = cache();
    for nothing in ["", " \n", "<html><head><title></title></head></html>"] {
        let refused = cache.store(&search("pilot boat"), &fetched(nothing), NOW);
        assert!(refused.is_err(), "{nothing:?}");
    }
    assert_eq!(outcome(&cache, &search("pilot boat"), NOW), "miss");
    for status in FetchStatus::ALL {
        let state = ToolRequest::new(RequestKind::Url, "fetch", "https://a.example/");
        cache
            .store(&state, &with_status(status), NOW)
            .expect("stored");
    }
}

#[test]
fn the_number_of_a_removed_result_is_not_given_again() {
    let (_folder, cache) = cache();
    let store = |text: &str| {
        let stored = cache.store(&search(text), &fetched("six"), NOW);
        stored.expect("stored")
    };
    let mut given = vec![store("pilot boat"), store("mail boat")];
    let last = Invalidation::Number(given[1]);
    assert_eq!(cache.invalidate(&last).expect("removed"), 1);
    given.push(store("night boat"));
    cache.invalidate(&Invalidation::All).expect("removed");
    given.extend([store("pilot boat"), store("pilot boat")]);
    assert!(given.is_sorted_by(|one, next| one < next), "{given:?}");
}

#[test]
fn a_request_without_text_or_beyond_the_limit_is_refused() {
    let (_folder, cache) = cache();
    assert!(cache.store(&search("  "), &fetched("x"), NOW).is_err());
    assert!(
        cache
            .store(&search(&"x".repeat(20_000)), &fetched("x"), NOW)
            .is_err()
    );
    let found = cache
        .look_up(&search(&"x ".repeat(2_000)), NOW)
        .expect("looked up");
    assert_eq!(found, Lookup::Miss);
}
