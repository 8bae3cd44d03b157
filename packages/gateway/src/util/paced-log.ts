import type { LogFields, Logger } from "./log.ts";
import { Pace, type PaceOptions } from "./pace.ts";

const LEAVING_OUT = "more such lines are left out of the log, for a minute at most";

/** Different lines that are kept apart at a time. */
const MAX_ALIKE = 200;

type Level = "error" | "warn";

/** Lines about single messages, of which whoever sends them can make any number. */
export class PacedLog {
  readonly #log: Logger;
  readonly #pace: Pace;
  readonly #alike: Pace;

  constructor(log: Logger, options?: PaceOptions) {
    this.#log = log;
    this.#pace = new Pace(options);
    this.#alike = new Pace({ ...options, most: 1 });
  }

  /**
   * Writes a line, or counts it where there were too many of its kind. That lines are left out is reported at once,
   * and how many at the end of the window.
   * @param kind what lines are counted together by, and called where they are left out. One of few.
   */
  warn(kind: string, message: string, fields?: LogFields): void {
    this.#write("warn", kind, message, fields);
  }

  /**
   * {@link warn}, where the same line may come with every message: it is written once within a window, and a line at
   * the end says how often more it came.
   */
  warnOnce(kind: string, message: string): void {
    const isNew = !this.#alike.has(message);
    // Whoever sends messages can make any number of lines.
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

  /** {@link warn}, for what is an error. */
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
