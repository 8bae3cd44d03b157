import type { Rules } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_SETTINGS,
  type InputCheckSettings,
  type ValidationSettings,
} from "../settings/validation.ts";
import {
  ADD,
  call,
  Harness,
  LEGACY,
  MODERN,
  parse,
  result,
  structured,
} from "./testing/harness.ts";

const text = { type: "string" };
const TOOL = {
  name: "add",
  inputSchema: {
    type: "object",
    properties: { query: text, list: { type: "array", items: text }, z: text },
    required: ["query"],
  },
  outputSchema: {
    type: "object",
    properties: { items: { items: { properties: { id: text }, additionalProperties: false } } },
  },
};

function settings(input: Partial<InputCheckSettings>, output: Rules = {}): ValidationSettings {
  const mode = "strict";
  return {
    ...DEFAULT_SETTINGS,
    input: { ...DEFAULT_SETTINGS.input, mode, ...input },
    output: { ...DEFAULT_SETTINGS.output, mode, rules: output },
  };
}

async function started(given: ValidationSettings, tool: object = TOOL): Promise<Harness> {
  const h = new Harness({ settings: given });
  await h.list([tool]);
  return h;
}

let id = 0;

/** What a client reads of a call that is blocked; undefined if it is sent. */
async function refusal(h: Harness, args: string): Promise<string | undefined> {
  const { onward, back } = await h.client(call(++id, "add", args));
  if (onward !== undefined) return undefined;
  const { result } = parse(back?.[0]) as { result: { content: [{ text: string }] } };
  return result.content[0].text;
}

describe("rules for places", () => {
  it("excuse exactly one field", async () => {
    const h = await started(settings({ rules: { "/z": "warning", "/query": "ignore" } }));
    expect(await refusal(h, '{"query":1,"z":1}')).toBeUndefined();
    expect(h.records("policy_decision")).toMatchObject([
      { decision: "warning", reason: "/z must be a string (got an integer)" },
    ]);
    const told = await refusal(h, '{"query":1,"z":1,"list":1}');
    expect(told).toContain("/list");
    expect(told).not.toContain("/query");
  });

  it("leave no record if they ignore every issue", async () => {
    const h = await started(settings({ rules: { "/**": "ignore" } }));
    expect(await refusal(h, '{"query":1}')).toBeUndefined();
    expect(h.records("policy_decision")).toEqual([]);
  });

  it("do not hide a violation after 100,000 ignored issues", async () => {
    const h = await started(
      settings({ rules: { "/list/*": "ignore", type: "warning", "/z": "violation" } }),
    );
    const list = JSON.stringify(Array(100_000).fill(1));
    expect(await refusal(h, `{"query":"","list":${list}}`)).toBeUndefined();
    expect(h.records("policy_decision")).toEqual([]);
    expect(await refusal(h, `{"query":"","list":${list},"z":1}`)).toContain("- Change /z");
    expect(h.records("policy_decision")).toMatchObject([{ issues: [{ path: "/z" }] }]);
  });

  it("do not lift limits, or the check that arguments are an object", async () => {
    const h = await started(settings({ rules: { "/**": "ignore" }, maxBytes: 20 }));
    expect(await refusal(h, '{"query":"longer than the limit"}')).toContain("over a limit");
    const deep = await started(settings({ rules: { "/query": "ignore" } }));
    expect(await refusal(deep, "[]")).toContain("must be an object");
  });

  it("apply to results", async () => {
    const h = await started(settings({}, { "/items/*/internal_id": "ignore" }));
    const answered = async (content: object) => {
      await h.client(call(++id, "add", '{"query":""}'));
      const { onward, back } = await h.server(structured(id, JSON.stringify(content)));
      return [onward, ...(back ?? [])]
        .map((bytes) => bytes && Buffer.from(bytes).toString())
        .join();
    };
    expect(await answered({ items: [{ id: "", internal_id: 1 }] })).toContain("internal_id");
    expect(await answered({ items: [{ id: "", other: 1 }] })).toContain(
      "/items/0/other is not declared",
    );
  });
});

