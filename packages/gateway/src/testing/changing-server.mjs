/**
 * A stdio MCP server whose declarations are in the file that `DECLARED` names: JSON with `tools`, and optionally
 * `instructions`, `prompts`, `resourceTemplates` and `introduction` (more of the result of `initialize`), read again for
 * each request. `toolsText` is the text of the list instead of `tools`.
 *
 * A request that arrives after the file has changed is answered after `notifications/tools/list_changed`, unless it
 * requests the list. It speaks MCP 2026-07-28 as well, and acknowledges subscriptions to changes of the list. The
 * messages of a batch are answered one by one. A call with `hold: true` is answered before the next `ping`. Each call
 * writes `called NAME` on stderr. The result of a call has `{"version": VERSION}` as structured content, from the
 * file.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const say = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const read = () => readFileSync(process.env.DECLARED, "utf8");
let listed = read();
let held = [];

createInterface({ input: process.stdin }).on("line", (line) => {
  for (const message of [JSON.parse(line)].flat()) take(message);
});

function take({ id, method, params = {} }) {
  if (id === undefined || method === undefined) return;
  const text = read();
  const { tools, toolsText, instructions, version = 1, ...more } = JSON.parse(text);
  const { prompts = [], resourceTemplates = [], introduction = {} } = more;
  if (text !== listed && method !== "tools/list") {
    say({ method: "notifications/tools/list_changed" });
  }
  if (method === "initialize" || method === "tools/list") listed = text;
  const isModern = JSON.stringify(params._meta ?? {}).includes("2026-07-28");
  const more2026 = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const answer = (result) => say({ id, result: isModern ? { ...more2026, ...result } : result });
  if (method === "initialize") {
    const { protocolVersion } = params;
    const capabilities = { tools: { listChanged: true }, prompts: {}, resources: {} };
    const serverInfo = { name: "changing", version: "1" };
    answer({ protocolVersion, capabilities, instructions, serverInfo, ...introduction });
  } else if (method === "server/discover") {
    const capabilities = { tools: { listChanged: true } };
    answer({ supportedVersions: ["2026-07-28"], capabilities, instructions });
  } else if (method === "subscriptions/listen") {
    const { toolsListChanged } = params.notifications;
    say({
      method: "notifications/subscriptions/acknowledged",
      params: {
        _meta: { "io.modelcontextprotocol/subscriptionId": id },
        notifications: { toolsListChanged },
      },
    });
  } else if (method === "tools/list" && toolsText !== undefined) {
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":${toolsText}}}\n`,
    );
  } else if (method === "tools/list") answer({ tools });
  else if (method === "prompts/list") answer({ prompts });
  else if (method === "resources/templates/list") answer({ resourceTemplates });
  else if (method === "ping") {
    for (const late of held) late();
    held = [];
    answer({});
  } else if (method === "tools/call") {
    process.stderr.write(`called ${params.name}\n`);
    const content = [{ type: "text", text: params.name }];
    const done = () => answer({ content, structuredContent: { version } });
    if (params.arguments?.hold === true) held.push(done);
    else done();
  } else say({ id, error: { code: -32601, message: "no such method" } });
}
