import type {
  CheckOptions,
  CompileOptions,
  PatchOperation,
  RepairKind,
  SchemaError,
} from "@touchstone/core/advanced";

/** How the arguments of one call were repaired. */
export interface RepairReceipt {
  readonly tool: string;
  /** JSON Patch (RFC 6902) that turns the original arguments into what the handler gets, in order. */
  readonly patch: readonly PatchOperation[];
  /** The kinds of repair that the patch used, in the order of first use. */
  readonly repairs: readonly RepairKind[];
}

/** How to check a tool. Every adapter takes these options. */
export interface ContractOptions {
  /**
   * Accepts a schema that cannot be used: the tool is built, the check on that side is off, and `contract` says so.
   * By default, construction throws an `InvalidSchemaError`.
   */
  readonly lenient?: boolean;
  /** Passes arguments on unchecked, as they come; `contract` says so. Default false. */
  readonly raw?: boolean;
  /**
   * What may be repaired in arguments that failed the check, in the order to try; nothing by default. The handler
   * gets a repaired copy only if all of it satisfies the schema. Anything other than such a list causes a TypeError
   * when the tool is made.
   */
  readonly repair?: readonly RepairKind[];
  /** Called for every repair, with its details. If it throws, the call throws the same error. */
  readonly onRepair?: (receipt: RepairReceipt) => void;
  /** Dialect, additional documents, and limits for the schemas. */
  readonly compile?: CompileOptions;
  /**
   * Limits on the size and nesting of values. Without them, a value in memory is limited only by the work that its
   * check takes, and a text by the defaults of `CheckOptions`.
   */
  readonly limits?: CheckOptions;
}

/** Whether one side of a tool is checked, and if not, why not. */
export interface ContractSide {
  readonly checked: boolean;
  /**
   * - `no_schema`: no JSON Schema is declared
   * - `raw`: the author wants the arguments as they come
   * - `unusable_schema`: the schema cannot be used, and `lenient` accepted it; see `faults`
   * - `sdk`: the SDK itself checks it, against a schema that is not JSON Schema
   */
  readonly reason?: "no_schema" | "raw" | "unusable_schema" | "sdk";
  /** `sha256:` and the hex digest of the schema, if it is checked. */
  readonly hash?: string;
  /** Why the schema cannot be used; empty if it can. */
  readonly faults: readonly SchemaError[];
}

/** Which parts of one tool are checked. */
export interface ToolContract {
  readonly tool: string;
  readonly input: ContractSide;
  readonly output: ContractSide;
}

/** A tool that also states which of its checks are on. */
export interface Contracted {
  readonly contract: ToolContract;
}
