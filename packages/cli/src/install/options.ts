import type { CommonOptions } from "../options/common-options.ts";
import type { CliIo } from "../terminal/cli-io.ts";
import type { ClientPlaces } from "./clients.ts";

/** Options of `touchstone install` and `uninstall`. */
export interface InstallOptions extends Partial<CommonOptions> {
  /** A client, one of its programs, or `all`. */
  readonly client?: string;
  readonly file?: string;
  readonly project?: boolean;
  readonly dryRun?: boolean;
  /** The program that clients should start. */
  readonly command?: string;
  readonly preset?: string;
  readonly mode?: string;
}

export type InstallIo = CliIo & { readonly place: ClientPlaces };
