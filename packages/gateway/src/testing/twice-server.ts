const SCRIPT = `
  const tool = (name, type) => ({ name, inputSchema: { type: "object", properties: { n: { type } } } });
  const answers = {
    initialize: ({ protocolVersion }) =>
      ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
    "tools/list": ({ cursor } = {}) => cursor === undefined
      ? { tools: [tool("same", "string"), tool("other", "string")], nextCursor: "2" }
      : { tools: [tool("same", "integer")] },
    "tools/call": () => ({ content: [] }),
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = answers[method]?.(params);
    const error = { code: -32601, message: "no such method" };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
  });`;

/**
 * A server, as an entry of `mcpServers`, with the tool "same" on both pages of its list: in the last declaration, `n`
 * is an integer.
 */
export const TWICE_SERVER: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: ["-e", SCRIPT],
};
