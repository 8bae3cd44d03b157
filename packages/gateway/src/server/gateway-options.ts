import type { GatewayConfig } from "../config/config.ts";
import { TouchstoneError } from "../util/errors.ts";
import type { Logger } from "../util/log.ts";
import type { ConfigSource } from "./admin/config-editor.ts";
import type { SignIn } from "./admin/sign-in.ts";
import type { CloseOptions } from "./draining-endpoint.ts";
import type { ProcessParts } from "./make-endpoint.ts";
import type { ReachedServer } from "./reaching.ts";

export interface GatewayOptions extends ProcessParts {
  readonly config: GatewayConfig;
  readonly dataDir: string;
  readonly log: Logger;
  /** The file that `config` came from; without one the admin API changes nothing. */
  readonly source?: ConfigSource;
  /** Why there is no such file, and what to do. Default: that servers came from another program's file. */
  readonly notEditable?: string;
  /** Lets browsers in by links. Default: by the clock of the process. */
  readonly signIn?: SignIn;
  /** A file that every frame is written to, without secrets. None by default. */
  readonly capture?: string;
}

/** A gateway that serves. */
export interface Gateway {
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  /** Its address as a URL: there is the console. */
  readonly url: string;
  /**
   * Returns a link to the console that lets a browser in without the API key: once, and for 60 s.
   * @param page what to open, such as `activity/01M8066KDNBPSNRP3XQ9T1TBDH`. Default: the first page
   */
  consoleLink(page?: string): string;
  /** Where records are kept: a directory, or the URL of a database without user and password. */
  readonly records: string;
  /** The URL of each server that is served, by its name. */
  readonly urls: ReadonlyMap<string, string>;
  /**
   * Takes another configuration, at once or not at all. What is under `telemetry`, and `activity.store`, stays as it
   * was until a restart, and the log says so for each key. Servers whose upstream and limits are the same
   * keep their sessions and check by the new settings from the next message on; of the others, calls
   * that are under way are answered first (30 s at most).
   * @returns what has changed, one line each; empty if nothing has
   * @throws ListenError when a new address cannot be listened on, ReloadError when the gateway is ending; the old
   *   configuration stays
   */
  reload(config: GatewayConfig): Promise<readonly string[]>;
  /**
   * Asks each server for its tools that was not asked by this before, so that one that does not work is known to have
   * failed before a client comes. What is started for that is ended again.
   * @param patience how long each is waited for, in milliseconds; 10,000 by default
   */
  reach(patience?: number): Promise<readonly ReachedServer[]>;
  /** How many requests are being answered. */
  readonly underWay: number;
  /**
   * Takes no new requests (503 with `Retry-After`), answers those that are under way, ends all
   * sessions and servers, writes the last records, stops listening.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** Why a running gateway refuses a new configuration. */
export const RELOAD_ERRORS = {
  GATEWAY_ENDING: [503, "The gateway is ending; restart it"],
  RESTART_NEEDED: [409, "A setting takes effect only after a restart"],
} as const;

/** A configuration that cannot replace the one in force. */
export class ReloadError extends TouchstoneError<keyof typeof RELOAD_ERRORS> {
  constructor(code: keyof typeof RELOAD_ERRORS, message: string) {
    super("ReloadError", RELOAD_ERRORS, code, message);
  }
}
