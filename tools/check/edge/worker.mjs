// A worker that uses the packages as an edge worker may: the tool API at its own paths, everything else at /rest.
import { ToolValidator } from "@touchstone/capability";
import { compile } from "@touchstone/core";
import { createHandler } from "@touchstone/http";
import { MessageValidator } from "@touchstone/protocol";
import { compareTools } from "@touchstone/protocol/compare";
import { lintTools } from "@touchstone/protocol/lint";
import { checked } from "@touchstone/runner";

/** The pattern is slow: slow patterns are checked with a deadline, if one is available. */
const inputSchema = {
  type: "object",
  properties: { a: { type: "integer" }, p: { type: "string", pattern: "^(a|aa)+$" } },
  required: ["a"],
};
const add = { name: "add", description: "Adds one.", inputSchema };
const called = async (_name, { a }) => ({ content: [{ type: "text", text: String(a + 1) }] });
const handler = createHandler([add], called, { allowExecute: true });

function thrownBy(task) {
  try {
    return task();
  } catch (error) {
    return error.name;
  }
}

async function rest() {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 1 } };
  const messages = new MessageValidator({ profile: "mcp", revision: "2025-11-25" });
  const increment = checked(({ a }) => a + 1, { name: "increment", input: inputSchema });
  const remote = new ToolValidator({});
  return {
    exact: compile({ type: "integer" }).validateText("9007199254740993.5").valid,
    message: messages.validateRequest(request).errorMessages,
    good: increment({ a: 1 }),
    bad: thrownBy(() => increment({ a: "1" })),
    lint: lintTools([{ name: "a" }])[0]?.severity,
    change: compareTools("a", '{"inputSchema":{}}', '{"inputSchema":false}')[0]?.class,
    remote: (await remote.validateTool("none:add", {})).valid,
  };
}

export default {
  async fetch(request) {
    return new URL(request.url).pathname === "/rest"
      ? Response.json(await rest())
      : handler(request);
  },
};
