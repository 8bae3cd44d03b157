import { join } from "node:path";
import { messageOf } from "@touchstone/core/advanced";
import { type Author, authorFields, authorText, reasonField } from "@touchstone/records/plain";
import type { ActivityEntry } from "@touchstone/records/record";
import { type Logger, pollFiles } from "@touchstone/util";
import {
  PAUSE_FILE,
  type Pause,
  type PauseEnd,
  type Pauses,
  pauseOf,
  pausesPolicy,
  type ReadPauses,
  readPauses,
  withoutPolicyPauses,
} from "./pause.ts";

/** How often to check the file, in milliseconds. */
const POLL_MS = 1_000;

export interface PauseWatchParts {
  readonly dataDir: string;
  readonly log: Logger;
  readonly append: (entries: readonly ActivityEntry[]) => Promise<unknown>;
  /** The current names of servers. */
  readonly servers: () => readonly string[];
  /**
   * Returns what goes on blocking, for people.
   * @param server undefined for every server
   */
  readonly stillBlocking: (server: string | undefined, pausesPolicy: boolean) => string;
  /** Whether who writes the pauses could also write the configuration with the policy. Default: no. */
  readonly mayChangePolicy?: () => boolean;
  /** Whether there is only one server, which every record names. */
  readonly isSingle?: boolean;
}

/** Follows the pauses in a data directory: begins a pause within a second, ends it on time, and records both. */
export class PauseWatch {
  readonly #parts: PauseWatchParts;
  #pauses: ReadPauses;
  /** What was last recorded, by server; undefined means every server. */
  #recorded: ReadonlyMap<string | undefined, Pause> = new Map();
  #fault: string | undefined;
  #end: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #endPolling: (() => void) | undefined;

  constructor(parts: PauseWatchParts) {
    this.#parts = parts;
    // Before any message is checked.
    this.#pauses = this.#read();
  }

  /** Reads the pauses. A pause is for the policy only if whoever began it could have changed the policy as well. */
  #read(): ReadPauses {
    const read = readPauses(this.#parts.dataDir, new Date());
    if (!pausesPolicy(read) || this.#parts.mayChangePolicy?.() === true) return read;
    const fault =
      "policy and narrow are not paused: this user may not write the configuration file that they are in";
    return { ...withoutPolicyPauses(read), fault };
  }

  get #file(): string {
    return join(this.#parts.dataDir, PAUSE_FILE);
  }

  /** Returns a server's current pause. */
  of(server: string): Pause | undefined {
    const { all, servers } = this.#pauses;
    // Called several times for each message.
    if (all === undefined && servers.size === 0) return undefined;
    return pauseOf(this.#pauses, server, new Date());
  }

  /** Records the current pauses, and begins to follow the file. */
  begin(): void {
    this.#endPolling = pollFiles([this.#file], POLL_MS, this.look);
    this.look();
  }

  /** Reads the file again, and records changes, also after the servers have changed. */
  readonly look = (): void => {
    if (this.#endPolling === undefined) return;
    this.#pauses = this.#read();
    this.#note();
  };

  /** Stops following the file. Resolves when pending records are written. */
  async close(): Promise<void> {
    this.#endPolling?.();
    this.#endPolling = undefined;
    clearTimeout(this.#end);
    await this.#writing;
  }

  /** Logs and records what has begun or ended since the last check. */
  #note(): void {
    const { log } = this.#parts;
    const { fault } = this.#pauses;
    if (fault !== undefined && fault !== this.#fault) log.warn(fault);
    this.#fault = fault;
    const now = this.#concerning(this.#pauses);
    const before = this.#recorded;
    this.#recorded = now;
    const entries: ActivityEntry[] = [];
    for (const [server, pause] of now) {
      const { until, policy = false } = pause;
      const known = before.get(server);
      if (known?.until.getTime() === until.getTime() && (known.policy ?? false) === policy)
        continue;
      const warning = policy
        ? "strict checks, policy and narrow only warn"
        : "strict checks only warn";
      const still = this.#parts.stillBlocking(server, policy);
      const text = `${subject(server)} paused until ${until.toISOString()}: ${warning}; ${still}`;
      const author = this.#authorOf(pause);
      log.warn(text, { by: authorText(author), ...reasonField(author) });
      entries.push(this.#entry(server, text, author));
    }
    for (const [server, { until }] of before) {
      if (now.has(server)) continue;
      const isEarly = until > new Date();
      const text = `${subject(server)} no longer paused${isEarly ? ", before its time" : ""}`;
      const author = isEarly ? this.#endedBy(server) : { actor: "end of the pause" };
      log.warn(text, { by: authorText(author), ...reasonField(author) });
      entries.push(this.#entry(server, text, author));
    }
    this.#record(entries);
    this.#wait(now);
  }

  /** Returns who ended a pause before its time. One that the file still has ends because its server is gone. */
  #endedBy(server: string | undefined): Author {
    const { all, servers, ended } = this.#pauses;
    const isInFile = server === undefined ? all !== undefined : servers.has(server);
    return this.#authorOf(isInFile ? undefined : ended);
  }

  #authorOf({ by, reason }: PauseEnd = {}): Author {
    return { actor: by === undefined ? `file ${this.#file}` : `user ${by}`, caller: by, reason };
  }

  #entry(server: string | undefined, reason: string, author: Author): ActivityEntry {
    const [only] = this.#parts.isSingle === true ? this.#parts.servers() : [];
    const named = server ?? only;
    const of = named === undefined ? {} : { server: named };
    return { type: "config_change", source: "gateway", ...of, ...authorFields(author), reason };
  }

  /** Returns the pauses that apply here: other gateways on the data directory have other servers. */
  #concerning({ all, servers }: Pauses): ReadonlyMap<string | undefined, Pause> {
    const names = this.#parts.servers();
    const own = [...servers].filter(([name]) => names.includes(name));
    return new Map<string | undefined, Pause>([
      ...(all === undefined ? [] : [[undefined, all] as const]),
      ...own,
    ]);
  }

  #record(entries: readonly ActivityEntry[]): void {
    if (entries.length === 0) return;
    const { append, log } = this.#parts;
    // A pause that has taken effect stays.
    this.#writing = this.#writing
      .then(() => append(entries))
      .catch((error: unknown) => {
        const reason = messageOf(error);
        log.error("a pause has begun or ended, and that could not be recorded", { reason });
      });
  }

  /** Checks again when the next pause ends. */
  #wait(pauses: ReadonlyMap<string | undefined, Pause>): void {
    clearTimeout(this.#end);
    const ends = [...pauses.values()].map(({ until }) => until.getTime());
    if (ends.length === 0) return;
    const left = Math.max(0, Math.min(...ends) - Date.now()) + 1;
    this.#end = setTimeout(this.look, left);
    this.#end.unref();
  }
}

function subject(server: string | undefined): string {
  return server === undefined ? "the checks of every server are" : `the checks of ${server} are`;
}
