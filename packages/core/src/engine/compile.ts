import type { JsonObject } from "../json/value.ts";
import { forEachApplied, isInPlace } from "../keywords/edges.ts";
import { KEYWORDS, LAST_KEYWORDS, REGISTRY } from "../keywords/index.ts";
import {
  type AppliedSchema,
  type CompileContext,
  type Keyword,
  PLAIN_TYPE,
  type PlainType,
} from "../keywords/keyword.ts";
import type { SchemaNode } from "../keywords/node.ts";
import {
  type Annotation,
  BudgetError,
  type EvaluationRun,
  type KeywordCheck,
  reportFailure,
  throwExhausted,
} from "../keywords/run.ts";
import {
  hasType,
  isInteger,
  type Kind,
  kindOf,
  kindOfType,
  reportType,
  type TypeName,
  typeSet,
  VALUE_KIND,
} from "../keywords/type.ts";

function tooDeep({ maxDepth }: EvaluationRun): never {
  throw new BudgetError(`schemas are applied more than ${maxDepth} deep in one another`);
}

/** The checks of one schema, in Ajv's order, by kind of value. */
interface Parts {
  readonly node: SchemaNode;
  /** The set of types in `type`; 0 if it is absent. */
  readonly types: number;
  /**
   * The kind of value before whose keywords `type` is checked; -1 if `type` is checked first. As in Ajv, a single type
   * that has its own keywords is checked just before them.
   */
  readonly typeAt: Kind | -1;
  readonly untyped: readonly KeywordCheck[];
  /** Whether schemas are applied to the value itself. */
  readonly inPlace: boolean;
  /** The checks for values of one kind: number, string, array, object. */
  readonly typed: readonly (readonly KeywordCheck[])[];
  /** Those of these checks that are needed if only the verdict counts. */
  readonly decisive: readonly (readonly KeywordCheck[])[];
  /** By kind of value, the check of `unevaluatedItems` or `unevaluatedProperties`. */
  readonly last: readonly (KeywordCheck | undefined)[];
}

const KINDS = {
  number: VALUE_KIND.NUMBER,
  string: VALUE_KIND.STRING,
  array: VALUE_KIND.ARRAY,
  object: VALUE_KIND.OBJECT,
};

function partsOf(node: SchemaNode, context: CompileContext): Parts {
  const untyped: KeywordCheck[] = [];
  const typed: KeywordCheck[][] = [[], [], [], []];
  const decisive: KeywordCheck[][] = [[], [], [], []];
  const last: (KeywordCheck | undefined)[] = [];
  const has: boolean[] = [];
  let inPlace = false;
  const compiled = ({ name, compile }: Keyword): KeywordCheck | undefined =>
    node[name] === undefined ? undefined : compile?.(node, context);
  for (const keyword of KEYWORDS) {
    const check = compiled(keyword);
    const { appliesTo } = keyword;
    if (appliesTo !== "any" && node[keyword.name] !== undefined) has[KINDS[appliesTo]] = true;
    if (check === undefined) continue;
    if (isInPlace(keyword.where)) inPlace = true;
    if (appliesTo === "any") {
      untyped.push(check);
      continue;
    }
    typed[KINDS[appliesTo]]?.push(check);
    if (keyword.isIdle?.(node) !== true) decisive[KINDS[appliesTo]]?.push(check);
  }
  for (const keyword of LAST_KEYWORDS) {
    const check = compiled(keyword);
    if (check === undefined || keyword.appliesTo === "any") continue;
    last[KINDS[keyword.appliesTo]] = check;
    has[KINDS[keyword.appliesTo]] = true;
  }
  const [only, ...more] = node.type ?? [];
  const kind = only === undefined || only === "integer" || more.length > 0 ? -1 : kindOfType(only);
  const typeAt = kind !== -1 && has[kind] === true ? kind : -1;
  return { node, types: typeSet(node), typeAt, untyped, inPlace, typed, decisive, last };
}

