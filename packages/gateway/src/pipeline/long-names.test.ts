import { tooLongToFold } from "@touchstone/core/advanced";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PolicySettings } from "../features/policy/policy.ts";
import type { ToolRules } from "../features/tool-lists/tool-rules.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import type { MessageOutput } from "./pipeline.ts";
import { all, call, Harness, LEGACY, MODERN, modes, parse } from "./testing/harness.ts";

const READ_FILE = {
  name: "read_file",
  annotations: { readOnlyHint: true },
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
};
const NARROW = {
  properties: {
    path: { within: ["/srv"] },
    inner: { properties: { a: { type: "integer" } } },
    list: { items: { required: ["a"] } },
    free: { type: "object" },
  },
};

const withPolicy = (
  rules: Omit<ToolRules, "level">,
  mode: PolicySettings["mode"] = "strict",
): ValidationSettings => ({
  ...modes(),
  policy: { mode, levels: [{ ...rules, level: "server" }] },
});
const withNarrow = (mode: PolicySettings["mode"] = "strict"): ValidationSettings => ({
  ...all("off"),
  policy: {
    ...{ mode, levels: [], advertise: false },
    narrow: { schema: NARROW, written: NARROW, secrets: [] },
  },
});

const DENY = { denyTools: ["delete_*"] };
const ALLOW = { allowTools: ["*"] };

async function listed(
  settings: ValidationSettings,
  { tools = [READ_FILE], revision = LEGACY }: { tools?: readonly object[]; revision?: string } = {},
): Promise<Harness> {
  const { policy: _, ...base } = settings;
  const narrows = settings.policy?.narrow !== undefined;
  const options = narrows ? { settings: base, tools: { read_file: settings } } : { settings };
  const h = new Harness({ ...options, revision });
  await h.list(tools);
  return h;
}

const sent = ({ onward }: MessageOutput): string | undefined =>
  onward === undefined ? undefined : Buffer.from(onward).toString();
