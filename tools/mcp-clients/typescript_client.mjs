// Uses the memory with the official TypeScript clients: typescript_client.mjs http URL | stdio COMMAND…
import assert from "node:assert";
import * as current from "@modelcontextprotocol/client";
import * as currentStdio from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, ...rest] = process.argv.slice(2);
const named = (name) => ({ name, version: "1.0.0" });
const packages = {
  "sdk 1": {
    client: () => new Client(named("probe-1")),
    http: () => new StreamableHTTPClientTransport(new URL(rest[0])),
    stdio: () => new StdioClientTransport({ command: rest[0], args: rest.slice(1) }),
  },
  "client 2": {
    client: () => new current.Client(named("probe-2")),
    http: () => new current.StreamableHTTPClientTransport(new URL(rest[0])),
    stdio: () => new currentStdio.StdioClientTransport({ command: rest[0], args: rest.slice(1) }),
  },
};

for (const [name, made] of Object.entries(packages)) {
  const client = made.client();
  await client.connect(made[kind]());
  const { tools } = await client.listTools();
  assert(tools.some((tool) => tool.name === "memory_search"));
  const call = async (tool, args) => client.callTool({ name: tool, arguments: args });
  const text = (result) => result.content.map((part) => part.text ?? "").join("");
  const fact = `The ${name} lighthouse of TypeScript flashes every eight seconds`;
  const stored = text(await call("memory_store", { content: fact }));
  assert.match(stored, /Stored|nown/);
  const found = text(await call("memory_search", { query: `how often does the ${name} lighthouse of TypeScript flash?` }));
  assert.match(found, /eight seconds/);
  const refused = await call("memory_get", { id: "m999999" });
  assert.equal(refused.isError, true);
  assert((await client.listPrompts()).prompts.length > 0);
  const known = stored.match(/\bm\d+\b/)[0];
  const read = await client.readResource({ uri: `anamne://space/core/memory/${known}` });
  assert(read.contents.length > 0);
  await client.close();
  console.log(`ok TypeScript ${name}`);
}
