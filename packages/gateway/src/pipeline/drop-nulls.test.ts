import { describe, expect, it } from "vitest";
import type { AdaptSettings } from "../features/adapt/adapt.ts";
import type { ValidationSettings } from "../settings/validation.ts";
import { all, call, Harness, LEGACY, MODERN, parse } from "./testing/harness.ts";

const TOOL = {
  name: "find",
  inputSchema: {
    type: "object",
    properties: {
      q: { type: "string" },
      limit: { type: "integer", minimum: 1 },
      sort: { enum: ["a", "b"] },
      any: {},
      none: { type: ["string", "null"] },
      at: {
        type: "object",
        properties: { x: { type: "number" }, y: { type: "number" } },
        required: ["x"],
        additionalProperties: false,
      },
    },
    required: ["q"],
    additionalProperties: false,
  },
};
const settings = (
  mode: "off" | "warn" | "strict",
  clients: AdaptSettings["for"] = ["openai-strict"],
  repair: ValidationSettings["input"]["repair"] = [],
): ValidationSettings => {
  const { input, ...others } = all(mode);
  return {
    ...others,
    input: { ...input, repair },
    adapt: {
      unusableTools: "pass",
      outputSchema: "pass",
      pages: "pass",
      for: clients,
      steps: ["same", "narrower", "wider"],
      mirrorContent: false,
      descriptions: { stripHidden: false },
    },
  };
};
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
const SENT =
  '{ "q":"a" ,"limit": null, "sort":null, "any":null,"none":null , "at":{"x":1.0,"y":null}}';
const GETS = '{ "q":"a" ,"any":null,"none":null , "at":{"x":1.0}}';

async function called(h: Harness, sent: string, revision = LEGACY) {
  await h.list([TOOL]);
  return h.client(call(1, "find", sent, ',"_meta":{"progressToken":1.0}', revision));
}

describe("a call with nulls that the gateway told its client to send", () => {
  it.each([
    ["off", LEGACY],
    ["warn", LEGACY],
    ["strict", LEGACY],
    ["strict", MODERN],
  ] as const)(
    "is forwarded without the nulls that the tool refuses, in %s, %s",
    async (mode, revision) => {
      const h = new Harness({ settings: settings(mode), revision });
      await h.list([TOOL]);
      const { onward, repaired } = await h.client(call(1, "find", SENT, "", revision));
      expect(text(onward)).toBe(call(1, "find", GETS, "", revision));
      // Headers that repeat arguments are updated.
      expect(repaired?.name).toBe("find");
      await h.server({ jsonrpc: "2.0", id: 1, result: { content: [] } });
      expect(h.records("policy_decision").filter(({ direction }) => direction === "input")).toEqual(
        [],
      );
      expect(h.records("tool_call")).toMatchObject([
        { adapt: "drop-nulls at /limit; drop-nulls at /sort; drop-nulls at /at/y" },
      ]);
    },
  );

  it.each<[string, AdaptSettings["for"]]>([
    ["no list has told it", ["openai", "cursor", "auto"]],
    ["nothing is rewritten", []],
  ])("keeps its nulls if %s", async (_, clients) => {
    const { onward, back = [] } = await called(
      new Harness({ settings: settings("strict", clients) }),
      SENT,
    );
    expect([onward, parse(back[0])]).toMatchObject([undefined, { result: { isError: true } }]);
  });

  it("keeps a null that the tool refuses if it is missing as well, and one that occurs twice", async () => {
    for (const bad of ['{"q":null}', '{"q":"a","limit":null,"limit":null}']) {
      const h = new Harness({ settings: settings("warn") });
      await h.list([TOOL]);
      const sent = call(1, "find", bad);
      expect(text((await h.client(sent)).onward)).toBe(sent);
    }
  });

  it.each([
    ['{"q":1,"limit":null}', '{"q":1}', ["/q"]],
    ['{"q":null,"limit":null,"sort":null}', '{"q":null}', ["/q"]],
    ['{"q":"a","at":{"x":"1","y":null},"limit":null}', '{"q":"a","at":{"x":"1"}}', ["/at/x"]],
  ])("loses the other nulls if it is invalid without them too: %s", async (bad, gets, places) => {
    const h = new Harness({ settings: settings("strict") });
    const { back = [] } = await called(h, bad);
    const { result } = parse(back[0]) as { result: { content: { text: string }[] } };
    const lines = result.content[0]?.text.split("\n").filter((line) => line.startsWith("- ")) ?? [];
    expect(lines).toHaveLength(places.length);
    for (const [at, place] of places.entries()) expect(lines[at]).toContain(place);
    const warned = new Harness({ settings: settings("warn") });
    await warned.list([TOOL]);
    const { onward } = await warned.client(call(1, "find", bad));
    expect(text(onward)).toBe(call(1, "find", gets));
  });

  it("is repaired together with its other issues, if repairs are allowed", async () => {
    const h = new Harness({ settings: settings("strict", ["openai-strict"], ["coerce-scalars"]) });
    const { onward } = await called(h, '{"q":1,"limit":null}');
    expect(text(onward)).toContain('"arguments":{"q":"1"}');
    expect(h.records("policy_decision")).toMatchObject([
      { decision: "repaired", repairs: "coerce-scalars at /q" },
    ]);
  });
});