const named = (name: string, args: object = {}): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${JSON.stringify(args)}}}`;

/** Names that cost quadratic time to normalize, become 18 times as long, or are only long. */
const LONG: readonly (readonly [string, string])[] = [
  ["1,025 letters", "A".repeat(1_025)],
  ["1 MB of letters", "A".repeat(1_000_000)],
  ["40,000 combining marks", `a${"\u0301\u0323".repeat(20_000)}`],
  ["100,000 characters that become 18 each", "\ufdfa".repeat(100_000)],
  ["57 of them", "\ufdfa".repeat(57)],
  ["invisible characters", `read_file${"\u200b".repeat(1_024)}`],
];

let folded: number[] = [];
beforeEach(() => {
  const { normalize } = String.prototype;
  folded = [];
  vi.spyOn(String.prototype, "normalize").mockImplementation(function (this: string, form) {
    folded.push(this.length);
    return normalize.call(this, form);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(Math.max(0, ...folded)).toBeLessThanOrEqual(1_024);
});

describe.each(LONG)("a tool's name of %s", (_, name) => {
  it.each([
    ["deny_tools", withPolicy(DENY), "deny_tools"],
    ["allow_tools", withPolicy(ALLOW), "allow_tools"],
    ["narrow", withNarrow(), "narrow"],
  ])("is refused if %s is set, listed or not", async (_setting, settings, keyword) => {
    for (const tools of [[READ_FILE], [READ_FILE, { ...READ_FILE, name }]]) {
      const h = await listed(settings, { tools });
      const { onward, back } = await h.client(named(name));
      expect(onward).toBeUndefined();
      const text = JSON.stringify(parse(back?.[0]));
      expect(text).toContain("/params/name: policy cannot tell which tool is called");
      expect(text).toMatch(/names of more than 1,024 cannot be compared.*by a shorter name/);
      expect(text.length).toBeLessThan(2_000);
      expect(h.records("policy_decision").at(-1)).toMatchObject({
        ...{ decision: "blocked", mode: "strict", direction: "input" },
        reason: expect.stringContaining(tooLongToFold(name)),
        issues: [{ path: "/params/name", rule: "policy", keyword }],
      });
    }
  });

  it("is forwarded with a record in warn", async () => {
    for (const settings of [withPolicy(DENY, "warn"), withNarrow("warn")]) {
      const h = await listed(settings);
      expect(sent(await h.client(named(name))) === named(name)).toBe(true);
      expect(h.records("policy_decision")).toMatchObject([
        { decision: "warning", reason: expect.stringContaining("more than 1,024") },
      ]);
    }
  });

  it("is forwarded if no setting compares names", async () => {
    const tools = [{ ...READ_FILE, name }];
    for (const settings of [modes(), withPolicy(DENY, "off"), withNarrow("off")]) {
      const h = await listed(settings, { tools });
      expect(sent(await h.client(named(name))) === named(name)).toBe(true);
      const rules = h.records("policy_decision").flatMap(({ issues = [] }) => issues);
      expect(rules.filter(({ rule }) => rule === "policy")).toEqual([]);
    }
  });

  it.each([LEGACY, MODERN])("is left out of the list, with a record, in %s", async (revision) => {
    const tools = [READ_FILE, { ...READ_FILE, name }];
    for (const [settings, keyword] of [
      [withPolicy(DENY), "deny_tools"],
      [withNarrow(), "narrow"],
    ] as const) {
      const h = await listed(settings, { tools, revision });
      await h.client(`{"jsonrpc":"2.0","id":9,"method":"tools/list"${META[revision] ?? ""}}`);
      const list = `{"jsonrpc":"2.0","id":9,"result":{"tools":${JSON.stringify(tools)}}}`;
      const { onward } = await h.server(list);
      expect(parse(onward)).toMatchObject({ result: { tools: [{ name: "read_file" }] } });
      expect((parse(onward) as { result: { tools: object[] } }).result.tools).toHaveLength(1);
      const records = JSON.stringify(h.activity.records);
      expect(records).toContain("more than 1,024 cannot be compared");
      expect(records).toContain(keyword);
    }
  });
});

const META: Readonly<Record<string, string>> = {
  [MODERN]:
    ',"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}',
};

it("forwards the call of a tool whose name has 1,024 characters", async () => {
  const name = "A".repeat(1_024);
  const tools = [READ_FILE, { ...READ_FILE, name }];
  for (const settings of [withPolicy(DENY), withPolicy(ALLOW), withNarrow()]) {
    const h = await listed(settings, { tools });
    expect(sent(await h.client(named(name)))).toBe(named(name));
  }
});

describe.each(LONG)("an argument's name of %s", (_, name) => {
  it.each<[string, object, string]>([
    ["beside those of the policy", { path: "/srv/a", [name]: 1 }, ""],
    ["in an object", { path: "/srv/a", inner: { [name]: 1 } }, "/inner"],
    ["in an item", { path: "/srv/a", list: [{ a: 1 }, { a: 1, [name]: 1 }] }, "/list/1"],
  ])("is refused %s, with a record", async (_place, args, path) => {
    const h = await listed(withNarrow());
    const { onward, back } = await h.client(named("read_file", args));
    expect(onward).toBeUndefined();
    const text = JSON.stringify(parse(back?.[0]));
    expect(text).toMatch(/shorter names.*of more than 1,?024/);
    expect(text.length).toBeLessThan(2_000);
    expect(h.records("policy_decision")).toMatchObject([
      { decision: "blocked", issues: [{ path, rule: "policy", keyword: "narrow" }] },
    ]);
  });

  it("is forwarded where the policy names nothing", async () => {
    const h = await listed(withNarrow());
    const text = call(1, "read_file", JSON.stringify({ path: "/srv/a", free: { [name]: 1 } }));
    expect(sent(await h.client(text))).toBe(text);
  });
});

describe("many names of arguments", () => {
  const many = (count: number, name: string): object =>
    Object.fromEntries([
      ["path", "/srv/a"],
      ...Array.from({ length: count }, (_, i) => [`${name}${i}`, 1] as const),
    ]);

  it.each([
    ["9,900 names of 150 characters that become 18 each", many(9_900, "\ufdfa".repeat(150))],
    ["9,900 names of 50 of them", many(9_900, "\ufdfa".repeat(50))],
    ["9,900 names of 1,000 combining marks", many(9_900, `a${"\u0301\u0323".repeat(500)}`)],
  ])("fold a bounded number of characters, and are refused: %s", async (_, args) => {
    const h = await listed(withNarrow());
    expect((await h.client(named("read_file", args))).onward).toBeUndefined();
    expect(h.records("policy_decision")).toMatchObject([{ decision: "blocked" }]);
    // Each name is normalized twice: unchanged, and with its case changed.
    expect(folded.reduce((sum, length) => sum + length, 0)).toBeLessThan(50_000 + 2_048);
  });

  it.each([
    ["9,900 names of 100 letters", many(9_900, "A".repeat(100))],
    ["3,000 names of 8 letters beyond ASCII", many(3_000, "Київ")],
  ])("are forwarded if that takes little: %s", async (_, args) => {
    const h = await listed(withNarrow());
    expect(sent(await h.client(named("read_file", args)))).toBe(named("read_file", args));
  });

  it("are refused if there are more than 1,048,576 characters of them", async () => {
    const h = await listed(withNarrow());
    const args = many(9_900, "A".repeat(400));
    expect((await h.client(named("read_file", args))).onward).toBeUndefined();
    expect(h.records("policy_decision")).toMatchObject([{ decision: "blocked" }]);
  });
});
