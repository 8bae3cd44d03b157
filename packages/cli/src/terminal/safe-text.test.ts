import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { safeText } from "./safe-text.ts";
import { terminalJson } from "./serialise.ts";
import { toYaml } from "./yaml.ts";

const UNSAFE = [
  ["an escape sequence", "\u001b[2J", "\\u{1b}[2J"],
  ["the one-character CSI", "\u009b2J", "\\u{9b}2J"],
  ["an operating system command", "\u001b]0;x\u0007", "\\u{1b}]0;x\\u{7}"],
  ["line breaks", "a\r\nb", "a\\u{d}\\u{a}b"],
  ["backspace and delete", "a\b\u007f", "a\\u{8}\\u{7f}"],
  ["bidirectional override", "\u202eabc\u2066", "\\u{202e}abc\\u{2066}"],
  ["zero width", "a\u200b\u200d\ufeffb", "a\\u{200b}\\u{200d}\\u{feff}b"],
  ["tag characters", "\u{e0041}", "\\u{e0041}"],
  ["variation selectors", "\u{e0100}\ufe0f", "\\u{e0100}\\u{fe0f}"],
  ["fillers", "\u3164\u115f", "\\u{3164}\\u{115f}"],
  ["line separators", "\u2028\u2029", "\\u{2028}\\u{2029}"],
  ["a lone surrogate", "\ud800", "\\u{d800}"],
] as const;

describe("safeText", () => {
  it.each(UNSAFE)("escapes %s", (_name, text, shown) => {
    expect(safeText(text)).toBe(shown);
  });

  it("leaves readable text of any script unchanged", () => {
    const text = "get_weather Wetter-Ärger 天気 नमस्ते 😀 שלום a\u0301";
    expect(safeText(text)).toBe(text);
  });

  it("leaves no control character in any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(safeText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe.each([
  ["toJson", (value: unknown) => terminalJson(value, "lines"), (text: string) => JSON.parse(text)],
  ["toYaml", toYaml, (text: string) => parse(text)],
])("%s", (_name, write, read) => {
  it.each(UNSAFE)("escapes %s, and reads back the same value", (_what, text) => {
    const value = { [text]: [text, `plain ${text}: "quoted" \\ end`] };
    expect(read(write(value))).toEqual(value);
    expect(write(value).replaceAll("\n", "")).toBe(safeText(write(value).replaceAll("\n", "")));
  });

  it("escapes any unsafe value, and reads back the same value", () => {
    const text = fc.string({ unit: "binary" });
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.constantFrom("yes", "null", "0x1F", "1e3", "- a", "#", "a: b", "", " "),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(text, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(read(write(value))).toEqual(value);
        expect(write(value).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe("terminalJson", () => {
  it("writes a value on one line for JSON Lines", () => {
    expect(terminalJson({ a: ["x\ny", 1] }, "line")).toBe('{"a":["x\\ny",1]}\n');
  });
});

describe("toYaml", () => {
  it("writes plain YAML if nothing is unsafe", () => {
    expect(toYaml({ a: "x", b: [1] })).toBe("a: x\nb:\n  - 1\n");
  });
});
