import { cutMarks, fail, type Rule } from "../rule.ts";
import { conditional } from "./conditional.ts";

function reference(keyword: "ref" | "dynamicRef"): Rule {
  return (run, node, value, place, marks) => {
    const target = node[keyword];
    return target === undefined || run.evaluate(target, value, place, marks);
  };
}

const not: Rule = (run, node, value, place) => {
  if (node.not === undefined || !run.test(node.not, value, place, undefined)) return true;
  return fail(run, node, "not", value, place, () => ({
    message: "must NOT be valid",
    params: {},
  }));
};

const allOf: Rule = (run, node, value, place, marks) => {
  let valid = true;
  for (const schema of node.allOf ?? []) {
    if (run.evaluate(schema, value, place, marks)) continue;
    if (run.report === undefined) return false;
    valid = false;
  }
  return valid;
};

const anyOf: Rule = (run, node, value, place, marks) => {
  const { report } = run;
  const opened = report?.open(place);
  let valid = false;
  for (const schema of node.anyOf ?? []) {
    const marked = marks?.length ?? 0;
    if (run.evaluate(schema, value, place, marks)) {
      valid = true;
      // Annotations are those of every branch that passes.
      if (marks === undefined) break;
    } else {
      cutMarks(marks, marked);
      if (opened !== undefined) report?.endBranch(opened, schema);
    }
  }
  if (report === undefined || opened === undefined) return valid;
  if (valid) {
    report.discard(opened);
    return true;
  }
  const wording = { message: "must match a schema in anyOf", params: {} };
  const joined = report.join(opened, run.budget);
  report.add(node, "anyOf", value, place, () => wording, { joined });
  return false;
};

/** The first two branches that pass; errors of the others are reported up to the second. */
function passingBranches(...[run, node, value, place, marks]: Parameters<Rule>): number[] {
  const passing: number[] = [];
  const { report } = run;
  const opened = report?.open(place);
  const schemas = node.oneOf ?? [];
  for (let i = 0; i < schemas.length && passing.length < 2; i++) {
    const schema = schemas[i];
    if (schema === undefined) continue;
    const marked = marks?.length ?? 0;
    if (run.evaluate(schema, value, place, marks)) passing.push(i);
    else {
      cutMarks(marks, marked);
      if (opened !== undefined) report?.endBranch(opened, schema);
    }
  }
  if (report === undefined || opened === undefined) return passing;
  if (passing.length === 1) report.discard(opened);
  else {
    const wording = {
      message: "must match exactly one schema in oneOf",
      params: { passingSchemas: passing.length === 0 ? null : passing },
    };
    const joined =
      passing.length === 0 ? report.join(opened, run.budget) : report.joinAmbiguous(opened);
    report.add(node, "oneOf", value, place, () => wording, { joined });
  }
  return passing;
}

const oneOf: Rule = (...args) => passingBranches(...args).length === 1;

export const REFERENCE_RULES: readonly (readonly ["dynamicRef" | "ref", Rule])[] = [
  ["dynamicRef", reference("dynamicRef")],
  ["ref", reference("ref")],
];

/** JSON Schema 2020-12 Core, sections 10.2.1 and 10.2.2. */
export const COMPOSITE_RULES: readonly (readonly [
  "not" | "anyOf" | "oneOf" | "allOf" | "if",
  Rule,
])[] = [
  ["not", not],
  ["anyOf", anyOf],
  ["oneOf", oneOf],
  ["allOf", allOf],
  ["if", conditional],
];
