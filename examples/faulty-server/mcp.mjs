import { answerFrame, ERRORS, frameSplitter, isObject, RpcError } from "./rpc.mjs";

/** Revisions with `initialize`, newest first. */
const SESSION_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/** Revisions where each request carries its own version in `_meta`. */
const STATELESS_REVISIONS = ["2026-07-28"];
const META = "io.modelcontextprotocol/";
const CAPABILITIES = { tools: {} };
const CACHING = { ttlMs: 0, cacheScope: "public" };
const SECOND_PAGE = "page-2";

let sessionRevision;
/** What {@link serveTools} was given. */
let served;

/** The `_meta` of a 2026-07-28 request, checked; nothing for the revisions before it. */
function statelessMeta({ method, params }) {
  const meta = isObject(params) ? params._meta : undefined;
  const version = isObject(meta) ? meta[`${META}protocolVersion`] : undefined;
  if (version === undefined && method !== "server/discover") return undefined;
  if (typeof version !== "string") {
    throw new RpcError(ERRORS.invalidParams, `_meta["${META}protocolVersion"] is required`);
  }
  if (!STATELESS_REVISIONS.includes(version)) {
    const data = { supported: STATELESS_REVISIONS, requested: version };
    throw new RpcError(ERRORS.unsupportedVersion, "Unsupported protocol version", data);
  }
  if (!isObject(meta[`${META}clientCapabilities`])) {
    throw new RpcError(ERRORS.invalidParams, `_meta["${META}clientCapabilities"] is required`);
  }
  return meta;
}

function handle(message, raw) {
  const stateless = statelessMeta(message) !== undefined;
  const finish = (members) => {
    if (!stateless) return `{${members.join(",")}}`;
    const meta = JSON.stringify({ [`${META}serverInfo`]: served.info });
    return `{"resultType":"complete",${[...members, `"_meta":${meta}`].join(",")}}`;
  };
  switch (message.method) {
    case "initialize":
      if (stateless) break;
      return initialize(message.params);
    case "ping":
      if (stateless) break;
      return "{}";
    case "server/discover":
      return finish(
        members({ supportedVersions: STATELESS_REVISIONS, capabilities: CAPABILITIES, ...CACHING }),
      );
    case "tools/list":
      return finish(members({ ...listTools(message.params), ...(stateless ? CACHING : {}) }));
    case "tools/call":
      return finish(callTool(message.params, raw));
  }
  throw new RpcError(ERRORS.methodNotFound, `Method not found: ${message.method}`);
}

/** `"key":value` for each member, ready to be between braces. */
function members(object) {
  return Object.entries(object).map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
}

function initialize(params) {
  if (!isObject(params) || typeof params.protocolVersion !== "string") {
    throw new RpcError(ERRORS.invalidParams, "initialize needs params.protocolVersion");
  }
  const known = SESSION_REVISIONS.includes(params.protocolVersion);
  sessionRevision = known ? params.protocolVersion : SESSION_REVISIONS[0];
  return JSON.stringify({
    protocolVersion: sessionRevision,
    capabilities: CAPABILITIES,
    serverInfo: served.info,
  });
}

function listTools(params) {
  const cursor = isObject(params) ? params.cursor : undefined;
  if (cursor !== undefined && cursor !== SECOND_PAGE) {
    throw new RpcError(ERRORS.invalidParams, "Unknown cursor");
  }
  const { tools, pageSize = tools.length } = served;
  const declared = tools.map(({ call: _call, ...tool }) => tool);
  if (cursor !== undefined) return { tools: declared.slice(pageSize) };
  const rest = declared.length > pageSize ? { nextCursor: SECOND_PAGE } : {};
  return { tools: declared.slice(0, pageSize), ...rest };
}

function callTool(params, raw) {
  if (!isObject(params) || typeof params.name !== "string") {
    throw new RpcError(ERRORS.invalidParams, "tools/call needs params.name");
  }
  const rawArguments = raw(["params", "arguments"]);
  served.onCall?.(params.name, rawArguments);
  const tool = served.tools.find(({ name }) => name === params.name);
  if (tool === undefined) {
    throw new RpcError(ERRORS.invalidParams, `Unknown tool: ${params.name}`);
  }
  if (rawArguments !== undefined && !isObject(params.arguments)) {
    throw new RpcError(ERRORS.invalidParams, "params.arguments must be an object");
  }
  const { text, structured, isError } = tool.call(params.arguments ?? {}, rawArguments ?? "{}");
  const result = [`"content":${JSON.stringify([{ type: "text", text }])}`];
  if (structured !== undefined) result.push(`"structuredContent":${structured}`);
  if (isError) result.push('"isError":true');
  return result;
}

const send = (answer) => {
  if (answer !== undefined) process.stdout.write(`${answer}\n`);
};
const server = { handle, batches: () => sessionRevision === "2025-03-26" };

/**
 * Serves tools over stdio until the client leaves.
 *
 * @param {{ info: object, tools: object[], pageSize?: number, onCall?: (name: string, rawArguments?: string) =>
 *   void }} what `pageSize`: tools of the first page; `onCall` is called before each response to a call
 */
export function serveTools(what) {
  served = what;
  process.stdout.on("error", () => process.exit(0));
  process.stdin.on(
    "data",
    frameSplitter(
      (frame) => send(answerFrame(frame, server)),
      () =>
        send(
          `{"jsonrpc":"2.0","id":null,"error":{"code":${ERRORS.invalidRequest},"message":"Frame too large"}}`,
        ),
    ),
  );
}
