import type { Readable, Writable } from "node:stream";
import type {
  ActivitySettings,
  AlertRule,
  CapabilityMode,
  GatewayConfig,
  TelemetrySettings,
} from "../config/config.ts";
import type { ValidationSettings } from "../policy/settings.ts";
import type { Logger } from "../util/log.ts";

/** What may change of a wrapped server while it runs. */
export type WrapRules = Pick<WrapParts, "settings" | "tools" | "capability" | "alerts">;

/** What every wrapped server needs, wherever it runs. */
export interface WrapParts {
  /** The server's name in records. */
  readonly name: string;
  readonly settings: ValidationSettings;
  readonly tools?: ReadonlyMap<string, ValidationSettings>;
  /** Whether validation is added where the server lacks it. Default `pass`. */
  readonly capability?: CapabilityMode;
  /** Those that differ from the defaults. */
  readonly limits?: Partial<GatewayConfig["limits"]>;
  /** Who hears of which records. Nobody by default. */
  readonly alerts?: readonly AlertRule[] | undefined;
  readonly dataDir: string;
  /** Where records are kept and what they hold; by default SQLite in `dataDir`. */
  readonly activity?: ActivitySettings;
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Logger;
  /** A file that every frame is written to, without secrets. None by default. */
  readonly capture?: string;
  /** Who calls: the name in records, metrics and spans. Nobody is named by default. */
  readonly caller?: string | undefined;
  /**
   * What is told about traffic, and where OpenTelemetry's variables are read from. None by default;
   * without a listener there is nobody to serve metrics to, so that only OTLP applies.
   */
  readonly telemetry?: {
    readonly settings?: TelemetrySettings | undefined;
    readonly env: Readonly<Record<string, string | undefined>>;
  };
  /**
   * Is given what takes other rules, once the server is served: from the next message on they hold.
   * It returns what has changed, one line each, and rejects only if the change cannot be recorded.
   */
  readonly changes?: (take: (rules: WrapRules) => Promise<readonly string[]>) => void;
  /** Ends the server in an orderly way. */
  readonly signal: AbortSignal;
}

/** A server that runs as a child process. */
export interface WrapOptions extends WrapParts {
  readonly command: string;
  readonly args: readonly string[];
  /** The gateway's own environment; the server gets it without Touchstone's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes the server's stderr, line by line. */
  readonly stderr: (line: string) => void;
}

/** A server that is reached over Streamable HTTP. */
export interface WrapUrlOptions extends WrapParts {
  /** An absolute `http:` or `https:` URL. */
  readonly url: string;
  /** Headers of every request to the server, such as `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whose variables may name a proxy (`HTTPS_PROXY` and others). None by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}
