//! Members over REST: only for who may read the home and write the other space.

use anamne::NewKey;
use serde_json::json;

use super::{admin, ask, key};
use crate::common::served::Served;

#[test]
fn memories_are_shown_in_another_space_by_who_may_read_and_write() {
    let server = Served::start();
    let admin = admin(&server);
    let told = json!({ "content": "The crane is closed on Sundays" });
    let told = ask(
        &server,
        &admin,
        "POST",
        "/v1/spaces/harbour/memories",
        Some(&told),
    )
    .expect(201);
    let id = told["id"].as_str().expect("an id");
    let of = |name: &str, spaces: &[&str], read_only: bool| {
        let wanted = NewKey {
            spaces: Some(spaces.iter().map(|&space| space.to_owned()).collect()),
            all_spaces: false,
            read_only,
            ..NewKey::named(name)
        };
        key(&server, &wanted)
    };
    let (both, reader) = (
        of("ada", &["harbour", "team"], false),
        of("bob", &["harbour", "team"], true),
    );
    let (team, harbour) = (of("cleo", &["team"], false), of("dan", &["harbour"], false));
    let team_space = json!({ "name": "team" });
    ask(&server, &admin, "POST", "/v1/spaces", Some(&team_space)).expect(201);
    let members = "/v1/spaces/team/members";
    let new = json!({ "from": "harbour", "ids": [id], "relevance": 0.5, "tags": ["crane"] });
    for (key, status) in [(&reader, 403), (&team, 404), (&harbour, 404)] {
        let refused = ask(&server, key, "POST", members, Some(&new));
        assert_eq!(refused.status, status, "{}", refused.text);
    }
    let empty = json!({ "from": "harbour", "ids": [] });
    ask(&server, &both, "POST", members, Some(&empty)).problem(422);
    let added = ask(&server, &both, "POST", members, Some(&new)).expect(200);
    assert_eq!(added["members"][0]["home"], "harbour", "{added}");
    assert_eq!(added["members"][0]["space"], "team", "{added}");
    let shown = format!("/v1/spaces/team/memories/{id}");
    let memory = ask(&server, &team, "GET", &shown, None).expect(200);
    assert_eq!(memory["content"], "The crane is closed on Sundays");
    assert_eq!(memory["tags"], json!(["crane"]), "{memory}");

    let removals = "/v1/spaces/team/members/removals";
    let leaving = json!({ "ids": [id] });
    ask(&server, &reader, "POST", removals, Some(&leaving)).problem(403);
    ask(&server, &harbour, "POST", removals, Some(&leaving)).problem(404);
    let removed = ask(&server, &both, "POST", removals, Some(&leaving)).expect(200);
    assert_eq!(removed, json!({ "removed": [id] }));
    let listed = ask(&server, &team, "GET", "/v1/spaces/team/memories", None).expect(200);
    assert_eq!(listed["memories"], json!([]));
    let kept = format!("/v1/spaces/harbour/memories/{id}");
    ask(&server, &harbour, "GET", &kept, None).expect(200);
    let home = "/v1/spaces/harbour/members/removals";
    ask(&server, &both, "POST", home, Some(&leaving)).problem(422);
}
