import type { JsonObject } from "@touchstone/core/advanced";
import type { LinkedSchemas } from "./linked-schemas.ts";
import { lowerBound, upperBound } from "./number-bounds.ts";
import {
  type Kind,
  kindsOf,
  listedValues,
  refusesScalar,
  requiredBy,
  type SchemaParts,
  sizeBounds,
} from "./schema-parts.ts";
import type { TextProofs } from "./text-proofs.ts";

/** Longer lists of values are not examined. */
const MAX_LISTED = 1_000;

/** Keywords that {@link refusesScalar} decides completely. */
const PLAIN: ReadonlySet<string> = new Set(["type", "enum", "const", "$defs", "$schema"]);

/** Proves that no value satisfies some schemas, or that none of some listed values does. */
export class EmptyProofs {
  readonly #schemas: LinkedSchemas;
  readonly #texts: TextProofs;

  constructor(schemas: LinkedSchemas, texts: TextProofs) {
    this.#schemas = schemas;
    this.#texts = texts;
  }

  /** Returns whether `wanted` accepts every listed value that all parts accept; undefined if some cannot be checked. */
  areListedWithin(
    values: readonly unknown[],
    parts: SchemaParts,
    wanted: JsonObject,
  ): boolean | undefined {
    if (values.length > MAX_LISTED) return undefined;
    const verdicts = values.map((value) => this.#accepts(wanted, value));
    if (verdicts.includes(undefined)) return undefined;
    return values.every(
      (value, at) =>
        verdicts[at] === true || parts.some((part) => this.#accepts(part, value) === false),
    );
  }

  /** Returns whether a schema accepts a value; undefined if the schema cannot be compiled. */
  #accepts(schema: JsonObject, value: unknown): boolean | undefined {
    if (refusesScalar(schema, value)) return false;
    const isScalar = typeof value !== "object" || value === null;
    if (isScalar && Object.keys(schema).every((keyword) => PLAIN.has(keyword))) return true;
    const compiled = this.#schemas.compile(schema);
    return compiled === undefined ? undefined : this.#schemas.accepts(compiled, value);
  }

  /** Returns whether no value can satisfy the parts, as far as a quick check shows. */
  isEmpty(parts: SchemaParts, depth: number = 0): boolean {
    if (!this.#schemas.step() || depth > 3) return false;
    const kinds = kindsOf(parts);
    if (kinds.size === 0) return true;
    const listed = listedValues(parts);
    if (listed !== undefined && listed.length <= MAX_LISTED) {
      return listed.every((value) => parts.some((part) => this.#accepts(part, value) === false));
    }
    return [...kinds].every((kind) => this.#hasNone(parts, kind, depth));
  }

  /** Returns whether no value of a kind can satisfy the parts, as far as a quick check shows. */
  #hasNone(parts: SchemaParts, kind: Kind, depth: number): boolean {
    const isCrossed = (name: string): boolean => {
      const [least, most] = sizeBounds(parts, `min${name}`, `max${name}`);
      return least > most;
    };
    switch (kind) {
      case "string":
        return this.#texts.hasNone(parts);
      case "integer":
      case "fraction": {
        const [low, high] = [lowerBound, upperBound].map((bound) => bound(parts, new Set([kind])));
        if (low === undefined || high === undefined) return false;
        return low.value > high.value || (low.value === high.value && (low.isOpen || high.isOpen));
      }
      case "array":
        return isCrossed("Items");
      case "object":
        return (
          isCrossed("Properties") ||
          [...requiredBy(parts)].some((name) => {
            const below = this.#schemas.partsOf(this.#schemas.member(parts, name));
            return below === undefined || this.isEmpty(below, depth + 1);
          })
        );
      default:
        return false;
    }
  }
}