/** Evaluates all parts, in order, with a report or annotations. */
function inOrder({ node, types, typeAt, untyped, typed, last }: Parts): KeywordCheck {
  return (run, value, place, outer) => {
    const kind = kindOf(value, place);
    const rules = typed[kind];
    run.steps -= 1 + untyped.length + (rules?.length ?? 0);
    if (run.steps < 0) throwExhausted(run);
    run.depth++;
    if (run.depth > run.maxDepth) tooDeep(run);
    if (kind === VALUE_KIND.OBJECT) run.declared?.applied(node, value as JsonObject);
    const unevaluated = last[kind];
    const marks = outer ?? (unevaluated === undefined ? undefined : ([] as Annotation[]));
    const from = marks?.length ?? 0;
    const typeFails = types !== 0 && !hasType(types, kind, value, place);
    let valid = !typeFails;
    if (typeFails) {
      if (run.report === undefined) {
        run.depth--;
        return false;
      }
      if (typeAt === -1) reportType(run, node, value, place);
    }
    valid = all(untyped, valid, run, value, place, marks);
    if (typeFails && typeAt !== -1 && typeAt < kind) reportType(run, node, value, place);
    if (rules !== undefined && (valid || run.report !== undefined)) {
      valid = all(rules, valid, run, value, place, marks);
      if (unevaluated !== undefined && (valid || run.report !== undefined)) {
        run.marked = from;
        if (!unevaluated(run, value, place, marks)) valid = false;
      }
    }
    if (typeFails && typeAt > kind) reportType(run, node, value, place);
    run.depth--;
    return valid;
  };
}

function all(
  checks: readonly KeywordCheck[],
  before: boolean,
  ...args: Parameters<KeywordCheck>
): boolean {
  const [run, value, place, marks] = args;
  let valid = before;
  for (let i = 0; i < checks.length; i++) {
    if ((checks[i] as KeywordCheck)(run, value, place, marks)) continue;
    if (run.report === undefined) return false;
    valid = false;
  }
  return valid;
}

/** Combines several checks into one that returns only a verdict. */
function sequence(checks: readonly KeywordCheck[]): KeywordCheck | undefined {
  const [a, b, c] = checks as [KeywordCheck, KeywordCheck, KeywordCheck];
  switch (checks.length) {
    case 0:
      return undefined;
    case 1:
      return a;
    case 2:
      return (run, value, place) =>
        a(run, value, place, undefined) && b(run, value, place, undefined);
    case 3:
      return (run, value, place) =>
        a(run, value, place, undefined) &&
        b(run, value, place, undefined) &&
        c(run, value, place, undefined);
    default:
      return (run, value, place) => {
        for (let i = 0; i < checks.length; i++) {
          if (!(checks[i] as KeywordCheck)(run, value, place, undefined)) return false;
        }
        return true;
      };
  }
}

