import type picocolors from "picocolors";
import { safeText } from "./safe-text.ts";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Returns a line of a diff, indented, and red or green if it is gone or new. */
export function diffLine(line: string, indent: string, colors: Colors): string {
  const text = indent + safeText(line);
  if (line.startsWith("-")) return colors.red(text);
  return line.startsWith("+") ? colors.green(text) : text;
}
