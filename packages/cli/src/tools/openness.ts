import { compileSchema } from "@touchstone/core";

/** How many tools say nothing of arguments that they do not declare. */
export interface OpenTools {
  /** They declare some, and any other may come. */
  readonly open: number;
  /** They declare none at all. */
  readonly empty: number;
}

/** Counts the tools of a list whose input schemas take arguments that they do not declare. */
export function openTools(tools: readonly unknown[]): OpenTools {
  const counts = { open: 0, empty: 0 };
  for (const tool of tools) addOpen(counts, tool);
  return counts;
}

/** Adds one tool to {@link openTools}. */
export function addOpen(counts: { open: number; empty: number }, tool: unknown): void {
  if (typeof tool !== "object" || tool === null || !("inputSchema" in tool)) return;
  const { openness } = compileSchema({ value: tool.inputSchema });
  if (openness === "open" || openness === "empty") counts[openness] += 1;
}

/** The same in words, each after a comma; the empty text if there are none. */
export function openToolsText({ open, empty }: OpenTools): string {
  const takes = open === 0 ? "" : `, ${open} open to undeclared arguments`;
  const none = empty === 0 ? "" : `, ${empty} without declared arguments`;
  return takes + none;
}
