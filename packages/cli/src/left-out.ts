import { formatFault, type LeftOut } from "@touchstone/gateway/config";
import { type Logger, logAbout } from "@touchstone/gateway/log";

/** That many are reported by name. */
const MAX_TOLD = 100;

/** Why a server is left out, as one line: each fault with its place. */
export function whyLeftOut({ faults }: LeftOut): string {
  return faults.map(formatFault).join("; ");
}

/**
 * A line for each of the first servers that are left out, and one for the rest.
 * @param line takes the server, and why it is left out
 * @param rest takes how many more there are
 */
export function forLeftOut(
  leftOut: readonly LeftOut[],
  line: (server: LeftOut, why: string) => void,
  rest: (more: number) => void,
): void {
  for (const server of leftOut.slice(0, MAX_TOLD)) line(server, whyLeftOut(server));
  if (leftOut.length > MAX_TOLD) rest(leftOut.length - MAX_TOLD);
}

/** Tells a log which servers of a client's file are left out: at the start, and then only what is new. */
export class LeftOutLog {
  readonly #log: Logger;
  #told: ReadonlySet<string> = new Set();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param leftOut all that are left out now */
  tell(leftOut: readonly LeftOut[]): void {
    // The place in the file may move; that is nothing new.
    const key = ({ name, faults }: LeftOut): string =>
      JSON.stringify([name, faults.map(({ path, message }) => [path, message])]);
    const news = leftOut.filter((server) => !this.#told.has(key(server)));
    this.#told = new Set(leftOut.map(key));
    forLeftOut(
      news,
      ({ name }, why) =>
        logAbout(this.#log, name).warn(`${name}: left out, it cannot be served: ${why}`),
      (more) => this.#log.warn(`and ${more} more servers are left out`),
    );
  }
}
