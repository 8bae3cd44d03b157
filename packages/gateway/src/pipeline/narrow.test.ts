import { describe, expect, it } from "vitest";
import type { AdaptSettings } from "../features/adapt/adapt.ts";
import type { Mode, ValidationSettings } from "../settings/validation.ts";
import {
  all,
  call,
  Harness,
  type HarnessOptions,
  LEGACY,
  MODERN,
  modes,
  parse,
} from "./testing/harness.ts";

const TOOL = {
  name: "read_file",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, lines: { type: "integer" } },
    required: ["path"],
  },
};

const NARROW = {
  properties: { path: { within: ["/home/me/notes"] }, lines: { maximum: 100 } },
  required: ["path"],
};

function narrowed(
  base: ValidationSettings,
  mode: Mode = "strict",
  schema: Readonly<Record<string, unknown>> = NARROW,
  secrets: readonly string[] = [],
  advertise = false,
): ValidationSettings {
  const narrow = { schema, written: schema, secrets };
  return { ...base, policy: { mode, levels: [], advertise, narrow } };
}

async function withNarrow(
  settings: ValidationSettings,
  options: Partial<HarnessOptions> = {},
): Promise<Harness> {
  const { policy: _, ...base } = settings;
  const h = new Harness({ settings: base, tools: { read_file: settings }, ...options });
  await h.list([TOOL, { name: "other", inputSchema: { type: "object" } }]);
  return h;
}

const callOf = (args: object, id = 1, name = "read_file"): string =>
  call(id, name, JSON.stringify(args));
const bytesText = (bytes: Uint8Array | undefined): string =>
  (parse(bytes) as { result?: { content: { text: string }[] } }).result?.content[0]?.text ?? "";

