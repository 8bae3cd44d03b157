import type {
  CheckOptions,
  CompileOptions,
  PatchOperation,
  RepairKind,
  SchemaFault,
} from "@touchstone/core";

/** What was done to the arguments of one call. */
export interface RepairReceipt {
  readonly tool: string;
  /** JSON Patch (RFC 6902) that makes what the handler gets of what came, in order. */
  readonly patch: readonly PatchOperation[];
  /** The kinds of repair that the patch made use of, in the order of their first use. */
  readonly repairs: readonly RepairKind[];
}

/** How a tool is checked; every adapter takes these. */
export interface ContractOptions {
  /**
   * Accepts a schema that cannot be used: the tool is built, its check on that side is off, and
   * `contract` says so. By default construction throws an `InvalidSchemaError`.
   */
  readonly lenient?: boolean;
  /** Hands arguments on as they come, unchecked; `contract` says so. Default false. */
  readonly raw?: boolean;
  /**
   * What may be repaired in arguments that failed the check, in this order of attempts; nothing by
   * default. The handler gets a repaired copy only where the whole of it satisfies the schema. What is no such
   * list is a TypeError when the tool is made.
   */
  readonly repair?: readonly RepairKind[];
  /** Called for every repair, with what was done. What it throws is thrown by the call. */
  readonly onRepair?: (receipt: RepairReceipt) => void;
  /** Dialect, further documents, and limits for the schemas. */
  readonly compile?: CompileOptions;
  /**
   * Limits on the size and nesting of values. Without them a value in memory is bounded by the work of
   * its check alone, and a text by the defaults of `CheckOptions`.
   */
  readonly limits?: CheckOptions;
}

/** Whether one side of a tool is checked, and if not, why. */
export interface ContractSide {
  readonly checked: boolean;
  /**
   * - `no_schema`: no JSON Schema is declared
   * - `raw`: the author wants the arguments as they come
   * - `unusable_schema`: it cannot be used, and `lenient` accepted it; see `faults`
   * - `sdk`: the SDK checks it itself, by a schema that is not JSON Schema
   */
  readonly reason?: "no_schema" | "raw" | "unusable_schema" | "sdk";
  /** `sha256:` and the hex digest of the schema, where it is checked. */
  readonly hash?: string;
  /** Why the schema cannot be used; empty if it can. */
  readonly faults: readonly SchemaFault[];
}

/** What is checked of one tool. */
export interface ToolContract {
  readonly tool: string;
  readonly input: ContractSide;
  readonly output: ContractSide;
}
