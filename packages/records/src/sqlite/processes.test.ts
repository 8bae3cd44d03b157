import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { eachOf, long } from "../../../core/src/testing/sample.ts";
import { verifyChain } from "../chain.ts";
import { openActivityReader } from "../open-sqlite.ts";
import type { ActivityReader } from "../store.ts";
import { filter } from "../testing/fixtures.ts";
import { killRound } from "../testing/kill-round.ts";
import { spawnAppender } from "../testing/processes.ts";
import { tempDir } from "../testing/temp-dir.ts";

async function reader(dataDir: string): Promise<ActivityReader> {
  const opened = await openActivityReader({ dataDir });
  if (opened === undefined) {
    throw new Error(`nothing was recorded in ${dataDir}`);
  }
  return opened;
}

describe("many processes on one data directory", () => {
  it("keep every record, each process in its own chain", { ...long, timeout: 60_000 }, async () => {
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

describe("kill -9 under load", () => {
  eachOf(
    [
      ["one writer", { writers: 1, sync: "normal", acknowledged: 1 }],
      ["one writer", { writers: 1, sync: "normal", acknowledged: 700 }],
      ["one writer that flushes", { writers: 1, sync: "full", acknowledged: 300 }],
      ["one of eight writers", { writers: 8, sync: "normal", acknowledged: 40 }],
    ] as const,
    (_, at) => at === 1,
  )("loses and duplicates nothing: %s, %o", async (_name, round) => {
    const { acknowledged, missing, doubled, report } = await killRound(tempDir(), round);
    expect(acknowledged).toBeGreaterThanOrEqual(round.acknowledged);
    expect({ missing, doubled, faults: report.faults }).toEqual({
      missing: [],
      doubled: [],
      faults: [],
    });
    expect(report.chains).toBe(round.writers);
  });
});

const inNamespace = ["unshare", "--fork", "--pid", "--mount-proc", "--kill-child"];
const [unshare = "", ...unshared] = inNamespace;

it.runIf(spawnSync(unshare, [...unshared, "true"]).status === 0)(
  "keeps the journal of a live process in another container with the same host name",
  { ...long, timeout: 60_000 },
  async () => {
    const dataDir = tempDir();
    const COUNT = 20_000;
    const pid = unusedPid();
    const numbered = `echo ${pid - 1} > /proc/sys/kernel/ns_last_pid && "$@"; exit $?`;
    const within = [...inNamespace, "sh", "-c", numbered, "sh"];
    const appender = spawnAppender(dataDir, COUNT, { within });
    await appender.ready;
    appender.start();
    let ended = false;
    const end = appender.ended.then((code) => {
      ended = true;
      return code;
    });
    await appender.acknowledged(1);
    while (!ended) {
      const activity = await reader(dataDir);
      await activity.usage();
      await activity.close();
      // A read must never wait for anything outside this process.
      await turn();
    }
    expect(await end).toBe(0);
    const activity = await reader(dataDir);
    expect(appender.ids).toHaveLength(COUNT);
    expect(await activity.list(filter())).toMatchObject({ total: COUNT });
    await activity.close();
  },
);

/** Returns an id that no process on this machine has. */
function unusedPid(): number {
  for (let pid = 30_000; ; pid -= 1) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ESRCH") return pid;
    }
  }
}
