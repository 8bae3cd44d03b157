import { runSteps } from "@touchstone/core/advanced";
import type { ProviderName } from "@touchstone/protocol/advanced";
import {
  CLIENT_NAMES,
  lintFor,
  lintTools,
  PROVIDERS,
  providersOfClients,
} from "@touchstone/protocol/lint";
import { describe, expect, it } from "vitest";
import { type AdaptSettings, type AdaptTarget, adapt as setting } from "./adapt.ts";
import {
  adaptListSteps,
  adaptSteps,
  adaptViewFor,
  ListTimeBudget,
  type ToolText,
} from "./adapter.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const ALL: AdaptSettings = {
  unusableTools: "leave_out",
  outputSchema: "drop_unusable",
  pages: "pass",
  for: [],
  steps: ["same", "narrower", "wider"],
  mirrorContent: false,
  descriptions: { max: 1024, stripHidden: true },
};
const PASS: AdaptSettings = {
  unusableTools: "pass",
  outputSchema: "pass",
  pages: "pass",
  for: [],
  steps: ["same", "narrower", "wider"],
  mirrorContent: false,
  descriptions: { stripHidden: false },
};

const STRICT = { isStrict: () => true };
const IN_TIME = { isStrict: true };

type Json = Record<string, unknown>;

function toolsOf(texts: readonly string[]): readonly ToolText[] {
  return texts.map((text) => {
    const tool: unknown = JSON.parse(text);
    const name = typeof tool === "object" && tool !== null ? (tool as Json)["name"] : undefined;
    return { name: typeof name === "string" ? name : undefined, text: encode(text) };
  });
}

function adapt(texts: readonly string[], settings: AdaptSettings, identity?: string) {
  const adapted = runSteps(
    adaptListSteps(toolsOf(texts), adaptViewFor(settings, identity), STRICT),
  );
  return {
    tools: adapted.flatMap(({ text }) => (text === undefined ? [] : [JSON.parse(decode(text))])),
    texts: adapted.map(({ text }) => text && decode(text)),
    changes: adapted.flatMap(({ changes }) => changes),
  };
}

const object = (properties: Json = {}, more: Json = {}): Json => ({
  type: "object",
  properties,
  ...more,
});
const tool = (inputSchema: unknown, more: Json = {}): Json => ({
  name: "t",
  description: "Does it.",
  inputSchema,
  ...more,
});
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const DRAFT_04 = "http://json-schema.org/draft-04/schema#";
const IN_2019 = "https://json-schema.org/draft/2019-09/schema";
const GOOD = tool(object({ q: { type: "string" } }, { required: ["q"] }), { name: "good" });
const CLOSED = tool(
  object({ q: { type: "string" } }, { required: ["q"], additionalProperties: false }),
  { name: "good" },
);
/** Rules whose findings are only warnings, because only some releases of a client refuse such tools. */
const REFUSED = new Set(["tool-name", "duplicate-name", "output-dialect"]);

type Row = readonly [
  what: string,
  targets: readonly AdaptTarget[],
  tools: readonly Json[],
  /** `fixed`: all tools stay, and clients accept them; `out`: invalid tools are removed from the list. */
  outcome: "fixed" | "out",
];

