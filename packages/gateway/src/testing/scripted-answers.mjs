/** The regular responses of the scripted server. */
const META = "io.modelcontextprotocol/";
const SESSION_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const STATELESS_REVISION = "2026-07-28";
const SERVER_INFO = { name: "scripted-server", version: "1.0.0" };
const CAPABILITIES = { tools: { listChanged: true } };
const CACHING = { ttlMs: 0, cacheScope: "public" };

const withNumber = (type) => ({
  type: "object",
  properties: { n: { type } },
  required: ["n"],
  additionalProperties: false,
});
const WORK = {
  name: "work",
  description: "Gives back the number n.",
  inputSchema: withNumber("integer"),
  outputSchema: withNumber("integer"),
};
const BROKEN = { ...WORK, name: "broken", outputSchema: withNumber("strin") };

/** The text of a JSON-RPC error. */
export function errorAnswer(id, code, message) {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

/**
 * The text of the response to a request.
 *
 * @param {{ id: unknown, method: string, params?: Record<string, any> }} message
 * @param {{ brokenSchema?: boolean, text?: string }} options `brokenSchema` lists a second tool;
 *   `text` replaces the text of a tool result
 */
export function resultOf(message, options = {}) {
  const { id, method, params } = message;
  const stateless = params?._meta?.[`${META}protocolVersion`] !== undefined;
  const members = resultMembers(method, params, stateless, options);
  if (members === undefined) return errorAnswer(id, -32601, `Method not found: ${method}`);
  const result = stateless
    ? { resultType: "complete", ...members, _meta: { [`${META}serverInfo`]: SERVER_INFO } }
    : members;
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

function resultMembers(method, params, stateless, { brokenSchema, text }) {
  if (text !== undefined) return { content: [{ type: "text", text }], ...structured(params) };
  switch (method) {
    case "initialize": {
      const asked = params?.protocolVersion;
      const protocolVersion = SESSION_REVISIONS.includes(asked) ? asked : SESSION_REVISIONS[0];
      return { protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER_INFO };
    }
    case "server/discover":
      if (!stateless) return undefined;
      return { supportedVersions: [STATELESS_REVISION], capabilities: CAPABILITIES, ...CACHING };
    case "ping":
      return stateless ? undefined : {};
    case "tools/list":
      return { tools: brokenSchema ? [WORK, BROKEN] : [WORK], ...(stateless ? CACHING : {}) };
    case "tools/call":
      return { content: [{ type: "text", text: params?.name ?? "" }], ...structured(params) };
  }
  return undefined;
}

const structured = (params) => ({ structuredContent: { n: params?.arguments?.n ?? null } });
