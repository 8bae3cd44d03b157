import { runSteps } from "@touchstone/core/advanced";
import { readFrame } from "@touchstone/protocol";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { TimeSlice } from "../../../util/src/time-slice.ts";
import { MAX_TOOLS } from "../contracts/contract-list.ts";
import type { ListStepName } from "../features/list.ts";
import type { ListStep } from "../features/list-step.ts";
import type { PolicySettings } from "../features/policy/policy.ts";
import type { ToolRules } from "../features/tool-lists/tool-rules.ts";
import { ListViews, prepareSteps, schemasKey, type ViewedPage } from "./list-view.ts";
import { Harness, LEGACY, MODERN, modes, parse, request, result } from "./testing/harness.ts";

const VIEWER = {
  ...{ server: "s", settings: () => modes(), client: undefined, caller: undefined },
  revision: undefined,
  source: new Harness().pipeline.conversation.contracts(LEGACY),
  learnAll: () => undefined,
  strictInput: "",
};

/** A step that removes, changes and notes the tools of these names. */
function step(
  name: ListStepName,
  does: Readonly<Record<string, "out" | "note" | string>>,
): ListStep {
  return {
    name,
    prepare: () => ({
      key: JSON.stringify(does),
      isStrict: true,
      view(tool) {
        const what = does[tool.name ?? "?"];
        if (what === undefined) return undefined;
        const reason = `${name} of ${tool.place}`;
        if (what === "out") return { leftOut: true, reason };
        if (what === "note") return { noted: true, reason };
        return { text: Buffer.from(tool.text).toString().replace("}", `,${what}}`), reason };
      },
    }),
  };
}

function shown(text: string, steps: readonly ListStep[], more = {}): ViewedPage {
  const options = { maxTools: MAX_TOOLS, namesCacheScope: false, ...more };
  const frame = readFrame(Buffer.from(text));
  const page = runSteps(new ListViews().show(frame, prepareSteps(steps, VIEWER), options));
  if (page === undefined || "unviewable" in page) throw new Error(`not shown: ${page?.unviewable}`);
  return page;
}
const pageText = (page: ViewedPage): string => Buffer.from(page.bytes).toString();

