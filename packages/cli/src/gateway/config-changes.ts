import { messageOf } from "@touchstone/core/advanced";
import {
  ConfigError,
  formatFault,
  type GatewayConfig,
  watchConfig,
} from "@touchstone/gateway/config";
import type { Logger } from "@touchstone/gateway/log";
import { errorCodeField } from "./command-log.ts";

/** Logs why a changed configuration is refused, one line per fault. */
export function logRefusedConfig(log: Logger, error: unknown): void {
  const faults = error instanceof ConfigError ? error.faults.map(formatFault) : [];
  const reason = messageOf(error);
  const [first = reason, ...others] = faults;
  const code = errorCodeField(error);
  log.error(`the changed configuration is refused; the old one stays in effect: ${first}`, code);
  for (const fault of others) log.error(`also: ${fault}`, code);
  if (error instanceof ConfigError && error.omitted > 0) {
    log.error(`and ${error.omitted} more`, code);
  }
}

/** How often to read a configuration if it names other files each time. */
const MAX_ROUNDS = 3;

/**
 * Watches configuration files from before they are first read: a change during the start of the gateway is applied as
 * soon as possible.
 */
export class ConfigChanges {
  #missed = false;
  #take: () => void = () => {
    this.#missed = true;
  };
  readonly #watching: ReturnType<typeof watchConfig>;
  readonly #failed: (reason: string) => void;
  #secrets: readonly string[] = [];
  #watchingSecrets: ReturnType<typeof watchConfig> | undefined;

  /** @param failed called if changes cannot be watched */
  constructor(files: readonly string[], failed: (reason: string) => void) {
    this.#failed = failed;
    this.#watching = watchConfig(files, () => this.#take(), failed);
  }

  /** Watches the files that the initial configuration names by `${file:PATH}`, too. */
  follow({ secretFiles = [] }: Pick<GatewayConfig, "secretFiles">): void {
    if (!this.#watchesOthers(secretFiles)) return;
    // One of them may have changed after it was read.
    setImmediate(() => this.#watchingSecrets && this.#take());
  }

  /**
   * Watches these files of secrets instead of the previous ones. Returns whether it watches a file that it did not
   * watch before.
   */
  #watchesOthers(secretFiles: readonly string[]): boolean {
    if (secretFiles.join("\0") === this.#secrets.join("\0")) return false;
    this.#secrets = secretFiles;
    this.#watchingSecrets?.close();
    this.#watchingSecrets = undefined;
    if (secretFiles.length === 0) return false;
    this.#watchingSecrets = watchConfig(secretFiles, () => this.#take(), this.#failed);
    return true;
  }

  /**
   * Reads a configuration, and watches the files that it names from then on: also those of a refused configuration,
   * because it may be refused only until one of them exists. Reads it again if it names other files: one of them may
   * have changed before it was watched.
   * @throws what `read` throws
   */
  reading<Config extends Pick<GatewayConfig, "secretFiles">>(read: () => Config): Config {
    for (let round = 1; ; round += 1) {
      try {
        const config = read();
        if (this.#watchesOthers(config.secretFiles ?? []) && round < MAX_ROUNDS) continue;
        return config;
      } catch (error) {
        const named = error instanceof ConfigError ? (error.secretFiles ?? []) : [];
        const all = [...new Set([...this.#secrets, ...named])];
        if (this.#watchesOthers(all) && round < MAX_ROUNDS) continue;
        throw error;
      }
    }
  }

  /** Starts to apply changes, including earlier ones. */
  takeBy(take: () => void): void {
    this.#take = take;
    if (this.#missed) take();
  }

  close(): void {
    this.#watching.close();
    this.#watchingSecrets?.close();
    this.#watchingSecrets = undefined;
  }
}