describe("undeclared arguments", () => {
  it("are forwarded byte for byte by default, with a warning that says that no mode blocks them", async () => {
    const h = await started(settings({}));
    expect(await refusal(h, '{"query":"","limt":1}')).toBeUndefined();
    expect(h.records("policy_decision")).toMatchObject([
      {
        decision: "warning",
        reason: 'noted in every mode: /limt is not declared (did you mean "list"?)',
        issues: [{ path: "/limt", keyword: "undeclared" }],
      },
    ]);
    const off = await started(settings({ undeclared: "allow" }));
    expect(await refusal(off, '{"query":"","limt":1}')).toBeUndefined();
    expect(off.records("policy_decision")).toEqual([]);
  });

  it("are recorded as a warning, or blocked with a suggested name", async () => {
    const warned = await started(settings({ undeclared: "warning", rules: { extra: "ignore" } }));
    expect(await refusal(warned, '{"query":"","lisst":[]}')).toBeUndefined();
    expect(warned.records("policy_decision")).toMatchObject([
      { decision: "warning", issues: [{ path: "/lisst", keyword: "undeclared" }] },
    ]);
    const h = await started(settings({ undeclared: "violation", rules: { extra: "ignore" } }));
    expect(await refusal(h, '{"query":"","lisst":[]}')).toContain(
      '- Remove /lisst or rename it: did you mean "list"?',
    );
    expect(await refusal(h, '{"query":"","other":[]}')).toContain(
      "- Remove /other: it is not declared;",
    );
  });

  it("can be excused by place", async () => {
    const h = await started(
      settings({ undeclared: "violation", rules: { "/_meta_hint": "ignore" } }),
    );
    expect(await refusal(h, '{"query":"","_meta_hint":1}')).toBeUndefined();
    expect(await refusal(h, '{"query":"","hint":1}')).toContain("/hint");
  });

  it("are searched for at every level if configured", async () => {
    const nested = { ...ADD, inputSchema: { properties: { at: { properties: { a: {} } } } } };
    const root = await started(settings({ undeclared: "violation" }), nested);
    expect(await refusal(root, '{"at":{"b":1}}')).toBeUndefined();
    const deep = await started(settings({ undeclared: "violation", undeclaredAt: "deep" }), nested);
    expect(await refusal(deep, '{"at":{"b":1}}')).toContain("/at/b");
  });

  it("are not reported for a tool whose schema declares nothing", async () => {
    const h = await started(settings({ undeclared: "violation" }), {
      name: "add",
      inputSchema: { type: "object", properties: {} },
    });
    expect(await refusal(h, '{"any":1}')).toBeUndefined();
  });

  it("are renamed by a repair, and do not prevent a repair if they are only a warning", async () => {
    const name = { name: "add", annotations: { destructiveHint: false } };
    const repair = ["rename-properties", "coerce-scalars"] as const;
    const h = await started(settings({ undeclared: "violation", repair }), { ...TOOL, ...name });
    const sent = async (h: Harness, args: string) => {
      const { onward } = await h.client(call(++id, "add", args));
      return onward && (parse(onward) as { params: { arguments: unknown } }).params.arguments;
    };
    expect(await sent(h, '{"query":"","lisst":[]}')).toEqual({ query: "", list: [] });
    expect(await sent(h, '{"query":1,"other":[]}')).toBeUndefined();
    const warned = await started(settings({ undeclared: "warning", repair }), { ...TOOL, ...name });
    expect(await sent(warned, '{"query":1,"other":[]}')).toEqual({ query: "1", other: [] });
    expect(await sent(warned, '{"query":"","lisst":[]}')).toEqual({ query: "", list: [] });
    expect(warned.records("policy_decision")).toMatchObject([
      { decision: "repaired", repairs: "coerce-scalars at /query" },
      { decision: "repaired", reason: expect.not.stringContaining("noted") },
    ]);
  });
});

describe("an error result", () => {
  const EVIL = '"structuredContent":{"sum":"not a number"}';
  it.each(["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN])(
    "is forwarded unchecked in strict, with structured content of another form, in %s",
    async (revision) => {
      const h = new Harness({ settings: settings({}), revision });
      await h.list([ADD]);
      const complete = revision === MODERN ? '"resultType":"complete",' : "";
      const of = (isError: string): string =>
        `{${complete}"content":[{"type":"text","text":"no"}],${isError}${EVIL}}`;
      await h.client(call(1, "add", '{"a":1}', "", revision));
      const frame = h.read(result(1, of('"isError":true,')));
      expect((await h.server(frame)).onward).toBe(frame.bytes);
      expect(h.records("policy_decision")).toEqual([]);
      expect(h.records("tool_call")).toMatchObject([{ status: "error" }]);
      for (const isError of ['"isError":false,', '"isError":"true",', '"isError":1,', ""]) {
        await h.client(call(2, "add", '{"a":1}', "", revision));
        const { onward } = await h.server(result(2, of(isError)));
        expect(Buffer.from(onward ?? []).toString(), isError).not.toContain("not a number");
      }
    },
  );
});
