import type picocolors from "picocolors";
import { safeText } from "./safe-text.ts";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Returns an indented line of a diff, in red if it was removed, or green if it was added. */
export function diffLine(line: string, indent: string, colors: Colors): string {
  const text = indent + safeText(line);
  if (line.startsWith("-")) return colors.red(text);
  return line.startsWith("+") ? colors.green(text) : text;
}