/** Returns the verdict of a schema with a single type; the order of its keywords does not matter. */
function ofOneType(type: TypeName, parts: Parts, full: KeywordCheck): KeywordCheck {
  const { untyped, inPlace, typed, decisive } = parts;
  const kind = kindOfType(type);
  const steps = 1 + untyped.length + (typed[kind]?.length ?? 0);
  const rest = sequence([...(decisive[kind] ?? []), ...untyped]);
  // Scalars without applied schemas do not nest.
  switch (inPlace && type !== "object" ? "other" : type) {
    case "string":
      return (run, value, place, marks) => {
        if (run.report !== undefined || marks !== undefined) return full(run, value, place, marks);
        run.steps -= steps;
        if (run.steps < 0) throwExhausted(run);
        return (
          typeof value === "string" && (rest === undefined || rest(run, value, place, undefined))
        );
      };
    case "integer":
      return (run, value, place, marks) => {
        if (run.report !== undefined || marks !== undefined) return full(run, value, place, marks);
        run.steps -= steps;
        if (run.steps < 0) throwExhausted(run);
        return (
          typeof value === "number" &&
          isInteger(value, place) &&
          (rest === undefined || rest(run, value, place, undefined))
        );
      };
    case "number":
      return (run, value, place, marks) => {
        if (run.report !== undefined || marks !== undefined) return full(run, value, place, marks);
        run.steps -= steps;
        if (run.steps < 0) throwExhausted(run);
        return (
          typeof value === "number" &&
          (Number.isFinite(value) || kindOf(value, place) === VALUE_KIND.NUMBER) &&
          (rest === undefined || rest(run, value, place, undefined))
        );
      };
    case "object":
      return (run, value, place, marks) => {
        if (run.report !== undefined || marks !== undefined) return full(run, value, place, marks);
        run.steps -= steps;
        if (run.steps < 0) throwExhausted(run);
        if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
        if (rest === undefined) return true;
        run.depth++;
        if (run.depth > run.maxDepth) tooDeep(run);
        const valid = rest(run, value, place, undefined);
        run.depth--;
        return valid;
      };
    case "array":
      return (run, value, place, marks) => {
        if (run.report !== undefined || marks !== undefined) return full(run, value, place, marks);
        run.steps -= steps;
        if (run.steps < 0) throwExhausted(run);
        if (!Array.isArray(value)) return false;
        if (rest === undefined) return true;
        run.depth++;
        if (run.depth > run.maxDepth) tooDeep(run);
        const valid = rest(run, value, place, undefined);
        run.depth--;
        return valid;
      };
    default: {
      const set = typeSet({ type: [type] });
      return (run, value, place, marks) => {
        if (run.report !== undefined || marks !== undefined) return full(run, value, place, marks);
        run.steps -= steps;
        if (run.steps < 0) throwExhausted(run);
        if (!hasType(set, kindOf(value, place), value, place)) return false;
        if (rest === undefined) return true;
        run.depth++;
        if (run.depth > run.maxDepth) tooDeep(run);
        const valid = rest(run, value, place, undefined);
        run.depth--;
        return valid;
      };
    }
  }
}

/** Returns the verdict of a schema with no type or several. */
function ofTypes({ types, untyped, decisive }: Parts, full: KeywordCheck): KeywordCheck {
  const first = sequence(untyped);
  const [number, string, array, object] = decisive.map(sequence);
  const byKind = [number, string, array, object];
  const hasTyped = byKind.some((check) => check !== undefined);
  const steps = 1 + untyped.length;
  return (run, value, place, marks) => {
    if (run.report !== undefined || marks !== undefined) return full(run, value, place, marks);
    run.steps -= steps;
    if (run.steps < 0) throwExhausted(run);
    if (types !== 0 || hasTyped) {
      const kind = kindOf(value, place);
      if (types !== 0 && !hasType(types, kind, value, place)) return false;
      const then = byKind[kind];
      if (then !== undefined) {
        run.depth++;
        if (run.depth > run.maxDepth) tooDeep(run);
        const valid =
          (first === undefined || first(run, value, place, undefined)) &&
          then(run, value, place, undefined);
        run.depth--;
        return valid;
      }
    }
    if (first === undefined) return true;
    run.depth++;
    if (run.depth > run.maxDepth) tooDeep(run);
    const valid = first(run, value, place, undefined);
    run.depth--;
    return valid;
  };
}

function booleanSchema(node: SchemaNode): KeywordCheck {
  if (node.always === true) {
    return (run) => {
      run.steps--;
      if (run.steps < 0) throwExhausted(run);
      return true;
    };
  }
  const wording = { message: "boolean schema is false", params: {} };
  return (run, value, place) => {
    run.steps--;
    if (run.steps < 0) throwExhausted(run);
    return reportFailure(run, node, "false schema", value, place, () => wording);
  };
}