/** Minimal versions of tools from public bug reports. */
const MATRIX: readonly Row[] = [
  [
    "an input schema that is an array",
    ["claude-code"],
    [tool({ type: "array", items: {} })],
    "out",
  ],
  ["an input schema that is a string's", ["claude-code"], [tool({ type: "string" })], "out"],
  ["no input schema", ["claude-code", "cursor"], [{ name: "t", description: "d" }], "fixed"],
  ["an input schema of null", ["claude-code", "cursor"], [tool(null)], "fixed"],
  ["an input schema of true", ["vscode"], [tool(true)], "fixed"],
  ["an input schema of false", ["vscode"], [tool(false)], "out"],
  ["an input schema of {}", ["claude-code", "openai"], [tool({})], "fixed"],
  [
    "no type beside properties",
    ["openai"],
    [tool({ properties: { a: { type: "string" } } })],
    "fixed",
  ],
  ["a list of types at the top", ["cursor"], [tool({ type: ["object", "null"] })], "fixed"],
  ["no properties", ["openai"], [tool({ type: "object" })], "fixed"],
  [
    "properties that are a list",
    ["claude-code"],
    [tool({ type: "object", properties: [] })],
    "out",
  ],
  ["required that is true", ["claude-code"], [tool(object({}, { required: true }))], "out"],
  [
    "required in a property",
    ["openai"],
    [tool(object({ a: { type: "string", required: true } }))],
    "out",
  ],
  ["a type of no kind", ["claude-code"], [tool(object({ a: { type: "int" } }))], "out"],
  [
    "a type of null in a list",
    ["claude-code"],
    [tool(object({ a: { type: [null, "string"] } }))],
    "out",
  ],
  [
    "a reference that leads nowhere",
    ["claude-code"],
    [tool(object({ a: { $ref: "#/$defs/a" } }))],
    "out",
  ],
  [
    "a reference to components",
    ["gemini-openapi"],
    [tool(object({ a: { $ref: "#/components/schemas/A" } }))],
    "out",
  ],
  [
    "a pattern of no language",
    ["openai"],
    [tool(object({ a: { type: "string", pattern: "[a-z" } }))],
    "out",
  ],
  ["a name with a space", ["claude-code"], [tool(object(), { name: "my tool" })], "out"],
  ["a name with a slash", ["openai"], [tool(object(), { name: "a/b" })], "out"],
  ["an empty name", ["openai"], [tool(object(), { name: "" })], "out"],
  ["a name that is a number", ["vscode"], [tool(object(), { name: 7 })], "out"],
  [
    "two tools of one name",
    ["gemini-openapi"],
    [tool(object({ a: { type: "string" } })), tool(object({ b: { type: "string" } }))],
    "out",
  ],
  [
    "definitions of draft-07",
    ["gemini-openapi"],
    [
      tool(
        object(
          { a: { $ref: "#/definitions/A" } },
          { $schema: DRAFT_07, definitions: { A: { type: "string" } } },
        ),
      ),
    ],
    "fixed",
  ],
  [
    "$defs and references",
    ["zed", "gemini-openapi"],
    [
      tool(
        object({ a: { $ref: "#/$defs/A" } }, { $defs: { A: object({ b: { type: "number" } }) } }),
      ),
    ],
    "fixed",
  ],
  [
    "references in references",
    ["gemini-openapi"],
    [
      tool(
        object(
          { a: { type: "array", items: { $ref: "#/$defs/A" } } },
          { $defs: { A: object({ b: { $ref: "#/$defs/B" } }), B: { enum: ["x", "y"] } } },
        ),
      ),
    ],
    "fixed",
  ],
  [
    "a tuple of draft-07",
    ["claude-code"],
    [tool(object({ a: { type: "array", items: [{ type: "string" }] } }, { $schema: DRAFT_07 }))],
    "fixed",
  ],
  [
    "a boolean bound of draft-04",
    ["claude-code"],
    [
      tool(
        object(
          { a: { type: "number", minimum: 0, exclusiveMinimum: true } },
          { $schema: DRAFT_04 },
        ),
      ),
    ],
    "fixed",
  ],
  [
    "dependencies of draft-07",
    ["claude-code"],
    [
      tool(
        object(
          { a: { type: "array", items: [{}] }, b: {} },
          { $schema: DRAFT_07, dependencies: { a: ["b"] } },
        ),
      ),
    ],
    "fixed",
  ],
  [
    "a recursive reference of 2019-09",
    ["claude-code"],
    [tool(object({ a: { type: "array", items: [{ $recursiveRef: "#" }] } }, { $schema: IN_2019 }))],
    "fixed",
  ],
  [
    "$schema",
    ["gemini-openapi"],
    [tool(object({ a: { type: "string" } }, { $schema: DRAFT_07 }))],
    "fixed",
  ],
  ["const", ["gemini-openapi"], [tool(object({ a: { const: "x" } }))], "fixed"],
  [
    "a list of types",
    ["gemini-openapi"],
    [tool(object({ a: { type: ["string", "null"] } }))],
    "fixed",
  ],
  [
    "an open bound",
    ["gemini-openapi"],
    [tool(object({ a: { type: "integer", exclusiveMinimum: 0 } }))],
    "fixed",
  ],
  [
    "examples",
    ["gemini-openapi"],
    [tool(object({ a: { type: "string", examples: ["x"] } }))],
    "fixed",
  ],
  [
    "a vendor's keyword",
    ["gemini-openapi"],
    [tool(object({ a: { type: "string", "x-order": 1 } }))],
    "fixed",
  ],
  [
    "an open object that says so",
    ["gemini-openapi"],
    [tool(object({ a: { type: "string" } }, { additionalProperties: true }))],
    "fixed",
  ],
  [
    "propertyNames",
    ["gemini-openapi"],
    [tool(object({ a: object({ b: { type: "string" } }, { propertyNames: { type: "string" } }) }))],
    "fixed",
  ],
  [
    "oneOf of a map",
    ["gemini-openapi"],
    [tool(object({ a: { oneOf: [{ type: "string" }, { type: "integer" }] } }))],
    "fixed",
  ],
  [
    "allOf of one",
    ["gemini-openapi"],
    [tool(object({ a: { allOf: [{ type: "string" }] } }))],
    "fixed",
  ],
  [
    "a description beside anyOf",
    ["gemini-openapi"],
    [tool(object({ a: { description: "d", anyOf: [{ type: "string" }, { type: "null" }] } }))],
    "fixed",
  ],
  [
    "an array without items",
    ["vscode", "openai", "gemini-openapi"],
    [tool(object({ a: { type: "array" } }))],
    "fixed",
  ],
  [
    "a property that is true",
    ["claude-code", "gemini-openapi"],
    [tool(object({ a: true, b: { type: "string" } }))],
    "fixed",
  ],
  [
    "a default",
    ["openai-strict"],
    [
      tool(
        object(
          { a: { type: "string", default: "x" } },
          { required: ["a"], additionalProperties: false },
        ),
      ),
    ],
    "fixed",
  ],
  [
    "uniqueItems that asks for nothing",
    ["openai-strict"],
    [
      tool(
        object(
          { a: { type: "array", items: { type: "string" }, uniqueItems: false } },
          { required: ["a"], additionalProperties: false },
        ),
      ),
    ],
    "fixed",
  ],
  [
    "an optional property",
    ["openai-strict"],
    [tool(object({ a: { type: "string" } }, { additionalProperties: false }))],
    "fixed",
  ],
  [
    "optional values to choose from, in an object in a list",
    ["openai-strict"],
    [
      tool(
        object(
          {
            a: {
              type: "array",
              items: object({ b: { enum: ["x"] } }, { additionalProperties: false }),
            },
          },
          { required: ["a"], additionalProperties: false },
        ),
      ),
    ],
    "fixed",
  ],
  [
    "an optional property that refers to another schema",
    ["openai-strict"],
    [
      tool(
        object(
          { a: { $ref: "#/$defs/A", description: "d" } },
          { additionalProperties: false, $defs: { A: { type: "integer" } } },
        ),
      ),
    ],
    "fixed",
  ],
  [
    "an output schema of draft-07",
    ["claude-code"],
    [tool(object(), { outputSchema: object({ a: { type: "string" } }, { $schema: DRAFT_07 }) })],
    "fixed",
  ],
  [
    "an output schema of draft-04",
    ["claude-code"],
    [tool(object(), { outputSchema: object({}, { $schema: DRAFT_04 }) })],
    "fixed",
  ],
  [
    "an output schema of a dialect that nobody knows",
    ["claude-code"],
    [tool(object(), { outputSchema: object({}, { $schema: "urn:mine" }) })],
    "fixed",
  ],
  [
    "an output schema that is broken",
    ["claude-code"],
    [tool(object(), { outputSchema: object({ a: { type: "text" } }) })],
    "fixed",
  ],
  [
    "an output schema with a reference that leads nowhere",
    ["claude-code"],
    [tool(object(), { outputSchema: object({ a: { $ref: "#/$defs/X" } }) })],
    "fixed",
  ],
];

