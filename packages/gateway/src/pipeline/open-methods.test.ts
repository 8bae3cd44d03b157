import { describe, expect, it } from "vitest";
import type { CheckFact } from "./tap.ts";
import { all, Harness, LEGACY, MODERN, request, result } from "./testing/harness.ts";

function started(revision: string): { readonly h: Harness; readonly facts: CheckFact[] } {
  const facts: CheckFact[] = [];
  const telemetry = {
    now: () => 0,
    begin: () => undefined,
    checked: (fact: CheckFact) => facts.push(fact),
    appended: () => {},
  };
  return { h: new Harness({ settings: all("strict"), telemetry, revision }), facts };
}

const outcomes = (facts: readonly CheckFact[]): readonly string[] =>
  facts.map(({ direction, outcome, decision }) => `${direction} ${outcome} ${decision}`);

describe("a method that the revision does not define", () => {
  it.each([
    [LEGACY, "skills/list"],
    [MODERN, "events/poll"],
    [MODERN, "ping"],
    [LEGACY, "server/discover"],
    [LEGACY, "constructor"],
  ])("is forwarded and counted as skipped, as is its response: %s %s", async (revision, method) => {
    const { h, facts } = started(revision);
    const sent = h.read(request(1, method, {}, revision));
    expect((await h.client(sent)).onward).toBe(sent.bytes);
    const response = h.read(result(1, '{"anything":5}'));
    expect((await h.server(response)).onward).toBe(response.bytes);
    expect(outcomes(facts)).toEqual(["protocol skipped allowed", "protocol skipped allowed"]);
  });

  it("counts as skipped if a server's notification has it", async () => {
    const { h, facts } = started(MODERN);
    await h.server({ jsonrpc: "2.0", method: "notifications/vendor/later" });
    expect(outcomes(facts)).toEqual(["protocol skipped allowed"]);
  });

  it("counts as a violation if the message is not JSON-RPC", async () => {
    const { h, facts } = started(LEGACY);
    await h.client({ jsonrpc: "2.0", id: 1, method: "skills/list", params: 5 });
    expect(outcomes(facts)).toEqual(["protocol violation blocked"]);
  });
});

describe("a message of the Skills extension", () => {
  const SKILL = { uri: "skill://a/SKILL.md", frontmatter: { name: "a", description: "d" } };
  const page = (members: object): string =>
    JSON.stringify({ resultType: "complete", ttlMs: 1, cacheScope: "private", ...members });

  it.each([
    ["skills/get", {}],
    ["skills/list", { cursor: 5 }],
    ["resources/directory/read", { uri: null }],
  ])("is blocked if its params are invalid: %s %j", async (method, params) => {
    const { h, facts } = started(MODERN);
    const { onward } = await h.client(request(1, method, params, MODERN));
    expect(onward).toBeUndefined();
    expect(outcomes(facts)).toEqual(["protocol violation blocked"]);
  });

  it.each([
    ["skills/get", page({ skill: SKILL }), "violation blocked"],
    ["skills/list", page({ skills: {} }), "violation blocked"],
    // One skill that cannot be loaded does not hide the other skills.
    ["skills/list", page({ skills: [SKILL] }), "violation warning"],
    ["resources/directory/read", page({ resources: [{ uri: "skill://a" }] }), "violation warning"],
    ["skills/get", page({ skill: { ...SKILL, resources: "dynamic" } }), "pass allowed"],
  ])("is checked if it is a result: %s %s", async (method, text, expected) => {
    const { h, facts } = started(MODERN);
    await h.client(request(1, method, { uri: "skill://a" }, MODERN));
    const response = h.read(result(1, text));
    const { onward } = await h.server(response);
    expect(onward === response.bytes).toBe(!expected.includes("blocked"));
    expect(outcomes(facts)).toEqual(["protocol pass allowed", `protocol ${expected}`]);
  });
});

it.each([
  [LEGACY, "ping", "{}"],
  [LEGACY, "prompts/list", '{"prompts":[]}'],
  [
    MODERN,
    "prompts/list",
    '{"prompts":[],"resultType":"complete","ttlMs":1,"cacheScope":"private"}',
  ],
])(
  "a method that the revision defines counts as checked: %s %s",
  async (revision, method, text) => {
    const { h, facts } = started(revision);
    await h.client(request(1, method, {}, revision));
    await h.server(result(1, text));
    expect(outcomes(facts)).toEqual(["protocol pass allowed", "protocol pass allowed"]);
  },
);
