import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, LineSplitter } from "./lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const decode = (part: Uint8Array) => new TextDecoder().decode(part);
const text = (line: Line) => (line.kind === "line" ? decode(line.bytes) : `oversize ${line.size}`);

describe("LineSplitter", () => {
  it("returns a line after its line feed, and the rest at the end", () => {
    const splitter = new LineSplitter(100);
    expect(splitter.push(bytes('{"a"')).map(text)).toEqual([]);
    expect(splitter.push(bytes(":1}\n{}\nta")).map(text)).toEqual(['{"a":1}', "{}"]);
    expect(splitter.push(bytes("il")).map(text)).toEqual([]);
    const rest = splitter.flush();
    expect(rest && text(rest)).toBe("tail");
    expect(splitter.flush()).toBeUndefined();
  });

  it("skips blank lines and keeps carriage returns", () => {
    expect(new LineSplitter(100).push(bytes("\n \t\r\n{}\r\n\n")).map(text)).toEqual(["{}\r"]);
  });

  it("reports the ends and size of an oversize line, and continues after it", () => {
    const splitter = new LineSplitter(8, { endBytes: 3 });
    const lines = [...splitter.push(bytes("123456789")), ...splitter.push(bytes("0\n12345678\n"))];
    expect(lines.map(text)).toEqual(["oversize 10", "12345678"]);
    expect(lines[0]).toMatchObject({ head: bytes("123"), tail: bytes("890") });
  });

  it("returns no tail for an oversize line that may be cut off", () => {
    const splitter = new LineSplitter(8, { endBytes: 3 });
    splitter.push(bytes("123456789"));
    const rest = splitter.flush();
    expect(rest).toEqual({ kind: "oversize", head: bytes("123"), tail: bytes(""), size: 9 });
  });

  it("returns the same lines for any chunks", () => {
    const streams = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "\n", "\r", " ", "{") }));
    fc.assert(
      fc.property(streams, fc.array(fc.nat({ max: 40 })), (parts, cuts) => {
        const all = bytes(parts.join("\n"));
        const collect = (pieces: Uint8Array[]) => {
          const splitter = new LineSplitter(16, { endBytes: 5 });
          const lines = pieces.flatMap((piece) => splitter.push(piece));
          const rest = splitter.flush();
          return [...lines, ...(rest ? [rest] : [])].map((line) =>
            line.kind === "line" ? text(line) : [decode(line.head), decode(line.tail), line.size],
          );
        };
        const places = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort(
          (a, b) => a - b,
        );
        const pieces = [0, ...places].map((start, i) => all.subarray(start, places[i]));
        expect(collect(pieces)).toEqual(collect([all]));
      }),
    );
  });
});