const errorsFor = (tools: unknown, takers: readonly ProviderName[]) => [
  ...lintFor(tools, takers).filter(({ severity }) => severity === "error"),
  ...lintTools(tools).filter(({ severity, rule }) => severity === "error" || REFUSED.has(rule)),
];

describe("tool lists that clients refuse", () => {
  it("covers at least forty cases", () => {
    expect(MATRIX.length).toBeGreaterThanOrEqual(40);
  });

  it.each(MATRIX)("%s, for %j", (_what, targets, tools, outcome) => {
    const takers = providersOfClients(targets.filter((target) => target !== "auto"));
    const good = takers.includes("openai-strict") ? CLOSED : GOOD;
    const list = [good, ...tools];
    expect(errorsFor(list, takers)).not.toEqual([]);
    const texts = list.map((each) => JSON.stringify(each));
    const adapted = adapt(texts, { ...ALL, for: targets });
    expect(errorsFor(adapted.tools, takers)).toEqual([]);
    const left = outcome === "fixed" || tools.length === 2 ? 2 : 1;
    expect(adapted.tools).toHaveLength(left);
    expect(adapted.tools[0]).toEqual(good);
    expect(adapted.changes).not.toEqual([]);
    // A second run changes nothing, and valid tools stay unchanged.
    const again = adapted.tools.map((each) => JSON.stringify(each));
    expect(adapt(again, { ...ALL, for: targets }).texts).toEqual(again);
  });
});

