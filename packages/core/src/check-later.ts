import type { CheckOptions } from "./check-options.ts";
import type { CompileOptions } from "./document/options.ts";
import type { Check } from "./result.ts";

/** A check to make elsewhere, with everything that it depends on, so that it can go to a thread. */
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
 * Makes a check elsewhere, with the full step budget. May reject if it takes no more jobs. On Node,
 * `CheckPool` of `@touchstone/core/node` has one.
 */
export type CheckLater = (job: LaterJob) => Promise<Check>;
