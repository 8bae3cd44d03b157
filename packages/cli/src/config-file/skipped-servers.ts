import { formatFault, type SkippedServer } from "@touchstone/gateway/config";
import { type Logger, serverLogger } from "@touchstone/gateway/log";

/** How many servers to report by name. */
const MAX_TOLD = 100;

/** Returns why a server is skipped, as one line: each fault with its place. */
export function skipReason({ faults }: SkippedServer): string {
  return faults.map(formatFault).join("; ");
}

/**
 * Reports the first servers that are skipped, one line each, and the number of the rest.
 * @param line receives the server and why it is skipped
 * @param rest receives how many more there are
 */
export function reportSkippedServers(
  leftOut: readonly SkippedServer[],
  line: (server: SkippedServer, why: string) => void,
  rest: (more: number) => void,
): void {
  for (const server of leftOut.slice(0, MAX_TOLD)) line(server, skipReason(server));
  if (leftOut.length > MAX_TOLD) rest(leftOut.length - MAX_TOLD);
}

/** Logs which servers of a client's file are skipped: all at the start, later only new ones. */
export class SkippedServersLog {
  readonly #log: Logger;
  #told: ReadonlySet<string> = new Set();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param leftOut all servers that are skipped now */
  tell(leftOut: readonly SkippedServer[]): void {
    // A fault at a new position in the file is not reported again.
    const key = ({ name, faults }: SkippedServer): string =>
      JSON.stringify([name, faults.map(({ path, message }) => [path, message])]);
    const news = leftOut.filter((server) => !this.#told.has(key(server)));
    this.#told = new Set(leftOut.map(key));
    reportSkippedServers(
      news,
      ({ name }, why) =>
        serverLogger(this.#log, name).warn(`${name}: skipped, it cannot be served: ${why}`),
      (more) => this.#log.warn(`and ${more} more servers are skipped`),
    );
  }
}
