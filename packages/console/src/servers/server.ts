import type {
  ContractFault,
  ServerDetail,
  ServerSummary,
  ShownContract,
} from "@touchstone/gateway/api";

/** What one tool declares, with all revisions in which it declares the same. */
export interface MergedContract extends Omit<ShownContract, "revision" | "learnedAt"> {
  /** The MCP revisions; empty if unknown. */
  readonly revisions: readonly string[];
  /** When the first contract was learned. */
  readonly learnedAt: string;
}

/** A schema that cannot be used, with its tool. */
export type ToolFault = ContractFault & { readonly tool: string };

/** Returns how a server is reached, without secrets: its command or URL; empty if a client starts it. */
export function serverTarget(server: ServerSummary): string {
  if (server.transport === "wrap") return "";
  return server.transport === "http" ? server.url : server.command;
}

/** Returns the names of a server's environment variables or headers. */
export function variableNames(server: ServerSummary): readonly string[] {
  if (server.transport === "wrap") return [];
  return server.transport === "http" ? server.headers : server.env;
}

/** Merges a tool's contracts that are the same in several revisions, in the order of their first appearance. */
export function mergeRevisions(contracts: readonly ShownContract[]): readonly MergedContract[] {
  const merged = new Map<string, MergedContract>();
  for (const { revision, learnedAt, ...said } of contracts) {
    const key = JSON.stringify(said);
    const first = merged.get(key) ?? { ...said, learnedAt, revisions: [] };
    const revisions = revision === "" ? first.revisions : [...first.revisions, revision];
    merged.set(key, { ...first, revisions });
  }
  return [...merged.values()];
}

/** Returns a server's schemas that cannot be used, each once. */
export function toolFaults({ contracts }: Pick<ServerDetail, "contracts">): readonly ToolFault[] {
  const found = new Map<string, ToolFault>();
  for (const { tool, faults } of contracts) {
    for (const fault of faults) found.set(JSON.stringify([tool, fault]), { tool, ...fault });
  }
  return [...found.values()];
}
