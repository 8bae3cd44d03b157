import { BoundedMap } from "../util/bounded-map.ts";
import type { Logger } from "../util/log.ts";

/** Sets of names that are remembered as told. */
const MAX_TOLD = 100;
/** Names in a line. */
const MAX_NAMES = 10;

/** Tells of the tools that a server lists more than once, in whatever session: once of the same ones. */
export class RepeatedTools {
  readonly #server: string;
  readonly #log: Logger;
  readonly #told: BoundedMap<string, true> = new BoundedMap(MAX_TOLD);

  constructor(server: string, log: Logger) {
    this.#server = server;
    this.#log = log;
  }

  /** @param names the tools that a whole list names more than once */
  tell(names: ReadonlySet<string>): void {
    if (names.size === 0) return;
    const sorted = [...names].sort();
    const key = JSON.stringify(sorted);
    if (this.#told.has(key)) return;
    this.#told.set(key, true);
    const more = names.size > MAX_NAMES ? ` and ${names.size - MAX_NAMES} more` : "";
    const tools = sorted.slice(0, MAX_NAMES).join(", ") + more;
    const what = "the server lists tools more than once; the last declaration of each counts";
    this.#log.warn(what, { server: this.#server, tools });
  }
}
