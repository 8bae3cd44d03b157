import type { DeclaredTool, ToolDeclaration } from "./declaration.ts";
import type { PinKind } from "./pin-store.ts";

/** Identifies the client and server that a set of contracts belongs to. */
export interface ContractScope {
  readonly server: string;
  /** MCP protocol revision. */
  readonly revision: string;
  /** Hash of the client's authorization over HTTP; `""` if there is none. */
  readonly authorization: string;
}

/** A difference from the list that was kept before. */
export interface ContractChange {
  readonly tool: string;
  readonly kind: "added" | "removed" | "input" | "output";
  /** The new hashes; absent for a tool that was removed. */
  readonly inputHash?: string | undefined;
  readonly outputHash?: string | undefined;
  /** The previous hashes; absent for a tool that was added. */
  readonly before?: ContractHashes | undefined;
  /** When the previous list was kept, RFC 3339; undefined if the store does not know. */
  readonly since?: string | undefined;
}

/** A tool from an earlier list. */
export interface StoredTool {
  readonly declaration: ToolDeclaration;
  /** Whether the list is the scope's own; if not, all lists of the server and revision agree on the tool. */
  readonly exact: boolean;
}

/** The text for the hash of a schema or declaration. */
export interface DeclaredText {
  /** A schema alone, or the whole declaration of something pinned. */
  readonly kind: "schema" | PinKind;
  /** The JSON text that was hashed. */
  readonly text: string;
}

/** The text of a longer schema is not kept after a change, so no difference can be shown. */
export const MAX_CHANGED_TEXT = 262_144;
/**
 * How many changed schemas of one server to keep, and how many bytes of their texts; the oldest are dropped first.
 */
export const MAX_CHANGED_SCHEMAS = { items: 2_000, bytes: 16_777_216 } as const;

/** Keeps the contracts beyond the life of a process, so that every change is seen. */
export interface ContractStore {
  /**
   * Keeps a complete list, replacing the previous one. Returns the differences; none if no list of this scope was
   * kept before. A difference that another scope of the server has had since then is not returned again.
   * @param again whether the connection has listed the same tools before. If another list of the scope has been kept
   *   since, another version of the server runs at the same time; that list then stays, because otherwise each
   *   version would report a change each time that it lists its tools.
   */
  replace(
    scope: ContractScope,
    contracts: Iterable<DeclaredTool>,
    again?: boolean,
  ): Promise<readonly ContractChange[]>;
  /**
   * Notes that calls are checked by the kept list of a scope; a list is dropped after {@link UNUSED_LIST_MS} without
   * use, unless a record is as old. Does nothing if none is kept.
   */
  used(scope: ContractScope): Promise<void>;
  /**
   * Returns a tool from the kept list of a scope. If the scope has none, uses all lists of the same server and
   * revision, provided that each has the tool with the same schemas: a client's authorization changes with every
   * refresh of its token. Undefined if unknown.
   */
  tool(scope: ContractScope, name: string): Promise<StoredTool | undefined>;
  /** Returns the names of all kept tools of a server, over all scopes. */
  toolNames(server: string): Promise<ReadonlySet<string>>;
}

/** A store that keeps nothing. */
export const NO_CONTRACTS: ContractStore = {
  replace: async () => [],
  used: async () => {},
  tool: async () => undefined,
  toolNames: async () => new Set(),
};

/** The minimum time for which an unused list is kept, in milliseconds: 90 days. Older records keep it longer. */
export const UNUSED_LIST_MS: number = 90 * 86_400_000;
/** How many lists of one server to keep, by latest use: one for each revision and authorization. */
export const MAX_KEPT_LISTS = 1_000;
/** The precision of a list's last use, in milliseconds: an hour. */
export const LIST_USE_PRECISION_MS = 3_600_000;

/** The schema hashes of one tool. */
export interface ContractHashes {
  readonly inputHash?: string | undefined;
  readonly outputHash?: string | undefined;
}

/** Compares two lists by their schemas' hashes. A tool with two changed schemas has two changes. Pure. */
export function compareContracts(
  before: ReadonlyMap<string, ContractHashes>,
  after: ReadonlyMap<string, ContractHashes>,
): ContractChange[] {
  const changes: ContractChange[] = [];
  for (const [tool, { inputHash, outputHash }] of after) {
    const old = before.get(tool);
    if (old === undefined) {
      changes.push({ tool, kind: "added", inputHash, outputHash });
      continue;
    }
    const change = { tool, inputHash, outputHash, before: old };
    if (old.inputHash !== inputHash) changes.push({ ...change, kind: "input" });
    if (old.outputHash !== outputHash) changes.push({ ...change, kind: "output" });
  }
  for (const [tool, { inputHash, outputHash }] of before) {
    if (!after.has(tool)) {
      changes.push({ tool, kind: "removed", before: { inputHash, outputHash } });
    }
  }
  return changes;
}
