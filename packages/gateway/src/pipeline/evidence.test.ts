import { describe, expect, it } from "vitest";
import { heavier } from "./evidence.ts";
import { insideListItems, protocolFault } from "./faults.ts";
import type { CallVerdict } from "./inflight.ts";

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

describe("insideListItems", () => {
  const faults = (...paths: string[]) => paths.map((path) => protocolFault(path, ""));
  it.each([
    ["tools/list", ["/result/tools/0/name"], true],
    ["resources/templates/list", ["/result/resourceTemplates/12"], true],
    ["tools/list", ["/result/tools/0", "/result/tools"], false],
    ["tools/list", ["/result/tools/x"], false],
    ["tools/list", ["/jsonrpc"], false],
    ["tools/call", ["/result/content/0/text"], false],
    [undefined, ["/result/tools/0"], false],
  ])("%s with %j: %s", (method, paths, inside) => {
    expect(insideListItems(method, faults(...paths))).toBe(inside);
  });
});
