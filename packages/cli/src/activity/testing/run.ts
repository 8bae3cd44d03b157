import type { ActivityEntry, ActivityRecord } from "@touchstone/gateway/activity";
import { openActivityStore } from "@touchstone/gateway/activity";
import { Command, CommanderError } from "commander";
import { tempDir } from "../../../../records/src/testing/temp-dir.ts";
import { CliExit } from "../../io/exit.ts";
import { registerActivity } from "../register.ts";

export { tempDir };

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The message that the exit carries. */
  readonly message: string;
}

/**
 * Runs a command line with the real commands, as in a terminal with `columns` cells if that is given.
 * @param options.slow stderr is a terminal, and each reading of the clock advances it by a second
 */
export async function run(
  args: readonly string[],
  options: {
    readonly columns?: number;
    readonly env?: Record<string, string>;
    readonly slow?: boolean;
  } = {},
): Promise<Run> {
  const { columns, env = {}, slow = false } = options;
  let time = Date.parse("2026-08-31T12:00:00.000Z");
  let stdout = "";
  let stderr = "";
  const program = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .option("--data-dir <dir>")
    .option("--config <file>");
  registerActivity(program, {
    stdout: {
      write: (text) => {
        stdout += text;
      },
      ...(columns === undefined ? {} : { isTTY: true, columns }),
    },
    stderr: {
      write: (text) => {
        stderr += text;
      },
      isTTY: slow,
    },
    env,
    now: () => {
      if (slow) time += 1_000;
      return new Date(time);
    },
    resolveDataDir: (given) => String(given["dataDir"]),
  });
  try {
    await program.parseAsync(["activity", ...args], { from: "user" });
    return { code: 0, stdout, stderr, message: "" };
  } catch (error) {
    if (error instanceof CliExit) {
      return { code: error.code, stdout, stderr, message: error.message };
    }
    // Handles the end of the output like the program.
    if (error instanceof CommanderError) return { code: 2, stdout, stderr, message: error.message };
    throw error;
  }
}

/** Makes a data directory with these records, one per minute from 09:00 on. */
export async function recorded(
  entries: readonly ActivityEntry[],
  more: Partial<Parameters<typeof openActivityStore>[0]> = {},
): Promise<{ readonly dataDir: string; readonly records: readonly ActivityRecord[] }> {
  const dataDir = tempDir();
  let minute = -1;
  const now = (): Date => new Date(Date.UTC(2026, 7, 31, 9, minute));
  const store = await openActivityStore({ dataDir, sync: "normal", now, ...more });
  const records: ActivityRecord[] = [];
  for (const entry of entries) {
    minute += 1;
    records.push(...(await store.append([entry])));
  }
  await store.close();
  return { dataDir, records };
}
