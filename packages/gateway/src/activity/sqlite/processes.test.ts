import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifyChain } from "../chain.ts";
import type { ActivityReader } from "../store.ts";
import { spawnAppender } from "../testing/processes.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { openActivityReader } from "./open.ts";

async function reader(dataDir: string): Promise<ActivityReader> {
  const opened = await openActivityReader({ dataDir });
  if (opened === undefined) {
    throw new Error(`nothing was recorded in ${dataDir}`);
  }
  return opened;
}

describe("many processes on one data directory", () => {
  it("keep every record, each process in a chain of its own", { timeout: 60_000 }, async () => {
    const dataDir = join(tempDir(), "new");
    const appenders = Array.from({ length: 8 }, () => spawnAppender(dataDir, 50));
    await Promise.all(appenders.map((appender) => appender.ready));
    for (const appender of appenders) {
      appender.start();
    }
    expect(await Promise.all(appenders.map((appender) => appender.ended))).toEqual(
      Array(8).fill(0),
    );

    const activity = await reader(dataDir);
    const chains = await activity.chains();
    expect(chains.map((chain) => chain.records)).toEqual(Array(8).fill(50));
    const stored: string[] = [];
    for (const { chain } of chains) {
      const records = await activity.readChain(chain);
      expect(verifyChain(records)).toMatchObject({ ok: true });
      expect(records.map((record) => record.tool)).toEqual(records.map((_, n) => `tool-${n}`));
      stored.push(...records.map((record) => record.id));
    }
    expect(stored.sort()).toEqual(appenders.flatMap((appender) => appender.ids).sort());
    await activity.close();
  });
});

describe("kill -9 in the middle of appending", () => {
  it.each([1, 40, 300])("loses none of %d acknowledged records", async (count) => {
    const dataDir = tempDir();
    const appender = spawnAppender(dataDir, 1_000_000);
    await appender.ready;
    appender.start();
    await appender.acknowledged(count);
    appender.process.kill("SIGKILL");
    expect(await appender.ended).toBeNull();
    expect(appender.ids.length).toBeGreaterThanOrEqual(count);

    const activity = await reader(dataDir);
    const [chain] = await activity.chains();
    const stored: string[] = [];
    let head: string | undefined;
    for (let from = 0; from < (chain?.records ?? 0); from += 1000) {
      const records = await activity.readChain(chain?.chain ?? "", { from });
      const verdict = verifyChain(records, head);
      expect(verdict).toMatchObject({ ok: true });
      head = verdict.ok ? verdict.head : undefined;
      stored.push(...records.map((record) => record.id));
    }
    expect(stored.slice(0, appender.ids.length)).toEqual(appender.ids);
    // The one that was committed and not yet acknowledged may be there as well.
    expect(stored.length - appender.ids.length).toBeLessThanOrEqual(1);
    await activity.close();
  });
});
