import {
  type CompiledSchema,
  canonicalText,
  compileSchema,
  encodeUtf8,
  type JsonObject,
  type SchemaFault,
  scanJson,
} from "@touchstone/core";
import { closedLike } from "./closing.ts";
import { type Counterexample, type Effort, findCounterexample } from "./counterexample.ts";
import { type Proof, proveSubset } from "./subset.ts";

/** What a change to a schema means for those who relied on it. */
export type SchemaChange =
  /** Both accept the same values; at most their annotations differ. */
  | { readonly kind: "same" }
  /** One of them cannot be used, so they cannot be compared. */
  | { readonly kind: "unusable"; readonly which: "old" | "new"; readonly fault: SchemaFault }
  | {
      readonly kind: "breaking";
      readonly counterexample: Counterexample;
      /** Whether it breaks by nothing but members that the one schema leaves open and the other refuses. */
      readonly onlyUndeclared: boolean;
    }
  /** The structure of the schemas proves that nothing breaks. */
  | { readonly kind: "proved"; readonly proof: Proof }
  /** Nothing that breaks was found among this many values. `isCut`: others took too many steps to check. */
  | { readonly kind: "tried"; readonly accepted: number; readonly isCut: boolean };

/**
 * `input`: what was accepted must still be accepted. `output`: what is promised now must have been promised before.
 */
export type Direction = "input" | "output";

interface Side {
  readonly compiled: CompiledSchema;
  readonly canonical: JsonObject;
  /** Whether a double can hold all of its numbers. */
  readonly isExact: boolean;
}

/** A missing schema accepts everything. */
function sideOf(text: string | undefined): Side | SchemaFault {
  const compiled = compileSchema({ text: text ?? "true" });
  const { fault, canonical } = compiled;
  if (fault !== undefined) return fault;
  // The text `null` means that there is no schema.
  if (canonical === undefined) return { compiled, canonical: {}, isExact: true };
  const { lossyNumbers } = scanJson(encodeUtf8(text ?? "true"), { numbers: true });
  return { compiled, canonical, isExact: lossyNumbers.length === 0 };
}

/** Arguments are objects, even if a schema does not say so (MCP 2025-11-25, Tools, `CallToolRequest`). */
function ofObjects(side: Side): Side {
  const { canonical, isExact } = side;
  const { type } = canonical;
  const mayBeObject = Array.isArray(type) ? type.includes("object") : type === undefined;
  // The canonical form cannot hold numbers that a double cannot hold.
  if (!mayBeObject || !isExact) return side;
  const compiled = compileSchema({ value: { ...canonical, type: "object" } });
  const { canonical: narrowed } = compiled;
  return narrowed === undefined ? side : { compiled, canonical: narrowed, isExact };
}

/**
 * Compares two versions of a schema. Reports "proved" only if the structure of one implies the other. Counterexamples
 * come from values made from both, the same ones each time, and are confirmed by the engine.
 * @param before the JSON text of the old schema; undefined if there was none, and everything was accepted
 * @param after the same for the new schema
 */
export function compareSchemas(
  before: string | undefined,
  after: string | undefined,
  direction: Direction,
  effort?: Effort,
): SchemaChange {
  const [old, now] = [sideOf(before), sideOf(after)];
  if ("code" in now) return { kind: "unusable", which: "new", fault: now };
  if ("code" in old) return { kind: "unusable", which: "old", fault: old };
  const isExact = old.isExact && now.isExact;
  const form = ({ canonical }: Side): string | undefined =>
    canonicalText(JSON.stringify(canonical));
  if (isExact && form(old) === form(now)) return { kind: "same" };
  const [first, second] = direction === "input" ? [ofObjects(old), now] : [now, old];
  const proof = isExact ? proveSubset(first.canonical, second.canonical) : undefined;
  if (proof !== undefined) return { kind: "proved", proof };
  const { accepted, isCut, counterexample } = findCounterexample(
    first.compiled,
    second.compiled,
    effort,
  );
  if (counterexample !== undefined) {
    const onlyUndeclared = isClosing(first, second, effort);
    return { kind: "breaking", counterexample, onlyUndeclared };
  }
  return { kind: "tried", accepted, isCut };
}

/** Returns whether nothing would break if the first schema refused undeclared members wherever the second one does. */
function isClosing({ canonical }: Side, second: Side, effort: Effort | undefined): boolean {
  const value = closedLike(canonical, second.canonical);
  if (value === undefined) return false;
  const closed = compileSchema({ value });
  if (closed.canonical === undefined) return false;
  const { accepted, counterexample } = findCounterexample(closed, second.compiled, effort);
  return accepted > 0 && counterexample === undefined;
}
