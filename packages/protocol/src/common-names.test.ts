import { encodeUtf8 } from "@touchstone/core/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commonName } from "./common-names.ts";
import { readFrame } from "./read.ts";

describe("commonName", () => {
  it.each(["2.0", "tools/call", "notifications/cancelled", "server/discover"])(
    "knows %s",
    (name) => {
      const bytes = encodeUtf8(`"${name}"`);
      expect(commonName(bytes, 1, bytes.length - 1)).toBe(name);
    },
  );

  it.each(["", "tools/cal1", "tools/cal", "constructor", "0.2"])("does not know %j", (name) => {
    const bytes = encodeUtf8(name);
    expect(commonName(bytes, 0, bytes.length)).toBeUndefined();
  });

  it("does not change how a method name is read", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
      fc.constantFrom("tools/call", "tools/list", "2.0", "ping", "tools\\call"),
    );
    const escaped = (text: string): string =>
      text
        .split("")
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join("");
    fc.assert(
      fc.property(name, fc.boolean(), (method, inEscapes) => {
        const text = inEscapes ? `"${escaped(method)}"` : JSON.stringify(method);
        const frame = readFrame(encodeUtf8(`{"jsonrpc":"2.0","id":1,"method":${text}}`));
        expect(frame.method).toBe(method);
        expect(frame.faults).toEqual([]);
      }),
    );
  });
});
