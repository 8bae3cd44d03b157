import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@touchstone/core/advanced";
import type { Logger } from "@touchstone/util";

/** The file in the data directory that holds the operator's token. */
export const OPERATOR_TOKEN = "operator-token";

/**
 * Keeps the operator's token in the data directory, in a file that only the gateway's user can read (mode 0600; on
 * Windows, what the directory allows). No log line contains the token. Each gateway makes its own token: if several
 * use one directory, the file contains that of the last one to start.
 */
export class OperatorTokenFile {
  readonly #file: string;
  readonly #token: string;
  readonly #log: Logger;
  #isKept = false;

  constructor(dataDir: string, token: string, log: Logger) {
    this.#file = join(dataDir, OPERATOR_TOKEN);
    this.#token = token;
    this.#log = log;
  }

  /** Writes or removes the file. Logs why it cannot be written. */
  keep(isWanted: boolean): void {
    if (!isWanted) {
      this.remove();
      return;
    }
    if (this.#isKept) return;
    const made = `${this.#file}.${randomUUID()}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      // An existing file would keep its mode, so a new one replaces it.
      writeFileSync(made, `${this.#token}\n`, { mode: 0o600, flag: "wx" });
      renameSync(made, this.#file);
      this.#isKept = true;
    } catch (error) {
      rmSync(made, { force: true });
      this.#log.warn(
        "the operator token cannot be written; set auth.admin_key to change settings",
        {
          file: this.#file,
          reason: messageOf(error),
        },
      );
    }
  }

  /** Removes the file, unless another gateway has written its own token into it. */
  remove(): void {
    if (!this.#isKept) return;
    this.#isKept = false;
    try {
      if (readFileSync(this.#file, "utf8").trim() === this.#token) rmSync(this.#file);
    } catch {
      // The file is already gone.
    }
  }
}
