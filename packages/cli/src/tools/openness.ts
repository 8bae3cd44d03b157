import { compileDeclared } from "@touchstone/core/advanced";

/** How many tools leave undeclared arguments unrestricted. */
export interface OpenTools {
  /** Tools that declare some arguments and accept any others. */
  readonly open: number;
  /** Tools that declare no arguments at all. */
  readonly empty: number;
}

/** Counts the tools in a list whose input schemas accept undeclared arguments. */
export function openTools(tools: readonly unknown[]): OpenTools {
  const counts = { open: 0, empty: 0 };
  for (const tool of tools) countOpenTool(counts, tool);
  return counts;
}

/** Adds one tool to the counts of {@link openTools}. */
export function countOpenTool(counts: { open: number; empty: number }, tool: unknown): void {
  if (typeof tool !== "object" || tool === null || !("inputSchema" in tool)) return;
  const { openness } = compileDeclared({ value: tool.inputSchema });
  if (openness === "open" || openness === "empty") counts[openness] += 1;
}

/** Returns the counts in words, each after a comma; an empty string if both are zero. */
export function openToolsText({ open, empty }: OpenTools): string {
  const takes = open === 0 ? "" : `, ${open} open to undeclared arguments`;
  const none = empty === 0 ? "" : `, ${empty} without declared arguments`;
  return takes + none;
}
