import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openActivityStore } from "../open-sqlite.ts";
import type { ActivityLog, ActivityRecord } from "../record.ts";
import { CALL } from "../testing/fixtures.ts";
import { verified } from "../testing/recorded.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { createJournalWriter } from "./writer.ts";

interface Journalled {
  readonly dataDir: string;
  /** The only segment; no part of it is folded. */
  readonly segment: string;
  readonly records: readonly ActivityRecord[];
  readonly writer: ActivityLog;
}

/** Writes ten records, each on its own line. */
async function journalled(): Promise<Journalled> {
  const dataDir = tempDir();
  await (await openActivityStore({ dataDir, sync: "normal" })).close();
  const path = join(dataDir, "activity.db");
  const backlog = { add: () => {}, room: () => undefined };
  const parts = { path, chain: "CHAIN", sync: "normal", now: () => new Date(), backlog } as const;
  const writer = createJournalWriter(parts);
  onTestFinished(() => writer.close());
  const records: ActivityRecord[] = [];
  for (let n = 0; n < 10; n += 1) records.push(...(await writer.append([CALL])));
  const [name = ""] = readdirSync(dataDir).filter((file) => file.endsWith(".jsonl"));
  return { dataDir, segment: join(dataDir, name), records, writer };
}

const linesOf = (segment: string): string[] => readFileSync(segment, "utf8").split(/(?<=\n)/);

describe("a journal that was tampered with before it was folded", () => {
  it.each([
    ["a line removed", (lines: string[]) => lines.toSpliced(4, 1), "removed", 4],
    [
      "two lines swapped",
      (lines: string[]) => lines.toSpliced(4, 2, ...swapped(lines)),
      "removed",
      4,
    ],
    ["the first line removed", (lines: string[]) => lines.slice(1), "removed", 0],
    [
      "another position",
      (lines: string[]) => lines.with(4, `40${lines[4]?.slice(1)}`),
      "removed",
      4,
    ],
  ] as const)("is detected: %s", async (_what, change, kind, position) => {
    const { dataDir, segment, writer } = await journalled();
    writeFileSync(segment, change(linesOf(segment)).join(""));
    // The process continues, and does not open another file for that.
    await writer.append([CALL]);
    const { faults } = await verified(dataDir);
    expect(faults[0]).toMatchObject({ chain: "CHAIN", kind, position });
  });

  it.each([
    ["truncated", (segment: string) => truncateSync(segment, 1000)],
    ["removed", (segment: string) => unlinkSync(segment)],
    ["renamed", (segment: string) => renameSync(segment, `${segment}.old`)],
  ])("is detected with the next record if it was %s", async (_how, change) => {
    const { dataDir, segment, writer } = await journalled();
    // The folded records are already in the database.
    expect(await verified(dataDir)).toMatchObject({ ok: true, records: 10 });
    await writer.append([CALL, CALL]);
    change(segment);
    await writer.close();
    const path = join(dataDir, "activity.db");
    expect(await verified(dataDir)).toMatchObject({ ok: true, records: 10 });
    writeFileSync(`${path.slice(0, -3)}-CHAIN.13.1.00000000.jsonl`, line(13));
    expect((await verified(dataDir)).faults).toMatchObject([
      { chain: "CHAIN", kind: "removed", position: 10, until: 13 },
      { chain: "CHAIN", kind: "edited", position: 13 },
    ]);
  });

  it("is not removed while in use, despite copies", async () => {
    const { dataDir, segment, writer } = await journalled();
    for (const pid of ["0", "9999999999"]) {
      copyFileSync(
        segment,
        segment.replace(/\.\d+\.[0-9a-f]{8}\.jsonl$/, `.${pid}.00000000.jsonl`),
      );
    }
    expect(await verified(dataDir)).toMatchObject({ ok: true, records: 10 });
    await writer.append([CALL]);
    expect(await verified(dataDir)).toMatchObject({ ok: true, records: 11 });
  });

  it("is folded only once if it is restored later", async () => {
    const { dataDir, segment, writer } = await journalled();
    const lines = readFileSync(segment);
    await writer.append([CALL]);
    expect(await verified(dataDir)).toMatchObject({ ok: true, records: 11 });
    unlinkSync(segment);
    writeFileSync(segment, lines);
    expect(await verified(dataDir)).toMatchObject({ ok: true, records: 11 });
  });

  it("adds nothing as another chain's file, and is reported there", async () => {
    const { dataDir, segment } = await journalled();
    expect(await verified(dataDir)).toMatchObject({ ok: true, records: 10 });
    copyFileSync(segment, segment.replace("CHAIN.0.", "OTHER.0."));
    expect(await verified(dataDir)).toMatchObject({ ok: true, chains: 1, records: 10 });
  });
});

const swapped = (lines: readonly string[]): string[] => [lines[5] ?? "", lines[4] ?? ""];

/** Returns a batch with one forged record. */
function line(seq: number): string {
  const record = { id: "01K40000000000000000000000", time: "2026-08-31T09:00:00.000Z", hash: "x" };
  const all = { ...record, type: "tool_call", source: "gateway", issues: [], prev_hash: "x" };
  return `${seq} ${JSON.stringify([all])}\n`;
}
