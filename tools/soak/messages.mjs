/** Message texts, written by hand: the soak must control every byte that it sends. */
export const MODERN = "2026-07-28";
const META = "io.modelcontextprotocol/";
const CLIENT = { name: "soak", version: "1.0.0" };

/** Returns the `_meta` of a request as text; undefined if it has none. */
function metaText(revision, progressToken) {
  const envelope =
    revision === MODERN
      ? {
          [`${META}protocolVersion`]: MODERN,
          [`${META}clientInfo`]: CLIENT,
          [`${META}clientCapabilities`]: {},
        }
      : {};
  const meta = progressToken === undefined ? envelope : { ...envelope, progressToken };
  return Object.keys(meta).length === 0 ? undefined : JSON.stringify(meta);
}

/** Returns `params` with `_meta` as its last member. */
function withMeta(params, meta) {
  if (meta === undefined) return params;
  return `${params.slice(0, -1)}${params === "{}" ? "" : ","}"_meta":${meta}}`;
}

/**
 * Returns the text of an action's request, and the parts of it that HTTP headers repeat.
 *
 * @param {object} entry of the ledger; its arguments are kept in `entry.args`
 */
export function requestText(entry, { id, revision, random }) {
  const { action, tag } = entry;
  const idText = JSON.stringify(id);
  if (action.text) return { text: action.text(idText), method: "tools/call", name: undefined };
  const method = action.method ?? "tools/call";
  if (action.method === undefined) entry.args = action.args(tag, random);
  const named = action.tool === undefined ? "" : `"name":"${action.tool}",`;
  const own = action.params ?? `{${named}"arguments":${entry.args}}`;
  const params = withMeta(own, metaText(revision, action.progress ? tag : undefined));
  const text = `{"jsonrpc":"2.0","id":${idText},"method":"${method}","params":${params}}`;
  return { text, method, name: action.tool };
}

export const initializeText = (id, revision) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "initialize",
    params: { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT },
  });
export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
export const cancelText = (id) =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: id, reason: "soak" },
  });

/** Returns an id in one of the forms that JSON-RPC allows. */
export const idOf = (number) => (number % 3 === 0 ? `s-${number}` : number);
