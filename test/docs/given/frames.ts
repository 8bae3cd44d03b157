// Names that the pages use without an import: a frame, and the result of a `tools/list`.
export const bytes: Uint8Array = new TextEncoder().encode(
  '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}',
);
export const list = { tools: [{ name: "add", inputSchema: { type: "object" } }] };
