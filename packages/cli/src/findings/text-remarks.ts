import {
  describeIssue,
  type Issue,
  locatePointers,
  positionsOf,
  scanJson,
} from "@touchstone/core/advanced";
import { inputName } from "../io/input-pieces.ts";
import { safeText } from "../terminal/safe-text.ts";

/** One remark about a JSON text. */
export type TextRemark = Pick<Issue, "path" | "message" | "rule">;

/**
 * Returns each remark as a line with its position in the text: that of the value, or of a duplicate key; if the text
 * is not JSON, that of the syntax error.
 */
export function remarkLines(
  name: string,
  bytes: Uint8Array,
  remarks: readonly TextRemark[],
): readonly string[] {
  const { error } = scanJson(bytes);
  const places =
    error === undefined
      ? locatePointers(bytes, new Set(remarks.map(({ path }) => path)))
      : undefined;
  const offsetOf = ({ path, rule }: TextRemark): number => {
    const place = places?.get(path);
    const range = rule === "duplicate" ? (place?.key ?? place?.value) : place?.value;
    return error?.offset ?? range?.start ?? 0;
  };
  const positions = positionsOf(bytes, remarks.map(offsetOf));
  return remarks.map((one) => {
    const { line, column } = positions.get(offsetOf(one)) ?? { line: 1, column: 1 };
    const at = `${safeText(inputName(name))}:${line}:${column}`;
    return `${at} ${safeText(describeIssue(one))}`;
  });
}
