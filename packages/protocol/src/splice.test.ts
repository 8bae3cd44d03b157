import { decodeUtf8, encodeUtf8, locateJson } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrame } from "./read.ts";
import { memberRemovals, singleLine, spliceFrame } from "./splice.ts";
import { messageParts, messageText } from "./testing/messages.ts";

describe("spliceFrame", () => {
  it("replaces ids and tokens and keeps every other byte", () => {
    const text =
      '{"id" : 1.0,"x":"é","params":{"_meta":{"progressToken":"\\u0061"}},"method":"x"} ';
    const frame = readFrame(encodeUtf8(text));
    const { id, progressToken } = frame.ranges;
    if (id === undefined || progressToken === undefined) throw new Error("not found");
    const before = frame.bytes.slice();
    const out = spliceFrame(frame.bytes, [
      { range: progressToken, text: '"ü"' },
      { range: id, text: "12345" },
    ]);
    expect(decodeUtf8(out)).toBe(
      '{"id" : 12345,"x":"é","params":{"_meta":{"progressToken":"ü"}},"method":"x"} ',
    );
    expect(frame.bytes).toEqual(before);
    expect(spliceFrame(frame.bytes, [])).toBe(frame.bytes);
  });

  it("changes only the given ranges, in any order", () => {
    const piece = fc.record({
      keep: fc.uint8Array({ maxLength: 6 }),
      drop: fc.uint8Array({ minLength: 1, maxLength: 6 }),
      text: fc.string({ unit: "grapheme", maxLength: 6 }),
      order: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.uint8Array(), (pieces, tail) => {
        const bytes: number[] = [];
        const expected: number[] = [];
        const edits = pieces.map(({ keep, drop, text, order }) => {
          const start = bytes.push(...keep);
          const end = bytes.push(...drop);
          expected.push(...keep, ...encodeUtf8(text));
          return { range: { start, end }, text, order };
        });
        edits.sort((a, b) => a.order - b.order);
        const out = spliceFrame(Uint8Array.of(...bytes, ...tail), edits);
        expect([...out]).toEqual([...expected, ...tail]);
      }),
    );
  });

  it("removes members, whichever they are and whatever is around them", () => {
    const space = fc.constantFrom("", " ", "\n\t");
    const member = fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      value: fc.json(),
      space,
    });
    const members = fc.uniqueArray(member, { selector: ({ name }) => name });
    fc.assert(
      fc.property(members, fc.subarray(["a", "b", "c", "d"]), space, (all, names, around) => {
        const text = all.map(({ name, value, space: s }) => `${s}"${name}"${s}:${s}${value}${s}`);
        const bytes = encodeUtf8(`{${around}${text.join(",")}}`);
        const plan = { a: true, b: true, c: true, d: true } as const;
        const { members: found } = locateJson(bytes, { members: plan });
        const values = names.flatMap((name) => found.get(`/${name}`) ?? []);
        const left = JSON.parse(decodeUtf8(spliceFrame(bytes, memberRemovals(bytes, values))));
        const kept = all.filter(({ name }) => !names.includes(name));
        expect(left).toEqual(
          Object.fromEntries(kept.map(({ name, value }) => [name, JSON.parse(value)])),
        );
      }),
    );
  });

  it("inserts before a replacement at the same place, in either order", () => {
    const insert = { range: { start: 1, end: 1 }, text: "X" };
    const replace = { range: { start: 1, end: 2 }, text: "Y" };
    for (const edits of [
      [insert, replace],
      [replace, insert],
    ]) {
      expect(decodeUtf8(spliceFrame(encodeUtf8("abc"), edits))).toBe("aXYc");
    }
  });

  it("restores a frame when its id is replaced and put back", () => {
    fc.assert(
      fc.property(messageParts, (parts) => {
        const frame = readFrame(encodeUtf8(messageText(parts)));
        const { id } = frame.ranges;
        if (id === undefined || parts.id === undefined) return;
        const there = readFrame(spliceFrame(frame.bytes, [{ range: id, text: '"g-1"' }]));
        expect(there.idKey).toBe("sg-1");
        expect(there.kind).toBe(frame.kind);
        const range = there.ranges.id;
        if (range === undefined) throw new Error("the id is gone");
        expect(spliceFrame(there.bytes, [{ range, text: parts.id }])).toEqual(frame.bytes);
      }),
    );
  });

  it.each([
    [
      [
        { start: 0, end: 3 },
        { start: 2, end: 4 },
      ],
    ],
    [[{ start: 4, end: 6 }]],
    [[{ start: -1, end: 2 }]],
    [[{ start: 3, end: 2 }]],
    [[{ start: Number.NaN, end: 2 }]],
  ])("refuses %j of five bytes", (ranges) => {
    const edits = ranges.map((range) => ({ range, text: "x" }));
    expect(() => spliceFrame(new Uint8Array(5), edits)).toThrow(RangeError);
  });
});

describe("singleLine", () => {
  it("puts any message on one line without changing its value", () => {
    fc.assert(
      fc.property(messageParts, (parts) => {
        const text = messageText(parts);
        const bytes = encodeUtf8(text);
        const line = decodeUtf8(singleLine(bytes));
        expect(line).toBe(text.replaceAll(/[\r\n]/g, " "));
        expect(JSON.parse(line)).toEqual(JSON.parse(text));
        expect(decodeUtf8(bytes)).toBe(text);
      }),
    );
  });

  it("returns a single line unchanged", () => {
    const bytes = encodeUtf8('{"a":"\\n\u2028"}');
    expect(singleLine(bytes)).toBe(bytes);
  });
});
