import { readFileSync } from "node:fs";
import { runSteps } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { canonicalDefinition, definitionSteps, instructionsHash } from "./definition.ts";
import { approves, lockedDefinition, readLock, writeLock } from "./lock-file.ts";
import { OLDER_DEFINITIONS } from "./testing/older-definitions.ts";

const TEXT = readFileSync(new URL("testing/older.lock", import.meta.url), "utf8");

const { twice: TWICE, ...LOCKED } = OLDER_DEFINITIONS;

function older() {
  const read = readLock(TEXT);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  const server = read.lock.servers.get("s");
  if (server === undefined) throw new Error("the server is missing");
  return { lock: read.lock, server };
}

describe("a lock file of an older release", () => {
  it.each(Object.entries(LOCKED))("approves the definition %s, and no other", (name, source) => {
    const locked = older().server.tools.get(name);
    const hash = canonicalDefinition(source)?.hash ?? "";
    expect(approves(locked, hash)).toBe(true);
    for (const stepBytes of [1, 7, 100_000]) {
      expect(runSteps(definitionSteps(source, 0, { stepBytes })).hash).toBe(hash);
    }
    expect(locked?.text).toBe(canonicalDefinition(source)?.text);
    const others = [source.replace("{", '{"icons":[],'), TWICE, ...Object.values(LOCKED)];
    for (const other of others.filter((each) => each !== source)) {
      expect(approves(locked, canonicalDefinition(other)?.hash ?? "")).toBe(false);
    }
  });

  it("has the hash of the instructions", () => {
    const { instructions } = older().server;
    expect(instructions).toBe("Use \u200b it.\n");
    expect(TEXT).toContain(instructionsHash("Use \u200b it.\n"));
  });

  it("is written again as it is, and from the definitions themselves", () => {
    const { lock, server } = older();
    expect(writeLock(lock)).toBe(TEXT);
    const tools = new Map(
      Object.entries(LOCKED).flatMap(([name, source]) => {
        const locked = lockedDefinition(source);
        return locked === undefined ? [] : [[name, locked] as const];
      }),
    );
    expect(writeLock({ servers: new Map([["s", { ...server, tools }]]) })).toBe(TEXT);
  });
});
