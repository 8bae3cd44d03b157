import { LIMITING_KEYWORDS, limitsType, type Shape, typesOf } from "@touchstone/records/plain";
import { acceptsType, type PlaceDeclaration } from "./declared.ts";
import type { DriftFinding, Unsure } from "./schemas.ts";

const MAX_FINDINGS = 500;

/** A place in the values. */
export interface ValuePlace {
  readonly path: string;
  /**
   * Whether it is one of several branches that may have accepted the values, so that verdicts say nothing about it.
   */
  readonly isTrial: boolean;
}

/** The differences between a schema and the values, and what is unknown. */
export class SchemaDifferences {
  readonly findings: DriftFinding[] = [];
  /** Values of which it is unknown whether the schema accepts them. */
  readonly unsure: Set<Unsure> = new Set();
  /** By path: the declared schema of array items, if it applies to all of them. */
  readonly items: Map<string, unknown> = new Map();
  readonly #whole: Shape;

  /** @param whole all received values, parts of which are compared */
  constructor(whole: Shape) {
    this.#whole = whole;
  }

  /** Whether the list is full. */
  get isFull(): boolean {
    return this.findings.length >= MAX_FINDINGS;
  }

  /** Whether the schema refuses nothing that was found. */
  get takesAll(): boolean {
    return this.findings.every(
      ({ kind, closed, required }) =>
        kind !== "other_type" &&
        kind !== "other_value" &&
        kind !== "sometimes_missing" &&
        required !== true &&
        closed !== true,
    );
  }

  /** Whether the schema accepts everything, by types and members, with nothing unknown. */
  get surelyTakesAll(): boolean {
    return this.takesAll && this.unsure.size === 0;
  }

  /** Reports values of undeclared types. */
  types(declared: PlaceDeclaration["types"], shape: Shape, { path }: ValuePlace): void {
    const types = typesOf(shape).filter((type) => !acceptsType(declared, type));
    const count = types.reduce((sum, type) => sum + (shape.types.get(type) ?? 0), 0);
    if (count === 0 || declared === undefined) return;
    const of = shape.count;
    this.add({ kind: "other_type", path, count, of, types, declared: [...declared] });
  }

  /** Reports keywords that values broke. All other limits are known to hold, if there are verdicts. */
  noted({ noted }: PlaceDeclaration, shape: Shape, at: ValuePlace): void {
    const { count, told } = this.#whole;
    for (const [keyword, says] of noted) {
      if (shape.broken.has(keyword)) this.broken(keyword, says, shape, at);
      else if (limitsType(keyword, shape) && (at.isTrial || told < count))
        this.unsure.add("values");
    }
  }

  /** Reports how many values break a keyword. */
  broken(keyword: string, says: unknown, { broken }: Shape, { path }: ValuePlace): void {
    const count = broken.get(keyword) ?? 0;
    const of = this.#whole.count;
    if (count === 0) return;
    const limit = LIMITING_KEYWORDS.has(keyword) ? { says } : {};
    this.add({ kind: "other_value", path, count, of, keyword, ...limit });
  }

  add(finding: DriftFinding): void {
    if (this.isFull) this.unsure.add("parts");
    else this.findings.push(finding);
  }
}
