import type { CheckOptions } from "./check-options.ts";
import type { CompileOptions } from "./document/options.ts";
import type { Check } from "./result.ts";

/** A check for another thread, with everything that it depends on, so that it can be sent there. */
export interface LaterJob {
  /** The JSON text of the schema, in UTF-8. */
  readonly schema: Uint8Array;
  readonly compile: Pick<
    CompileOptions,
    "dialect" | "formats" | "metaschema" | "limits" | "messages"
  >;
  /** The JSON text of the value. */
  readonly input: string | Uint8Array;
  readonly options: CheckOptions;
}

/**
 * Runs a check elsewhere, for example on a thread, with the full step budget. May reject if it takes no more jobs. On
 * Node, `CheckPool` of `@touchstone/core/node` has one.
 */
export type CheckLater = (job: LaterJob) => Promise<Check>;
