import { encodeUtf8 } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { readFrame } from "../read.ts";
import { revisionOf } from "../revisions/revisions.ts";
import { detectRevision } from "./detect-revision.ts";

const frame = (message: object): ReturnType<typeof readFrame> =>
  readFrame(encodeUtf8(JSON.stringify({ jsonrpc: "2.0", ...message })));
const meta = (version: string): object => ({
  _meta: { "io.modelcontextprotocol/protocolVersion": version },
});

describe("detectRevision", () => {
  it.each<[string, object, string | undefined, unknown[]]>([
    [
      "_meta",
      { id: 1, method: "tools/list", params: meta("2026-07-28") },
      undefined,
      ["2026-07-28", "modern", "meta"],
    ],
    [
      "_meta before the header",
      { id: 1, method: "x", params: meta("2026-07-28") },
      "2025-06-18",
      ["2026-07-28", "modern", "meta"],
    ],
    [
      "a version of tomorrow",
      { id: 1, method: "x", params: meta("2027-01-01") },
      undefined,
      ["2027-01-01", "modern", "meta"],
    ],
    [
      "initialize",
      { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } },
      "2026-07-28",
      ["2025-06-18", "legacy", "initialize"],
    ],
    [
      "initialize without a version",
      { id: 1, method: "initialize" },
      undefined,
      [undefined, "legacy", "initialize"],
    ],
    [
      "initialize of the modern era",
      { id: 1, method: "initialize", params: { protocolVersion: "x", ...meta("2026-07-28") } },
      undefined,
      ["2026-07-28", "modern", "meta"],
    ],
    [
      "the header",
      { id: 1, method: "tools/list" },
      " 2025-11-25 ",
      ["2025-11-25", "legacy", "header"],
    ],
    [
      "a header that is not a version",
      { id: 1, method: "tools/list" },
      "latest",
      ["latest", undefined, "header"],
    ],
    ["no header", { id: 1, method: "tools/list" }, "", ["2025-03-26", "legacy", "absent"]],
    [
      "a method of the modern era",
      { id: 1, method: "server/discover" },
      undefined,
      [undefined, "modern", "method"],
    ],
    ["nothing", { id: 1, method: "tools/list" }, undefined, [undefined, undefined, undefined]],
  ])("uses %s", (_, message, header, [version, era, source]) => {
    const headers = header === undefined ? undefined : (): string => header;
    const found = detectRevision({ frame: frame(message), headers });
    expect([found.version, found.era, found.source]).toEqual([version, era, source]);
    expect(found.revision).toBe(
      found.version === undefined ? undefined : revisionOf(found.version),
    );
  });

  it("reads the response to initialize", () => {
    const answer = frame({ id: 1, result: { protocolVersion: "2025-06-18" } });
    expect(detectRevision({ frame: answer, requestMethod: "initialize" })).toMatchObject({
      version: "2025-06-18",
      source: "initialize",
    });
    expect(detectRevision({ frame: answer })).toMatchObject({ version: undefined });
  });
});
