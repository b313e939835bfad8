//! The server over MCP and HTTP.

mod common;

mod http_limits;
mod http_operation;
mod mcp_asking;
mod mcp_cache;
mod mcp_client;
mod mcp_experience;
mod mcp_fields;
mod mcp_guard;
mod mcp_help;
mod mcp_http;
mod mcp_knowledge;
mod mcp_list;
mod mcp_maintenance;
mod mcp_names;
mod mcp_numbers;
mod mcp_quoting;
mod mcp_reranker;
mod mcp_resources;
mod mcp_scope;
mod mcp_tokens;
mod mcp_tools;
mod mcp_wire;
mod rest_access;
mod rest_examples;
mod rest_knowledge;
mod rest_memories;
mod rest_streams;
mod rest_upkeep;
