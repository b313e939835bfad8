//! Deletion of a space: only in the state that was read, and what becomes of the keys that name it.

use anamne::{NewKey, Right};
use serde_json::json;

use super::{admin, ask, key};
use crate::common::served::{Reply, Served};

const RECIPES: &str = "/v1/spaces/recipes";

/// Deletes `recipes` if it has this state.
fn delete_if(server: &Served, key: &str, state: &str) -> Reply {
    let bearer = format!("Bearer {key}");
    let headers = [("authorization", bearer.as_str()), ("if-match", state)];
    server.send("DELETE", &format!("{RECIPES}?name=recipes"), &headers, None)
}

fn tell(server: &Served, key: &str, content: &str) {
    let told = json!({ "content": content });
    let path = format!("{RECIPES}/memories");
    ask(server, key, "POST", &path, Some(&told)).expect(201);
}

#[test]
fn a_space_that_was_changed_since_it_was_read_is_not_deleted() {
    let server = Served::start();
    let admin = admin(&server);
    tell(&server, &admin, "Rhubarb needs sugar");
    let read = || {
        let read = ask(&server, &admin, "GET", RECIPES, None);
        assert_eq!(read.status, 200, "{}", read.text);
        read.header("etag").to_owned()
    };
    let first = read();
    assert_eq!(read(), first);
    tell(&server, &admin, "Leeks need sand");
    let second = read();
    assert_ne!(second, first);
    let settings = format!("{RECIPES}/settings");
    let described = json!({ "description": "What we cook" });
    ask(&server, &admin, "PATCH", &settings, Some(&described)).expect(200);
    let third = read();
    let weak = format!("W/{third}");
    for stale in [&first, &second, &weak, "\"1\"", "", "recipes"] {
        let refused = delete_if(&server, &admin, stale).problem(412);
        assert!(
            refused["detail"]
                .as_str()
                .is_some_and(|said| said.contains("read it again"))
        );
    }
    delete_if(&server, &admin, &format!("{first}, {third}")).problem(422);
    assert_eq!(read(), third);
    delete_if(&server, &admin, &third).expect(200);
    tell(&server, &admin, "Another space of the name");
    delete_if(&server, &admin, &third).problem(412);
    delete_if(&server, &admin, "*").expect(200);
    delete_if(&server, &admin, "*").problem(404);
    delete_if(&server, &admin, &third).problem(404);
}

#[test]
fn a_later_space_of_the_name_is_not_for_the_keys_of_the_deleted_one() {
    let server = Served::start();
    let admin = admin(&server);
    tell(&server, &admin, "Rhubarb needs sugar");
    let of = |name: &str, spaces: &[&str], rights: &[Right]| {
        let wanted = NewKey {
            spaces: Some(spaces.iter().map(|&space| space.to_owned()).collect()),
            all_spaces: false,
            rights: rights.to_vec(),
            ..NewKey::named(name)
        };
        key(&server, &wanted)
    };
    let both = of("ada", &["recipes", "core"], &[]);
    let alone = of("bob", &["recipes"], &[Right::Erase]);
    let deleted = delete_if(&server, &alone, "*").expect(200);
    assert_eq!(
        deleted.get("keys"),
        None,
        "whose keys there are is not for it: {deleted}"
    );
    tell(&server, &admin, "Another space of the name");
    ask(&server, &both, "GET", RECIPES, None).problem(404);
    ask(&server, &both, "GET", "/v1/spaces", None).expect(200);
    ask(&server, &alone, "GET", RECIPES, None).problem(401);
    let listed = ask(&server, &admin, "GET", "/v1/admin/keys", None).expect(200);
    let keys = listed["keys"].as_array().expect("keys");
    let lost: Vec<_> = keys
        .iter()
        .filter(|key| key["lost_spaces"][0]["space"] == "recipes")
        .map(|key| (&key["name"], key["revoked_at"].is_string()))
        .collect();
    assert_eq!(lost, [(&json!("ada"), false), (&json!("bob"), true)]);
    // The administrator is told.
    of("cleo", &["recipes"], &[]);
    let deleted = delete_if(&server, &admin, "*").expect(200);
    assert_eq!(deleted["keys"][0]["name"], "cleo", "{deleted}");
}
