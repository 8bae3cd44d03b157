import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frameLine, lostFramesLine, oversizeLine, startLine } from "./line.ts";
import { readCaptureLine } from "./read-line.ts";

const FRAME = {
  ...{ time: "2026-11-22T00:00:00.000Z", server: "s", connection: "c" },
  ...{ session: "sha256:00", revision: "2025-11-25" },
  ...({ from: "client", to: "server" } as const),
};
const read = (line: string) => readCaptureLine(Buffer.from(line));

describe("lines of a capture", () => {
  it("keep every frame without a secret byte for byte", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: "binary" }).map((text) => new Uint8Array(Buffer.from(text))),
      fc.jsonValue().map((value) => new Uint8Array(Buffer.from(JSON.stringify(value)))),
    );
    fc.assert(
      fc.property(bytes, (frame) => {
        const line = frameLine(FRAME, frame);
        expect(line.endsWith("\n")).toBe(true);
        expect(line.indexOf("\n")).toBe(line.length - 1);
        const found = read(line);
        if (!("kind" in found) || found.kind !== "frame") throw new Error("no frame");
        expect(found.frame).toEqual(FRAME);
        if (found.redactions === 0) expect([...found.bytes]).toEqual([...frame]);
      }),
    );
  });

  it.each([
    ["a byte order mark", [0xef, 0xbb, 0xbf, 0x7b, 0x7d], "text"],
    ["no UTF-8", [0x7b, 0xff, 0x7d], "base64"],
    ["U+0000", [0x22, 0x00, 0x22], "text"],
  ])("keep %s", (_, bytes, member) => {
    const line = frameLine(FRAME, new Uint8Array(bytes));
    expect(JSON.parse(line)).toHaveProperty(member);
    expect(read(line)).toMatchObject({ kind: "frame", bytes: Buffer.from(bytes) });
  });

  it("count redactions", () => {
    const line = frameLine(FRAME, Buffer.from('{"password":"hunter2"}'));
    expect(line).not.toContain("hunter2");
    expect(read(line)).toMatchObject({ kind: "frame", redactions: 1 });
  });

  it("report lost and oversize frames", () => {
    const lost = { frames: 2, bytes: 10, since: FRAME.time, reason: "slow" };
    expect(read(startLine(FRAME.time))).toEqual({ kind: "start" });
    expect(read(lostFramesLine(FRAME.time, lost))).toEqual({ kind: "lost", lost });
    expect(read(oversizeLine(FRAME, 99))).toEqual({ kind: "oversize", frame: FRAME, bytes: 99 });
  });

  it.each([
    ["{", /^not JSON/],
    ["5", /must be object/],
    ["[]", /must be object/],
    ["{}", /required property/],
    ['{"touchstone":"capture","version":2}', /must be equal to constant at \/version/],
    ['{"lost":{}}', /required property/],
    [JSON.stringify({ ...FRAME, from: "me", text: "" }), /at \/from/],
    [JSON.stringify({ ...FRAME, text: "", base64: "" }), /must contain one of/],
    [JSON.stringify(FRAME), /must contain one of/],
  ])("are distinguished from %s", (line, fault) => {
    expect(read(line)).toEqual({ fault: expect.stringMatching(fault) });
  });

  it("never throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const found = read(JSON.stringify(value));
        expect("kind" in found || typeof found.fault === "string").toBe(true);
      }),
    );
  });
});
