import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorFrame, LATEST, REVISIONS, readFrame } from "@touchstone/protocol/advanced";
import { describe, expect, it } from "vitest";
import type { Era } from "./era.ts";
import { eraOf } from "./eras.ts";
import { legacy } from "./legacy.ts";
import { modern } from "./modern.ts";

const frameOf = (message: object) => readFrame(Buffer.from(JSON.stringify(message)));
const resultOf = (result: object) => frameOf({ jsonrpc: "2.0", id: 1, result });
const IN_META = { _meta: { "io.modelcontextprotocol/protocolVersion": LATEST.version } };
const CALL = frameOf({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name: "echo", arguments: {}, ...IN_META },
});

/** What each era returns for the same question, legacy first. */
const DIFFERENCES: readonly (readonly [string, (era: Era) => unknown, unknown, unknown])[] = [
  ["begins with a handshake", ({ hasHandshake }) => hasHandshake, true, false],
  ["has a stream of the server's own", ({ hasServerStream }) => hasServerStream, true, false],
  ["is canceled by closing", ({ cancelsByClosing }) => cancelsByClosing, false, true],
  [
    "has _meta in own requests",
    ({ ownMeta }) => ownMeta?.includes(LATEST.version),
    undefined,
    true,
  ],
  ["keeps the revision of initialize", (era) => era.revisionAfter(CALL, "a"), "a", LATEST.version],
  [
    "forgets a revision that was tried before a handshake",
    (era) => era.revisionAfter(frameOf({ jsonrpc: "2.0", id: 1, method: "initialize" }), "a"),
    ...([undefined, undefined] as const),
  ],
  [
    "asks for input",
    (era) => era.asksForInput(resultOf({ resultType: "input_required" })),
    ...([false, true] as const),
  ],
  [
    "announces a task by the type of the result",
    (era) => era.announcesTask(resultOf({ resultType: "task", taskId: "t" }), false, true),
    ...([false, true] as const),
  ],
  [
    "announces a task by the agreed extension",
    (era) => era.announcesTask(resultOf({ resultType: "task", taskId: "t" }), true, false),
    ...([true, true] as const),
  ],
  [
    "announces a task that was wanted",
    (era) => era.announcesTask(resultOf({ task: { taskId: "t" } }), false, true),
    ...([true, false] as const),
  ],
  [
    "announces no task that was not wanted",
    (era) => era.announcesTask(resultOf({ task: { taskId: "t" } }), false, false),
    ...([false, false] as const),
  ],
  [
    "repeats a message in headers",
    (era) => era.messageHeaders(CALL, [])["mcp-method"],
    ...([undefined, "tools/call"] as const),
  ],
  [
    "compares headers with their message",
    (era) => era.headersFault(CALL, () => undefined) !== undefined,
    ...([false, true] as const),
  ],
  [
    "answers an unknown method with its own status",
    (era) => era.statusOf(errorFrame("1", -32601, "no")),
    ...([200, 404] as const),
  ],
  [
    "answers a malformed request with its own status",
    (era) => era.statusOf(errorFrame("1", -32602, "no")),
    ...([200, 400] as const),
  ],
];

describe("the eras", () => {
  it.each(DIFFERENCES)("%s", (_, ask, inLegacy, inModern) => {
    expect([ask(legacy), ask(modern)]).toEqual([inLegacy, inModern]);
  });

  it("are chosen by revision", () => {
    for (const { version, era } of REVISIONS) expect(eraOf(version).name).toBe(era);
    for (const other of [undefined, "", "2024-10-07", "__proto__"])
      expect(eraOf(other)).toBe(legacy);
  });
});

/** Matches code that tests which era it has instead of using the members of the era. */
const QUESTION =
  /\bisModern|\bisLegacy|\bera(?:\.name)?\s*(?:===|!==)|(?:===|!==) (?:modern|legacy)\b/;

describe("code outside eras", () => {
  it("never asks which era it is in", () => {
    const packages = fileURLToPath(new URL("../../..", import.meta.url));
    const sources = readdirSync(packages).flatMap((name) => {
      const src = join(packages, name, "src");
      const files = readdirSync(src, { recursive: true, encoding: "utf8" });
      return files.map((file) => join(src, file));
    });
    const asking = sources.filter(
      (file) =>
        /\.tsx?$/.test(file) &&
        !/\.test\.tsx?$|[\\/]testing[\\/]/.test(file) &&
        QUESTION.test(readFileSync(file, "utf8")),
    );
    expect(sources.length).toBeGreaterThan(1_000);
    expect(asking).toEqual([]);
  });

  it.each([
    "if (isModern(revision)) {",
    "const old = era.name === x;",
    "if (revisionOf(v)?.era !== y)",
    "return eraOf(revision) === modern;",
  ])("would be found if it did: %s", (text) => {
    expect(QUESTION.test(text)).toBe(true);
  });
});
