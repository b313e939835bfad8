//! The description is enough to use every route: each has its body and an example that the server accepts.

use anamne::{KeyRole, NewKey, Options, Right, Store};
use serde_json::{Value, json};

use crate::common::served::{Reply, Served};

/// Examples that name something which only an earlier answer can name, or a state that a space rarely has.
const OF_SOMETHING_ELSE: [&str; 13] = [
    "back_up_server",
    "back_up_space",
    "cancel_task",
    "keep_lesson",
    "keep_skill",
    "read_backup_schedule",
    "resolve_contradiction",
    "retry_tasks",
    "revoke_key",
    "set_lesson_aside",
    "show_contradiction",
    "show_each",
    "show_work",
];

/// Answers that have no end, or are no text. Other tests ask for them.
const NO_TEXT: [&str; 2] = ["follow_events", "export_tenant"];

/// What has to be there before other examples, in this order.
const FIRST: [&str; 13] = [
    "store_memory",
    "edit_memory",
    "store_memories",
    "import",
    "create_space",
    "create_tenant",
    "outcome",
    "store_result",
    "set_working_value",
    "start_experiment",
    "assert",
    "extract",
    "create_link",
];

/// What other examples need until then, in this order.
const LAST: [&str; 14] = [
    "remove_members",
    "remove_link",
    "delete_memory",
    "forget_memories",
    "restore_memory",
    "remove_enrichment",
    "restore_enrichment",
    "remove_working_value",
    "stop_experiment",
    "invalidate",
    "clear_queries",
    "suspend_tenant",
    "erase_tenant",
    "delete_space",
];

/// A route as the description has it.
struct Route {
    method: String,
    path: String,
    operation: Value,
}

impl Route {
    fn id(&self) -> &str {
        self.operation["operationId"].as_str().expect("an id")
    }

    fn order(&self) -> usize {
        let first = FIRST.iter().position(|id| *id == self.id());
        let last = LAST.iter().position(|id| *id == self.id());
        first.unwrap_or_else(|| last.map_or(FIRST.len(), |at| FIRST.len() + 1 + at))
    }

    /// The parameters: place, name, value.
    fn parameters(&self) -> Vec<(&str, &str, Option<&str>)> {
        let all = self.operation["parameters"].as_array();
        let named = all.into_iter().flatten().map(|one| {
            let text = |field: &str| one[field].as_str();
            let required = one["required"] == true;
            let (place, name) = (text("in").expect("a place"), text("name").expect("a name"));
            assert!(
                !required || text("example").is_some(),
                "{}: {name}",
                self.id()
            );
            (place, name, text("example"))
        });
        named.collect()
    }

    /// The media type and the text of the body's example.
    fn body(&self) -> Option<(String, String)> {
        let content = self.operation["requestBody"]["content"].as_object()?;
        let (media, with) = content
            .iter()
            .find(|(_, with)| !with["example"].is_null())?;
        let example = &with["example"];
        let text = example
            .as_str()
            .map_or_else(|| example.to_string(), str::to_owned);
        Some((media.clone(), text))
    }

    fn send(&self, server: &Served, key: &str) -> Reply {
        let bearer = format!("Bearer {key}");
        let mut headers = vec![("authorization", bearer.as_str())];
        let (mut path, mut query) = (self.path.clone(), Vec::new());
        for (place, name, value) in self.parameters() {
            let Some(value) = value else { continue };
            let value_in_url = value.replace(' ', "%20").replace('?', "%3F");
            match place {
                "path" => path = path.replace(&format!("{{{name}}}"), &value_in_url),
                "query" => query.push(format!("{name}={value_in_url}")),
                _ => headers.push((name, value)),
            }
        }
        let path = [path, query.join("&")].join(if query.is_empty() { "" } else { "?" });
        let body = self.body();
        if let Some((media, _)) = &body {
            headers.push(("content-type", media));
        }
        let body = body.as_ref().map(|(_, text)| text.as_bytes());
        server.send(&self.method.to_uppercase(), &path, &headers, body)
    }
}

fn routes(server: &Served) -> Vec<Route> {
    let description = server.get("/openapi.json").expect(200);
    let paths = description["paths"].as_object().expect("paths");
    let routes = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods");
        methods.iter().map(|(method, operation)| Route {
            method: method.clone(),
            path: path.clone(),
            operation: operation.clone(),
        })
    });
    let mut routes: Vec<Route> = routes.collect();
    routes.sort_by_key(Route::order);
    routes
}

