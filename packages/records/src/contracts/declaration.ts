import type { HashedDefinition } from "@touchstone/protocol/lock";

/**
 * A tool as its server declared it, with the original bytes of its schemas. If a schema is too large to be used, its
 * text is a note with its size and digest.
 */
export interface ToolDeclaration {
  readonly name: string;
  /** Source text of `inputSchema`; absent when there is none or it is null. */
  readonly inputSchema?: Uint8Array;
  /** Source text of `outputSchema`; absent when there is none or it is null. */
  readonly outputSchema?: Uint8Array;
  /** Hashes of the two schemas; absent if they have not been computed yet. */
  readonly inputHash?: string;
  readonly outputHash?: string;
  /** Whether its annotations have `destructiveHint: true`; absent if the annotations are unknown. */
  readonly isDestructive?: boolean;
  /** Whether its annotations have `readOnlyHint: true`; absent if the annotations are unknown. */
  readonly isReadOnly?: boolean;
  /** The hash of the whole definition, and its canonical form if it is short; absent unless tools are pinned. */
  readonly definition?: HashedDefinition;
}

/** The part of a tool's declaration that a kept list has. */
export interface DeclaredTool {
  readonly name: string;
  readonly inputHash: string | undefined;
  readonly outputHash: string | undefined;
  readonly inputText: Uint8Array | undefined;
  readonly outputText: Uint8Array | undefined;
}