describe("a list view", () => {
  const A = '{ "name": "a", "x": 1.0 }';
  const B = '{"name":"b"}';
  const C = '{"name":"c","description":"\\u00e9 ]},{"}';

  it.each([
    [`[${A},${B},${C}]`, ["b"], `[${A},${C}]`],
    [`[${A},${B},${C}]`, ["a"], `[${B},${C}]`],
    [`[${A},${B},${C}]`, ["c"], `[${A},${B}]`],
    [`[${A},${B},${C}]`, ["a", "b"], `[${C}]`],
    [`[${A},${B},${C}]`, ["b", "c"], `[${A}]`],
    [`[${A},${B},${C}]`, ["a", "c"], `[${B}]`],
    [`[${A},${B},${C}]`, ["a", "b", "c"], "[]"],
    [`[ ${A} , ${B} ,\t${C} ]`, ["b"], `[ ${A} ,\t${C} ]`],
    [`[ ${A} , ${B} ,\t${C} ]`, ["a"], `[ ${B} ,\t${C} ]`],
    [`[ ${A} , ${B} ,\t${C} ]`, ["c"], `[ ${A} , ${B} ]`],
    [`[ ${A} , ${B} ]`, ["a", "b"], "[  ]"],
    [`[${B},${B},${A}]`, ["b"], `[${A}]`],
    ['[{"n\\u0061me":"\\u0062"},{"name":"a"}]', ["b"], '[{"name":"a"}]'],
    ["[]", ["a"], "[]"],
    [`[1,"b",null,${A}]`, ["?"], `[${A}]`],
    [`[{"name":"a","name":"b"},${B}]`, ["?"], `[${B}]`],
    [`[{"name":5},{"x":1},${B}]`, ["?"], `[${B}]`],
  ])("from %s removes %j and leaves %s, all other bytes unchanged", (tools, out, left) => {
    const does = Object.fromEntries(out.map((name) => [name, "out"]));
    const around = (text: string): string =>
      `{ "jsonrpc":"2.0","result": {"a":1.0,"tools" : ${text} ,"nextCursor":"\\u0031"},"id":1}\n`;
    const page = shown(around(tools), [step("pin", does)]);
    expect(pageText(page)).toBe(around(left));
    expect(() => JSON.parse(pageText(page))).not.toThrow();
  });

  it("returns the same array if no step changes it", () => {
    const text = result(1, `{"tools":[${A}]}`);
    const bytes = Buffer.from(text);
    const steps = prepareSteps([step("pin", { z: "out", a: "note" })], VIEWER);
    const options = { maxTools: 10, namesCacheScope: true };
    const page = runSteps(new ListViews().show(readFrame(bytes), steps, options));
    expect((page as ViewedPage).bytes).toBe(bytes);
  });

  it("applies the steps in order, and passes on only the tools that are left", () => {
    const first = step("allow", { a: '"y":1', b: "out" });
    const second = step("advertise", { a: '"z":2', b: '"z":2', c: "note" });
    const page = shown(result(1, `{"tools":[${A},${B},${C}]}`), [first, second]);
    expect(parse(page.bytes)).toMatchObject({
      result: { tools: [{ name: "a", x: 1, y: 1, z: 2 }, { name: "c" }] },
    });
    const did = page.view.changes.map(({ name, step: by, kind }) => `${name} ${kind} by ${by}`);
    expect(did).toEqual([
      "a changed by allow",
      "a changed by advertise",
      "b left out by allow",
      "c noted by advertise",
    ]);
    expect(page.view).toMatchObject({
      ...{ total: 4, tools: 3 },
      counts: { "left out": 1, changed: 1, noted: 1 },
    });
  });

  it("stops after twice as many entries as allowed if a step is strict", () => {
    const tools = Array.from({ length: 5 }, () => A).join(" , ");
    const page = shown(result(1, `{"tools":[${tools} ]}`), [step("pin", {})], { maxTools: 1 });
    expect(pageText(page)).toBe(result(1, `{"tools":[${A} , ${A}]}`));
    expect(page.view.changes[0]?.reason).toMatch(/has more than 2 entries/);
  });

  it("is computed once for the same tools and settings, whatever surrounds them", () => {
    let views = 0;
    const count = (): undefined => {
      views += 1;
      return undefined;
    };
    const counting: ListStep = {
      name: "pin",
      prepare: () => ({ key: "k", isStrict: false, view: count }),
    };
    const known = new ListViews();
    for (const id of [1, 2]) {
      const frame = readFrame(Buffer.from(result(id, `{"tools":[${A},${B}]}`)));
      const options = { maxTools: 10, namesCacheScope: false };
      runSteps(known.show(frame, prepareSteps([counting], VIEWER), options));
    }
    expect(views).toBe(2);
  });

  it.each([
    [`{"tools":[${A}],"cacheScope":"public"}`, `{"tools":[],"cacheScope":"private"}`],
    [`{"cacheScope": "private","tools":[${A}]}`, `{"cacheScope": "private","tools":[]}`],
    [`{"tools":[${A}]}`, `{"cacheScope":"private","tools":[]}`],
  ])("that depends on the caller is private: %s", (text, expected) => {
    const own: ListStep = {
      name: "pin",
      prepare: () => ({
        ...{ key: "k", isStrict: true, isPrivate: true },
        view: () => ({ leftOut: true, reason: "r" }),
      }),
    };
    const page = shown(result(1, text), [own], { namesCacheScope: true });
    expect(pageText(page)).toBe(result(1, expected));
    expect(pageText(shown(result(1, text), [own]))).not.toContain(
      '"cacheScope":"private","tools":[]',
    );
  });

  it("keeps the schemas that it shows, if a step changes them", () => {
    const closed: ListStep = {
      name: "adapt",
      prepare: () => ({
        ...{ key: "k", isStrict: false, changesSchemas: true },
        view: ({ text }) => ({
          text: Buffer.from(text).toString().replace("{}", '{"type":"object"}'),
          reason: "r",
        }),
      }),
    };
    const steps = prepareSteps([closed], VIEWER);
    const views = new ListViews();
    const own = Buffer.from("{}");
    const shown = (): string | undefined => {
      const found = views.shownSchema(schemasKey(steps) ?? "", "a", own);
      return found && Buffer.from(found).toString();
    };
    expect(shown()).toBeUndefined();
    const frame = readFrame(Buffer.from(result(1, '{"tools":[{"name":"a","inputSchema":{}}]}')));
    runSteps(views.show(frame, steps, { maxTools: 10, namesCacheScope: false }));
    expect(shown()).toBe('{"type":"object"}');
  });

  it("of 100,000 tools is computed in short steps", long, () => {
    const tools = Array.from({ length: 100_000 }, (_, i) => `{"name":"t${i}"}`).join();
    const frame = readFrame(Buffer.from(result(1, `{"tools":[${tools}]}`)));
    const steps = prepareSteps([step("pin", { t7: "out" })], VIEWER);
    const showing = new ListViews().show(frame, steps, {
      maxTools: 100_000,
      namesCacheScope: false,
    });
    let turns = 0;
    for (let next = showing.next(); next.done !== true; next = showing.next()) turns += 1;
    expect(turns).toBeGreaterThan(100_000);
  });
});

const policy = (rules: Omit<ToolRules, "level">, mode: PolicySettings["mode"] = "strict") => ({
  ...modes(),
  policy: { mode, levels: [{ ...rules, level: "server" as const }] },
});
const tool = (name: string, readOnlyHint?: boolean) => ({
  name,
  inputSchema: { type: "object" },
  ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }),
});
const TOOLS = [tool("read", true), tool("write", false), tool("drop")];

