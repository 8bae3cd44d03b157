import { isIntegral } from "../../json/decimal.ts";
import { type ExactTree, exactBelow, exactTree } from "../../json/exact-tree.ts";
import type { JsonObject } from "../../json/object.ts";
import { type Budget, BudgetError, spend } from "../budget.ts";
import type { SchemaGraph, SchemaNode } from "../graph/node.ts";
import { type Context, MAX_DEPTH } from "./context.ts";
import { unevaluatedItems, unevaluatedProperties } from "./keywords/unevaluated.ts";
import { Place } from "./place.ts";
import { INTEGER, KIND, type Kind, type Plan, planFor, plansOf } from "./plan.ts";
import type { Report } from "./report.ts";
import { fail, type Mark, type Marks, type Run } from "./rule.ts";

function kindOf(value: unknown, place: Place | undefined): Kind {
  switch (typeof value) {
    case "number":
      // An infinity is a number where a text stands behind it that no double holds.
      return Number.isFinite(value) || place?.tree?.exact !== undefined ? KIND.NUMBER : KIND.OTHER;
    case "string":
      return KIND.STRING;
    case "boolean":
      return KIND.BOOLEAN;
    case "object":
      if (value === null) return KIND.NULL;
      return Array.isArray(value) ? KIND.ARRAY : KIND.OBJECT;
    default:
      return KIND.OTHER;
  }
}

function isInteger(value: unknown, tree: ExactTree | undefined): boolean {
  if (tree?.exact !== undefined) return isIntegral(tree.exact);
  return Number.isInteger(value);
}

/** One run of the interpreter over a value. */
export class Evaluation implements Run {
  readonly budget: Budget;
  readonly context: Context;
  report: Report | undefined;
  private readonly plans: (Plan | undefined)[];
  private readonly maxDepth: number;
  private depth: number = 0;
  private lastObject: JsonObject | undefined;
  private lastKeys: readonly string[] = [];

  constructor(graph: SchemaGraph, context: Context, report: Report | undefined) {
    this.budget = context.budget;
    this.context = context;
    this.report = report;
    this.plans = plansOf(graph);
    this.maxDepth = context.maxDepth ?? MAX_DEPTH;
  }

  /** Applies a schema to the whole value. @throws BudgetError, RangeError. */
  start(root: SchemaNode, value: unknown): boolean {
    const tree = exactTree(this.context.decimals);
    const needed = tree !== undefined || this.report !== undefined;
    return this.evaluate(
      root,
      value,
      needed ? new Place(undefined, "", tree) : undefined,
      undefined,
    );
  }

  evaluate(node: SchemaNode, value: unknown, place: Place | undefined, outer: Marks): boolean {
    if (node.always !== undefined) {
      spend(this.budget, 1);
      return node.always || this.refuse(node, value, place);
    }
    if (this.depth >= this.maxDepth) {
      throw new BudgetError(`schemas are applied more than ${this.maxDepth} deep in one another`);
    }
    this.depth++;
    const valid = this.apply(node, value, place, outer);
    this.depth--;
    return valid;
  }

  private apply(node: SchemaNode, value: unknown, place: Place | undefined, outer: Marks): boolean {
    const plan = planFor(this.plans, node);
    const kind = kindOf(value, place);
    const { untyped, typeAt } = plan;
    const rules = plan.typed[kind];
    spend(this.budget, 1 + untyped.length + (rules?.length ?? 0));
    const marks = outer ?? (asksForMarks(node, kind) ? ([] as Mark[]) : undefined);
    const from = marks?.length ?? 0;
    const typeFails = plan.types !== 0 && !this.hasType(plan.types, kind, value, place);
    let valid = !typeFails;
    if (typeFails) {
      if (this.report === undefined) return false;
      if (typeAt === -1) this.refuseType(node, value, place);
    }
    for (const rule of untyped) {
      if (rule(this, node, value, place, marks)) continue;
      if (this.report === undefined) return false;
      valid = false;
    }
    if (typeFails && typeAt !== -1 && typeAt < kind) this.refuseType(node, value, place);
    if (rules !== undefined) {
      for (const rule of rules) {
        if (rule(this, node, value, place, marks)) continue;
        if (this.report === undefined) return false;
        valid = false;
      }
      if (marks !== undefined && !this.unevaluated(node, kind, value, place, marks, from)) {
        valid = false;
      }
    }
    if (typeFails && typeAt > kind) this.refuseType(node, value, place);
    return valid;
  }

  test(node: SchemaNode, value: unknown, place: Place | undefined, marks: Marks): boolean {
    const { report } = this;
    this.report = undefined;
    const valid = this.evaluate(node, value, place, marks);
    this.report = report;
    return valid;
  }

  below(place: Place | undefined, token: string | number): Place | undefined {
    if (place === undefined) return undefined;
    const tree = exactBelow(place.tree, token);
    if (this.report === undefined && tree === undefined) return undefined;
    return new Place(place, token, tree);
  }

  keysOf(value: JsonObject): readonly string[] {
    if (value !== this.lastObject) {
      this.lastKeys = Object.keys(value);
      this.lastObject = value;
    }
    spend(this.budget, this.lastKeys.length);
    return this.lastKeys;
  }

  private unevaluated(
    node: SchemaNode,
    kind: Kind,
    value: unknown,
    place: Place | undefined,
    marks: Mark[],
    from: number,
  ): boolean {
    if (kind === KIND.OBJECT) {
      return unevaluatedProperties(this, node, value as JsonObject, place, marks, from);
    }
    if (kind !== KIND.ARRAY) return true;
    return unevaluatedItems(this, node, value as readonly unknown[], place, marks, from);
  }

  private hasType(types: number, kind: Kind, value: unknown, place: Place | undefined): boolean {
    if ((types & (1 << kind)) !== 0) return true;
    return (types & INTEGER) !== 0 && kind === KIND.NUMBER && isInteger(value, place?.tree);
  }

  private refuseType(node: SchemaNode, value: unknown, place: Place | undefined): void {
    const { type = [] } = node;
    fail(this, node, "type", value, place, () => ({
      message: `must be ${type.join(",")}`,
      params: { type: type.length === 1 ? type[0] : type },
    }));
  }

  private refuse(node: SchemaNode, value: unknown, place: Place | undefined): false {
    const wording = { message: "boolean schema is false", params: {} };
    return fail(this, node, "false schema", value, place, () => wording);
  }
}

function asksForMarks(node: SchemaNode, kind: Kind): boolean {
  if (kind === KIND.OBJECT) return node.unevaluatedProperties !== undefined;
  return kind === KIND.ARRAY && node.unevaluatedItems !== undefined;
}
