import { rawAt } from "../../../examples/faulty-server/raw-json.mjs";
import { TOOLS } from "./tools.mjs";

const META = "io.modelcontextprotocol/";
const MODERN = "2026-07-28";
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const CAPABILITIES = { tools: {} };
const CACHING = { ttlMs: 60_000, cacheScope: "public" };
const INFO = { name: "soak-upstream", version: "1.0.0" };
/** The last tool has its own page, because some clients refuse the whole page that it is on. */
const LAST_PAGE = "last";

const declared = TOOLS.map(({ call: _call, ...tool }) => tool);
const errorText = (id, code, message) =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;

/** Why a call has no response: `{broken}` text, or `crash`. */
export class NoAnswer extends Error {
  constructor({ broken, crash = false }) {
    super("no answer");
    this.broken = broken;
    this.crash = crash;
  }
}

function list(cursor) {
  return cursor === LAST_PAGE
    ? { tools: declared.slice(-1) }
    : { tools: declared.slice(0, -1), nextCursor: LAST_PAGE };
}

/**
 * Responds to one request of either era.
 *
 * @param {string} text the message's own text
 * @param {object} message the same message, parsed
 * @param {{notify: (text: string) => void, noise: (text: string) => void, cancelled: AbortSignal}} ways
 * @returns {Promise<string | undefined>} the response's text; nothing for a request that was cancelled
 * @throws {NoAnswer} if the tool deliberately does not respond as it should
 */
export async function answer(text, message, ways) {
  const id = rawAt(text, ["id"]);
  const { method, params = {} } = message;
  const modern = params._meta?.[`${META}protocolVersion`] === MODERN;
  const result = (members) => {
    const own = modern ? { ...members, resultType: "complete" } : members;
    return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(own)}}`;
  };
  if (method === "server/discover") {
    const versions = { supportedVersions: [MODERN], capabilities: CAPABILITIES, ...CACHING };
    return result({ ...versions, _meta: { [`${META}serverInfo`]: INFO } });
  }
  if (method === "initialize" && !modern) {
    const asked = params.protocolVersion;
    const protocolVersion = LEGACY.includes(asked) ? asked : LEGACY[0];
    return result({ protocolVersion, capabilities: CAPABILITIES, serverInfo: INFO });
  }
  if (method === "ping" && !modern) return result({});
  if (method === "tools/list")
    return result({ ...list(params.cursor), ...(modern ? CACHING : {}) });
  if (method !== "tools/call") return errorText(id, -32601, `Method not found: ${method}`);
  const tool = TOOLS.find(({ name }) => name === params.name);
  if (tool === undefined) return errorText(id, -32602, `Unknown tool: ${params.name}`);
  return callTool(tool, { text, id, params, modern }, ways);
}

async function callTool(tool, { text, id, params, modern }, { notify, noise, cancelled }) {
  const raw = rawAt(text, ["params", "arguments"]) ?? "{}";
  const progressToken = params._meta?.progressToken;
  let done = 0;
  const progress = () => {
    if (progressToken === undefined || cancelled.aborted) return;
    done += 1;
    const about = { progressToken, progress: done };
    notify(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: about }));
  };
  const ended = await tool.call(params.arguments ?? {}, raw, { id, noise, progress, cancelled });
  if (cancelled.aborted) return undefined;
  if (ended.crash || ended.broken !== undefined) throw new NoAnswer(ended);
  if (ended.error) return errorText(id, ended.error.code, ended.error.message);
  const members = [
    ...(modern ? ['"resultType":"complete"'] : []),
    '"content":[{"type":"text","text":"ok"}]',
    ...(ended.structured === undefined ? [] : [`"structuredContent":${ended.structured}`]),
    ...(ended.isError ? ['"isError":true'] : []),
  ];
  return `{"jsonrpc":"2.0","id":${id},"result":{${members.join(",")}}}`;
}
