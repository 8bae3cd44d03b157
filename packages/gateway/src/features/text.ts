import { visible } from "../util/log.ts";

/** Longest line of a text, in UTF-16 code units. */
export const MAX_LINE = 300;
/** Longest part of a tool's name that is shown, in UTF-16 code units. */
export const MAX_TOOL = 128;
/** Longest part of a model's text about issues, in UTF-8 bytes: one screen. */
export const MAX_MODEL_LINES = 4_096;

/** Returns a tool's name in quotes, as texts for models show it. */
export function shownTool(tool: string): string {
  return visible(JSON.stringify(tool.slice(0, MAX_TOOL)), 2 * MAX_TOOL);
}
