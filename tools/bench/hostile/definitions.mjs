// Rows of `npm run bench:hostile`: what a server declares, in every feature that reads declarations.

const J = JSON.stringify;
const listed = (tools) => `{"tools":${tools}}`;
const one = (members) => listed(`[{"name":"t0","inputSchema":{"type":"object"}${members}}]`);
const many = (count, make) =>
  listed(`[${Array.from({ length: count }, (_, i) => make(i)).join()}]`);
const keys = (count, make = (i) => `"k${i}":${i}`) =>
  Array.from({ length: count }, (_, i) => make(i)).join();

const named = (count, make) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, make(i)]));
const schema = (more) => listed(J([{ name: "t0", inputSchema: { type: "object", ...more } }]));

/** Definitions: what they are, and the result of `tools/list`. */
export const DEFINITIONS = {
  "_meta with 3M numbers, 15 MB": () => one(`,"_meta":{"a":[${Array(3e6).fill("1.50").join()}]}`),
  "_meta with 900,000 keys, 11 MB": () =>
    one(`,"_meta":{${keys(15, (i) => `"o${i}":{${keys(60_000)}}`)}}`),
  "_meta with one object of 900,000 keys, 11 MB": () => one(`,"_meta":{${keys(900_000)}}`),
  "description of 3M × (d + ZWSP), 12 MB": () => one(`,"description":${J("d\u200b".repeat(3e6))}`),
  "description of 30 MB": () => one(`,"description":"${"d".repeat(3e7)}"`),
  "description of 5M escapes, 30 MB": () => one(`,"description":"${"\\u0064".repeat(5e6)}"`),
  "title of 20 MB, beyond U+FFFF": () => one(`,"title":${J("😀".repeat(5e6))}`),
  "name of 5 MB": () => listed(`[{"name":"${"n".repeat(5e6)}","inputSchema":{"type":"object"}}]`),
  "schema with a description of 30 MB": () =>
    listed(`[{"name":"t0","inputSchema":{"type":"object","description":"${"d".repeat(3e7)}"}}]`),
  "schema with an enum of 2M numbers, 12 MB": () =>
    listed(
      `[{"name":"t0","inputSchema":{"type":"object","properties":{"a":{"enum":[${Array(2e6).fill("12.50").join()}]}}}}]`,
    ),
  "_meta of 9,000 levels around 1M numbers": () =>
    one(
      `,"_meta":${'{"b":1,"a":'.repeat(9_000)}[${Array(1e6).fill("1").join()}]${"}".repeat(9_000)}`,
    ),
  "1 MB: description of (d + ZWSP)": () => one(`,"description":${J("d\u200b".repeat(250_000))}`),
  "1 MB: _meta with 200,000 numbers": () =>
    one(`,"_meta":{"a":[${Array(200_000).fill("1.50").join()}]}`),
  "1 MB: _meta with 80,000 keys": () => one(`,"_meta":{${keys(80_000)}}`),
  "1 MB: title beyond U+FFFF": () => one(`,"title":${J("😀".repeat(250_000))}`),
  "1 MB: schema with 20,000 properties": () =>
    listed(
      `[{"name":"t0","inputSchema":{"type":"object","properties":{${keys(20_000, (i) => `"p\u200b${i}":{"description":"d\u200b${i}"}`)}}}}]`,
    ),
  "60 kB: schema with 5,000 properties": () => schema({ properties: named(5_000, () => ({})) }),
  "60 kB: schema with 2,500 branches": () =>
    schema({
      properties: { a: { anyOf: Array.from({ length: 2_500 }, (_, i) => ({ const: `v${i}` })) } },
    }),
  "60 kB: schema with 500 references that double": () =>
    schema({
      properties: { a: { $ref: "#/$defs/p0" } },
      $defs: named(500, (i) => {
        const next = { $ref: `#/$defs/p${Math.min(i + 1, 499)}` };
        return i === 499 ? { const: "x" } : { properties: { l: next, r: next } };
      }),
    }),
  "20,000 tools of one name": () =>
    many(20_000, () => '{"name":"t","inputSchema":{"type":"object"}}'),
  "10,000 tools of 3 kB": () =>
    many(
      10_000,
      (i) =>
        `{"name":"t${i}","description":"${"x".repeat(3_000)}","inputSchema":{"type":"object"}}`,
    ),
};

const LISTS = {
  none: {},
  "pin warn": { touchstone: { pin: "warn", lock: "first_use" } },
  "pin strict": { touchstone: { pin: "strict", lock: "first_use" } },
  policy: { touchstone: { policy: { deny_tools: ["delete_*"] } } },
  "adapt strip_hidden": { touchstone: { adapt: { descriptions: { strip_hidden: true } } } },
  "adapt descriptions.max": { touchstone: { adapt: { descriptions: { max: 200 } } } },
  "adapt for": {
    touchstone: {
      adapt: {
        for: ["gemini-openapi"],
        output_schema: "drop_unusable",
        unusable_tools: "leave_out",
      },
    },
  },
  "adapt for openai-strict": {
    touchstone: { adapt: { for: ["openai-strict"], unusable_tools: "leave_out" } },
  },
  "adapt names, pages": { touchstone: { adapt: { names: { max: 64 }, pages: "merge" } } },
  "policy.advertise": {
    touchstone: {
      policy: { advertise: true },
      tools: { t0: { narrow: { properties: { a: { type: "string" } } } } },
    },
  },
  capability: { touchstone: { capability: "add" } },
};

const list = async (session) => {
  await session.open();
  return session.request("tools/list");
};

/** Every definition in every feature that reads whole definitions. */
function listRows() {
  return Object.entries(DEFINITIONS).flatMap(([what, make]) =>
    Object.entries(LISTS).map(([feature, settings]) => ({
      feature,
      what,

      ...settings,
      results: { "tools/list": make },
      run: list,
    })),
  );
}

const introduction = (members) =>
  `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"e","version":"1"},${members}}`;
const INTRODUCTIONS = {
  "initialize with 65,000 members": () => introduction(keys(65_000)),
  "initialize with 65,000 members of 100 characters": () =>
    introduction(keys(65_000, (i) => `"${"K".repeat(100)}${i}":1`)),
  "initialize with 65,000 members of 900 characters": () =>
    introduction(keys(65_000, (i) => `"${"K".repeat(900)}${i}":1`)),
  "initialize with a member name of 20 MB": () => introduction(`"${"K".repeat(2e7)}":1`),
  "instructions of 20 MB": () => introduction(`"instructions":"${"a".repeat(2e7)}"`),
};

function introductionRows() {
  return Object.entries(INTRODUCTIONS).flatMap(([what, make]) =>
    ["pin strict", "capability"].map((feature) => ({
      feature,
      what,
      ...LISTS[feature],
      results: { initialize: make },
      run: (session) => session.open(),
    })),
  );
}

export const ROWS = [...listRows(), ...introductionRows()];
