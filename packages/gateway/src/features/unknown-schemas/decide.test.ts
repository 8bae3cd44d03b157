import { expect, it } from "vitest";
import { decideUnknownCall } from "./decide.ts";

it.each([
  ["off", "off", "block", "allow", "allowed", "output"],
  ["warn", "warn", "block", "block", "warning", "input"],
  ["off", "warn", "block", "block", "warning", "output"],
  ["strict", "off", "block", "block", "blocked", "input"],
  ["strict", "strict", "allow", "allow", "warning", "input"],
  ["strict", "strict", "allow", "block", "blocked", "output"],
  ["strict", "warn", "allow", "block", "warning", "input"],
  ["warn", "strict", "block", "block", "blocked", "output"],
] as const)(
  "unknown schemas with input %s, output %s, on_unknown_schema %s and %s",
  (input, outputMode, onInput, onOutput, decision, direction) => {
    const verdict = decideUnknownCall({
      input: { mode: input, onUnknownSchema: onInput },
      output: { mode: outputMode, onUnknownSchema: onOutput },
    });
    const isOff = decision === "allowed";
    expect(verdict).toMatchObject({ decision, direction, record: !isOff });
    expect(verdict.outcome).toBe(isOff ? "skipped" : "unknown");
  },
);
