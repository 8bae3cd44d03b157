import { openActivityReader } from "../open-sqlite.ts";
import { type VerifyReport, verifyActivity } from "../verify/verify.ts";
import { spawnAppender } from "./processes.ts";

export interface KillRound {
  /** How many processes write to one data directory; the first of them is killed. */
  readonly writers: number;
  readonly sync: "normal" | "full";
  /** How many records the first process must have acknowledged before it is killed. */
  readonly acknowledged: number;
}

export interface KillOutcome {
  /** How many records the killed process had acknowledged. */
  readonly acknowledged: number;
  /** Ids that any process has acknowledged and that are missing. */
  readonly missing: readonly string[];
  /** Request ids that occur more than once. */
  readonly doubled: readonly string[];
  readonly report: VerifyReport;
}

const PARALLEL = 16;
/** How many records each of the other processes appends. */
const OTHERS_COUNT = 400;

/** Kills a process with SIGKILL while it appends, and checks which records exist. */
export async function killRound(
  dataDir: string,
  { writers, sync, acknowledged }: KillRound,
): Promise<KillOutcome> {
  const options = { parallel: PARALLEL, sync };
  const victim = spawnAppender(dataDir, 10_000_000, options);
  const others = Array.from({ length: writers - 1 }, () =>
    spawnAppender(dataDir, OTHERS_COUNT, options),
  );
  const all = [victim, ...others];
  await Promise.all(all.map(({ ready }) => ready));
  for (const appender of all) appender.start();
  await victim.acknowledged(acknowledged);
  victim.process.kill("SIGKILL");
  const codes = await Promise.all(all.map(({ ended }) => ended));
  if (codes.slice(1).some((code) => code !== 0)) throw new Error(`writers ended with ${codes}`);

  const reader = await openActivityReader({ dataDir });
  if (reader === undefined) throw new Error("nothing was recorded");
  const ids = new Set<string>();
  const requests = new Map<string, number>();
  let after: string | undefined;
  for (;;) {
    const records = await reader.scan({}, { after, limit: 1000 });
    for (const { id, request_id } of records) {
      ids.add(id);
      requests.set(String(request_id), (requests.get(String(request_id)) ?? 0) + 1);
    }
    after = records.at(-1)?.id;
    if (after === undefined) break;
  }
  const report = await verifyActivity(reader);
  await reader.close();
  return {
    acknowledged: victim.ids.length,
    missing: all.flatMap((appender) => appender.ids).filter((id) => !ids.has(id)),
    doubled: [...requests].filter(([, count]) => count > 1).map(([id]) => id),
    report,
  };
}
