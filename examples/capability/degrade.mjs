// One client, two servers: one that validates, one that does not. It asks the first, checks by the
// schema alone for the second, and knows which it did.
//   node examples/capability/degrade.mjs
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolValidator } from "@touchstone/capability";
import { isProgram } from "../is-program.mjs";

async function open(program, ...args) {
  const client = new Client({ name: "degrade", version: "1.0.0" });
  const path = fileURLToPath(new URL(program, import.meta.url));
  const command = process.execPath;
  await client.connect(new StdioClientTransport({ command, args: [path, ...args] }));
  return client;
}

export async function run(print) {
  const desk = await open("server-v1.mjs", ".");
  const faulty = await open("../faulty-server/server.mjs");
  const logger = { warn: (line) => print(`note: ${line}`) };
  const validator = new ToolValidator({ desk, faulty }, { logger });
  const results = await validator.validateTools([
    { tool: "desk:write_file", arguments: { path: "../x", content: "" } },
    { tool: "desk:write_file", arguments: { path: "x" } },
    { tool: "faulty:get_weather", arguments: { city: 1 } },
    { tool: "faulty:get_weather", arguments: { city: "Oslo" } },
  ]);
  for (const { valid, method, native, errors } of results) {
    print(`${valid ? "valid" : "not valid"} (${method}, ${native.status}) ${errors.join("; ")}`);
  }
  await Promise.all([desk.close(), faulty.close()]);
}

if (isProgram(import.meta.url)) await run(console.log);
