import { readFrame } from "@touchstone/protocol/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { legacy } from "../eras/legacy.ts";
import { modern } from "../eras/modern.ts";
import { redactFrame } from "../insight/capture/redact-frame.ts";
import { matchesRedacted } from "./redacted-match.ts";
import { comparableParams, requestKey } from "./request-key.ts";

const hex = (key: Uint8Array): string => Buffer.from(key).toString("hex");
const paramsOf = (params: string): string =>
  comparableParams(
    readFrame(Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`)),
  );

/** A JSON value as text, with the members of objects in any order and white space anywhere. */
type Tree =
  | string
  | { readonly items: readonly Tree[] }
  | { readonly members: readonly (readonly [string, Tree])[] };
const NAMES = ["a", "b", "city", "password", "token", 'é"', "n"];
const { tree } = fc.letrec<{ tree: Tree; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(
      "1",
      "1.0",
      "1e0",
      "10",
      "-0",
      "9007199254740993",
      "9007199254740992",
      "null",
      "true",
    ),
    fc.constantFrom(
      '"x"',
      '"[1]"',
      '"a, b: {"',
      '"\\\\"',
      '"see sk-proj-abcdefghijklmnop1234 ok"',
      '"pw password=hunter2"',
    ),
  ),
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    fc.record({ items: fc.array(tie("tree"), { maxLength: 3 }) }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie("tree")), {
        maxLength: 4,
        selector: ([name]) => name,
      })
      .map((members) => ({ members })),
  ),
}));
const objects = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tree), {
    maxLength: 5,
    selector: ([name]) => name,
  })
  .map((members): Tree => ({ members }));

function write(value: Tree, turn: boolean): string {
  if (typeof value === "string") return value;
  const space = turn ? " " : "";
  if ("items" in value)
    return `[${value.items.map((item) => space + write(item, turn)).join(",")}]`;
  const members = turn ? value.members.toReversed() : value.members;
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}${space}:${write(member, turn)}`).join(`${space},`)}}`;
}

/** Returns the value with its first number or `true` replaced by another one; undefined if there is none. */
function changed(text: string): string | undefined {
  const other = text.replace(/(?<=[:[ ])(?:-?\d[\d.e]*|true)(?=[,\]} ])/, (found) =>
    found === "77" ? "78" : "77",
  );
  return other === text ? undefined : other;
}

describe("the key of a request", () => {
  it("is the same for any order of keys and any _meta, and another one for other digits", () => {
    fc.assert(
      fc.property(objects, fc.constantFrom("", '"_meta":{"progressToken":1}'), (value, meta) => {
        const text = write(value, false);
        const turned = write(value, true);
        const isEmpty = turned === "{}";
        const inside = meta === "" || isEmpty ? turned : `{${meta},${turned.slice(1)}`;
        const last = meta === "" || isEmpty ? turned : `${turned.slice(0, -1)} , ${meta} }`;
        for (const same of [turned, inside, last]) expect(paramsOf(same)).toBe(paramsOf(text));
        const other = changed(text);
        if (other !== undefined) expect(paramsOf(other)).not.toBe(paramsOf(text));
      }),
    );
  });

  it("tells digits, eras and methods apart, and not how strings are escaped", () => {
    const of = (params: string) => hex(requestKey(legacy, "m", paramsOf(params)));
    expect(of('{"a":1}')).not.toBe(of('{"a":1.0}'));
    expect(of('{"a":9007199254740993}')).not.toBe(of('{"a":9007199254740992}'));
    expect(of('{"a":"\\u0062"}')).toBe(of('{"\\u0061":"b"}'));
    expect(of("{}")).not.toBe(hex(requestKey(modern, "m", "{}")));
    expect(of("{}")).not.toBe(hex(requestKey(legacy, "n", "{}")));
    const none = comparableParams(readFrame(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"m"}')));
    expect(none).toBe(paramsOf('{"_meta":{"a":1}}'));
  });
});

describe("a request without its secrets", () => {
  it("matches the request that it was made of, and none that differs elsewhere", () => {
    fc.assert(
      fc.property(objects, (value) => {
        const text = write(value, false);
        const redacted = redactFrame(`{"params":${text}}`).text.slice('{"params":'.length, -1);
        const pattern = paramsOf(redacted);
        expect(matchesRedacted(pattern, paramsOf(write(value, true)))).toBe(true);
        // A change that is left after the removal is not one of a secret.
        const other = changed(redacted);
        if (other !== undefined)
          expect(matchesRedacted(paramsOf(other), paramsOf(text))).toBe(false);
      }),
    );
  });

  it.each([
    ['{"a":"[redacted]"}', '{"a":{"b":[1,"]"]}}', true],
    ['{"a":"[redacted]","b":1}', '{"a":-1.5e3,"b":1}', true],
    ['{"a":"[redacted]"}', '{"a":1,"b":1}', false],
    ['{"a":"see [redacted] and [redacted]."}', '{"a":"see x and y."}', true],
    ['{"a":"see [redacted] and [redacted]."}', '{"a":"see x or y."}', false],
    ['{"a":"x[redacted]x"}', '{"a":"x"}', false],
    ['{"a":"x[redacted]"}', '{"a":5}', false],
    [
      '{"a":"{\\"token\\":\\"[redacted]\\",\\"n\\":1}"}',
      '{"a":"{\\"token\\":[1],\\"n\\":1}"}',
      true,
    ],
    ['["[redacted]"]', "[]", true],
    ['{"a":"[redacted]"}', "5", false],
  ])("%s and %s: %s", (pattern, text, wanted) => {
    expect(matchesRedacted(pattern, text)).toBe(wanted);
  });
});
