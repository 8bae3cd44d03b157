import { BOUNDS, limits } from "./bounds.ts";
import { type Declared, takes } from "./declared.ts";
import type { DriftFinding, Unsure } from "./finding.ts";
import { type Shape, typesOf } from "./shape.ts";

const MAX_FINDINGS = 500;

/** A place in what came. */
export interface Place {
  readonly path: string;
  /** Whether it is one of several branches that may have taken the values, so that verdicts tell nothing. */
  readonly isTrial: boolean;
}

/** What differs between a schema and what came, and what is not known of it. */
export class Differences {
  readonly findings: DriftFinding[] = [];
  /** Of what it is not known whether the schema takes it. */
  readonly unsure: Set<Unsure> = new Set();
  /** By path: what is declared of the items of arrays, wherever it holds for all of them. */
  readonly items: Map<string, unknown> = new Map();
  readonly #whole: Shape;

  /** @param whole all that came, of which parts are compared */
  constructor(whole: Shape) {
    this.#whole = whole;
  }

  /** Whether no more is listed. */
  get isFull(): boolean {
    return this.findings.length >= MAX_FINDINGS;
  }

  /** Whether nothing was found that the schema refuses. */
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

  /** Whether the schema takes all, as types and members tell, and leaves nothing open. */
  get surelyTakesAll(): boolean {
    return this.takesAll && this.unsure.size === 0;
  }

  /** Reports what came of types that are not declared. */
  types(declared: Declared["types"], shape: Shape, { path }: Place): void {
    const types = typesOf(shape).filter((type) => !takes(declared, type));
    const count = types.reduce((sum, type) => sum + (shape.types.get(type) ?? 0), 0);
    if (count === 0 || declared === undefined) return;
    const of = shape.count;
    this.add({ kind: "other_type", path, count, of, types, declared: [...declared] });
  }

  /** Reports what values were found to break; of the rest it is known that they do not, where verdicts tell. */
  noted({ noted }: Declared, shape: Shape, at: Place): void {
    const { count, told } = this.#whole;
    for (const [keyword, says] of noted) {
      if (shape.broken.has(keyword)) this.broken(keyword, says, shape, at);
      else if (limits(keyword, shape) && (at.isTrial || told < count)) this.unsure.add("values");
    }
  }

  /** Reports how many values break a keyword. */
  broken(keyword: string, says: unknown, { broken }: Shape, { path }: Place): void {
    const count = broken.get(keyword) ?? 0;
    const of = this.#whole.count;
    if (count === 0) return;
    const limit = BOUNDS.has(keyword) ? { says } : {};
    this.add({ kind: "other_value", path, count, of, keyword, ...limit });
  }

  add(finding: DriftFinding): void {
    if (this.isFull) this.unsure.add("parts");
    else this.findings.push(finding);
  }
}
