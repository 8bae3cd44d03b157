import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { sample } from "../../../core/src/testing/sample.ts";
import { openActivityReader, openActivityStore } from "../open-sqlite.ts";
import type { ActivityRecord } from "../record.ts";
import { CALL } from "../testing/fixtures.ts";
import { tempDir } from "../testing/temp-dir.ts";
import type { ChainFault } from "../verify/fault.ts";
import { walkChain } from "../verify/walk.ts";
import { createJournalWriter } from "./writer.ts";

const RUNS = Number(process.env["TOUCHSTONE_FUZZ_RUNS"]) || sample(50, 200);
const ENTRY = {
  ...CALL,
  tool: "t",
  issues: [{ path: "/a", message: "must be a number", rule: "type" }],
  guard: { guard: "maxBytes", limit: 1, actual: 2 },
  duration_ms: 1.5,
} as const;

/** Returns the lines of a chain's journal, with one record in each. */
async function linesOf(chain: string): Promise<readonly [readonly Buffer[], ActivityRecord[]]> {
  const dataDir = tempDir();
  const backlog = { add: () => {}, room: () => undefined };
  const path = join(dataDir, "activity.db");
  const writer = createJournalWriter({
    path,
    chain,
    sync: "normal",
    now: () => new Date(),
    backlog,
  });
  const records: ActivityRecord[] = [];
  for (let n = 0; n < 3; n += 1) records.push(...(await writer.append([ENTRY])));
  await writer.close();
  const text = readFileSync(join(dataDir, readdirSync(dataDir)[0] ?? ""), "utf8");
  return [text.split(/(?<=\n)/).map((line) => Buffer.from(line)), records];
}

/** Returns a line in which one member of the record has another value. */
const withMember = (line: Buffer, name: string, value: unknown): Buffer => {
  const [seq = "", array = ""] = line.toString().split(/ (.*)/s);
  const [record] = JSON.parse(array) as [Record<string, unknown>];
  return Buffer.from(`${seq} ${JSON.stringify([{ ...record, [name]: value }])}\n`);
};

/** Returns a line with changed bytes, none of which ends the line. */
const withBytes = (line: Buffer, changes: readonly (readonly [number, number])[]): Buffer => {
  const changed = Buffer.from(line);
  for (const [at, byte] of changes) changed[at % (line.length - 1)] = byte === 0x0a ? 0 : byte;
  return changed;
};

const NAMES = ["id", "time", "type", "tool", "issues", "guard", "bytes_in", "duration_ms", "hash"];
const change = fc.oneof(
  fc.tuple(fc.constantFrom(...NAMES, "redactions", "seq", "chain", "rules"), fc.jsonValue()).map(
    ([name, value]) =>
      (line: Buffer) =>
        withMember(line, name, value),
  ),
  fc
    .array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => (line: Buffer) => withBytes(line, changes)),
);

it("continues after any changed line, and loses no unchanged one", async () => {
  const dataDir = tempDir();
  await (await openActivityStore({ dataDir, sync: "normal" })).close();
  const reader = await openActivityReader({ dataDir });
  onTestFinished(() => reader?.close());
  let run = 0;
  await fc.assert(
    fc.asyncProperty(change, async (damage) => {
      run += 1;
      const chain = `C${run}`;
      const [[first, second, third], records] = await linesOf(chain);
      if (first === undefined || second === undefined || third === undefined) throw new Error();
      const changed = damage(second);
      const name = `activity-${chain}.0.4194304.00000000.jsonl`;
      writeFileSync(join(dataDir, name), Buffer.concat([first, changed, third]));
      const links = (await reader?.readLinks(chain, 0, 10)) ?? [];
      expect(links[0]?.record).toEqual(records[0]);
      const found = (await reader?.chains())?.find((known) => known.chain === chain);
      const faults: ChainFault[] = [];
      const listener = {
        fault: (fault: ChainFault) => faults.push(fault),
        passed: () => {},
        erased: () => {},
      };
      if (reader !== undefined && found !== undefined) await walkChain(reader, found, listener);
      const isSame = links.length === 3 && links.every(({ hash }, n) => hash === records[n]?.hash);
      const isWhole =
        isSame && links.every(({ record }, n) => isDeepStrictEqual(record, records[n]));
      expect(faults.length === 0).toBe(isWhole);
    }),
    { numRuns: RUNS },
  );
}, 120_000);
