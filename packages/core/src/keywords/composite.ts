import { quote } from "../json/quote.ts";
import { type AppliedSchema, type Keyword, keyword } from "./keyword.ts";
import type { SchemaNode } from "./node.ts";
import {
  type Annotations,
  dropAnnotations,
  type EvaluationRun,
  evaluateSilently,
  type IssueWording,
  reportFailure,
  type ValuePlace,
} from "./run.ts";
import { SCHEMA_LIST_SHAPE, SCHEMA_SHAPE } from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly not?: SchemaNode;
    readonly allOf?: readonly SchemaNode[];
    readonly anyOf?: readonly SchemaNode[];
    readonly oneOf?: readonly SchemaNode[];
    readonly if?: SchemaNode;
    readonly then?: SchemaNode;
    readonly else?: SchemaNode;
  }
}

/** Members of a node that do not check anything. */
const SILENT: ReadonlySet<string> = new Set(["id", "origin", "written", "title", "default"]);

/** `not` (2020-12 Core, section 10.2.1.4). */
export const not: Keyword = keyword({
  name: "not",
  vocabulary: "applicator",
  since: "draft-04",
  shape: SCHEMA_SHAPE,
  where: "not",
  appliesTo: "any",
  explain: {
    demand: ({ node }, { describe }) => {
      const schema = node?.not;
      const keywords = Object.keys(schema ?? {}).filter((name) => !SILENT.has(name));
      const [only] = keywords.length === 1 ? keywords : [];
      const [name, ...names] = schema?.required ?? [];
      if (only === "required" && name !== undefined && names.length === 0) {
        return `must not have the property ${quote(name)}`;
      }
      const isPlain = only === "type" || only === "const" || only === "enum";
      const words = isPlain && schema !== undefined ? describe(schema) : undefined;
      return `must not ${words === undefined ? 'match the schema in "not"' : `be ${words}`}`;
    },
  },
  compile: (node, { apply }) => {
    if (node.not === undefined) return undefined;
    const applied = apply(node.not);
    return (run, value, place) => {
      const { declared } = run;
      const before = declared?.size ?? 0;
      const holds = evaluateSilently(applied, run, value, place, undefined);
      declared?.cut(before);
      const why = () => ({ message: "must NOT be valid", params: {} });
      return !holds || reportFailure(run, node, "not", value, place, why);
    };
  },
});

/** Adds schemas to the `allOf` of a schema that is being written. */
export function addToAllOf(into: Record<string, unknown>, schemas: readonly unknown[]): void {
  if (schemas.length > 0) into["allOf"] = [...((into["allOf"] as unknown[]) ?? []), ...schemas];
}

/** `allOf` (2020-12 Core, section 10.2.1.1). */
export const allOf: Keyword = keyword({
  name: "allOf",
  vocabulary: "applicator",
  since: "draft-04",
  shape: SCHEMA_LIST_SHAPE,
  where: "always",
  write: ({ allOf: schemas = [] }, into, below) => addToAllOf(into, schemas.map(below)),
  appliesTo: "any",
  compile: (node, { apply }) => {
    const all = (node.allOf ?? []).map(apply);
    return (run, value, place, marks) => {
      let valid = true;
      for (let i = 0; i < all.length; i++) {
        if ((all[i] as AppliedSchema).check(run, value, place, marks)) continue;
        if (run.report === undefined) return false;
        valid = false;
      }
      return valid;
    };
  },
});

/**
 * Collects the members that failing branches declare. They are discarded unless all branches fail: then any branch may
 * be the intended one.
 */
class FailingBranches {
  readonly #run: EvaluationRun;
  readonly #marks: Annotations;
  readonly #cut: unknown[] = [];
  #marked: number = 0;
  #declared: number = 0;

  constructor(run: EvaluationRun, marks: Annotations) {
    this.#run = run;
    this.#marks = marks;
  }

  begin(): void {
    this.#marked = this.#marks?.length ?? 0;
    this.#declared = this.#run.declared?.size ?? 0;
  }