function compileNode(node: SchemaNode, context: CompileContext): KeywordCheck {
  if (node.always !== undefined) return booleanSchema(node);
  const parts = partsOf(node, context);
  const full = inOrder(parts);
  const [only, ...more] = node.type ?? [];
  // Unevaluated keywords need the annotations of everything before them.
  if (parts.last.length > 0) return full;
  if (only === undefined || more.length > 0) return ofTypes(parts, full);
  return ofOneType(only, parts, full);
}

const PLAIN_OF_TYPE: Readonly<Record<string, PlainType>> = {
  string: PLAIN_TYPE.STRING,
  integer: PLAIN_TYPE.INTEGER,
  number: PLAIN_TYPE.NUMBER,
  boolean: PLAIN_TYPE.BOOLEAN,
};

const ALL: readonly Keyword[] = [...KEYWORDS, ...LAST_KEYWORDS];

function plainOf(node: SchemaNode): PlainType {
  if (node.always !== undefined) return node.always ? PLAIN_TYPE.ANY : PLAIN_TYPE.NONE;
  const { type = [] } = node;
  const [only] = type;
  const one = type.length === 1 && only !== undefined ? PLAIN_OF_TYPE[only] : undefined;
  const plain = type.length === 0 ? PLAIN_TYPE.ANY : (one ?? PLAIN_TYPE.NONE);
  if (plain === PLAIN_TYPE.NONE || ALL.some(({ name }) => node[name] !== undefined))
    return PLAIN_TYPE.NONE;
  return plain;
}

/** Returns how long it takes to compile a node, in units of about a microsecond. */
function weightOf(node: SchemaNode): number {
  let weight = 4;
  for (const { name, cost } of REGISTRY) {
    if (cost !== undefined && node[name] !== undefined) weight += cost(node);
  }
  forEachApplied(node, () => weight++);
  return weight;
}

/** A subschema that is compiled when it is first applied: most of a large schema never is. */
class LazilyApplied implements AppliedSchema {
  readonly always: boolean | undefined;
  readonly plain: PlainType;
  check: KeywordCheck;

  constructor(node: SchemaNode, context: CompileContext) {
    this.always = node.always;
    this.plain = plainOf(node);
    this.check = (run, value, place, marks) => {
      run.compiling -= weightOf(node);
      if (run.compiling < 0) throw new BudgetError("the schema takes long to compile");
      this.check = compileNode(node, context);
      return this.check(run, value, place, marks);
    };
  }
}

/**
 * Returns the target of a `$ref` without other keywords, which is then evaluated directly: most references of a large
 * schema are of this kind. Not for a boolean schema, which the applying keyword may describe in other words.
 */
function onlyRef(node: SchemaNode): SchemaNode | undefined {
  const { $ref, type } = node;
  if ($ref === undefined || $ref.always !== undefined || type !== undefined) return undefined;
  return ALL.some(({ name }) => name !== "$ref" && node[name] !== undefined) ? undefined : $ref;
}

/** What the compiler needs from outside. */
export type CompilerFunctions = Pick<CompileContext, "format" | "numberFormat" | "pattern">;

/** Compiles the schemas of a graph to closures, each when it is first applied. Generates no code. */
export function compiler(functions: CompilerFunctions): (node: SchemaNode) => AppliedSchema {
  const known = new WeakMap<SchemaNode, AppliedSchema>();
  const context: CompileContext = {
    ...functions,
    apply(node) {
      const before = known.get(node);
      if (before !== undefined) return before;
      // A chain of references is followed once, whichever schema applies a part of it.
      const chain = new Set<SchemaNode>();
      let at = node;
      while (!known.has(at) && !chain.has(at)) {
        chain.add(at);
        at = onlyRef(at) ?? at;
      }
      const applied = known.get(at) ?? new LazilyApplied(at, context);
      for (const each of chain) known.set(each, applied);
      return applied;
    },
  };
  return (node) => context.apply(node);
}
