import { isObject, joinPointer } from "@touchstone/core";
import { type Declared, declaredBy, takes } from "./declared.ts";
import {
  MAX_LEVELS,
  mayBeUnnamed,
  type Room,
  roomFor,
  type Shape,
  type ValueType,
} from "./shape.ts";

/** One way in which results are not what the schema says. */
export interface DriftFinding {
  /**
   * - `never_came`: a declared member that no result had
   * - `sometimes_missing`: a required member that some results lacked
   * - `undeclared`: a member that results had and the schema does not name
   * - `unnamed`: members whose names were not kept, since they may be data or were too many, where the
   *   schema says nothing of members that it does not name; `count` counts them all
   * - `other_type`: values of a type that the schema does not allow there
   */
  readonly kind: "never_came" | "sometimes_missing" | "undeclared" | "unnamed" | "other_type";
  /** RFC 6901 pointer; `*` stands for every item of an array. */
  readonly path: string;
  /** In how many results, or items that were looked at, it was so; of `never_came`, in how many it could have come. */
  readonly count: number;
  /** Of how many. */
  readonly of: number;
  /** The types that came, the most frequent first. */
  readonly types?: readonly ValueType[];
  /** The types that are declared. */
  readonly declared?: readonly string[];
  /** Whether the schema requires it. */
  readonly required?: boolean;
  /** True where the schema takes no members that it does not name. */
  readonly closed?: boolean;
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
/** What may stand beside branches and says nothing of values. */
const BRANCHES_ALONE: ReadonlySet<string> = new Set(["anyOf", "title", "description", "default"]);

/** The types that came, the most frequent first. */
export function typesOf({ types }: Shape): readonly ValueType[] {
  return [...types].sort(([, a], [, b]) => b - a).map(([type]) => type);
}

/** Where a result may hold members: all values that were objects. */
export const objectsIn = (shape: Shape): number => shape.types.get("object") ?? 0;

/** Whether a schema may refuse values of a shape by what is in them. */
function saysOfInside(declared: Declared, { types }: Shape): boolean {
  const { members, required, items, isClosed, isTyped } = declared;
  if (types.has("array") && items !== undefined) return true;
  return types.has("object") && (members.size > 0 || required.size > 0 || isClosed || isTyped);
}

class Comparison {
  readonly findings: DriftFinding[] = [];
  partial = false;
  /** Whether the schema may refuse what is not known: values where it lists some, or members that were only counted. */
  unsure = false;
  readonly #root: unknown;
  readonly #room: Room;

  constructor(root: unknown, whole: Shape) {
    this.#root = root;
    this.#room = roomFor(whole);
  }

  compare(schema: unknown, shape: Shape, path: string, level: number = 1): void {
    if (this.findings.length >= MAX_FINDINGS || this.#isTakenByBranch(schema, shape)) return;
    const declared = declaredBy(this.#root, schema);
    this.partial ||= declared.isPartial;
    this.unsure ||= declared.isListed && shape.count > 0;
    this.#types(declared, shape, path);
    if (level >= MAX_LEVELS) {
      this.unsure ||= saysOfInside(declared, shape);
      return;
    }
    this.#members(declared, shape, path, level);
    if (declared.items === undefined || !shape.types.has("array")) return;
    // There was no room for them where there is no shape.
    if (shape.items === undefined) this.unsure = true;
    else this.compare(declared.items, shape.items, `${path}/*`, level + 1);
  }

  /** Whether a schema is branches alone, and one of them takes all that came. */
  #isTakenByBranch(schema: unknown, shape: Shape): boolean {
    if (!isObject(schema) || !Array.isArray(schema["anyOf"])) return false;
    if (Object.keys(schema).some((keyword) => !BRANCHES_ALONE.has(keyword))) return false;
    return schema["anyOf"].some((branch) => {
      const inside = new Comparison(this.#root, shape);
      inside.compare(branch, shape, "");
      return !inside.partial && !inside.unsure && inside.takesAll;
    });
  }

  /** Whether nothing was found that the schema refuses. */
  get takesAll(): boolean {
    return this.findings.every(
      ({ kind, closed, required }) =>
        kind !== "other_type" &&
        kind !== "sometimes_missing" &&
        required !== true &&
        closed !== true,
    );
  }

  #types(declared: Declared, shape: Shape, path: string): void {
    const other = typesOf(shape).filter((type) => !takes(declared.types, type));
    const count = other.reduce((sum, type) => sum + (shape.types.get(type) ?? 0), 0);
    if (count === 0 || declared.types === undefined) return;
    const types = [...declared.types];
    this.#add({ kind: "other_type", path, count, of: shape.count, types: other, declared: types });
  }

  #members(declared: Declared, shape: Shape, path: string, level: number): void {
    const of = objectsIn(shape);
    if (of === 0) return;
    const closed = declared.isClosed ? { closed: true } : {};
    const undeclared = [...declared.required].filter((name) => !declared.members.has(name));
    const named = [...declared.members, ...undeclared.map((name) => [name, true] as const)];
    for (const [name, inside] of named) {
      const at = joinPointer(path, name);
      const required = declared.required.has(name);
      const came = shape.members.get(name);
      if (came === undefined) {
        if (mayBeUnnamed(shape, name, this.#room)) {
          this.unsure = true;
          continue;
        }
        this.#add({ kind: "never_came", path: at, count: of, of, required });
        continue;
      }
      if (required && came.count < of) {
        this.#add({ kind: "sometimes_missing", path: at, count: of - came.count, of, required });
      }
      this.compare(inside, came, at, level + 1);
    }
    for (const [name, came] of shape.members) {
      if (declared.members.has(name)) continue;
      const at = joinPointer(path, name);
      const types = typesOf(came);
      this.#add({ kind: "undeclared", path: at, count: came.count, of, types, ...closed });
    }
    const isOther = (name: string): boolean => !declared.members.has(name);
    this.unsure ||=
      declared.isTyped && (shape.unnamed > 0 || [...shape.members.keys()].some(isOther));
    if (shape.unnamed === 0 || declared.isMap) return;
    this.#add({ kind: "unnamed", path, count: shape.unnamed, of, ...closed });
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
  const comparison = new Comparison(schema, shape);
  comparison.compare(schema, shape, "");
  const { findings, partial } = comparison;
  return { results: shape.count, findings, partial };
}

/**
 * Whether nothing is known that a schema refuses of the values of a shape.
 * @param root what its references are resolved in
 * @param level how deep in results it stands, of which the outermost level is 1
 */
export function fits(root: unknown, schema: unknown, shape: Shape, level: number): boolean {
  const comparison = new Comparison(root, shape);
  comparison.compare(schema, shape, "", level);
  return comparison.takesAll;
}

/** Whether a schema takes all values of a shape, as types and members tell, and leaves nothing open. */
export function surelyFits(schema: unknown, shape: Shape): boolean {
  const comparison = new Comparison(schema, shape);
  comparison.compare(schema, shape, "");
  return comparison.takesAll && !comparison.partial && !comparison.unsure;
}
