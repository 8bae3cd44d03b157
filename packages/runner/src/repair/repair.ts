import type { Check, CheckOptions, CompiledSchema } from "@touchstone/core";
import { deepCopy } from "./copy.ts";
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

/** {@link deepCopy}; undefined where that throws. */
function copyOf<T>(value: T): { readonly value: T } | undefined {
  try {
    return { value: deepCopy(value) };
  } catch {
    return undefined;
  }
}

/**
 * Tries to mend a value that failed its check, by the kinds of repair that are allowed: issue by
 * issue, each place once a round, until the whole satisfies its schema. Nothing but what the patch
 * tells differs from the value that came, which is never changed.
 * @returns undefined where that cannot be had, as where an instance of a class is in the value
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
  const copy = copyOf(value);
  if (copy === undefined) return undefined;
  let root: unknown = copy.value;
  const patch: PatchOperation[] = [];
  const repairs = new Set<RepairKind>();
  let { errors, suggestions } = check;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = patch.length;
    const places = new Set<string>();
    for (const issue of errors) {
      if (places.has(issue.path)) continue;
      for (const kind of repair) {
        const operation = FIXES[kind]?.({ issue, root, declared, suggestions });
        // The receipt keeps the value as it was put in; later operations may change the copy.
        const copied = operation && copyOf(operation);
        const applied = copied && applyOperation(root, copied.value);
        if (operation === undefined || applied === undefined) continue;
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
    ({ errors, suggestions } = again);
  }
  return undefined;
}
