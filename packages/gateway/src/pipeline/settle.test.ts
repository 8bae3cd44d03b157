import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { CallVerdict } from "./inflight.ts";
import { heavier } from "./settle.ts";

describe("heavier", () => {
  const verdict = (
    decision: CallVerdict["decision"],
    outcome: CallVerdict["outcome"],
    reason?: string,
  ) => ({
    decision,
    outcome,
    ...(reason === undefined ? {} : { reason }),
  });
  const table: [CallVerdict, CallVerdict, CallVerdict][] = [
    [verdict("allowed", "skipped"), verdict("allowed", "pass"), verdict("allowed", "pass")],
    [verdict("allowed", "pass"), verdict("allowed", "skipped"), verdict("allowed", "pass")],
    [verdict("allowed", "pass"), verdict("allowed", "missing"), verdict("allowed", "missing")],
    [
      verdict("allowed", "uncompilable"),
      verdict("allowed", "pass"),
      verdict("allowed", "uncompilable"),
    ],
    [
      verdict("allowed", "pass"),
      verdict("warning", "violation", "b"),
      verdict("warning", "violation", "b"),
    ],
    [
      verdict("warning", "violation", "a"),
      verdict("warning", "guard", "b"),
      verdict("warning", "violation", "a"),
    ],
    [
      verdict("warning", "violation", "a"),
      verdict("allowed", "pass"),
      verdict("warning", "violation", "a"),
    ],
    [
      verdict("warning", "violation", "a"),
      verdict("blocked", "guard", "b"),
      verdict("blocked", "guard", "b"),
    ],
    [
      verdict("blocked", "guard", "b"),
      verdict("warning", "violation", "a"),
      verdict("blocked", "guard", "b"),
    ],
  ];
  it.each(table)("%j, then %j", (current, next, stands) => {
    expect(heavier(current, next)).toEqual(stands);
  });
});

describe("the source of the gateway", () => {
  const src = fileURLToPath(new URL("../", import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/\.test\.ts$|(?:^|[\\/])testing[\\/]/.test(file),
  );
  const settle = join("pipeline", "settle.ts");
  const table: [string, RegExp, string[]][] = [
    // The HTTP API refuses calls by itself, before there is a conversation.
    [
      "builds records of decisions",
      /type: "policy_decision",/,
      [settle, join("tools-api", "refused-call.ts")],
    ],
    ["tells telemetry of checks", /telemetry\??\.checked\(/, [settle]],
    ["logs decisions", /"let pass with a warning"/, [settle]],
  ];
  it.each(table)("%s in one place", (_, pattern, places) => {
    const found = files.filter((file) => pattern.test(readFileSync(join(src, file), "utf8")));
    expect(found.sort()).toEqual(places);
  });
});
