//! `GET /docs`: the description of the routes as one page, without scripts and without anything from elsewhere.

use std::fmt::Write;

use anamne::MemoryId;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde_json::Value;
use utoipa::openapi::OpenApi;

/// The methods of a path, in the order in which they are shown.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color-scheme:light dark}code{font-family:ui-monospace,monospace;font-size:.9em}summary{cursor:pointer;padding:.2rem 0}\
pre{overflow-x:auto;padding:.5rem;background:#8882}table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0}\
details{border-bottom:1px solid #8884}.method{display:inline-block;width:5rem;font-weight:bold}";

/// The page. The nonce that allows its style differs in each answer, so that nothing put into the page could have it.
#[derive(Clone)]
pub(super) struct Page {
    body: String,
}

impl Page {
    /// The page of a description. O(size of the description).
    pub(super) fn of(description: &OpenApi) -> Self {
        let description = serde_json::to_value(description).unwrap_or_default();
        Self {
            body: body(&description),
        }
    }

    /// The page as an answer.
    pub(super) fn response(&self) -> Response {
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default();
        let nonce = MemoryId::at(now).to_string();
        let policy = format!(
            "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Anamne REST</title>\
             <meta name=\"viewport\" content=\"width=device-width\"><style nonce=\"{nonce}\">{STYLE}</style></head>\
             <body>{}</body></html>",
            self.body
        );
        let headers: [(HeaderName, &str); 3] = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CONTENT_SECURITY_POLICY, &policy),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        (StatusCode::OK, headers, html).into_response()
    }
}

/// A text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// The text of a field; empty if it has none.
fn text_of(value: &Value, field: &str) -> String {
    escaped(value[field].as_str().unwrap_or(""))
}

fn body(description: &Value) -> String {
    let mut page = format!(
        "<h1>{}</h1><p>{}</p><p>For programs: <a href=\"/openapi.json\">/openapi.json</a>.</p><h2>Routes</h2>",
        text_of(&description["info"], "title"),
        text_of(&description["info"], "description")
    );
    let paths = description["paths"].as_object();
    for (path, methods) in paths.into_iter().flatten() {
        for method in METHODS {
            if let Some(operation) = methods.get(method) {
                push_route(&mut page, method, path, operation);
            }
        }
    }
    page.push_str("<h2>Types</h2>");
    let schemas = description["components"]["schemas"].as_object();
    for (name, schema) in schemas.into_iter().flatten() {
        push_type(&mut page, name, schema);
    }
    page
}

fn push_route(page: &mut String, method: &str, path: &str, operation: &Value) {
    let _ = write!(
        page,
        "<details><summary><span class=\"method\">{}</span><code>{}</code> {}</summary><p>{}</p>",
        method.to_uppercase(),
        escaped(path),
        text_of(operation, "summary"),
        text_of(operation, "description")
    );
    let parameters = operation["parameters"].as_array();
    let rows = parameters.into_iter().flatten().map(|parameter| {
        let required = parameter["required"] == true;
        let name = text_of(parameter, "name");
        row(
            &format!("{name}{}", if required { "" } else { "?" }),
            &type_of(&parameter["schema"]),
            &text_of(parameter, "description"),
        )
    });
    let rows: String = rows.collect();
    if !rows.is_empty() {
        let _ = write!(page, "<h4>Parameters</h4><table>{rows}</table>");
    }
    let media = operation["requestBody"]["content"].as_object();
    for (kind, content) in media.into_iter().flatten() {
        let (kind, schema) = (escaped(kind), type_of(&content["schema"]));
        let _ = write!(page, "<h4>Body</h4><p><code>{kind}</code> {schema}</p>");
    }
    let example = escaped(&example(method, path, operation));
    let _ = write!(page, "<h4>Example</h4><pre>{example}</pre>");
    page.push_str("<h4>Answers</h4><table>");
    let responses = operation["responses"].as_object();
    for (status, response) in responses.into_iter().flatten() {
        let media = response["content"].as_object().into_iter().flatten();
        let types: Vec<String> = media
            .map(|(_, content)| type_of(&content["schema"]))
            .collect();
        let description = text_of(response, "description");
        page.push_str(&row(&escaped(status), &types.join(", "), &description));
    }
    page.push_str("</table></details>");
}

/// A command that sends the example of a route; a server with keys needs `$KEY`.
fn example(method: &str, path: &str, operation: &Value) -> String {
    let (mut path, mut query, mut headers) = (path.to_owned(), String::new(), String::new());
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let Some(value) = parameter["example"].as_str() else {
            continue;
        };
        let name = parameter["name"].as_str().unwrap_or("");
        if parameter["in"] == "path" {
            path = path.replace(&format!("{{{name}}}"), &in_url(value));
        } else if parameter["in"] == "query" {
            let mark = if query.is_empty() { '?' } else { '&' };
            let _ = write!(query, "{mark}{name}={}", in_url(value));
        } else {
            let _ = write!(headers, " \\\n  -H '{name}: {value}'");
        }
    }
    let mut command = format!(
        "curl -s -X {} \"localhost:7331{path}{query}\" \\\n  -H \"Authorization: Bearer $KEY\"{headers}",
        method.to_uppercase()
    );
    let media = operation["requestBody"]["content"].as_object();
    let body = media.into_iter().flatten();
    if let Some((kind, body)) = body
        .map(|(kind, of)| (kind, &of["example"]))
        .find(|(_, of)| !of.is_null())
    {
        let body = body
            .as_str()
            .map_or_else(|| body.to_string(), str::to_owned);
        let _ = write!(
            command,
            " \\\n  -H 'Content-Type: {kind}' \\\n  --data-binary '{body}'"
        );
    }
    command
}

