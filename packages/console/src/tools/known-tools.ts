import type { ResponseOf, ServerSummary } from "@touchstone/gateway/api";
import type { Mode } from "../servers/modes.ts";

/** What is known about a tool besides its declaration. */
export interface ToolFacts {
  /** The mode of its arguments. */
  readonly mode?: Mode;
  /** Calls of the last 24 hours; undefined if they are not counted here. */
  readonly calls?: number;
  readonly blocked?: number;
}

/** What is known about tools, by their names in the list of all servers' tools. */
export interface KnownTools {
  /** Returns the server of a tool; undefined if no known server has it. */
  readonly serverOf: (tool: string) => string | undefined;
  readonly of: (tool: string) => ToolFacts | undefined;
}

/**
 * Returns what servers and records contain about tools. If the summary of the records leaves tools out, a tool that
 * is not in it has no count; otherwise it had no calls in 24 hours, and its count is 0.
 */
export function knownTools(
  servers: readonly ServerSummary[],
  summary: ResponseOf<"summariseActivity"> | undefined,
): KnownTools {
  // The name of a server may contain a colon: the longest matching name wins.
  const byLength = servers.toSorted((a, b) => b.name.length - a.name.length);
  const found = (tool: string): ServerSummary | undefined =>
    byLength.find(({ name }) => tool.startsWith(`${name}:`));
  const totals = new Map(
    summary?.tools.map((tool): [string, typeof tool] => [`${tool.server}:${tool.tool}`, tool]),
  );
  const isWhole = summary?.tools_left_out === 0;
  const facts = new Map<string, ToolFacts>();
  return {
    serverOf: (tool) => found(tool)?.name,
    of: (tool) => {
      const before = facts.get(tool);
      if (before !== undefined) return before;
      const server = found(tool);
      if (server === undefined) return undefined;
      const own = tool.slice(server.name.length + 1);
      const modes = Object.hasOwn(server.toolModes, own) ? server.toolModes[own] : server.modes;
      const counted = totals.get(tool);
      const none = isWhole ? { calls: 0, blocked: 0 } : {};
      const known = {
        ...(modes === undefined ? {} : { mode: modes.input }),
        ...(counted === undefined ? none : { calls: counted.calls, blocked: counted.blocked }),
      };
      facts.set(tool, known);
      return known;
    },
  };
}
