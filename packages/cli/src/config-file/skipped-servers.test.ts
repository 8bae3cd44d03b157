import { createLogger } from "@touchstone/gateway/log";
import { describe, expect, it } from "vitest";
import { SkippedServersLog } from "./skipped-servers.ts";

const server = (name: string, line = 1) => ({
  name,
  faults: [
    { code: "MISSING_KEY", file: "m.json", line, column: 2, path: `/x/${name}`, message: "no" },
  ] as const,
});

describe("SkippedServersLog", () => {
  it("logs each server once, and again if it was gone in between", () => {
    const lines: string[] = [];
    const told = new SkippedServersLog(createLogger((line) => lines.push(line), "info"));
    told.tell([server("a")]);
    told.tell([server("a", 7), server("b")]);
    told.tell([server("b")]);
    told.tell([server("a"), server("b")]);
    expect(lines).toEqual([
      "touchstone warn: a: skipped, it cannot be served: m.json:1:2: /x/a: no\n",
      "touchstone warn: b: skipped, it cannot be served: m.json:1:2: /x/b: no\n",
      "touchstone warn: a: skipped, it cannot be served: m.json:1:2: /x/a: no\n",
    ]);
  });

  it("logs a hundred servers, then only a count", () => {
    const lines: string[] = [];
    const told = new SkippedServersLog(createLogger((line) => lines.push(line), "info"));
    told.tell(Array.from({ length: 130 }, (_, at) => server(`s${at}`)));
    expect([lines.length, lines.at(-1)]).toEqual([
      101,
      "touchstone warn: and 30 more servers are skipped\n",
    ]);
  });
});
