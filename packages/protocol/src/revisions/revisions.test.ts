import { describe, expect, it } from "vitest";
import type { Revision } from "./revision.ts";
import { FIRST_MODERN, LATEST, LATEST_LEGACY, REVISIONS, revisionOf } from "./revisions.ts";

const column = <K extends keyof Revision>(key: K): Revision[K][] =>
  REVISIONS.map((revision) => revision[key]);

describe("revisions", () => {
  it("are in order of their dates and eras", () => {
    const versions = column("version");
    expect(versions).toEqual([
      "2024-11-05",
      "2025-03-26",
      "2025-06-18",
      "2025-11-25",
      "2026-07-28",
    ]);
    expect(versions).toEqual([...versions].sort());
    expect(REVISIONS.filter(({ era }) => era === "modern")).toContain(LATEST);
    expect(REVISIONS.find(({ era }) => era === "modern")).toBe(FIRST_MODERN);
    expect(REVISIONS.filter(({ era }) => era === "legacy").at(-1)).toBe(LATEST_LEGACY);
  });

  it("differ as the specification says", () => {
    expect(column("era")).toEqual(["legacy", "legacy", "legacy", "legacy", "modern"]);
    expect(column("handshake")).toEqual([true, true, true, true, false]);
    expect(column("batches")).toEqual([false, true, false, false, false]);
    expect(column("structuredContent")).toEqual([false, false, "object", "object", "any"]);
    expect(column("resultType")).toEqual([false, false, false, false, true]);
    expect(column("serverRequests")).toEqual([true, true, true, true, false]);
    expect(column("sessionHeader")).toEqual([false, true, true, true, false]);
    expect(column("versionHeader")).toEqual([false, false, true, true, true]);
    expect(column("routingHeaders")).toEqual([false, false, false, false, true]);
    expect(column("invalidArguments")).toEqual(["error", "error", "error", "result", "result"]);
    expect(column("requiredRequestMeta").map((keys) => keys.length)).toEqual([0, 0, 0, 0, 2]);
    expect(column("http")[0]).toBe("http+sse");
    expect(new Set(column("http").slice(1))).toEqual(new Set(["streamable"]));
    const dialect = "https://json-schema.org/draft/2020-12/schema";
    expect(column("defaultDialect")).toEqual([undefined, undefined, undefined, dialect, dialect]);
  });

  it("are found only by their exact version", () => {
    for (const revision of REVISIONS) expect(revisionOf(revision.version)).toBe(revision);
    for (const other of ["", "2024-10-07", "2025-11", "__proto__", "2026-07-28 "]) {
      expect(revisionOf(other)).toBeUndefined();
    }
  });
});
