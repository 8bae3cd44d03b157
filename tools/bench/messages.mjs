// `npm run bench:messages`: compares what a model reads after a bad call, from us and from others: how long it is, and
// how many of the facts needed to fix the call it contains. `--texts` prints every text.
import "../help.mjs";

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { registerSchema, unregisterSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { compileDeclared, renderForModel } from "@touchstone/core/advanced";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { runnerImport } from "vite";
import { fromJSONSchema } from "zod";

const CALLS = fileURLToPath(
  new URL("../../packages/core/src/report/render/testing/bad-calls.ts", import.meta.url),
);
const TOOL = "tool";

function ours({ schema, args }) {
  return renderForModel(compileDeclared({ value: schema }).validateText(JSON.stringify(args)), {
    tool: TOOL,
  });
}

function ajv({ schema, args }) {
  const engine = new Ajv2020({ strict: false, allErrors: true });
  addFormats(engine);
  const check = engine.compile(schema);
  check(args);
  return engine.errorsText(check.errors);
}

/** Returns the response of the SDK's server if the tool declares the same schema with Zod. */
async function sdk({ schema, args }) {
  const server = new McpServer({ name: "server", version: "1" });
  server.registerTool(TOOL, { inputSchema: fromJSONSchema(schema) }, () => ({ content: [] }));
  const client = new Client({ name: "client", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  try {
    const result = await client.callTool({ name: TOOL, arguments: args });
    return result.isError ? result.content.map(({ text }) => text).join("\n") : undefined;
  } catch (error) {
    return error.message;
  } finally {
    await client.close();
  }
}

/** Hyperjump has no readable texts: returns its output units, one per line. */
async function hyperjump({ schema, args }) {
  const uri = "https://example.com/schema";
  registerSchema(structuredClone(schema), uri, "https://json-schema.org/draft/2020-12/schema");
  try {
    const { errors = [] } = await validate(uri, args, "BASIC");
    return errors
      .map(({ keyword, instanceLocation }) => `${instanceLocation} ${keyword.split("/").at(-1)}`)
      .join("\n");
  } finally {
    unregisterSchema(uri);
  }
}

const PEERS = [
  ["touchstone", ours],
  ["ajv errorsText", ajv],
  ["mcp sdk v1", sdk],
  ["hyperjump", hyperjump],
];

const holds = (text, fact) =>
  typeof fact === "string" ? text.includes(fact) : new RegExp(fact).test(text);

const { values } = parseArgs({ options: { texts: { type: "boolean", default: false } } });
const { module } = await runnerImport(CALLS);
const calls = module.BAD_CALLS;
const rows = [];
for (const [peer, render] of PEERS) {
  const row = { peer, calls: 0, "not told": 0, facts: 0, "of facts": 0, whole: 0, characters: [] };
  for (const call of calls) {
    let text;
    try {
      text = await render(call);
    } catch (error) {
      row["not measured"] = (row["not measured"] ?? 0) + 1;
      if (values.texts) console.log(`--- ${call.name}: ${peer}: not measured: ${error.message}`);
      continue;
    }
    row.calls += 1;
    if (text === undefined) row["not told"] += 1;
    const found = call.facts.filter((fact) => holds(text ?? "", fact)).length;
    row.facts += found;
    row["of facts"] += call.facts.length;
    if (found === call.facts.length) row.whole += 1;
    row.characters.push((text ?? "").length);
    if (values.texts)
      console.log(`--- ${call.name}: ${peer}\n${text ?? "(the call was accepted)"}`);
  }
  rows.push(row);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
console.log(`${calls.length} bad calls; the facts are those that bad-calls.ts lists, in our words`);
console.table(
  rows.map(({ characters, facts, "of facts": all, whole, ...row }) => ({
    ...row,
    "facts held": `${facts} of ${all}`,
    "texts with all facts": whole,
    "median characters": median(characters),
    "most characters": Math.max(...characters),
  })),
);
