//! Edits change what they are told to, and nothing else.

#[path = "edit/block.rs"]
mod block;
#[path = "edit/examples.rs"]
mod examples;
#[path = "edit/hostile.rs"]
mod hostile;
#[path = "edit/properties.rs"]
mod properties;
#[path = "edit/writers.rs"]
mod writers;
#[path = "edit/yaml_writer.rs"]
mod yaml_writer;
