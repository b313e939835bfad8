//! Cached results of tools in a space: guard, erasure, rebuilds, and what is left out of answers.

use anamne::{Error, FetchStatus, Fetched, Lookup, RequestKind, Space, ToolRequest, Trigger};

use serde_json::json;

use crate::common::Home;

fn search(text: &str) -> ToolRequest {
    ToolRequest::new(RequestKind::Search, "web", text)
}

fn fetched(content: &str) -> Fetched {
    Fetched {
        content: content.to_owned(),
        took_ms: 700,
        ..Fetched::default()
    }
}

fn outcome(space: &Space, text: &str) -> Result<&'static str, Error> {
    Ok(space.cached(&search(text))?.name())
}

#[test]
fn a_result_is_served_for_the_same_request_only() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    assert_eq!(outcome(&space, "tokio 1.40 release date")?, "miss");
    space.cache_result(&search("tokio 1.40 release date"), &fetched("August 2024"))?;
    assert_eq!(outcome(&space, "tokio 1.40 release date")?, "exact");
    assert_eq!(
        outcome(&space, "what is the release date of tokio 1.40?")?,
        "semantic"
    );
    assert_eq!(outcome(&space, "tokio 1.41 release date")?, "miss");
    // Without a file, as at the first lookup, nothing is counted: a lookup doesn't create it.
    let savings = space.cache_savings()?;
    assert_eq!(
        (savings.calls(), savings.misses, savings.saved_ms),
        (2, 1, 1_400)
    );
    Ok(())
}

#[test]
fn contents_are_redacted_and_requests_with_secrets_are_not_cached() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let html = format!("<html><body><p>The token is <b>{token}</b></p></body></html>");
    space.cache_result(&search("show the token"), &fetched(&html))?;
    let Lookup::Exact(found) = space.cached(&search("show the token"))? else {
        panic!("not found");
    };
    assert!(!found.content.contains(&token) && found.content.contains("The token is"));

    // Redacted, the requests of two accounts would be the same.
    let mut asked = ToolRequest::new(RequestKind::Api, "http", "GET /user");
    asked.parameters = json!({"headers": {"Authorization": format!("Bearer {token}")}});
    let refused = space.cache_result(&asked, &fetched("ada"));
    assert!(
        refused
            .expect_err("refused")
            .to_string()
            .contains("secrets")
    );
    assert_eq!(space.cached(&asked)?.name(), "miss");
    Ok(())
}

#[test]
fn erasure_removes_links_and_rebuilds_keep_the_cache() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    let memory = space.remember("The pilot boat leaves at six")?.id;
    let triggered = Fetched {
        triggered_by: Some(Trigger::Memory(memory)),
        ..fetched("six")
    };
    let number = space.cache_result(&search("pilot boat departure"), &triggered)?;
    space.note_result_used(number, &[memory])?;
    let linked = |space: &Space| -> Result<_, Error> {
        let found = space.cached(&search("pilot boat departure"))?;
        let found = found.result().expect("cached").clone();
        Ok((found.triggered_by, found.used_in))
    };
    assert_eq!(
        linked(&space)?,
        (Some(Trigger::Memory(memory)), vec![memory])
    );
    space.rebuild(&mut |_, _| {})?;
    assert_eq!(
        linked(&space)?,
        (Some(Trigger::Memory(memory)), vec![memory])
    );
    let erasure = space.erase(memory)?;
    assert!(erasure.is_complete(), "{erasure:?}");
    assert_eq!(linked(&space)?, (None, Vec::new()));
    Ok(())
}

#[test]
fn results_are_searched_only_when_asked_for() -> Result<(), Error> {
    let home = Home::new();
    let space = home.space();
    space.remember("The pilot boat leaves at six")?;
    space.cache_result(
        &search("harbour master"),
        &fetched("The quellfruit ships at nine"),
    )?;
    let answer = space.recall(&anamne::Recall::new("quellfruit ships"))?;
    let contents = answer.results.iter().map(|hit| &hit.memory.content);
    assert!(
        contents
            .into_iter()
            .all(|content| !content.contains("quellfruit"))
    );
    let found = space.search_tool_results("when do quellfruit ships leave", 5)?;
    assert_eq!(found.len(), 1);
    let dead = Fetched {
        status: FetchStatus::Dead,
        ..Fetched::default()
    };
    space.cache_result(&search("quellfruit price"), &dead)?;
    assert_eq!(outcome(&space, "quellfruit price")?, "negative");
    assert_eq!(space.search_tool_results("quellfruit", 5)?.len(), 1);
    Ok(())
}
