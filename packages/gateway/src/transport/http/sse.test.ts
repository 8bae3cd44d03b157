import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concatBytes } from "../../../../util/src/concat-bytes.ts";
import { SseSplitter, SseTooLargeError, sseEvent } from "./sse.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array | undefined) => data && new TextDecoder().decode(data);
const split = (stream: Uint8Array[]) => {
  const splitter = new SseSplitter(10_000);
  const events = stream.flatMap((piece) => splitter.push(piece));
  return { events, rest: splitter.rest() };
};

describe("SseSplitter", () => {
  const table: [string, (string | undefined)[]][] = [
    ["data: {}\n\n", ["{}"]],
    ["data:{}\r\n\r\n", ["{}"]],
    ["data: {}\r\rdata: 2\r\r\n", ["{}", "2"]],
    ["id: 7\nevent: message\ndata: {\ndata: }\n\n", ["{\n}"]],
    [": ping\n\n", [undefined]],
    ["id: 1\ndata:\n\n", [""]],
    ["\uFEFFdata: 1\n\n", ["1"]],
    ["\uFEFF\ndata: 1\n\n\uFEFFdata: 2\n\n", [undefined, "1", undefined]],
    ["data: 1\n", []],
    ["database: 1\n\n", [undefined]],
  ];
  it.each(table)("%j", (stream, expected) => {
    expect(split([bytes(stream)]).events.map((event) => text(event.data))).toEqual(expected);
  });

  it("returns the event's type", () => {
    const { events } = split([bytes("event: endpoint\ndata: /x\n\ndata: 1\n\n")]);
    expect(events.map((event) => event.type)).toEqual(["endpoint", "message"]);
  });

  it("returns the event's id, unless it contains a NUL", () => {
    const { events } = split([bytes("id: é\n\nid: 1\nid: a\0b\n\nid: a\0b\n\nid\n\n")]);
    expect(events.map((event) => event.id)).toEqual(["é", "1", undefined, ""]);
  });

  it("refuses an event over the limit", () => {
    const splitter = new SseSplitter(10);
    expect(() => splitter.push(bytes("data: 123456789"))).toThrow(SseTooLargeError);
    const inPieces = new SseSplitter(10);
    inPieces.push(bytes("data: "));
    expect(() => inPieces.push(bytes("123\n\n"))).toThrow(SseTooLargeError);
  });

  it("accepts any number of events up to the limit", () => {
    const splitter = new SseSplitter(10);
    for (let n = 0; n < 9; n += 1) {
      splitter.push(bytes("data: "));
      expect(splitter.push(bytes(`1${n}\n\n`)).map((event) => text(event.data))).toEqual([`1${n}`]);
    }
  });

  const line = fc.oneof(
    fc.constantFrom("data: a", "data", "data:é", ": c", "id: 1", "event: x", "retry: 9", ""),
    fc.string({ maxLength: 6 }),
  );
  const lines = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")));
  const stream = fc
    .tuple(fc.constantFrom("", "\uFEFF"), lines)
    .map(([mark, all]) => bytes(mark + all.flat().join("")));

  it("keeps every byte and finds the same events in any chunks", () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), (all, cuts) => {
        const places = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort(
          (a, b) => a - b,
        );
        const pieces = [0, ...places].map((start, i) => all.subarray(start, places[i]));
        const whole = split([all]);
        const cut = split(pieces);
        const kept = concatBytes([...cut.events.map((event) => event.raw), cut.rest]);
        expect(Buffer.compare(kept, all)).toBe(0);
        expect(cut.events.map((e) => text(e.data))).toEqual(whole.events.map((e) => text(e.data)));
      }),
    );
  });

  it("finds the same events in parts of a larger buffer", () => {
    fc.assert(
      fc.property(stream, fc.nat({ max: 9 }), (all, before) => {
        const inside = concatBytes([bytes("\n\r data: x".slice(0, before)), all, bytes("\n\n")]);
        const piece = inside.subarray(before, before + all.length);
        const expected = split([all]);
        expect(split([piece]).events.map((e) => [e.type, e.id, e.retry, text(e.data)])).toEqual(
          expected.events.map((e) => [e.type, e.id, e.retry, text(e.data)]),
        );
        expect(Buffer.compare(split([piece]).rest, expected.rest)).toBe(0);
      }),
    );
  });

  it("reads the same data as eventsource-parser", () => {
    fc.assert(
      fc.property(stream, (all) => {
        const expected: string[] = [];
        const parser = createParser({ onEvent: (event) => expected.push(event.data) });
        // The parser keeps a trailing CR in its buffer; a comment line makes it process the CR.
        parser.feed(`${new TextDecoder().decode(all)}\n: end`);
        const own = split([all, bytes("\n: end")]).events.flatMap((e) =>
          e.data ? [text(e.data)] : [],
        );
        expect(own).toEqual(expected);
      }),
    );
  });
});

describe("sseEvent", () => {
  it("contains every non-blank line of the frame, and cannot end early", () => {
    const frames = fc.array(fc.constantFrom("a", "data: b", ":", "\n", "\r", "\r\n"));
    fc.assert(
      fc.property(frames, (parts) => {
        const frame = parts.join("");
        const { events, rest } = split([sseEvent(bytes(frame), "7")]);
        const lines = frame.split(/[\r\n]+/).filter((line) => line !== "");
        expect(events.map(({ id, data }) => [id, text(data)])).toEqual([
          ["7", lines.length === 0 ? undefined : lines.join("\n")],
        ]);
        expect(rest).toHaveLength(0);
      }),
    );
  });

  it("reads back as the frame that was written", () => {
    for (const frame of ['{"a":1}', '{\n"a":\r\n1}']) {
      const { events } = split([sseEvent(bytes(frame))]);
      expect(events.map((event) => text(event.data)?.replace(/\s/g, ""))).toEqual([
        frame.replace(/\s/g, ""),
      ]);
    }
    expect(text(sseEvent(bytes("{}")))).toBe("data: {}\n\n");
  });
});
