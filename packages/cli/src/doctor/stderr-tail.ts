import { HIDDEN_VALUE, hideSecrets } from "../config/secrets.ts";
import type { ReachableServer } from "../config-file/configured.ts";

/** How many lines are kept, and how many characters of each. */
const MAX_LINES = 10;
const MAX_LENGTH = 300;
/** Shorter values, such as `1` or `info`, are not secrets, and occur in many texts. */
const MIN_SECRET = 6;

/** Keeps the last lines of a server's stderr, without secrets and texts that look like one. */
export class StderrTail {
  readonly #lines: string[] = [];
  readonly #secrets: readonly string[];

  constructor({ upstream }: ReachableServer) {
    const values = Object.values(upstream.type === "stdio" ? upstream.env : upstream.headers);
    this.#secrets = values.filter((value) => value.length >= MIN_SECRET);
  }

  /** Takes text that consists of complete lines. */
  readonly take = (text: string): void => {
    for (const line of text.split("\n")) {
      if (line.trim() === "") continue;
      this.#lines.push(line);
      if (this.#lines.length > MAX_LINES) this.#lines.shift();
    }
  };

  get lines(): readonly string[] {
    return this.#lines.map((line) => {
      const words = hideSecrets(line.split(" ")).join(" ");
      const whole = words === line ? hideSecrets([line]).join("") : words;
      const shown = this.#secrets.reduce((text, one) => text.replaceAll(one, HIDDEN_VALUE), whole);
      return shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}…` : shown;
    });
  }
}