describe("a call with arguments that policy forbids", () => {
  it.each(["off", "warn", "strict"] as const)(
    "is blocked if schema checks are %s",
    async (mode) => {
      const h = await withNarrow(narrowed(all(mode)));
      const { onward, back } = await h.client(callOf({ path: "/etc/passwd" }));
      expect(onward).toBeUndefined();
      expect(parse(back?.[0])).toMatchObject({ id: 1, result: { isError: true } });
      expect(bytesText(back?.[0])).toBe(
        [
          'The call of "read_file" was blocked before it reached the server: this gateway\'s policy forbids it (it does not allow these arguments).',
          '- Change /path: it must be an absolute path inside "/home/me/notes"; it is a string of 11 characters.',
          "The operator sets the policy. Call the tool with arguments that the policy allows, or do not call it.",
        ].join("\n"),
      );
      expect(h.records("policy_decision")).toMatchObject([
        {
          tool: "read_file",
          direction: "input",
          mode: "strict",
          decision: "blocked",
          status: "blocked",
          outcome: "violation",
          reason:
            'policy forbids the arguments: /path must be an absolute path inside "/home/me/notes" (got a string of 11 characters)',
          issues: [
            {
              path: "/path",
              rule: "policy",
              keyword: "within",
              schemaPath: "#/properties/path/within",
            },
          ],
          response_text: bytesText(back?.[0]),
        },
      ]);
      const [decision] = h.records("policy_decision");
      expect(h.records("tool_call")).toMatchObject([
        { status: "out_of_bounds", decision: "blocked", request_id: decision?.request_id },
      ]);
      expect(JSON.stringify(h.activity.records)).not.toContain("passwd");
    },
  );

  it.each([
    ["a keyword of JSON Schema", { path: "/home/me/notes/a", lines: 101 }, "/lines", "narrow"],
    ["what is missing", {}, "/path", "narrow"],
    ["a value of another type", { path: 1 }, "/path", "within"],
  ])("is recorded with the place and keyword of %s", async (_, args, path, keyword) => {
    const h = await withNarrow(narrowed(modes({ input: "off" })));
    const { onward } = await h.client(callOf(args));
    expect(onward).toBeUndefined();
    expect(h.records("policy_decision")).toMatchObject([
      { issues: [{ path, rule: "policy", keyword }] },
    ]);
  });

  it("is forwarded unchanged if policy only warns, with one record for all issues", async () => {
    const h = await withNarrow(narrowed(all("warn"), "warn"));
    const message = callOf({ path: "/etc/passwd", lines: "x" });
    const frame = h.read(message);
    const { onward } = await h.client(frame);
    expect(onward).toBe(frame.bytes);
    expect(h.records("policy_decision")).toMatchObject([
      {
        decision: "warning",
        direction: "input",
        issues: [
          { path: "/lines", rule: "type" },
          { path: "/path", rule: "policy", keyword: "within" },
        ],
      },
    ]);
  });

  it("has one record if the schema only warns and policy blocks", async () => {
    const h = await withNarrow(narrowed(all("warn"), "strict"));
    const { onward } = await h.client(callOf({ path: "/etc/passwd", lines: "x" }));
    expect(onward).toBeUndefined();
    expect(h.records("policy_decision")).toMatchObject([
      {
        decision: "blocked",
        mode: "strict",
        issues: [{ rule: "policy" }, { path: "/lines", rule: "type" }],
      },
    ]);
  });

  it("is checked only by its schema if that blocks it", async () => {
    const h = await withNarrow(narrowed(all("strict"), "strict"));
    await h.client(callOf({ path: "/etc/passwd", lines: "x" }));
    expect(h.records("policy_decision")).toMatchObject([{ issues: [{ rule: "type" }] }]);
  });

  it("is forwarded if policy is off or allows it", async () => {
    for (const [settings, path] of [
      [narrowed(all("strict"), "off"), "/etc/passwd"],
      [narrowed(all("strict")), "/home/me/notes/a.md"],
    ] as const) {
      const h = await withNarrow(settings);
      const frame = h.read(callOf({ path }));
      const { onward } = await h.client(frame);
      expect(onward).toBe(frame.bytes);
      expect(h.records("policy_decision")).toEqual([]);
    }
  });

  it("is checked as it will be sent, after repairs", async () => {
    const settings = modes({ input: "strict" });
    const repairing = { ...settings, input: { ...settings.input, repair: ["safe"] as const } };
    const h = await withNarrow(narrowed(repairing));
    const fits = await h.client(callOf({ path: "/home/me/notes/a", lines: "100" }));
    expect(parse(fits.onward)).toMatchObject({ params: { arguments: { lines: 100 } } });
    const over = await h.client(callOf({ path: "/home/me/notes/a", lines: "101" }));
    expect(over.onward).toBeUndefined();
    expect(h.records("policy_decision").at(-1)).toMatchObject({
      decision: "blocked",
      repairs: "coerce-scalars at /lines",
      // The reason for the block comes first.
      reason: expect.stringMatching(/^policy forbids the arguments: .*repaired: coerce-scalars/),
      issues: [
        { path: "/lines", rule: "policy" },
        { path: "/lines", rule: "type" },
      ],
    });
  });

  const EVIL = '"/etc/passwd"';
  const raw = (params: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}}`;
  const named = (args: string): string => raw(`"name":"read_file","arguments":${args}`);

  it.each([
    ["a key twice", named(`{"path":${EVIL},"path":"/home/me/notes/a"}`)],
    ["a key twice, the allowed one first", named(`{"path":"/home/me/notes/a","path":${EVIL}}`)],
    ["a key twice, once escaped", named(`{"path":"/home/me/notes/a","p\\u0061th":${EVIL}}`)],
    ["no object", named(`["path"]`)],
    ["a text", named(`"{}"`)],
    ["null", named("null")],
    ["nothing", raw('"name":"read_file"')],
    [
      "too deep a value",
      named(`{"path":"/home/me/notes/a","x":${"[".repeat(70)}${"]".repeat(70)}}`),
    ],
    ["an escaped value", named('{"path":"/home/me/notes/..\\u002f..\\u002fx"}')],
    ["its tool in another case", raw(`"name":"READ_FILE","arguments":{"path":${EVIL}}`)],
    ["its tool with a space", raw(`"name":"read_file ","arguments":{"path":${EVIL}}`)],
    ["its tool after a NUL", raw(`"name":"read_file\\u0000x","arguments":{"path":${EVIL}}`)],
    ["its tool in wide letters", raw(`"name":"ｒead_file","arguments":{"path":${EVIL}}`)],
    ["its arguments twice", named(`{"path":"/home/me/notes/a"},"arguments":{"path":${EVIL}}`)],
    [
      "arguments in another case",
      raw(
        `"name":"read_file","arguments":{"path":"/home/me/notes/a"},"Arguments":{"path":${EVIL}}`,
      ),
    ],
    ["its name twice", raw(`"name":"other","name":"read_file","arguments":{"path":${EVIL}}`)],
    [
      "its name twice, its own first",
      raw(`"name":"read_file","name":"other","arguments":{"path":${EVIL}}`),
    ],
    [
      "a name in another case",
      raw(`"name":"other","Name":"read_file","arguments":{"path":${EVIL}}`),
    ],
    [
      "params twice",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other"},"params":{"name":"read_file","arguments":{"path":${EVIL}}}}`,
    ],
    ["a method in another case", named(`{"path":${EVIL}}`).replace("tools/call", "Tools/Call")],
    ["no tool", raw(`"arguments":{"path":"/home/me/notes/a"}`)],
    ["a tool that is not a text", raw(`"name":["read_file"],"arguments":{"path":${EVIL}}`)],
    ["a notification", named(`{"path":${EVIL}}`).replace('"id":1,', "")],
    ["another name that Go takes for it", named(`{"path":"/home/me/notes/a","Path":${EVIL}}`)],
    ["the other name first", named(`{"PATH":${EVIL},"path":"/home/me/notes/a"}`)],
    ["a Kelvin sign as its k", named(`{"path":"/home/me/notes/a","lin\u212as":1,"LINES":101}`)],
    ["a name with a space", named(`{"path":"/home/me/notes/a","path ":${EVIL}}`)],
    ["a name in wide letters", named(`{"path":"/home/me/notes/a","ｐath":${EVIL}}`)],
    ["a method in a list", named(`{"path":${EVIL}}`).replace('"tools/call"', '["tools/call"]')],
    ["a task", raw(`"name":"read_file","arguments":{"path":${EVIL}},"task":{}`)],
  ])("is never forwarded with %s", async (_, message) => {
    const h = await withNarrow(narrowed(all("off")));
    const { onward } = await h.client(message);
    expect(onward).toBeUndefined();
    expect(h.records("policy_decision")).toMatchObject([{ decision: "blocked", mode: "strict" }]);
  });

  const PATHS = { type: "array", items: { type: "string" } };
  it.each<[string, object, string]>([
    ["fill-defaults", { lines: { type: "integer", default: 500 } }, '{"path":"/home/me/notes/a"}'],
    ["rename-properties", {}, '{"pth":"/etc/passwd","lines":1}'],
    ["parse-json-strings", { path: PATHS }, '{"path":"[\\"/etc/passwd\\"]","lines":1}'],
    ["coerce-scalars", {}, '{"path":"/home/me/notes/a","lines":"101"}'],
  ])("is blocked if the repair %s makes it violate the policy", async (kind, properties, args) => {
    const strict = modes({ input: "strict" });
    const base = {
      ...strict,
      input: { ...strict.input, repair: [kind as never], repairOfTool: true },
    };
    const h = await withNarrow(
      narrowed(base, "strict", {
        properties: {
          path: {
            anyOf: [NARROW.properties.path, { type: "array", items: NARROW.properties.path }],
          },
          lines: NARROW.properties.lines,
        },
      }),
    );
    const { inputSchema } = TOOL;
    const required = ["path", "lines"];
    await h.list([
      {
        ...TOOL,
        annotations: { destructiveHint: false },
        inputSchema: {
          ...inputSchema,
          properties: { ...inputSchema.properties, ...properties },
          required,
        },
      },
    ]);
    expect((await h.client(call(1, "read_file", args))).onward).toBeUndefined();
    const [record] = h.records("policy_decision");
    expect(record?.["repairs"]).toContain(kind);
    expect(record?.issues?.[0]).toMatchObject({ rule: "policy" });
  });

  it("is blocked in a batch without the other items", async () => {
    const h = await withNarrow(narrowed(all("warn")), { revision: "2025-03-26" });
    const batch = [callOf({ path: "/etc/passwd" }, 1), callOf({ path: "/home/me/notes/a" }, 2)];
    const { onward } = await h.client(`[${batch.join(",")}]`);
    expect(parse(onward)).toMatchObject([{ id: 2 }]);
  });

  it("is checked on a thread if that takes long, and no cancellation overtakes it", async () => {
    const h = await withNarrow(narrowed(all("off")), {
      later: () => (job) => {
        jobs.push(job.compile?.dialect);
        return Promise.reject(new Error("no thread"));
      },
    });
    const jobs: unknown[] = [];
    const long = { path: "/home/me/notes/a", more: Array.from({ length: 400_000 }, () => 1) };
    const { onward } = await h.client(callOf(long));
    if (jobs.length > 0) {
      expect(jobs).toEqual(["policy"]);
      expect(onward).toBeUndefined();
    } else expect(onward).toBeDefined();
  });

  it.each([
    ["plain", "hunter2", "hunter2"],
    ["with markup", "hun<ter2", "ter2"],
    ["longer than texts quote", `hunter2${"-and-more".repeat(40)}`, "hunter2"],
  ])("leaves a secret out of the texts: %s", async (_, secret, part) => {
    const schema = { properties: { key: { const: secret }, path: { enum: [secret] } } };
    const h = await withNarrow(narrowed(all("off"), "strict", schema, [secret]));
    const { back } = await h.client(callOf({ key: "x", path: "y" }));
    expect(bytesText(back?.[0])).toContain("[redacted]");
    const everything = JSON.stringify([h.activity.records, h.lines, bytesText(back?.[0])]);
    expect(everything).not.toContain(part);
  });

  it("is invalid for the validation tool too, even in a batch", async () => {
    const h = await withNarrow(narrowed(all("warn")), { addsValidation: true });
    h.pipeline.conversation.lacksValidation = true;
    const validated = async (args: object): Promise<{ valid: boolean }[]> => {
      const { back } = await h.client(callOf(args, 7, "touchstone_validate_tool_call"));
      const { result } = parse(back?.[0]) as { result: { structuredContent: object } };
      return [JSON.stringify(result.structuredContent)].map((text) => ({
        valid: !text.includes('"valid":false'),
        text,
      }));
    };
    const evil = { tool: "read_file", arguments: { path: "/etc/passwd" } };
    const good = { tool: "read_file", arguments: { path: "/home/me/notes/a" } };
    expect(await validated(evil)).toMatchObject([
      { valid: false, text: expect.stringContaining("must be an absolute path inside") },
    ]);
    expect(await validated(good)).toMatchObject([{ valid: true }]);
    expect(await validated({ calls: [good, evil] })).toMatchObject([{ valid: false }]);
  });

  it("is not searched for in calls of other tools", async () => {
    const h = await withNarrow(narrowed(all("warn")));
    const frame = h.read(callOf({ path: "/etc/passwd" }, 1, "other"));
    expect((await h.client(frame)).onward).toBe(frame.bytes);
  });
});