describe("adaptListSteps", () => {
  it("returns unchanged tools byte for byte, and everything with default settings", () => {
    const odd = ' { "name" : "t" , "inputSchema":{"type":"object","x":1.0,"y":[ ]} } ';
    const strange = ["7", "null", odd.trim(), '{"name":"t","name":"u"}'];
    expect(adapt(strange, PASS)).toMatchObject({ texts: strange });
    const tools = toolsOf([odd.trim()]);
    for (const settings of [PASS, { ...ALL, for: ["claude-code"] as const }]) {
      const [adapted] = runSteps(adaptListSteps(tools, adaptViewFor(settings, undefined), STRICT));
      expect(adapted?.text).toBe(tools[0]?.text);
      const [again] = runSteps(adaptListSteps(tools, adaptViewFor(settings, undefined), STRICT));
      expect(again?.text).toBe(tools[0]?.text);
    }
  });

  it.each<[string, string, string]>([
    ["the first", '{"outputSchema":{"type":"x"}, "name":"t" ,"a":1.0}', '{ "name":"t" ,"a":1.0}'],
    ["one in the middle", '{"name":"t", "outputSchema" : 7 ,"a":[ ]}', '{"name":"t", "a":[ ]}'],
    ["the last", '{"name":"t" ,\n "outputSchema":{} }', '{"name":"t"  }'],
    ["one with an escaped key", '{"name":"t","outputSchem\\u0061":[],"a":1}', '{"name":"t","a":1}'],
  ])("drops an output schema: %s", (_, from, to) => {
    expect(adapt([from], { ...PASS, outputSchema: "drop_unusable" }).texts).toEqual([to]);
  });

  it("keeps a usable output schema, unless all are to be dropped", () => {
    const text = JSON.stringify(tool(object(), { outputSchema: object() }));
    expect(adapt([text], { ...PASS, outputSchema: "drop_unusable" }).texts).toEqual([text]);
    const [dropped] = adapt([text], { ...PASS, outputSchema: "drop" }).tools;
    expect(dropped).toEqual(tool(object()));
  });

  it("cuts descriptions, and removes hidden characters from all texts that models read", () => {
    const hidden = "a\u200bb\u202ec\u{e0049}\u{e0067}\u{e006e}d";
    const text = JSON.stringify(
      tool(object({ [hidden]: { description: hidden, enum: [hidden], title: "ok" } }), {
        title: hidden,
        description: `${"x".repeat(40)}\u{1f600}`,
        annotations: { title: hidden },
      }),
    );
    const { tools, changes } = adapt([text], {
      ...PASS,
      descriptions: { max: 42, stripHidden: true },
    });
    expect(tools[0]).toEqual(
      tool(object({ [hidden]: { description: "abcd", enum: [hidden], title: "ok" } }), {
        title: "abcd",
        description: `${"x".repeat(40)}\u{1f600}`,
        annotations: { title: "abcd" },
      }),
    );
    expect(changes).toHaveLength(3);
    expect(changes[0]).toEqual({
      keyword: "descriptions",
      path: "/title",
      message:
        'invisible characters are removed: U+200B, U+202E, U+E0049, U+E0067, U+E006E, tags that say "Ign"',
    });
    const cut = adapt([text], { ...PASS, descriptions: { max: 41, stripHidden: false } });
    expect(cut.tools[0].description).toBe(`${"x".repeat(40)}…`);
    expect(cut.changes).toMatchObject([{ path: "/description" }]);
  });

  it.each([
    "family \u{1f468}\u200d\u{1f469}\u200d\u{1f467}, heart \u2764\ufe0f, key 1\ufe0f\u20e3",
    "flag \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\t\r\n",
    "na\u00efve caf\u0065\u0301 \u65e5\u672c\u8a9e",
  ])("keeps invisible characters that belong to a visible one: %j", (description) => {
    const text = JSON.stringify(tool(object(), { description }));
    const settings = { ...PASS, descriptions: { stripHidden: true } };
    expect(adapt([text], settings).texts).toEqual([text]);
  });

  it.each<[string, Partial<typeof PASS>, object]>([
    ["for", { for: ["gemini-openapi"] }, {}],
    ["unusable_tools", { unusableTools: "leave_out" }, { inputSchema: { type: "string" } }],
    ["output_schema", { outputSchema: "drop" }, { outputSchema: { type: "object" } }],
    ["descriptions", { descriptions: { max: 20, stripHidden: true } }, {}],
  ])(
    "leaves a tool of more than 1 MiB as it is, and reports it: %s",
    (keyword, settings, members) => {
      const long = { name: "t", description: "d\u200b".repeat(300_000), ...members };
      const text = Buffer.from(JSON.stringify(long));
      const view = adaptViewFor({ ...PASS, ...settings }, undefined);
      const [adapted] = runSteps(adaptListSteps([{ name: "t", text }], view, STRICT));
      expect(adapted?.text).toBe(text);
      expect(adapted?.changes).toEqual([
        {
          keyword,
          path: "",
          message: `the tool stays as it is: it has ${text.length} bytes, more than 1048576`,
          isLeft: true,
        },
      ]);
    },
  );

  describe("of a tool with a schema of more than 64 KiB", () => {
    const long = (more: Json = {}): Json =>
      object({ a: { type: "string", description: "d".repeat(70_000) } }, more);
    const input = { ...PASS, unusableTools: "leave_out" } as const;
    const output = { ...PASS, outputSchema: "drop_unusable" } as const;

    it("does not look whether the schema is valid, and reports that", () => {
      const broken = long({ required: 5 });
      for (const [text, settings, path, keyword] of [
        [JSON.stringify(tool(broken)), input, "/inputSchema", "unusable_tools"],
        [
          JSON.stringify(tool(object(), { outputSchema: broken })),
          output,
          "/outputSchema",
          "output_schema",
        ],
      ] as const) {
        const message = `whether the schema is valid JSON Schema was not looked at: it has ${JSON.stringify(broken).length} bytes, more than 65536`;
        const { texts, changes } = adapt([text], settings);
        expect(texts).toEqual([text]);
        expect(changes).toEqual([{ keyword, path, message, isLeft: true }]);
      }
    });

    it.each([
      ["a reference that leads nowhere", { $ref: "#/$defs/none" }],
      ["a pattern that is none", { properties: { a: { pattern: "(" } } }],
    ])("leaves it out for %s", (_what, more) => {
      expect(adapt([JSON.stringify(tool(long(more)))], input).texts).toEqual([undefined]);
    });
  });

  it("leaves JSON Schema as it is for Gemini CLI", () => {
    const a = { type: ["string", "null"], const: null, $ref: "#/$defs/A" };
    const more = { $schema: DRAFT_07, additionalProperties: false, $defs: { A: {} } };
    const text = JSON.stringify(tool(object({ a }, more)));
    const made = adapt([text], { ...PASS, for: ["auto"] }, "gemini-cli-mcp-client/1");
    expect([made.texts, made.changes]).toEqual([[text], []]);
  });

  it("reports tools that it cannot adapt", () => {
    const recursive = tool(object({ a: { $ref: "#" } }));
    const lossy = tool(object());
    const text = JSON.stringify(lossy).replace(
      '"properties":{}',
      '"maxProperties":9007199254740993',
    );
    const twice = '{"name":"t","inputSchema":{},"inputSchema":{"type":"object"}}';
    const made = adapt([JSON.stringify(recursive), text, twice], { ...PASS, for: ["openai"] });
    expect(made.texts[1]).toBe(text);
    expect(made.texts[2]).toBe(twice);
    expect(made.changes.filter(({ isLeft }) => isLeft)).toMatchObject([
      { keyword: "for", message: expect.stringContaining("numbers that JavaScript would change") },
      { keyword: "unusable_tools", message: "it has a duplicate key" },
    ]);
  });
});

