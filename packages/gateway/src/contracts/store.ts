import type { ToolContract, ToolDeclaration } from "./contract.ts";
import type { PinKind } from "./pin-store.ts";

/** Whose list a set of contracts is. */
export interface ContractScope {
  readonly server: string;
  /** MCP protocol revision. */
  readonly revision: string;
  /** Hash of the client's authorization over HTTP; `""` if there is none. */
  readonly authorization: string;
}

/** What a list changed against the one that was kept before it. */
export interface ContractChange {
  readonly tool: string;
  readonly kind: "added" | "removed" | "input" | "output";
  /** What they are now; none of a tool that was removed. */
  readonly inputHash?: string | undefined;
  readonly outputHash?: string | undefined;
  /** What they were before; absent of a tool that was added. */
  readonly before?: ContractHashes | undefined;
}

/** A tool as a list of earlier declares it. */
export interface KeptTool {
  readonly declaration: ToolDeclaration;
  /** Whether that list is the scope's own; else all lists of the server and revision declare the tool alike. */
  readonly exact: boolean;
}

/** What the hash of a schema or declaration stands for. */
export interface Declared {
  /** A schema alone, or all that is declared of something that is pinned. */
  readonly kind: "schema" | PinKind;
  /** JSON, as it was hashed. */
  readonly text: string;
}

/** The text of a longer schema is not kept after it has changed, so that no difference can be shown. */
export const MAX_CHANGED_TEXT = 262_144;
/** Changed schemas of one server that are kept, and the bytes of their texts; the oldest are forgotten first. */
export const MAX_CHANGED = { items: 2_000, bytes: 16_777_216 } as const;

/** Keeps the contracts beyond the life of a process, so that a change is seen whenever it came. */
export interface ContractStore {
  /**
   * Keeps a complete list instead of the one that is kept. Returns the differences; none if no list of this
   * scope was kept before.
   * @param again the connection has listed the same before. If another list of the scope is kept by now, another
   *   version of the server runs at the same time; that list stays, or each version would report a change each
   *   time that it lists its tools.
   */
  replace(
    scope: ContractScope,
    contracts: Iterable<ToolContract>,
    again?: boolean,
  ): Promise<readonly ContractChange[]>;
  /**
   * Takes note that calls are checked by the list that is kept of a scope, which goes after
   * {@link UNUSED_MS} without that. Nothing if none is kept.
   */
  used(scope: ContractScope): Promise<void>;
  /**
   * A tool as the list that is kept of a scope declares it. If none is kept of the scope, as all lists of the
   * same server and revision do, provided that each of them has the tool with the same schemas: a client's
   * authorization changes with every refresh of its token. Undefined if nothing of that is known.
   */
  tool(scope: ContractScope, name: string): Promise<KeptTool | undefined>;
  /** The names of all tools that are kept of a server, whatever the scope. */
  toolNames(server: string): Promise<ReadonlySet<string>>;
}

/** A list that nobody has used for this long is not kept any longer, in milliseconds: 90 days. */
export const UNUSED_MS: number = 90 * 86_400_000;
/** Of one server the lists are kept that were used last: one for each revision and authorization. */
export const MAX_KEPT_LISTS = 1_000;
/** How exact it is known when a list was used last, in milliseconds: an hour. */
export const USE_STEP_MS = 3_600_000;

/** The schema hashes of one tool. */
export interface ContractHashes {
  readonly inputHash?: string | undefined;
  readonly outputHash?: string | undefined;
}

/** Compares two lists by their schemas' hashes. A tool of which both schemas differ has two changes. Pure. */
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