const SHOWN = narrowed(all("warn"), "strict", NARROW, [], true);

describe.each([LEGACY, MODERN])("a list that advertises the policy, in %s", (revision) => {
  const OTHER = { name: "other", inputSchema: { type: "object" } };
  const WITHIN = 'This gateway\'s policy: must be an absolute path inside "/home/me/notes".';
  const listed = async (settings: ValidationSettings, client?: string) => {
    const { policy: _, ...base } = settings;
    const h = new Harness({ settings: base, tools: { read_file: settings }, revision });
    if (client !== undefined) h.pipeline.conversation.client = client;
    const { onward } = await h.list([TOOL, OTHER]);
    return { h, text: Buffer.from(onward ?? []).toString() };
  };

  it("describes it in the tool's schema, and changes no other byte", async () => {
    const { h, text } = await listed(SHOWN);
    const plain = (await listed(narrowed(all("warn")))).text;
    const [path, lines] = ['"path":{', '"lines":{'];
    expect(text).toBe(
      plain
        .replace(path, `${path}"description":${JSON.stringify(WITHIN)},`)
        .replace(lines, `${lines}"maximum":100,`),
    );
    expect(h.records("list_change")).toMatchObject([
      {
        reason: "in a list of 2 tools, 1 is changed: read_file",
        issues: [
          {
            path: "/result/tools/0",
            message: expect.stringMatching(/\(advertise\): shows what policy allows in \S+maximum/),
            rule: "policy",
            keyword: "advertise",
          },
        ],
      },
    ]);
    // The server's own schema and the policy decide, regardless of the listed schema.
    await h.client(call(1, "read_file", '{"path":"/etc/x","lines":"x"}', "", revision));
    expect(h.records("policy_decision")).toMatchObject([
      {
        issues: [
          { path: "/path", rule: "policy" },
          { path: "/lines", rule: "type" },
        ],
      },
    ]);
  });

  it("stays unchanged if policy only warns, and the record says what would change", async () => {
    const { h, text } = await listed(narrowed(all("warn"), "warn", NARROW, [], true));
    expect(text).toBe((await listed(narrowed(all("warn")))).text);
    expect(h.records("list_change")).toMatchObject([{ issues: [{ keyword: "advertise" }] }]);
  });

  it.each<[string, ValidationSettings, string?]>([
    ["policy is off", narrowed(all("warn"), "off", NARROW, [], true)],
    ["it is not asked for", narrowed(all("warn"))],
    // A client of 2026-07-28 introduces itself in each request.
    ...(revision === LEGACY
      ? ([["the gateway's own API asks", SHOWN, "touchstone-http/1"]] as [
          string,
          ValidationSettings,
          string,
        ][])
      : []),
  ])("stays unchanged if %s", async (_, settings, client) => {
    const { h, text } = await listed(settings, client);
    expect(text).not.toMatch(/policy|maximum/);
    expect(h.records("list_change")).toEqual([]);
  });

  it("is adapted to clients afterward, and leaves out tools that are not allowed", async () => {
    const levels = [{ level: "server", denyTools: ["other"] }] as const;
    const adapt: AdaptSettings = {
      ...({
        unusableTools: "pass",
        outputSchema: "pass",
        pages: "pass",
        for: [],
        steps: ["same", "narrower", "wider"],
        mirrorContent: false,
      } as const),
      descriptions: { max: 20, stripHidden: false },
    };
    const policy = { mode: "strict", levels } as const;
    const settings: ValidationSettings = { ...all("warn"), adapt, policy };
    // A constraint that no property has goes into the tool's description.
    const own = narrowed(settings, "strict", { ...NARROW, minProperties: 1, not: {} }, [], true);
    const h = new Harness({ settings, tools: { read_file: own }, revision });
    await h.list([{ ...TOOL, description: "Reads a file of mine." }, OTHER]);
    const [record] = h.records("list_change");
    expect(record?.issues?.map(({ keyword, path }) => [keyword, path])).toEqual([
      ["advertise", "/result/tools/0"],
      ["descriptions", "/result/tools/0"],
      ["deny_tools", "/result/tools/1"],
    ]);
  });
});