describe("the time limit for a list", () => {
  const view = adaptViewFor({ ...ALL, for: ["gemini-openapi"] }, undefined);
  const pageText = (at: number): Uint8Array =>
    encode(
      JSON.stringify(
        tool({ properties: { [`time-${at}`]: { const: "x" } } }, { title: "a\u200b" }),
      ),
    );

  it("stops rewriting at the limit, even within a tool, and resumes with the next list", () => {
    let clock = 0;
    const now = (): number => {
      clock += 1;
      return clock;
    };
    const endless = new ListTimeBudget(Number.POSITIVE_INFINITY, now);
    runSteps(adaptSteps(pageText(99), view, { ...IN_TIME, time: endless }));
    // Time for three tools.
    const max = 3 * clock;
    const time = new ListTimeBudget(max, now);
    const shown = Array.from({ length: 12 }, (_, at) =>
      runSteps(adaptSteps(pageText(at), view, { ...IN_TIME, time })),
    );
    expect(time.wasShort).toBe(true);
    const isLeft = shown.map(({ changes }) => changes.some((change) => change.isLeft === true));
    const done = isLeft.indexOf(true);
    expect(done).toBeGreaterThan(0);
    expect(isLeft.slice(done).every(Boolean)).toBe(true);
    // For the other tools, it is unknown what clients refuse.
    expect(shown.map(({ left }) => left === undefined)).toEqual(isLeft);
    const last = shown.at(-1);
    expect(JSON.parse(decode(last?.text ?? encode("")))).toMatchObject({
      title: "a",
      inputSchema: { type: "object", properties: { "time-11": { const: "x" } } },
    });
    expect(last?.changes.at(-1)).toMatchObject({
      keyword: "for",
      isLeft: true,
      message: expect.stringContaining(
        `not checked for what clients refuse: the list has taken ${max} ms`,
      ),
    });
    // Cached results take no time.
    const again = runSteps(
      adaptSteps(pageText(0), view, { ...IN_TIME, time: new ListTimeBudget(0, now) }),
    );
    expect(again.changes.some((change) => change.isLeft === true)).toBe(false);
    const after = runSteps(
      adaptSteps(pageText(11), view, { ...IN_TIME, time: new ListTimeBudget(10_000, now) }),
    );
    expect(after.changes.some((change) => change.isLeft === true)).toBe(false);
  });
});

