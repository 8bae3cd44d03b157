import type { Readable, Writable } from "node:stream";
import type { GatewayConfig } from "./config/config.ts";
import type { Logger } from "./log.ts";
import type { ValidationSettings } from "./policy/settings.ts";

export interface WrapOptions {
  /** The server's name in records. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly settings: ValidationSettings;
  readonly tools?: ReadonlyMap<string, ValidationSettings>;
  readonly limits?: GatewayConfig["limits"];
  readonly dataDir: string;
  readonly sync?: "normal" | "full";
  /** The gateway's own environment; the server gets it without Touchstone's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Readable;
  readonly output: Writable;
  /** Takes the server's stderr, line by line. */
  readonly stderr: (line: string) => void;
  readonly log: Logger;
  /** Ends the server in an orderly way. */
  readonly signal: AbortSignal;
}
