import { ServerLog } from "../transport/server-log.ts";

/** The logs of the configured servers, kept in this process. A log outlives changes of its server's entry. */
export class ServerLogs {
  readonly #logs: Map<string, ServerLog> = new Map();

  /** Returns the log of a server. */
  of(server: string): ServerLog {
    const log = this.#logs.get(server) ?? new ServerLog();
    this.#logs.set(server, log);
    return log;
  }

  /** Drops the logs of all other servers. */
  keep(servers: ReadonlySet<string>): void {
    for (const server of this.#logs.keys()) if (!servers.has(server)) this.#logs.delete(server);
  }
}
