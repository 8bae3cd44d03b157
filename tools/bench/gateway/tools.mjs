// The echo tools of the benchmark's server: result sizes, call arguments and expected responses.
export const SIZES = [1, 10, 100];

/** Names a tool: with an output schema, or without one and with an input schema that accepts every object. */
export const toolName = (size, checked) => `${checked ? "echo" : "plain"}_${size}kb`;

const item = (id) => ({ id, name: `the item of ${id}`, done: id % 2 === 0, score: id / 4 });

const INPUT = {
  type: "object",
  properties: {
    text: { type: "string", maxLength: 1000 },
    limit: { type: "integer", minimum: 1, maximum: 10_000 },
    state: { enum: ["open", "closed"] },
  },
  required: ["text"],
  additionalProperties: false,
};
const OUTPUT = {
  type: "object",
  properties: {
    echo: { type: "string" },
    items: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: { type: "integer", minimum: 0 },
          name: { type: "string", minLength: 1 },
          done: { type: "boolean" },
          score: { type: "number" },
        },
        required: ["id", "name", "done"],
        additionalProperties: false,
      },
    },
  },
  required: ["echo", "items"],
  additionalProperties: false,
};

export const TOOLS = SIZES.flatMap((size) => [
  { name: toolName(size, true), inputSchema: INPUT, outputSchema: OUTPUT },
  { name: toolName(size, false), inputSchema: { type: "object" } },
]);

/** Builds the text of a result only once: the benchmark measures the way, not this server. */
function template(size) {
  const items = [];
  let bytes = 100;
  for (let id = 0; bytes < size * 1000; id += 1) {
    items.push(item(id));
    bytes += JSON.stringify(items.at(-1)).length + 1;
  }
  return `"items":${JSON.stringify(items)}`;
}
const templates = new Map(
  TOOLS.map(({ name }) => [name, template(Number(name.match(/\d+/)?.[0]))]),
);

/** Returns the JSON text of a result of about this many KB, which starts with the text of its call. */
export function resultText(name, args) {
  const items = templates.get(name);
  if (items === undefined) return undefined;
  const echo = JSON.stringify(args.text);
  return `{"content":[{"type":"text","text":"done"}],"structuredContent":{"echo":${echo},${items}}}`;
}

export const callArguments = (id) => ({ text: `call ${id}`, limit: 10, state: "open" });

export const callText = (id, name) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${JSON.stringify(callArguments(id))}}}`;

/** Returns whether a response belongs to the call, so that it passed through the whole way. */
export const isAnswer = (text, id) => text.includes(`"structuredContent":{"echo":"call ${id}",`);