describe("the names that the adapt setting accepts", () => {
  it("are the clients and providers with known rules, and auto", () => {
    const { items } = setting.keys.server.adapt.properties.for;
    const known = [...new Set([...CLIENT_NAMES, ...PROVIDERS])];
    expect([...items.enum].sort()).toEqual(["auto", ...known].sort());
    // If a client and a provider have the same name, both mean the same rules.
    const both = CLIENT_NAMES.filter((name) => PROVIDERS.some((provider) => provider === name));
    expect(both).toEqual(["vscode"]);
    expect(providersOfClients(both)).toEqual(both);
  });

  it("know whether a list gets nulls before the client is known", () => {
    expect(providersOfClients(CLIENT_NAMES)).not.toContain("openai-strict");
  });
});

describe("viewOf", () => {
  it.each<[string | undefined, string | undefined, readonly ProviderName[]]>([
    ["claude-code/2.1.0", "claude-code", ["anthropic"]],
    ["Visual Studio Code/1.120.0", "vscode", ["vscode"]],
    ["@librechat/api-client/1.0", "librechat", ["anthropic", "openai", "gemini-openapi"]],
    ["@librechat/api-client", "librechat", ["anthropic", "openai", "gemini-openapi"]],
    ["CURSOR-vscode", "cursor", ["anthropic", "openai", "gemini"]],
    ["gemini-cli-mcp-client/1", "gemini-cli", ["gemini"]],
    ["Zed/0.200.0", "zed", ["anthropic", "openai", "gemini-openapi"]],
    ["my-agent/1", undefined, []],
    [undefined, undefined, []],
  ])("recognizes the client %s", (identity, client, takers) => {
    const view = adaptViewFor({ ...PASS, for: ["auto"] }, identity);
    expect(view).toMatchObject({ client, rules: { takers } });
    expect(adaptViewFor({ ...PASS, for: [] }, identity).rules.takers).toEqual([]);
  });
});
