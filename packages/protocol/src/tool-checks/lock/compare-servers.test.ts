import { describe, expect, it } from "vitest";
import { compareServers } from "./compare-servers.ts";
import { type LockedServer, lockedDefinition } from "./lock-file.ts";

function definitions(...all: readonly object[]) {
  return new Map(
    all.map((one) => {
      const { name, uriTemplate } = one as { name?: string; uriTemplate?: string };
      const locked = lockedDefinition(JSON.stringify(one));
      if (locked === undefined) throw new Error("not JSON");
      return [uriTemplate ?? name ?? "", locked] as const;
    }),
  );
}

const tools = (...all: readonly object[]): LockedServer => ({ tools: definitions(...all) });

/** Changes, each as `class/rule path evidence`. */
function changes(before: LockedServer, after: LockedServer): readonly string[] {
  return compareServers(before, after).map(({ class: kind, rule, path, evidence }) =>
    [
      `${kind}/${rule}`,
      path,
      evidence === undefined ? "" : String(evidence).replace(/^\d+$/, "tried"),
    ]
      .join(" ")
      .trim(),
  );
}

const object = (properties: object, more: object = {}): object => ({
  type: "object",
  properties,
  ...more,
});

/** A change of a schema, and its class as a change of an input schema and of an output schema. */
const SCHEMAS: readonly (readonly [
  what: string,
  before: object,
  after: object,
  input: string,
  output: string,
])[] = [
  [
    "an optional property is new",
    object({ a: { type: "string" } }),
    object({ a: { type: "string" }, b: { type: "integer" } }),
    "compatible proved",
    "compatible proved",
  ],
  [
    "an optional property is new, and others are not allowed",
    object({ a: {} }, { additionalProperties: false }),
    object({ a: {}, b: {} }, { additionalProperties: false }),
    "compatible proved",
    "breaking {.*b.*}",
  ],
  [
    "the first properties",
    object({}),
    object({ a: { type: "string" } }),
    "compatible proved",
    "compatible proved",
  ],
  [
    "a property is required now",
    object({ a: { type: "string" } }),
    object({ a: { type: "string" } }, { required: ["a"] }),
    "breaking {}",
    "compatible proved",
  ],
  [
    "a new property is required",
    object({ a: { type: "string" } }),
    object({ a: { type: "string" }, b: { type: "string" } }, { required: ["b"] }),
    "breaking {}",
    "compatible proved",
  ],
  [
    "an optional property is gone",
    object({ a: { type: "string" }, b: { type: "integer" } }),
    object({ a: { type: "string" } }),
    "compatible proved",
    "compatible proved",
  ],
  [
    "a promised property is gone",
    object({ a: { type: "string" } }, { required: ["a"] }),
    object({}),
    "compatible proved",
    "breaking {}",
  ],
  [
    "a value is not allowed anymore",
    object({ a: { enum: ["x", "y"] } }),
    object({ a: { enum: ["x"] } }),
    'breaking {"a":"y"}',
    "compatible proved",
  ],
  [
    "a lower limit",
    object({ n: { type: "integer", minimum: 0, maximum: 500 } }),
    object({ n: { type: "integer", minimum: 0, maximum: 100 } }),
    "breaking .*",
    "compatible proved",
  ],
  [
    "a type is allowed as well",
    object({ a: { type: "string" } }),
    object({ a: { type: ["string", "null"] } }),
    "compatible proved",
    'breaking {"a":null}',
  ],
  [
    "the same in other words",
    object({ a: { type: ["string", "null"] } }),
    object({ a: { anyOf: [{ type: "string" }, { type: "null" }] } }),
    "compatible proved",
    "compatible proved",
  ],
  [
    "a definition is shared now",
    object({ a: { type: "string", minLength: 1 } }),
    { ...object({ a: { $ref: "#/$defs/x" } }), $defs: { x: { type: "string", minLength: 1 } } },
    "compatible proved",
    "compatible proved",
  ],
  [
    "undeclared members are refused now",
    object({ a: {} }),
    object({ a: {} }, { additionalProperties: false }),
    "breaking .*",
    "compatible proved",
  ],
  [
    "a pattern is new",
    object({ a: { type: "string" } }),
    object({ a: { type: "string", pattern: "^[a-z]+$" } }),
    "breaking .*",
    "compatible proved",
  ],
  [
    "another pattern that has the same texts",
    object({ a: { type: "string", pattern: "^[a-z]{2}$" } }),
    object({ a: { type: "string", pattern: "^[a-z][a-z]$" } }),
    "compatible proved",
    "compatible proved",
  ],
  [
    "a pattern that is not read has another spelling",
    object({ a: { type: "string", pattern: "^(['\"]).*\\1$" } }),
    object({ a: { type: "string", pattern: "^(?:(['\"]).*\\1)$" } }),
    "unproven [0-9]+",
    "unproven [0-9]+",
  ],
  ["objects are asked for now", {}, { type: "object" }, "compatible proved", "compatible proved"],
  [
    "an argument of a schema that said nothing",
    {},
    object({ a: {} }, { required: ["a"] }),
    "breaking {}",
    "compatible proved",
  ],
  [
    "the schema is broken",
    object({}),
    object({ a: { type: "strin" } }),
    "breaking -",
    "breaking -",
  ],
  [
    "nothing but words",
    object({ a: { description: "b" } }),
    object({ a: { description: "c" } }),
    "text",
    "text",
  ],
  [
    "an unknown keyword",
    object({ a: {} }, { "x-a": 1 }),
    object({ a: {} }, { "x-a": 2 }),
    "text",
    "text",
  ],
];

