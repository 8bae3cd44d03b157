import type { LogFields, Logger } from "./log.ts";
import { EventPacer, type PaceOptions } from "./pace.ts";

const LEAVING_OUT = "more such lines are left out of the log, for a minute at most";

/** How many different lines to track at a time. */
const MAX_ALIKE = 200;

type Level = "error" | "warn";

/** Logs lines about single messages, which a sender can cause any number of times. */
export class PacedLog {
  readonly #log: Logger;
  readonly #pace: EventPacer;
  readonly #alike: EventPacer;

  constructor(log: Logger, options?: PaceOptions) {
    this.#log = log;
    this.#pace = new EventPacer(options);
    this.#alike = new EventPacer({ ...options, most: 1 });
  }

  /**
   * Writes a line, or counts it if there were too many of its kind. Reports at once that lines are left out, and at
   * the end of the window how many.
   * @param kind lines that are counted together, and their name in that report. There must be few kinds.
   */
  warn(kind: string, message: string, fields?: LogFields): void {
    this.#write("warn", kind, message, fields);
  }

  /**
   * {@link warn} for a line that may come with every message: written once within a window, with a line at the end
   * about how often it came again.
   */
  warnOnce(kind: string, message: string): void {
    const isNew = !this.#alike.has(message);
    // A sender can cause any number of different lines, so the number that is tracked is limited.
    if (isNew && this.#alike.size >= MAX_ALIKE) {
      this.warn(kind, message);
      return;
    }
    this.#alike.count(message, (left) => {
      const times = left === 1 ? "once more" : `${left} more times`;
      this.#log.warn(`${message} (${times} within a minute)`);
    });
    if (isNew) this.warn(kind, message);
  }

  /** {@link warn} for errors. */
  error(kind: string, message: string, fields?: LogFields): void {
    this.#write("error", kind, message, fields);
  }

  #write(level: Level, kind: string, message: string, fields: LogFields | undefined): void {
    const { most } = this.#pace;
    const count = this.#pace.count(kind, (left) =>
      this.#log[level](`${kind}: such lines were left out of the log`, { left }),
    );
    if (count <= most) this.#log[level](message, fields);
    else if (count === most + 1) this.#log[level](`${kind}: ${LEAVING_OUT}`);
  }
}