describe.each([LEGACY, MODERN])("policy on a list of %s", (revision) => {
  it.each<[Omit<ToolRules, "level">, string[]]>([
    [{}, ["read", "write", "drop"]],
    [{ allowTools: ["r*", "w*"] }, ["read", "write"]],
    [{ allowTools: [] }, []],
    [{ denyTools: ["DROP"] }, ["read", "write"]],
    [{ readOnly: true }, ["read"]],
    [{ readOnly: false }, ["read", "write", "drop"]],
  ])("%j leaves %j, with one record", async (rules, names) => {
    const h = new Harness({ settings: policy(rules), revision });
    for (const id of [1, 2]) {
      const { onward } = await h.list(TOOLS, id);
      expect(parse(onward)).toMatchObject({
        id,
        result: { tools: names.map((name) => ({ name })) },
      });
    }
    const left = TOOLS.length - names.length;
    const records = h.records("list_change");
    expect(records.map(({ issues }) => issues.length)).toEqual(left === 0 ? [] : [left]);
    if (left > 0) {
      expect(records[0]).toMatchObject({
        reason: expect.stringMatching(/^in a list of 3 tools, \d (?:is|are) left out: /),
        schema_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      });
      expect(records[0]?.issues.every(({ rule }) => rule === "policy")).toBe(true);
    }
  });

  it("shows every tool in warn, and records what it would leave out", async () => {
    const h = new Harness({ settings: policy({ denyTools: ["drop"] }, "warn"), revision });
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: TOOLS } }));
    await h.client(request(1, "tools/list", {}, revision));
    const frame = h.pipeline.read(bytes);
    expect((await h.server(frame)).onward).toBe(bytes);
    expect(h.records("list_change")).toMatchObject([
      { reason: "in a list of 3 tools, 1 is forwarded with a warning: drop" },
    ]);
  });

  it("keeps the removed tools as known tools", async () => {
    const h = new Harness({ settings: policy({ denyTools: ["write"] }), revision });
    await h.list(TOOLS);
    const known = h.pipeline.conversation.contracts(revision);
    expect([...known.book.all()].map(({ name }) => name)).toEqual(["read", "write", "drop"]);
  });
});

describe("a list that cannot be read tool by tool", () => {
  const tools = JSON.stringify(TOOLS);
  it.each([
    ["tools twice", `"result":{"tools":[],"tools":${tools}}`],
    ["tools in another case as well", `"result":{"tools":[],"Tools":${tools}}`],
    ["tools in another case only", `"result":{"TOOLS":${tools}}`],
    ["result twice", `"result":{"tools":${tools}},"result":{"tools":[]}`],
    ["tools that are not an array", `"result":{"tools":{"0":{"name":"drop"}}}`],
  ])("is blocked if policy is strict: %s", async (_, members) => {
    const h = new Harness({ settings: policy({ denyTools: ["drop"] }) });
    await h.client(request(1, "tools/list", {}, LEGACY));
    const { onward } = await h.server(`{"jsonrpc":"2.0","id":1,${members}}`);
    expect(parse(onward)).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(Buffer.from(onward ?? []).toString()).not.toContain('"drop"');
    expect(
      h.records("policy_decision").filter(({ decision }) => decision === "blocked"),
    ).toMatchObject([{ direction: "protocol", mode: "strict", issues: [{ rule: "policy" }] }]);
  });

  it("is forwarded if policy warns", async () => {
    const h = new Harness({ settings: policy({ denyTools: ["drop"] }, "warn") });
    await h.client(request(1, "tools/list", {}, LEGACY));
    const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":[],"tools":${tools}}}`;
    const { onward } = await h.server(text);
    expect(Buffer.from(onward ?? []).toString()).toBe(text);
  });
});

it("filters a list even if its request is unknown", async () => {
  const h = new Harness({ settings: policy({ denyTools: ["drop"] }) });
  const { onward } = await h.server(result(77, JSON.stringify({ tools: TOOLS })));
  expect(parse(onward)).toMatchObject({ result: { tools: [{ name: "read" }, { name: "write" }] } });
});

it("blocks a list whose record cannot be written, and records it when it can", async () => {
  const h = new Harness({ settings: policy({ denyTools: ["drop"] }) });
  h.activity.gate = () => Promise.reject(new Error("disk full"));
  expect(parse((await h.list(TOOLS, 1)).onward)).toMatchObject({ id: 1, error: { code: -32603 } });
  h.activity.gate = async () => {};
  expect(parse((await h.list(TOOLS, 2)).onward)).toHaveProperty("result");
  expect(h.records("list_change")).toHaveLength(1);
});

it("lets other messages take their turn while a long list is read", long, async () => {
  let turns = 0;
  const slice = new TimeSlice(
    () => performance.now(),
    (run) => {
      turns += 1;
      setImmediate(run);
    },
  );
  const h = new Harness({ settings: policy({ denyTools: ["t7"] }), slice });
  const { onward } = await h.list(Array.from({ length: 15_000 }, (_, i) => tool(`t${i}`)));
  expect((parse(onward)["result"] as { tools: unknown[] }).tools).toHaveLength(14_999);
  expect(turns).toBeGreaterThan(3);
});
