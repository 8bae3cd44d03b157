import { type Logger, TouchstoneError } from "@touchstone/util";
import type { GatewayConfig } from "../config/config.ts";
import type { BodyTimes } from "../transport/http/unfinished-bodies.ts";
import type { ConfigSource } from "./admin/config-editor.ts";
import type { CloseOptions } from "./draining-endpoint.ts";
import type { ProcessParts } from "./make-endpoint.ts";
import type { ReachResult } from "./reachability.ts";
import type { SignInCodes } from "./sign-in/codes.ts";

export interface GatewayOptions extends ProcessParts {
  readonly config: GatewayConfig;
  readonly dataDir: string;
  readonly log: Logger;
  /** The file of `config`; without one the admin API changes nothing. */
  readonly source?: ConfigSource;
  /** Why no file can be edited, and what to do. Default: the servers came from another program's file. */
  readonly notEditable?: string;
  /** Issues codes for links that sign browsers in. Default: with the clock of the process. */
  readonly codes?: SignInCodes;
  /** How fast the body of a request must arrive. Default: 30 s without a byte, 60 s and 64 KiB/s in all. */
  readonly bodyTimes?: BodyTimes | undefined;
  /** A file for every frame, without secrets. Default: none. */
  readonly capture?: string;
}

/** A running gateway. */
export interface Gateway {
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  /** Its address as a URL, where the console is. */
  readonly url: string;
  /**
   * Returns a link to the console that signs a browser in without the API key: it works once, and for 60 s.
   * @param page what to open, such as `activity/01M8066KDNBPSNRP3XQ9T1TBDH`. Default: the first page
   */
  consoleLink(page?: string): string;
  /** Where records are kept: a directory, or a database URL without user and password. */
  readonly records: string;
  /** The URL of each server that is served, by its name. */
  readonly urls: ReadonlyMap<string, string>;
  /**
   * Applies another configuration, completely or not at all. `activity.store` and everything under `telemetry` stay
   * as they were until a restart; the log names each such key. Servers with the same upstream and limits keep their
   * sessions, and the new settings apply from the next message on; open calls of the others are answered first (30 s
   * at most).
   * @param file where the configuration comes from, for the record of the change
   * @returns what has changed, one line each; empty if nothing has
   * @throws ListenError if the gateway cannot listen at a new address, ReloadError if the gateway is ending; the old
   *   configuration stays
   */
  reload(config: GatewayConfig, file?: string): Promise<readonly string[]>;
  /**
   * Asks each server for its tools, unless this was done before, so that a broken one is known before a client comes.
   * Processes that it starts are ended again.
   * @param patience how long to wait for each, in milliseconds; default: 10,000
   */
  reach(patience?: number): Promise<readonly ReachResult[]>;
  /**
   * Loads the modules that routes and later configurations need and that are otherwise loaded on first use: an
   * upgrade may remove or replace the files while the gateway runs. Works in short steps, so that requests are served
   * in between. If a file is missing or of another version, {@link installationChanged} is aborted.
   */
  loadRest(): Promise<void>;
  /** The number of open requests. */
  readonly underWay: number;
  /**
   * Refuses new requests (503 with `Retry-After`), answers open ones, ends all sessions and servers, writes the last
   * records, stops listening.
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
