import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactFrame } from "./redact-frame.ts";

const R = "[redacted]";
const call = (args: string): string => `{"method":"tools/call","params":{"arguments":${args}}}`;
const list = (schema: string): string => `{"result":{"tools":[{"inputSchema":${schema}}]}}`;

describe("redactFrame", () => {
  it.each<[string, string, string, number]>([
    ["nothing", call('{"a": 1.0 ,"b":[1e400]}'), call('{"a": 1.0 ,"b":[1e400]}'), 0],
    ["a member", call('{"password":"x","a":1}'), call(`{"password":"${R}","a":1}`), 1],
    ["an object", call('{"token":{"a":["]"]}, "b":2}'), call(`{"token":"${R}", "b":2}`), 1],
    ["numbers", call('{"pin":1234,"otp":null}'), call(`{"pin":"${R}","otp":null}`), 1],
    ["an escaped name", call('{"pass\\u0077ord":"x"}'), call(`{"pass\\u0077ord":"${R}"}`), 1],
    ["a value", call('{"a":"see sk-proj-abcdefghijklmnop1234"}'), call(`{"a":"see ${R}"}`), 1],
    [
      "a name in a text",
      call('{"a":"user=me password=hunter2"}'),
      call(`{"a":"user=me password=${R}"}`),
      1,
    ],
    [
      "JSON in a text",
      '{"result":{"content":[{"type":"text","text":"{\\"token\\":\\"abc\\",\\"n\\":1}"}]}}',
      `{"result":{"content":[{"type":"text","text":"{\\"token\\":\\"${R}\\",\\"n\\":1}"}]}}`,
      1,
    ],
    [
      "a name in a declaration",
      list('{"pattern":"^token=[a-f]{8}$","properties":{"a":{"const":"pin=1234"}}}'),
      list('{"pattern":"^token=[a-f]{8}$","properties":{"a":{"const":"pin=1234"}}}'),
      0,
    ],
    ["an escaped quote", call('{"secret":"a\\"b","c":"d"}'), call(`{"secret":"${R}","c":"d"}`), 1],
    ["a batch", `[${call('{"secret":1}')}]`, `[${call(`{"secret":"${R}"}`)}]`, 1],
    ["no JSON", 'x "password": "y" z', `x "password": "${R}" z`, 1],
    ["an open string", '{"password":"abc', `{"password":"${R}"`, 1],
    ["an open object", '{"password":{"abc":1', `{"password":"${R}"`, 1],
    [
      "a progress token",
      '{"params":{"_meta":{"progressToken":7},"progressToken":"a"}}',
      '{"params":{"_meta":{"progressToken":7},"progressToken":"a"}}',
      0,
    ],
    [
      "a declaration",
      list('{"properties":{"password":{"type":"string"},"token":{"type":"object"}}}'),
      list('{"properties":{"password":{"type":"string"},"token":{"type":"object"}}}'),
      0,
    ],
    [
      "a declaration in a batch",
      `[${list('{"properties":{"password":{"minLength":8}}}')}]`,
      `[${list('{"properties":{"password":{"minLength":8}}}')}]`,
      0,
    ],
    [
      "a question for a password",
      '{"params":{"requestedSchema":{"properties":{"password":{"type":"string"}}}}}',
      '{"params":{"requestedSchema":{"properties":{"password":{"type":"string"}}}}}',
      0,
    ],
    [
      "a default in a declaration",
      list('{"properties":{"password":{"default":"x"},"city":{"default":"Rome"}}}'),
      list(`{"properties":{"password":{"default":"${R}"},"city":{"default":"Rome"}}}`),
      1,
    ],
    [
      "what only looks like a declaration",
      call('{"inputSchema":{"password":"x"}}'),
      call(`{"inputSchema":{"password":"${R}"}}`),
      1,
    ],
    [
      "a structured result called like a list",
      '{"result":{"structuredContent":{"tools":[{"inputSchema":{"password":"x"}}]}}}',
      `{"result":{"structuredContent":{"tools":[{"inputSchema":{"password":"${R}"}}]}}}`,
      1,
    ],
  ])("%s", (_, text, kept, redactions) => {
    expect(redactFrame(text)).toEqual({ text: kept, redactions });
  });

  it("removes every secret, changes nothing else, and leaves valid JSON", () => {
    const key = fc.constantFrom("password", "api_key", "city", "x", "a,b", "q\\");
    const { tree } = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.integer({ max: 999 }), fc.constant(null), fc.string({ maxLength: 9 })),
      tree: fc.oneof(
        { depthSize: "small" },
        tie("leaf"),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
        fc.dictionary(fc.constantFrom("password", "secret"), fc.constant("HIDDEN")),
      ),
    }));
    const hide = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(hide);
      if (typeof value !== "object" || value === null) return value;
      const members = Object.entries(value).map(([name, member]) => [
        name,
        member !== null && /password|api_key|secret/.test(name) ? R : hide(member),
      ]);
      return Object.fromEntries(members);
    };
    fc.assert(
      fc.property(tree, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const kept = redactFrame(text);
        expect(JSON.parse(kept.text)).toEqual(hide(value));
        if (kept.redactions === 0) expect(kept.text).toBe(text);
      }),
    );
  });

  it("accepts any text, and keeps what it does not redact", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]:,"\\ a1') }), (text) => {
        expect(redactFrame(text)).toEqual({ text, redactions: 0 });
      }),
    );
  });

  it("runs in time linear in the text", () => {
    const deep = `${'{"a":['.repeat(200_000)}"password"`;
    expect(redactFrame(deep).redactions).toBe(0);
    expect(redactFrame(`"${"\\".repeat(500_000)}`).redactions).toBe(0);
  });
});
