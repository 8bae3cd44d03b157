import {
  type CompiledSchema,
  canonicalText,
  compileDeclared,
  type JsonObject,
  type SchemaError,
} from "@touchstone/core/advanced";
import {
  type Counterexample,
  findCounterexample,
  type SearchEffort,
} from "../../inclusion/counterexample.ts";
import { areFaithful, exactNumbers, lossyNumbers } from "../../inclusion/exact-numbers.ts";
import { type Proof, proveSubset } from "../../inclusion/subset.ts";
import { closeObjectsLike } from "./closed-schema.ts";
import { membersOf } from "./members.ts";

/** What a change to a schema means for those who relied on it. */
export type SchemaChange =
  /** Both accept the same values; at most their annotations differ. */
  | { readonly kind: "same" }
  /** One of them cannot be used, so they cannot be compared. */
  | { readonly kind: "unusable"; readonly which: "old" | "new"; readonly fault: SchemaError }
  | {
      readonly kind: "breaking";
      readonly counterexample: Counterexample;
      /** Whether it breaks only because of undeclared members, which one schema allows and the other refuses. */
      readonly onlyUndeclared: boolean;
    }
  /** The structure of the schemas proves that nothing breaks. */
  | { readonly kind: "proved"; readonly proof: Proof }
  /** Neither a proof nor a value that breaks was found. */
  | {
      readonly kind: "unproven";
      /** How many values were tried that both schemas accept. */
      readonly accepted: number;
      /** Whether other values took too many steps to check. */
      readonly isCut: boolean;
      /** RFC 6901 pointer to the keyword that was not proved; empty if numbers are too exact for a proof. */
      readonly gap: string;
    };

/**
 * `input`: what was accepted must still be accepted. `output`: what is promised now must have been promised before.
 */
export type Direction = "input" | "output";

interface Side {
  readonly text: string;
  readonly compiled: CompiledSchema;
  readonly canonical: JsonObject;
}

/** A missing schema accepts everything. */
function sideOf(text = "true"): Side | SchemaError {
  const compiled = compileDeclared({ text });
  const { error: fault, canonical = {} } = compiled;
  // The text `null` means that there is no schema.
  return fault ?? { text, compiled, canonical };
}

/** Arguments are objects, even if a schema does not say so (MCP 2025-11-25, Tools, `CallToolRequest`). */
function ofObjects(side: Side): Side {
  const { type } = side.canonical;
  const mayBeObject = Array.isArray(type) ? type.includes("object") : type === undefined;
  if (!mayBeObject) return side;
  if (lossyNumbers(side.text).length === 0) {
    const compiled = compileDeclared({ value: { ...side.canonical, type: "object" } });
    const { canonical } = compiled;
    return canonical === undefined ? side : { text: side.text, compiled, canonical };
  }
  // The canonical form cannot hold the numbers of such a schema.
  const members = membersOf(side.text);
  const others = [...members].filter(([name]) => name !== "type");
  const written = [["type", '"object"'] as const, ...others].map(
    ([name, value]) => `${JSON.stringify(name)}:${value}`,
  );
  const narrowed = sideOf(`{${written.join()}}`);
  return "code" in narrowed ? side : narrowed;
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
  effort?: SearchEffort,
): SchemaChange {
  const [old, now] = [sideOf(before), sideOf(after)];
  if ("code" in now) return { kind: "unusable", which: "new", fault: now };
  if ("code" in old) return { kind: "unusable", which: "old", fault: old };
  const texts = [old.text, now.text];
  const isFaithful = areFaithful(texts);
  const form = ({ canonical }: Side): string | undefined =>
    canonicalText(JSON.stringify(canonical));
  if (isFaithful && form(old) === form(now)) return { kind: "same" };
  const [first, second] = direction === "input" ? [ofObjects(old), now] : [now, old];
  const proof = isFaithful ? proveSubset(first.canonical, second.canonical) : { pointer: "" };
  if (typeof proof === "string") return { kind: "proved", proof };
  const { accepted, isCut, counterexample } = findCounterexample(
    first.compiled,
    second.compiled,
    effort,
    exactNumbers(texts),
  );
  if (counterexample !== undefined) {
    const onlyUndeclared = isFaithful && isClosing(first.canonical, second.canonical);
    return { kind: "breaking", counterexample, onlyUndeclared };
  }
  return { kind: "unproven", accepted, isCut, gap: proof.pointer };
}

/**
 * Returns whether it is proved that nothing would break if the first schema refused undeclared members where the second
 * does.
 */
function isClosing(first: JsonObject, second: JsonObject): boolean {
  const closed = closeObjectsLike(first, second);
  return closed !== undefined && typeof proveSubset(closed, second) === "string";
}