describe("compareServers", () => {
  it.each(
    SCHEMAS.flatMap(([what, before, after, input, output]) => [
      ["inputSchema", what, before, after, input] as const,
      ["outputSchema", what, before, after, output] as const,
    ]),
  )("classifies changes of %s: %s", (member, _, before, after, wanted) => {
    const found = compareServers(
      tools({ name: "t", [member]: before }),
      tools({ name: "t", [member]: after }),
    );
    const said = found.map(({ class: kind, evidence, counterexample }) => {
      if (kind === "breaking") return `breaking ${counterexample?.text ?? "-"}`;
      if (kind === "text") return kind;
      return `${kind} ${evidence}`;
    });
    expect(said.join()).toMatch(new RegExp(`^${wanted.replaceAll(/[{}]/g, "\\$&")}$`));
  });

  const READ = { readOnlyHint: true };
  /** No text has this length and matches the pattern, but the proof does not read such patterns. */
  const longTexts = (minLength: number): object =>
    object({ b: { type: "string", minLength, pattern: "^(x|y)\\1$" } }, { required: ["b"] });
  it.each([
    ["a tool is gone", [{ name: "a" }, { name: "b" }], [{ name: "a" }], ["breaking/gone"]],
    ["a tool is new", [{ name: "a" }], [{ name: "a" }, { name: "b" }], ["new/new"]],
    ["key order", [{ name: "a", title: "b" }], [{ title: "b", name: "a" }], []],
    [
      "texts",
      [{ name: "a", title: "b", description: "c" }],
      [{ name: "a", description: "d" }],
      ["text/text /description", "text/text /title"],
    ],
    ["unknown members", [{ name: "a" }], [{ name: "a", _meta: { x: 1 } }], ["text/text /_meta"]],
    [
      "a hint that is less safe",
      [{ name: "a", annotations: READ }],
      [{ name: "a", annotations: { readOnlyHint: false } }],
      ["text/less-safe /annotations/readOnlyHint"],
    ],
    [
      "a hint that is left out, and is less safe for it",
      [{ name: "a", annotations: { destructiveHint: false } }],
      [{ name: "a" }],
      ["text/less-safe /annotations/destructiveHint"],
    ],
    [
      "a hint that is safer",
      [{ name: "a" }],
      [{ name: "a", annotations: READ }],
      ["text/text /annotations/readOnlyHint"],
    ],
    [
      "tasks that are required now",
      [{ name: "a" }],
      [{ name: "a", execution: { taskSupport: "required" } }],
      ["breaking/task-support /execution/taskSupport"],
    ],
    [
      "tasks that are allowed now",
      [{ name: "a", execution: { taskSupport: "forbidden" } }],
      [{ name: "a", execution: { taskSupport: "optional" } }],
      ["compatible/task-support /execution/taskSupport"],
    ],
    [
      "an output schema that is new",
      [{ name: "a" }],
      [{ name: "a", outputSchema: object({}) }],
      ["compatible/output-schema /outputSchema proved"],
    ],
    [
      "an output schema that is gone",
      [{ name: "a", outputSchema: object({}) }],
      [{ name: "a" }],
      ["breaking/output-schema /outputSchema"],
    ],
    [
      "a schema that cannot be used now",
      [{ name: "a", inputSchema: object({}) }],
      [{ name: "a", inputSchema: { type: 5 } }],
      ["breaking/unusable-schema /inputSchema"],
    ],
    [
      "a locked schema that cannot be used",
      [{ name: "a", inputSchema: { type: 5 } }],
      [{ name: "a", inputSchema: object({}) }],
      ["unproven/unusable-schema /inputSchema"],
    ],
    [
      "schemas that accept no common value, without a proof",
      [{ name: "a", inputSchema: longTexts(900) }],
      [{ name: "a", inputSchema: longTexts(901) }],
      ["unproven/untested-schema /inputSchema tried"],
    ],
  ] as const)("reports %s", (_, before, after, wanted) => {
    const found = changes(tools(...before), tools(...after));
    expect([...found].sort()).toEqual([...wanted].sort());
  });

  const closed = { additionalProperties: false };
  it.each([
    ["all is open", object({ a: {} }), object({ a: {} }, closed), "closed-schema"],
    ["no property is declared", object({}), object({}, closed), "closed-schema"],
    [
      "an object below",
      object({ a: object({ b: {} }) }),
      object({ a: object({ b: {} }, closed) }),
      "closed-schema",
    ],
    [
      "an optional property is new",
      object({ a: {} }),
      object({ a: {}, b: {} }, closed),
      "closed-schema",
    ],
    [
      "a declared property is gone",
      object({ a: {}, b: {} }),
      object({ a: {} }, closed),
      "input-schema",
    ],
    [
      "a property is required as well",
      object({ a: {} }),
      object({ a: {} }, { ...closed, required: ["a"] }),
      "input-schema",
    ],
  ])("recognizes a schema that now refuses undeclared members: %s", (_, before, after, rule) => {
    const found = changes(
      tools({ name: "t", inputSchema: before }),
      tools({ name: "t", inputSchema: after }),
    );
    expect(found).toEqual([`breaking/${rule} /inputSchema`]);
    const opened = changes(
      tools({ name: "t", outputSchema: after }),
      tools({ name: "t", outputSchema: before }),
    );
    const other = rule === "closed-schema" ? "opened-schema" : "output-schema";
    expect(opened).toEqual([`breaking/${other} /outputSchema`]);
  });

  it("accepts a definition that was approved in addition", () => {
    const [now] = definitions({ name: "a", description: "c" }).values();
    const [held] = definitions({ name: "a", description: "b" }).values();
    if (now === undefined || held === undefined) return expect.fail();
    const locked = { tools: new Map([["a", { ...held, alsoApproved: [now.hash] }]]) };
    expect(compareServers(locked, { tools: new Map([["a", now]]) })).toEqual([]);
  });

  it("notices a duplicate key, of which only the last is read", () => {
    const twice = lockedDefinition('{"name":"a","description":"x","description":"b"}');
    const once = lockedDefinition('{"name":"a","description":"b"}');
    if (twice === undefined || once === undefined) return expect.fail();
    const found = changes({ tools: new Map([["a", once]]) }, { tools: new Map([["a", twice]]) });
    expect(found).toEqual(["text/text"]);
  });

  const prompts = (...all: readonly object[]): LockedServer => ({
    tools: new Map(),
    prompts: definitions(...all),
  });
  const argument = (required: boolean, more: object = {}): object => ({
    name: "p",
    arguments: [{ name: "x", required, ...more }],
  });
  it.each([
    [{ name: "p" }, argument(false), ["compatible/prompt-arguments /arguments/x"]],
    [{ name: "p" }, argument(true), ["breaking/prompt-arguments /arguments/x"]],
    [argument(false), argument(true), ["breaking/prompt-arguments /arguments/x"]],
    [argument(true), argument(false), ["compatible/prompt-arguments /arguments/x"]],
    [argument(true), { name: "p" }, ["breaking/prompt-arguments /arguments/x"]],
    [argument(true), argument(true, { description: "d" }), ["text/text /arguments/x/description"]],
    [{ name: "p" }, { name: "p", description: "d" }, ["text/text /description"]],
  ])("compares prompts: %#", (before, after, wanted) => {
    expect(changes(prompts(before), prompts(after))).toEqual(wanted);
  });

  it("compares the other parts of a server, but not those that one side lacks", () => {
    const template = (more: object): ReturnType<typeof definitions> =>
      definitions({ uriTemplate: "a://{b}", ...more });
    const full: LockedServer = {
      identity: { name: "a", version: "1" },
      protocolVersion: "2025-11-25",
      instructions: "Do.",
      tools: new Map(),
      prompts: new Map(),
      resourceTemplates: template({ mimeType: "text/plain" }),
    };
    const other: LockedServer = {
      identity: { name: "b", version: "2" },
      protocolVersion: "2026-07-28",
      instructions: null,
      tools: new Map(),
      prompts: new Map(),
      resourceTemplates: template({ mimeType: "text/html", name: "n" }),
    };
    expect(changes(full, other)).toEqual([
      "text/text /identity/name",
      "new/identity /identity/version",
      "new/identity /protocol_version",
      "text/text /instructions",
      "breaking/mime-type /mimeType",
      "text/text /name",
    ]);
    expect(changes(full, tools())).toEqual([]);
    expect(changes(tools(), full)).toEqual([]);
  });
});
