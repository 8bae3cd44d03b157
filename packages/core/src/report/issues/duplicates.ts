import type { JsonScan } from "../../json/range.ts";
import type { Issue } from "../../result.ts";
import { boundIssues } from "./bound.ts";

/**
 * Returns the keys that occur twice in one object, as warnings of rule `duplicate`: one for each place, bounded like
 * the issues of a check. RFC 8259 (section 4) leaves it to the reader which value counts; a check takes the last one,
 * as `JSON.parse` does.
 * @param scan the scan of the text, made with `duplicates`
 * @param maxIssues the maximum number of issues listed
 * @param maxText maximum bytes of UTF-8 of their messages together; default 16,384
 */
export function duplicateWarnings(
  scan: JsonScan,
  maxIssues: number,
  maxText?: number,
): readonly Issue[] {
  if (scan.duplicates.length === 0) return scan.duplicates as readonly never[];
  const times = new Map<string, number>();
  for (const { path } of scan.duplicates) times.set(path, (times.get(path) ?? 1) + 1);
  const all = [...times];
  const issue = (index: number): Issue => {
    const [path, count] = all[index] as [string, number];
    const often = count === 2 ? "twice" : `${count} times`;
    return {
      path,
      message: `the key occurs ${often} in its object; only the last one was checked`,
      rule: "duplicate",
    };
  };
  return boundIssues(all.length, issue, maxIssues, maxText).issues;
}
