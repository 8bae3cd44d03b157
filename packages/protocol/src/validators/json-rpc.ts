import { type Issue, jsonTypeOf } from "@touchstone/core/advanced";
import { batchItems } from "../batch.ts";
import type { Frame } from "../frame.ts";
import { protocolIssue } from "../issue.ts";
import { readFrame } from "../read.ts";

/**
 * Returns a frame's faults by the rules of JSON-RPC 2.0 alone. These allow an id that is null or has a fraction, but
 * advise against both (section 4); MCP forbids them. An error must have an id, even if it is null (section 5).
 */
export function jsonRpcFaults(frame: Frame): {
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
} {
  const id = frame.ranges.id;
  const type = id === undefined ? undefined : jsonTypeOf(frame.bytes[id.start]);
  const legal = type === "number" || type === "null";
  const isAdvice = (issue: Issue): boolean =>
    legal && issue.path === "/id" && issue.keyword === "type";
  const warnings = frame.faults.filter(isAdvice).map((issue): Issue => {
    const what = type === "null" ? "be null" : "have a fraction";
    const { params: _, ...advice } = issue;
    return { ...advice, message: `id should not ${what}` };
  });
  const errors = frame.faults.filter((issue) => !isAdvice(issue));
  if (frame.kind !== "error" || id !== undefined) return { errors, warnings };
  const message = "An error must have the id of its request, or null where it could not be read";
  return { errors: [...errors, protocolIssue("/id", message, "required")], warnings };
}

/** The largest number of messages checked in a batch. */
const MAX_BATCH = 1_000;

/** {@link jsonRpcFaults} for each message of a batch; paths begin at the batch. */
export function batchJsonRpcFaults(batch: Frame): { errors: Issue[]; warnings: Issue[] } {
  const errors: Issue[] = [];
  const warnings: Issue[] = [];
  let at = 0;
  for (const { start, end } of batchItems(batch)) {
    if (at === MAX_BATCH) {
      const message = `the batch contains more than ${MAX_BATCH} messages`;
      errors.push({ path: "", message, rule: "guard", keyword: "maxBatch" });
      break;
    }
    const grade = jsonRpcFaults(readFrame(batch.bytes.subarray(start, end)));
    const move = (issue: Issue): Issue => ({ ...issue, path: `/${at}${issue.path}` });
    errors.push(...grade.errors.map(move));
    warnings.push(...grade.warnings.map(move));
    at += 1;
  }
  return { errors, warnings };
}
