import type { Check, CheckOptions, CompiledSchema } from "@touchstone/core";
import { FIXES } from "./fix.ts";
import { applyOperation } from "./patch.ts";
import type { PatchOperation, RepairKind, RepairReceipt } from "./receipt.ts";

export interface Repairable {
  readonly schema: CompiledSchema;
  /** The schema as its author wrote it, for its defaults. */
  readonly declared: unknown;
  readonly value: unknown;
  /** Why the value is not valid. */
  readonly check: Check;
  readonly repair: readonly RepairKind[];
  readonly limits?: CheckOptions | undefined;
}

/** A mended copy, and what was done. */
export interface Repaired extends Omit<RepairReceipt, "tool"> {
  readonly value: unknown;
}

/** What is mended may be wrong inside: a string that held an object, an object with defaults. */
const MAX_ROUNDS = 8;

/** A deep copy of a value that JSON can hold. */
function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value) ?? "null");
}

/**
 * Tries to mend a value that failed its check, by the kinds of repair that are allowed: issue by
 * issue, each place once a round, until the whole satisfies its schema.
 * @returns undefined where that cannot be had; the value that came is never changed
 */
export function repairValue({
  schema,
  declared,
  value,
  check,
  repair,
  limits,
}: Repairable): Repaired | undefined {
  if (repair.length === 0 || check.outcome !== "violation") return undefined;
  let root: unknown = jsonCopy(value);
  const patch: PatchOperation[] = [];
  const repairs = new Set<RepairKind>();
  let errors = check.errors;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = patch.length;
    const places = new Set<string>();
    for (const issue of errors) {
      if (places.has(issue.path)) continue;
      for (const kind of repair) {
        const operation = FIXES[kind]?.({ issue, root, declared });
        if (operation === undefined) continue;
        // The receipt keeps the value as it was put in; later operations may change the copy.
        const applied = applyOperation(root, jsonCopy(operation));
        if (applied === undefined) continue;
        root = applied.value;
        patch.push(operation);
        repairs.add(kind);
        places.add(issue.path);
        break;
      }
    }
    if (patch.length === before) return undefined;
    const again = schema.checkValue(root, limits);
    if (again.valid) return { value: root, patch, repairs: [...repairs] };
    errors = again.errors;
  }
  return undefined;
}
