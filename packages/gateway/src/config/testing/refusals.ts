import { describe, expect, it } from "vitest";
import { ConfigError, type ConfigFaultCode } from "../faults.ts";
import { parseConfig } from "../load.ts";

/** Returns the error of an action that must fail with a `ConfigError`; rethrows any other error. */
export function refusal(action: () => unknown): ConfigError {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

/** A text, the `LINE:COLUMN` of its first fault, the fault's code and path, and words of its message. */
export type Row = [text: string, place: string, code: ConfigFaultCode, path: string, words: RegExp];

/** Expects that each text is refused with exactly this fault; only after a syntax fault others may follow. */
export function refuses(what: string, rows: Row[]): void {
  describe(`${what}: refused with one fault`, () => {
    it.each(rows)("%j at %s", (text, place, code, path, words) => {
      const error = refusal(() => parseConfig(text, { file: "t.json", env: {} }));
      const [fault, ...more] = error.faults;
      expect(`${fault?.line}:${fault?.column} ${fault?.code} ${fault?.path}`).toBe(
        `${place} ${code} ${path}`,
      );
      expect(fault?.message).toMatch(words);
      expect(more.filter((each) => each.code !== "SYNTAX" || code !== "SYNTAX")).toEqual([]);
      expect(error.message.startsWith(`t.json:${place}: `)).toBe(true);
      expect(error.message.replaceAll("\n", "")).not.toMatch(/\p{Cc}|\p{Cf}/u);
    });
  });
}
