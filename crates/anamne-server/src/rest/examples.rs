//! Examples of requests: every route of the description has one, which `examples.json` keeps by the id of the operation.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

const EXAMPLES: &str = include_str!("examples.json");

/// Values of parts of paths that have the same meaning in most routes.
const USUAL: [(&str, &str); 2] = [("space", "garden"), ("id", "m1")];

/// A request: values of parameters, by their place and name, and the body.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Example {
    path: BTreeMap<String, String>,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: Option<Value>,
}

impl Example {
    fn value_of(&self, parameter: &Parameter) -> Option<String> {
        let name = parameter.name.as_str();
        match parameter.parameter_in {
            ParameterIn::Path => {
                let usual = USUAL.iter().find(|(usual, _)| *usual == name);
                let usual = usual.map(|(_, value)| (*value).to_owned());
                self.path.get(name).cloned().or(usual)
            }
            ParameterIn::Query => self.query.get(name).cloned(),
            ParameterIn::Header => self.headers.get(name).cloned(),
            _ => None,
        }
    }

    fn add_to(&self, operation: &mut Operation) {
        for parameter in operation.parameters.iter_mut().flatten() {
            if let RefOr::T(described) = parameter
                && let Some(value) = self.value_of(described)
            {
                let with = ParameterBuilder::from(std::mem::take(described));
                *described = with.example(Some(Value::String(value))).build();
            }
        }
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            for (media, content) in &mut body.content {
                if let RefOr::T(content) = content
                    && media != "application/octet-stream"
                {
                    content.example.clone_from(&self.body);
                }
            }
        }
    }
}

/// The operations of a path.
pub(super) fn operations(path: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let all = [
        &mut path.get,
        &mut path.put,
        &mut path.post,
        &mut path.delete,
        &mut path.patch,
    ];
    all.into_iter().flatten()
}

/// Adds the examples to the operations of a description.
pub(super) fn add_to(description: &mut OpenApi) {
    // A test sends the example of every route, so the file can't be unreadable unnoticed.
    let examples: BTreeMap<String, Example> = serde_json::from_str(EXAMPLES).unwrap_or_default();
    for path in description.paths.paths.values_mut() {
        for operation in operations(path) {
            let id = operation.operation_id.as_deref().unwrap_or_default();
            if let Some(example) = examples.get(id) {
                example.add_to(operation);
            }
        }
    }
}