/// The keys of an operator, and of somebody with every right in all spaces.
fn keys(server: &Served) -> [String; 2] {
    let store = Store::open_with(Options::new(server.store())).expect("a store");
    let records = store.server_records().expect("records");
    let operator = NewKey {
        role: Some(KeyRole::Admin),
        ..NewKey::named("operator")
    };
    let all = NewKey {
        all_spaces: true,
        rights: vec![Right::Erase, Right::Configure, Right::Trust],
        ..NewKey::named("ada")
    };
    [operator, all].map(|wanted| records.create_key(&wanted).expect("a key").key)
}

#[test]
fn the_example_of_every_route_is_accepted() {
    let server = Served::start();
    let routes = routes(&server);
    let [operator, ada] = keys(&server);
    for space in ["garden", "team"] {
        let bearer = format!("Bearer {ada}");
        for content in ["The pump is behind the shed", "Tulips come in April"] {
            let stored = server.json(
                "POST",
                &format!("/v1/spaces/{space}/memories"),
                &[("authorization", &bearer)],
                &json!({ "content": content }),
            );
            stored.expect(201);
        }
    }
    let mut sent = 0;
    for route in &routes {
        let id = route.id();
        if NO_TEXT.contains(&id) {
            continue;
        }
        let is_admin = route.path.starts_with("/v1/admin");
        let reply = route.send(&server, if is_admin { &operator } else { &ada });
        sent += 1;
        if OF_SOMETHING_ELSE.contains(&id) {
            let detail = &reply.text;
            assert!(matches!(reply.status, 200 | 404 | 422), "{id}: {detail}");
            for unreadable in [
                "the JSON of the body",
                "the query of the address",
                "must be a",
                "Invalid URL",
            ] {
                let is_known = unreadable == "must be a" && id == "back_up_space";
                assert!(is_known || !detail.contains(unreadable), "{id}: {detail}");
            }
        } else {
            assert!(
                (200..300).contains(&reply.status),
                "{id}: {} {}",
                reply.status,
                reply.text
            );
        }
    }
    assert!(sent > 110, "{sent}");
}

#[test]
fn every_route_that_reads_a_body_describes_it() {
    let server = Served::start();
    let mut ids = Vec::new();
    for route in routes(&server) {
        let id = route.id().to_owned();
        let responses = route.operation["responses"].as_object().expect("some");
        for (status, response) in responses {
            assert!(response["description"].is_string(), "{id}: {status}");
        }
        let described = !route.operation["requestBody"].is_null();
        assert_eq!(route.body().is_some(), described, "{id} has no example");
        // Whoever reads a body refuses this one, whatever its fields.
        let mut path = route.path.clone();
        for (place, name, value) in route.parameters() {
            if place == "path" {
                path = path.replace(
                    &format!("{{{name}}}"),
                    &value.expect("an example").replace(' ', "%20"),
                );
            }
        }
        let json = [("content-type", "application/json")];
        let method = route.method.to_uppercase();
        if method != "GET" && id != "import" {
            let reply = server.send(&method, &path, &json, Some(b"[1]"));
            let read = reply
                .text
                .contains("the body must be a JSON object, not a list");
            assert_eq!(read, described, "{id}: {} {}", reply.status, reply.text);
        }
        assert!(!ids.contains(&id), "two operations have the id {id}");
        ids.push(id);
    }
}

#[test]
fn the_page_has_a_command_for_every_route() {
    let server = Served::start();
    let page = server.get("/docs").text;
    let commands = page.matches("curl -s -X ").count();
    assert_eq!(commands, routes(&server).len());
    for part in [
        "curl -s -X POST &quot;localhost:7331/v1/spaces/garden/recall&quot;",
        "-H &#39;If-Match: &quot;1&quot;&#39;",
        "/knowledge/entities/Mara%20Lind",
        "--data-binary &#39;{&quot;keep&quot;:&quot;m2&quot;}&#39;",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // In a shell, an example between single quotes may have none.
    let description = server.get("/openapi.json").text;
    for route in routes(&server) {
        assert!(
            !route.body().is_some_and(|(_, text)| text.contains('\'')),
            "{}",
            route.id()
        );
    }
    assert!(description.contains(r#""securitySchemes":{"key":{"type":"http","scheme":"bearer""#));
}
