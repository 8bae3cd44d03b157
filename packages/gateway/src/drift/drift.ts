import { joinPointer } from "@touchstone/core";
import { type Declared, declaredBy, takes } from "./declared.ts";
import type { Shape, ValueType } from "./shape.ts";

/** One way in which results are not what the schema says. */
export interface DriftFinding {
  /**
   * - `never_came`: a declared member that no result had
   * - `sometimes_missing`: a required member that some results lacked
   * - `undeclared`: a member that results had and the schema does not name
   * - `other_type`: values of a type that the schema does not allow there
   */
  readonly kind: "never_came" | "sometimes_missing" | "undeclared" | "other_type";
  /** RFC 6901 pointer; `*` stands for every item of an array. */
  readonly path: string;
  /** In how many results, or items, it was so; of `never_came`, in how many it could have come. */
  readonly count: number;
  /** Of how many. */
  readonly of: number;
  /** The types that came, the most frequent first. */
  readonly types?: readonly ValueType[];
  /** The types that are declared. */
  readonly declared?: readonly string[];
  /** Whether the schema requires it. */
  readonly required?: boolean;
}

/** What results of a tool were like, against its output schema. */
export interface Drift {
  /** How many results were looked at. */
  readonly results: number;
  readonly findings: readonly DriftFinding[];
  /**
   * Whether parts of the schema (`anyOf`, conditions, patterns) were not compared, so that what is told
   * as undeclared may be declared there.
   */
  readonly partial: boolean;
}

const MAX_FINDINGS = 500;

/** The types that came, the most frequent first. */
export function typesOf({ types }: Shape): readonly ValueType[] {
  return [...types].sort(([, a], [, b]) => b - a).map(([type]) => type);
}

/** Where a result may hold members: all values that were objects. */
export const objectsIn = (shape: Shape): number => shape.types.get("object") ?? 0;

class Comparison {
  readonly findings: DriftFinding[] = [];
  partial = false;
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  compare(schema: unknown, shape: Shape, path: string): void {
    if (this.findings.length >= MAX_FINDINGS) return;
    const declared = declaredBy(this.#root, schema);
    this.partial ||= declared.isPartial;
    this.#types(declared, shape, path);
    this.#members(declared, shape, path);
    if (shape.items !== undefined && declared.items !== undefined) {
      this.compare(declared.items, shape.items, `${path}/*`);
    }
  }

  #types(declared: Declared, shape: Shape, path: string): void {
    const other = typesOf(shape).filter((type) => !takes(declared.types, type));
    const count = other.reduce((sum, type) => sum + (shape.types.get(type) ?? 0), 0);
    if (count === 0 || declared.types === undefined) return;
    const types = [...declared.types];
    this.#add({ kind: "other_type", path, count, of: shape.count, types: other, declared: types });
  }

  #members(declared: Declared, shape: Shape, path: string): void {
    const of = objectsIn(shape);
    if (of === 0) return;
    for (const [name, inside] of declared.members) {
      const at = joinPointer(path, name);
      const required = declared.required.has(name);
      const came = shape.members.get(name);
      if (came === undefined) {
        this.#add({ kind: "never_came", path: at, count: of, of, required });
        continue;
      }
      if (required && came.count < of) {
        this.#add({ kind: "sometimes_missing", path: at, count: of - came.count, of, required });
      }
      this.compare(inside, came, at);
    }
    for (const [name, came] of shape.members) {
      if (declared.members.has(name)) continue;
      const at = joinPointer(path, name);
      this.#add({ kind: "undeclared", path: at, count: came.count, of, types: typesOf(came) });
    }
  }

  #add(finding: DriftFinding): void {
    if (this.findings.length < MAX_FINDINGS) this.findings.push(finding);
  }
}

/**
 * Compares what came with what is declared, in the order of the schema; at most 500 findings. Pure,
 * and never throws, whatever the schema is.
 */
export function driftOf(schema: unknown, shape: Shape): Drift {
  const comparison = new Comparison(schema);
  comparison.compare(schema, shape, "");
  const { findings, partial } = comparison;
  return { results: shape.count, findings, partial };
}