/// A text as a part of a URL.
fn in_url(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            let _ = write!(safe, "%{byte:02X}");
        }
    }
    safe
}

/// A row of a table; its parts are escaped.
fn row(name: &str, sort: &str, description: &str) -> String {
    format!("<tr><td><code>{name}</code></td><td>{sort}</td><td>{description}</td></tr>")
}

fn push_type(page: &mut String, name: &str, schema: &Value) {
    let name = escaped(name);
    let _ = write!(
        page,
        "<details id=\"{name}\"><summary><code>{name}</code></summary><p>{}</p>",
        text_of(schema, "description")
    );
    let mut parts = vec![schema];
    for field in ["allOf", "oneOf"] {
        parts.extend(schema[field].as_array().into_iter().flatten());
    }
    let mut rows = String::new();
    for part in parts {
        let required: Vec<&str> = part["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (field, of) in part["properties"].as_object().into_iter().flatten() {
            let mark = if required.contains(&field.as_str()) {
                ""
            } else {
                "?"
            };
            let name = format!("{}{mark}", escaped(field));
            rows.push_str(&row(&name, &type_of(of), &text_of(of, "description")));
        }
    }
    if rows.is_empty() {
        let _ = write!(page, "<p>{}</p>", type_of(schema));
    } else {
        let _ = write!(page, "<table>{rows}</table>");
    }
    page.push_str("</details>");
}

/// A schema in a few words, with links to named types.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = escaped(reference.rsplit('/').next().unwrap_or(reference));
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(words) = schema["enum"].as_array() {
        let words = words.iter().filter_map(Value::as_str).map(escaped);
        let words: Vec<String> = words.map(|word| format!("<code>{word}</code>")).collect();
        return words.join(" ");
    }
    for field in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema[field].as_array() {
            let parts: Vec<String> = parts.iter().map(type_of).collect();
            return parts.join(" or ");
        }
    }
    if schema["type"] == "array" {
        return format!("list of {}", type_of(&schema["items"]));
    }
    match &schema["type"] {
        Value::String(sort) => escaped(sort),
        Value::Array(sorts) => {
            let sorts = sorts.iter().filter_map(Value::as_str).map(escaped);
            sorts.collect::<Vec<_>>().join(" or ")
        }
        _ => "any JSON".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_text_of_a_description_is_markup() {
        let bad = "<script>alert('x')</script>\"&";
        let page = body(&json!({
            "info": { "title": bad, "description": bad },
            "paths": { bad: { "get": {
                "summary": bad, "description": bad,
                "parameters": [{ "name": bad, "description": bad, "schema": { "type": bad } }],
                "requestBody": { "content": { bad: { "schema": { "enum": [bad] } } } },
                "responses": { bad: { "description": bad, "content": { bad: { "schema": { "$ref": bad } } } } },
            } } },
            "components": { "schemas": { bad: { "description": bad, "properties": { bad: { "description": bad } } } } },
        }));
        assert!(!page.contains("<script"), "{page}");
        assert!(!page.contains("'x'"), "{page}");
        assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)"), "{page}");
    }
}
