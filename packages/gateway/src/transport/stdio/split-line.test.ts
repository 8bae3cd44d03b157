import { runSteps, skipQuoted } from "@touchstone/core/advanced";
import { OpenBrackets, valueEndSteps } from "@touchstone/protocol/advanced";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sample } from "../../../../core/src/testing/sample.ts";
import { splitLineSteps } from "./split-line.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const LONG = 400_000;
const STEP = 140_000;

/** Parts of lines, and text that is not part of a message. */
const piece = fc.constantFrom(
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"id":2,"result":{"a":["}]"]}}',
  '{"result":{"b":1},"jsonrpc":"2.0","id":3}',
  '{"jsonrpc":"2.0","id":4,"result":{"content":[',
  '{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage"}',
  '[{"jsonrpc":"2.0","id":5,"result":{}}]',
  "{} ",
  "log ",
  '"',
  "\\",
  "[",
  "}",
  "tru,",
);
/** Text that makes a line long, but has no bracket or quote outside of strings. */
const filler = fc.constantFrom(" ", "1,", "x", "\t ");

function shown(line: Uint8Array): { parts: string[]; steps: number } {
  const steps = splitLineSteps(line);
  for (let count = 0; ; count += 1) {
    const { done, value } = steps.next();
    if (done !== true) continue;
    const parts = value.map(({ kind, bytes }) => `${kind} ${Buffer.from(bytes)}`);
    return { parts, steps: count };
  }
}

/** Reads the value in one turn, one byte after the other. */
function valueEnd(bytes: Uint8Array, start: number): number | undefined {
  const brackets = new OpenBrackets();
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === 0x22) {
      at = skipQuoted(bytes, at) - 1;
      if (at < 0) return undefined;
    } else if (!brackets.take(byte)) return undefined;
    else if (brackets.depth === 0) return at + 1;
  }
  return undefined;
}

describe("splitLineSteps", () => {
  it("finds the same parts in a long line as in a short one", () => {
    // So few parts that the search never reaches its limit of repeated reads.
    const line = fc.tuple(
      fc.array(piece, { maxLength: 2 }),
      filler,
      fc.array(piece, { maxLength: 1 }),
    );
    fc.assert(
      fc.property(line, ([before, fill, after]) => {
        // The filler is longer than a step.
        const short = shown(bytesOf(`${before.join("")}${fill.repeat(40)}${after.join("")}`));
        const long = shown(
          bytesOf(`${before.join("")}${fill.repeat(STEP / fill.length)}${after.join("")}`),
        );
        const made = (parts: string[]): string[] =>
          parts.map((part) => part.replaceAll(new RegExp(`(?:${fill}){40,}`, "g"), "…"));
        expect(made(long.parts)).toEqual(made(short.parts));
      }),
      { numRuns: sample(60, 200, 1000) },
    );
  });

  it.each([
    ["numbers that are cut off", `{"jsonrpc":"2.0","id":1,"result":[${"1,".repeat(LONG)}`],
    ["a text that is cut off", `{"jsonrpc":"2.0","id":1,"result":["${'\\"'.repeat(LONG)}`],
    ["spaces", `{${" ".repeat(LONG)}{"jsonrpc"`],
    ["spaces between messages", `{"id":1,"result":1}${" ".repeat(LONG)}{"id":2,"result":1}`],
    ["a long message after a text", `x {"jsonrpc":"2.0","id":1,"result":[${"1,".repeat(LONG)}1]}`],
  ])("pauses within %s", (_name, text) => {
    expect(shown(bytesOf(text)).steps).toBeGreaterThanOrEqual(2);
  });

  it("reads many small values before a message in linear time", () => {
    const began = process.cpuUsage().user;
    const { parts } = shown(
      bytesOf(`x ${"{} ".repeat(300_000)}{"jsonrpc":"2.0","id":1,"result":{}}`),
    );
    expect(parts.at(-1)).toBe('message {"jsonrpc":"2.0","id":1,"result":{}}');
    // A search to the end of the line for each value would take minutes.
    expect(process.cpuUsage().user - began).toBeLessThan(20_000_000);
  });
});

describe("valueEndSteps", () => {
  it("ends where a walk byte by byte ends", () => {
    const text = fc.array(
      fc.constantFrom("{", "}", "[", "]", '"', "\\", "1", " ", "x".repeat(99)),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(text, fc.boolean(), (units, isLong) => {
        const line = bytesOf(`[${isLong ? "1".repeat(140_000) : ""}${units.join("")}`);
        const end = runSteps(valueEndSteps(line, 0, new OpenBrackets()));
        expect(end).toBe(valueEnd(line, 0));
      }),
      { numRuns: sample(200, 1_000, 10_000) },
    );
  });
});
