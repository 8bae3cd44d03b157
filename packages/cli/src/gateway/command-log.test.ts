import { describe, expect, it } from "vitest";
import type { CliIo } from "../terminal/cli-io.ts";
import { commandLog } from "./command-log.ts";

function logOf(options: object, terminal: Partial<CliIo["stderr"]> = {}) {
  const lines: string[] = [];
  const stderr = { write: (text: string) => lines.push(text), ...terminal };
  const now = (): Date => new Date(2026, 0, 2, 3, 4, 5);
  const io = { stdout: { write: () => {} }, stderr, env: {}, now };
  return { told: commandLog(options, io), lines };
}
const TERMINAL = { isTTY: true, columns: 80 };

describe("the log of a command", () => {
  it.each([
    ["on a terminal", {}, TERMINAL, /^03:04:05 touchstone warn: a\n$/],
    ["in a pipe", {}, {}, /^touchstone warn: a\n$/],
    ["as JSON on a terminal", { logFormat: "json" }, TERMINAL, /^\{"@timestamp"/],
  ])("starts its lines as expected %s", (_, options, terminal, line) => {
    const { told, lines } = logOf(options, terminal);
    told.log.warn("a");
    expect(lines).toEqual([expect.stringMatching(line)]);
  });

  it.each([
    ["for people, on a terminal", {}, TERMINAL, { width: 80, colour: true }],
    ["for people, in a pipe", {}, {}, { width: undefined, colour: false }],
    ["not as JSON", { logFormat: "json" }, TERMINAL, undefined],
    ["not if only warnings are written", { logLevel: "warn" }, TERMINAL, undefined],
  ])("shows a table or not: %s", (_, options, terminal, look) => {
    const { told, lines } = logOf(options, terminal);
    let given: object | undefined;
    const shown = told.table((wanted) => {
      given = wanted;
      return "table\n";
    });
    expect([shown, given, lines]).toEqual([look !== undefined, look, look ? ["table\n"] : []]);
  });
});
