import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseActivityFilter } from "../../../records/src/filter.ts";
import { openActivityReader } from "../../../records/src/open-sqlite.ts";
import type { ActivityRecord } from "../../../records/src/record.ts";
import { createLogger } from "../../../util/src/log.ts";
import { parseConfig } from "../config/load.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../gateway.ts";

/** A gateway on a free port, with its own data directory. */
export interface TestGateway {
  readonly gateway: Gateway;
  readonly dataDir: string;
  /** The lines of the log, and those that the servers wrote to stderr. */
  readonly lines: string[];
  url(server: string): string;
  /** The records so far, oldest first. */
  records(filter?: Record<string, string>): Promise<ActivityRecord[]>;
  /** Resolves once a line matches; at once if one already does. */
  line(wanted: RegExp): Promise<string>;
  close(): Promise<void>;
}

/**
 * @param config the content of a `touchstone.json`
 * @param dataDir where records are kept; defaults to a new directory
 * @param more options that override those that are derived from the other parameters
 */
export async function startTestGateway(
  config: object,
  dataDir: string = mkdtempSync(join(tmpdir(), "touchstone-gateway-")),
  more: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const take = (line: string): void => {
    lines.push(line);
    for (const wake of [...waiting]) wake();
  };
  const text = JSON.stringify({ listen: { address: "127.0.0.1:0" }, ...config });
  const gateway = await startGateway({
    config: parseConfig(text, { file: "touchstone.json", env: {} }),
    dataDir,
    env: process.env,
    stderr: (server, line) => take(`[${server}] ${line}`),
    log: createLogger(take, "debug"),
    ...more,
  });
  return {
    gateway,
    dataDir,
    lines,
    url: (server) => gateway.urls.get(server) ?? "",
    async records(filter = {}) {
      const reader = await openActivityReader({ dataDir });
      if (reader === undefined) return [];
      try {
        const page = await reader.list(
          parseActivityFilter({ limit: "1000", ...filter }, new Date()),
        );
        return [...page.activities].reverse();
      } finally {
        await reader.close();
      }
    },
    line: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find((line) => wanted.test(line));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async close() {
      await gateway.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
