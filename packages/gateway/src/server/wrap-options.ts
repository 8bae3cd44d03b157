import type { Readable, Writable } from "node:stream";
import type { Logger } from "@touchstone/util";
import type { ActivitySettings, GatewayConfig, TelemetrySettings } from "../config/config.ts";
import type { AlertRule } from "../features/alerts/alerts.ts";
import type { ValidationSettings } from "../settings/validation.ts";

/** The settings of a wrapped server that may change while it runs. */
export type WrapRules = Pick<WrapParts, "settings" | "tools" | "alerts">;

/** The parts that every wrapped server needs, whatever its transport. */
export interface WrapParts {
  /** The server's name in records. */
  readonly name: string;
  readonly settings: ValidationSettings;
  readonly tools?: ReadonlyMap<string, ValidationSettings>;
  /** The limits that differ from the defaults. */
  readonly limits?: Partial<GatewayConfig["limits"]>;
  /** Which records to send, and where. Default: none. */
  readonly alerts?: readonly AlertRule[] | undefined;
  /** The file that the settings come from, if there is one: `pause --policy` needs the right to write it. */
  readonly configFile?: string | undefined;
  readonly dataDir: string;
  /** Where records are kept and what they contain; default: SQLite in `dataDir`. */
  readonly activity?: ActivitySettings;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Logger;
  /** A file for every frame, without secrets. Default: none. */
  readonly capture?: string;
  /** The caller's name in records, metrics and spans. Default: none. */
  readonly caller?: string | undefined;
  /**
   * Telemetry settings, and the environment for OpenTelemetry's variables. Default: none. Without a listener, metrics
   * cannot be served, so only OTLP applies.
   */
  readonly telemetry?: {
    readonly settings?: TelemetrySettings | undefined;
    readonly env: Readonly<Record<string, string | undefined>>;
  };
  /**
   * Receives a function that applies other rules, once the server runs: they apply from the next message on, in the
   * order of the calls. The function returns what has changed, one line each. `file` is the file that they come from.
   */
  readonly changes?: (
    take: (rules: WrapRules, file?: string) => Promise<readonly string[]>,
  ) => void;
  /** Ends the server gracefully. */
  readonly signal: AbortSignal;
}

/** A server that runs as a child process. */
export interface WrapOptions extends WrapParts {
  readonly command: string;
  readonly args: readonly string[];
  /** The gateway's own environment; the server gets it without Touchstone's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives the server's stderr, line by line. */
  readonly stderr: (line: string) => void;
}

/** A server that is reached over Streamable HTTP. */
export interface WrapUrlOptions extends WrapParts {
  /** An absolute `http:` or `https:` URL. */
  readonly url: string;
  /** Headers of every request to the server, such as `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Variables that may name a proxy (`HTTPS_PROXY` and others). Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}
