import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { all, call, Harness, parse } from "./testing/harness.ts";

const STRICT = all("strict");

const TOOL = {
  name: "t",
  inputSchema: {
    type: "object",
    required: ["unit"],
    properties: {
      unit: { enum: ["celsius", "kelvin"] },
      exact: { const: "yes" },
      count: { type: "integer", minimum: 1, maximum: 5, multipleOf: 2 },
      code: { type: "string", pattern: "^[A-Z]{3}$", maxLength: 3 },
      when: { type: "string", format: "date-time" },
      list: { type: "array", uniqueItems: true, maxItems: 1, items: { type: "boolean" } },
      either: {
        oneOf: [
          { type: "object", required: ["kind", "a"], properties: { kind: { const: "a" } } },
          { type: "object", required: ["kind", "b"], properties: { kind: { const: "b" } } },
        ],
      },
      none: { not: {} },
      map: { propertyNames: { maxLength: 1 }, additionalProperties: { type: "integer" } },
    },
    dependentRequired: { code: ["exact"] },
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    required: ["n"],
    properties: { n: { type: "integer", maximum: 3 }, s: { type: "boolean" } },
    additionalProperties: false,
  },
};

/** Longer than any text of the gateway itself, so that no word occurs by chance. */
const word = fc
  .array(fc.constantFrom(..."bdfghjkmpqrtvwxyz0123456789"), { minLength: 14, maxLength: 40 })
  .map((letters) => letters.join(""));
const number = fc.integer({ min: 100_000_000_000, max: 9_000_000_000_000 });
const secret = fc.oneof(
  word,
  number,
  number.map((value) => value + 0.5),
  word.map((value) => [value, value]),
  word.map((value) => ({ kind: value, a: value, value })),
);
const names = [...Object.keys(TOOL.inputSchema.properties), "other", "unlt", "n", "s"] as const;
const payload = fc.dictionary(fc.constantFrom(...names), secret, { minKeys: 1, maxKeys: 8 });

/** Every string and number in a value. */
function leaves(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(leaves);
}

async function listed(): Promise<Harness> {
  const h = new Harness({ settings: STRICT });
  await h.list([TOOL]);
  h.activity.records.length = 0;
  return h;
}

describe("response_text", () => {
  it("is the text that the client receives, without values of the payload", async () => {
    await fc.assert(
      fc.asyncProperty(
        payload,
        fc.constantFrom("input", "output", "message"),
        async (values, at) => {
          const h = await listed();
          const text = JSON.stringify(values);
          let received: Uint8Array | undefined;
          if (at === "input") {
            received = (await h.client(call(1, "t", text))).back?.[0];
          } else if (at === "output") {
            await h.client(call(1, "t", '{"unit":"kelvin"}'));
            const result = { content: [], structuredContent: values };
            received = (await h.server({ jsonrpc: "2.0", id: 1, result })).onward;
          } else {
            const params = { name: "t", arguments: values, _meta: text, task: values };
            received = (await h.client({ jsonrpc: "2.0", id: 1, method: "tools/call", params }))
              .back?.[0];
          }
          const [decision, ...others] = h.records("policy_decision");
          expect(others).toEqual([]);
          const kept = decision?.response_text ?? "";
          expect(kept).toBe(textIn(received));
          for (const leaf of leaves(values)) expect(kept).not.toContain(leaf);
        },
      ),
    );
  });

  it("is present for each blocked message, whatever blocked it", async () => {
    const h = await listed();
    const cases: [string, () => Promise<Uint8Array | undefined>][] = [
      ["no JSON", async () => (await h.client('{"jsonrpc":"2.0","id":1,')).back?.[0]],
      ["unknown tool", async () => (await h.client(call(2, "nobody", "{}"))).back?.[0]],
      [
        "broken answer",
        async () => {
          await h.client(call(3, "t", '{"unit":"kelvin"}'));
          return (await h.server('{"jsonrpc":"2.0","id":3,"result":5}')).onward;
        },
      ],
    ];
    for (const [what, send] of cases) {
      h.activity.records.length = 0;
      const received = await send();
      const texts = h.records("policy_decision").map(({ response_text }) => response_text);
      expect([what, texts]).toEqual([what, [textIn(received)]]);
    }
  });

  it("is absent if nothing was blocked or the client receives nothing", async () => {
    const h = new Harness({ settings: all("warn") });
    await h.list([TOOL]);
    await h.client(call(1, "t", "{}"));
    const strict = await listed();
    await strict.client('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}');
    await strict.client('{"jsonrpc":"2.0","id":9,"result":5}');
    const decisions = [...h.records("policy_decision"), ...strict.records("policy_decision")];
    expect(decisions.length).toBeGreaterThan(1);
    for (const decision of decisions) expect(decision).not.toHaveProperty("response_text");
  });

  it("has at most 4 KiB, and redacts secrets in names", async () => {
    const h = await listed();
    const many = Array.from({ length: 60 }, (_, at) => [`${"é".repeat(150)}${at}`, 1]);
    await h.client(call(1, "t", JSON.stringify(Object.fromEntries(many))));
    const token = `ghp_${"a1B2".repeat(9)}`;
    await h.client(call(2, "t", JSON.stringify({ unit: "kelvin", [token]: 1 })));
    const [long, short] = h.records("policy_decision").map((one) => one.response_text ?? "");
    expect(Buffer.byteLength(long ?? "")).toBeLessThanOrEqual(4_096);
    expect(long).toMatch(/…$/);
    expect(short).toContain("[redacted]");
    expect(short).not.toContain(token);
  });
});

/** The text in a response, as a client shows it. */
function textIn(response: Uint8Array | undefined): string | undefined {
  const { error, result } = parse(response) as {
    error?: { message: string };
    result?: { content: [{ text: string }] };
  };
  return error?.message ?? result?.content[0].text;
}
