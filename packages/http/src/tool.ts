/**
 * A host's declaration of one tool: the fields of MCP's `Tool` (revision 2025-11-25, Server Features, Tools) that
 * this API shows. Other fields are allowed and not shown.
 */
export interface Tool {
  /** Any text that identifies the tool. Of tools with the same name the last one counts. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly title?: string | undefined;
  /** A JSON Schema (an object or a boolean); absent or `null` accepts everything. */
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  /** `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`. */
  readonly annotations?: object | null | undefined;
  readonly icons?: readonly unknown[] | undefined;
  /**
   * JSON texts of schemas, in which numbers are exact and keys as they were written. They are shown and used for
   * checks instead of the values.
   */
  readonly texts?: ToolTexts | undefined;
}

/** The JSON texts of a tool's schemas. A text that is not JSON is an unusable schema. */
export interface ToolTexts {
  readonly inputSchema?: string | undefined;
  readonly outputSchema?: string | undefined;
}

/** The input of a function that returns the tools. */
export interface ToolsRequest {
  /** Aborted when the client leaves before it has its response, and at `hostTimeoutMs`. */
  readonly signal: AbortSignal;
}

/** The tools, or a function that returns them, synchronously or not; it is called for every request. */
export type ToolsProvider =
  | readonly Tool[]
  | ((request: ToolsRequest) => readonly Tool[])
  | ((request: ToolsRequest) => Promise<readonly Tool[]>);
