// Rows of `npm run bench:hostile`: arguments, results and batches, in every feature that reads values.

const J = JSON.stringify;
const repeated = (count, make) => Array.from({ length: count }, (_, i) => make(i)).join();
const object = (properties, more = {}) => ({ type: "object", properties, ...more });
const declared = (count, more) =>
  object(
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`p_number_${i}`, { type: "integer" }]),
    ),
    more,
  );
const TOOLS = [
  { name: "t0", inputSchema: object({ a: { type: "string" } }) },
  { name: "open300", inputSchema: declared(300) },
  { name: "closed300", inputSchema: declared(300, { additionalProperties: false }) },
  { name: "closed1000", inputSchema: declared(1_000, { additionalProperties: false }) },
  {
    name: "nested100",
    inputSchema: object({
      a: { type: "array", items: declared(100, { additionalProperties: false }) },
    }),
  },
  { name: "objects", inputSchema: object({ a: { type: "object" } }) },
  { name: "unique", inputSchema: object({ a: { type: "array", uniqueItems: true } }) },
  {
    name: "out",
    inputSchema: { type: "object" },
    outputSchema: object({ a: { type: "array", items: { type: "integer" } } }),
  },
];
const ordinary = J({ tools: TOOLS });
const misspelt = (count) => `{${repeated(count, (i) => `"p_numbr_${i}":"${i}"`)}}`;
const levels = (depth, within) => `${'{"a":'.repeat(depth)}${within}${"}".repeat(depth)}`;

const STRICT = {
  touchstone: { pin: "warn", lock: "first_use", adapt: { mirror_content: true } },
  config: {
    input_validation: {
      mode: "strict",
      repair: ["all"],
      undeclared: "violation",
      undeclared_at: "deep",
    },
    output_validation: { mode: "strict" },
    activity: { bodies: true, drift: true },
  },
  ordinary,
};

const CALLS = {
  "300 misspelt, mistyped names, 6 kB": ["open300", () => misspelt(300)],
  "300 such names of a closed schema": ["closed300", () => misspelt(300)],
  "1,000 such names": ["closed1000", () => misspelt(1_000)],
  "30 objects of 100 such names": [
    "nested100",
    () => `{"a":[${repeated(30, () => misspelt(100))}]}`,
  ],
  "60 levels around 1M numbers": [
    "objects",
    () => `{"a":${levels(58, `[${repeated(1e6, () => 1)}]`)}}`,
  ],
  "50,000 objects, uniqueItems": [
    "unique",
    () => `{"a":[${repeated(50_000, (i) => `{"a":${i},"b":[${i}]}`)}]}`,
  ],
  "a text of 16 MB": ["objects", () => `{"a":{"x":"${"a".repeat(15.9e6)}"}}`],
};
const calls = Object.entries(CALLS).map(([what, [name, args]]) => ({
  feature: "repair",
  what,
  ...STRICT,
  prepare: async (session) => {
    await session.open();
    await session.request("tools/list");
  },
  run: (session) => session.call(name, args()),
}));

const RESULTS = {
  "2M integers, 4 MB": () => `{"structuredContent":{"a":[${repeated(2e6, () => 1)}]}}`,
  "1M texts instead of integers": () =>
    `{"structuredContent":{"a":[${repeated(1e6, () => '"1"')}]}}`,
  "1 MB of structured content, to be mirrored": () =>
    `{"structuredContent":{"a":[${repeated(450_000, () => 1)}]}}`,
  "100,000 content items": () =>
    `{"content":[${repeated(100_000, () => '{"type":"text","text":"x"}')}],"structuredContent":{"a":[1]}}`,
  "50,000 images": () =>
    `{"content":[${repeated(50_000, () => '{"type":"image","data":"QUJD","mimeType":"image/png"}')}],"structuredContent":{"a":[1]}}`,
  "60,000 members, each its own type": () =>
    `{"content":[],"structuredContent":{${repeated(60_000, (i) => `"k${i}":{"a":${i}}`)}}}`,
};
const results = Object.entries(RESULTS).map(([what, make]) => ({
  feature: "result, mirror_content, drift",
  what,
  ...STRICT,
  results: { "tools/call": make },
  prepare: async (session) => {
    await session.open();
    await session.request("tools/list");
  },
  run: (session) => session.call("out", "{}"),
}));

const item = (name, args, id) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
const batch = {
  feature: "batch (2025-03-26)",
  what: "800 calls with 2,000 unique items each, 11 MB",
  ...STRICT,
  version: "2025-03-26",
  prepare: async (session) => {
    await session.open();
    await session.request("tools/list");
  },
  run: (session) => {
    const args = `{"a":[${repeated(2_000, (i) => i)}]}`;
    return session.post(`[${repeated(800, (i) => item("unique", args, i))}]`);
  },
};

export const ROWS = [...calls, ...results, batch];
