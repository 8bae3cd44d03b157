import { messageOf } from "@touchstone/core";
import {
  ConfigError,
  formatFault,
  type GatewayConfig,
  watchConfig,
} from "@touchstone/gateway/config";
import type { Logger } from "@touchstone/gateway/log";
import { codeField } from "./command-log.ts";

/** Logs why a changed configuration is refused, one line per fault. */
export function logRefused(log: Logger, error: unknown): void {
  const faults = error instanceof ConfigError ? error.faults.map(formatFault) : [];
  const reason = messageOf(error);
  const [first = reason, ...others] = faults;
  const code = codeField(error);
  log.error(`the changed configuration is refused; the old one stays in effect: ${first}`, code);
  for (const fault of others) log.error(`also: ${fault}`, code);
  if (error instanceof ConfigError && error.omitted > 0) {
    log.error(`and ${error.omitted} more`, code);
  }
}

/**
 * Watches configuration files from before they are first read: a change made while the gateway starts is applied as
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

  /** Watches the files that the configuration names by `${file:PATH}`, too, instead of those before. */
  follow({ secretFiles = [] }: Pick<GatewayConfig, "secretFiles">): void {
    if (secretFiles.join("\0") === this.#secrets.join("\0")) return;
    this.#secrets = secretFiles;
    this.#watchingSecrets?.close();
    this.#watchingSecrets = undefined;
    if (secretFiles.length === 0) return;
    this.#watchingSecrets = watchConfig(secretFiles, () => this.#take(), this.#failed);
    // One of them may have changed after it was read.
    setImmediate(() => this.#watchingSecrets && this.#take());
  }

  /**
   * Reads a configuration, and watches the files that it names from then on: also those of a configuration that is refused,
   * because creating one of them may be what it lacks.
   * @throws what `read` throws
   */
  reading<Config extends Pick<GatewayConfig, "secretFiles">>(read: () => Config): Config {
    try {
      const config = read();
      this.follow(config);
      return config;
    } catch (error) {
      if (error instanceof ConfigError && error.secretFiles !== undefined) {
        this.follow({ secretFiles: [...new Set([...this.#secrets, ...error.secretFiles])] });
      }
      throw error;
    }
  }

  /** Starts to apply changes, including any that came earlier. */
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