  /** Handles the failure of the current branch. */
  end(): void {
    dropAnnotations(this.#marks, this.#marked);
    const { declared } = this.#run;
    if (declared !== undefined) this.#cut.push(declared.cut(this.#declared));
  }

  /** Handles the failure of all branches: what they declare does not count as undeclared. */
  all(): void {
    for (const cut of this.#cut) this.#run.declared?.restore(cut);
  }
}

const ANY_OF: IssueWording = { message: "must match a schema in anyOf", params: {} };

/** `anyOf` (2020-12 Core, section 10.2.1.2). Its annotations are those of every branch that passes. */
export const anyOf: Keyword = keyword({
  name: "anyOf",
  vocabulary: "applicator",
  since: "draft-04",
  shape: SCHEMA_LIST_SHAPE,
  where: "sometimes",
  appliesTo: "any",
  explain: {
    branches: { are: "alternatives", of: (node) => node.anyOf },
    demand: () => 'must match at least one schema in "anyOf"',
  },
  compile: (node, { apply }) => {
    const schemas = node.anyOf ?? [];
    const branches = schemas.map(apply);
    return (run, value, place, marks) => {
      const { report } = run;
      if (report === undefined && marks === undefined) {
        for (let i = 0; i < branches.length; i++) {
          if ((branches[i] as AppliedSchema).check(run, value, place, undefined)) return true;
        }
        return false;
      }
      const opened = report?.open(place);
      const failing = new FailingBranches(run, marks);
      let valid = false;
      for (const [i, branch] of branches.entries()) {
        failing.begin();
        if (branch.check(run, value, place, marks)) {
          valid = true;
          if (marks === undefined && run.declared === undefined) break;
        } else {
          failing.end();
          if (opened !== undefined) report?.endBranch(opened, schemas[i] as SchemaNode);
        }
      }
      if (!valid) failing.all();
      if (report === undefined || opened === undefined) return valid;
      if (valid) report.discard(opened);
      else report.join(opened, run, { node, keyword: "anyOf", value, place }, ANY_OF, false);
      return valid;
    };
  },
});

/** Returns the first two branches that pass. Reports the issues of the others up to the second. */
function passingBranches(
  node: SchemaNode,
  branches: readonly AppliedSchema[],
  run: EvaluationRun,
  value: unknown,
  place: ValuePlace | undefined,
  marks: Annotations,
): boolean {
  const passing: number[] = [];
  const { report } = run;
  const opened = report?.open(place);
  const schemas = node.oneOf ?? [];
  const failing = new FailingBranches(run, marks);
  for (let i = 0; i < branches.length && passing.length < 2; i++) {
    failing.begin();
    if ((branches[i] as AppliedSchema).check(run, value, place, marks)) passing.push(i);
    else {
      failing.end();
      if (opened !== undefined) report?.endBranch(opened, schemas[i] as SchemaNode);
    }
  }
  const valid = passing.length === 1;
  if (passing.length === 0) failing.all();
  if (report === undefined || opened === undefined) return valid;
  if (valid) report.discard(opened);
  else {
    const wording = {
      message: "must match exactly one schema in oneOf",
      params: { passingSchemas: passing.length === 0 ? null : passing },
    };
    const failed = { node, keyword: "oneOf", value, place };
    report.join(opened, run, failed, wording, passing.length > 0);
  }
  return valid;
}

/** `oneOf` (2020-12 Core, section 10.2.1.3). */
export const oneOf: Keyword = keyword({
  name: "oneOf",
  vocabulary: "applicator",
  since: "draft-04",
  shape: SCHEMA_LIST_SHAPE,
  where: "sometimes",
  appliesTo: "any",
  explain: {
    branches: { are: "alternatives", of: (node) => node.oneOf },
    demand: ({ params: { passingSchemas: passing } }) => {
      const isAmbiguous = Array.isArray(passing) && passing.length > 1;
      const names = isAmbiguous ? passing.map((index) => `#${Number(index)}`).join(" and ") : "";
      return `must match exactly one schema in "oneOf"${isAmbiguous ? ` (${names} match)` : ""}`;
    },
  },
  compile: (node, { apply }) => {
    const branches = (node.oneOf ?? []).map(apply);
    return (run, value, place, marks) => {
      if (run.report !== undefined || marks !== undefined) {
        return passingBranches(node, branches, run, value, place, marks);
      }
      let passed = false;
      for (let i = 0; i < branches.length; i++) {
        if (!(branches[i] as AppliedSchema).check(run, value, place, undefined)) continue;
        if (passed) return false;
        passed = true;
      }
      return passed;
    };
  },
});

/** `if`, `then` and `else` (2020-12 Core, section 10.2.2). */
export const conditional: Keyword = keyword({
  name: "if",
  vocabulary: "applicator",
  since: "draft-07",
  shape: SCHEMA_SHAPE,
  where: "sometimes",
  appliesTo: "any",
  explain: {
    branches: {
      are: "cause",
      of: (node, { failingKeyword }) => {
        const branch = failingKeyword === "then" ? node.then : node.else;
        return branch && [branch];
      },
    },
    demand: ({ params }) =>
      `must match the schema in ${quote(String(params["failingKeyword"]), 16)}`,
  },
  compile: (node, { apply }) => {
    if (node.if === undefined) return undefined;
    const condition = apply(node.if);
    const then = node.then && apply(node.then);
    const otherwise = node.else && apply(node.else);
    const asks = (branch: AppliedSchema | undefined): boolean =>
      branch !== undefined && branch.always !== true;
    const asksNothing = !asks(then) && !asks(otherwise);
    return (run, value, place, marks) => {
      if (asksNothing && marks === undefined && run.declared === undefined) return true;
      const marked = marks?.length ?? 0;
      const declared = run.declared?.size ?? 0;
      const holds = evaluateSilently(condition, run, value, place, marks);
      if (!holds) {
        dropAnnotations(marks, marked);
        run.declared?.cut(declared);
      }
      const branch = holds ? then : otherwise;
      if (branch === undefined || branch.check(run, value, place, marks)) return true;
      return reportFailure(run, node, "if", value, place, () => {
        const failingKeyword = holds ? "then" : "else";
        return { message: `must match "${failingKeyword}" schema`, params: { failingKeyword } };
      });
    };
  },
});

function branchOfIf(name: "then" | "else"): Keyword {
  return keyword({
    name,
    vocabulary: "applicator",
    since: "draft-07",
    shape: SCHEMA_SHAPE,
    where: "sometimes",
    beside: "if",
    appliesTo: "any",
  });
}

export const thenBranch: Keyword = branchOfIf("then");
export const elseBranch: Keyword = branchOfIf("else");
