import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLogger, LOG_LEVELS, type LogLevel, visible } from "./log.ts";

describe("visible", () => {
  it.each([
    ["plain ü 漢 😀", "plain ü 漢 😀"],
    ["a\nb\r\t", "a\\u{a}b\\u{d}\\u{9}"],
    ["\u001b[2J", "\\u{1b}[2J"],
    ["\u202egpj.exe", "\\u{202e}gpj.exe"],
    ["zero\u200bwidth\ufeff", "zero\\u{200b}width\\u{feff}"],
    ["\u2028\u2029", "\\u{2028}\\u{2029}"],
    ["\u{e0041}", "\\u{e0041}"],
    ["\u{e0100}\ufe0f\u3164", "\\u{e0100}\\u{fe0f}\\u{3164}"],
    ["half \ud83d pair", "half \\u{d83d} pair"],
  ])("shows %j as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it("cuts what is shown, never inside a character", () => {
    expect(visible("abcdef", 3)).toBe("abc…");
    expect(visible("ab😀", 3)).toBe("ab…");
    expect(visible("\n\n\n", 4)).toBe("\\u{a…");
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 50 }),
        fc.integer({ min: 1, max: 40 }),
        (text, max) => {
          const shown = visible(text, max);
          expect(shown.length).toBeLessThanOrEqual(max + 1);
          expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        },
      ),
    );
  });
});

describe("createLogger", () => {
  const written = (level: LogLevel): string[] => {
    const lines: string[] = [];
    const log = createLogger((line) => lines.push(line), level);
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e");
    return lines.map((line) => line.trim().slice(-1));
  };
  it.each(LOG_LEVELS.map((level, i) => [level, ["d", "i", "w", "e"].slice(i)] as const))(
    "at %s writes %j",
    (level, lines) => {
      expect(written(level)).toEqual(lines);
    },
  );

  it("writes one line for each call, whatever is in it", () => {
    const lines: string[] = [];
    const log = createLogger((line) => lines.push(line), "debug");
    log.warn("a\nb\u202e", { server: "s/1", text: 'x "y"\n', n: 3, ok: true, none: undefined });
    expect(lines).toEqual([
      'touchstone warn: a\\u{a}b\\u{202e} server=s/1 text="x \\"y\\"\\\\u{a}" n=3 ok=true\n',
    ]);
    log.error("x".repeat(1_000_000), { text: "y".repeat(1_000_000) });
    expect(lines[1]?.length).toBeLessThan(5_000);
  });
});
