import type { SchemaNode } from "../../graph/node.ts";
import { cutMarks, fail, type Rule } from "../rule.ts";

function asksNothing(schema: SchemaNode | undefined): boolean {
  return schema === undefined || schema.always === true;
}

/** `if`, `then` and `else` (2020-12 Core, section 10.2.2). */
export const conditional: Rule = (run, node, value, place, marks) => {
  const condition = node.if;
  if (condition === undefined) return true;
  if (marks === undefined && asksNothing(node.then) && asksNothing(node.else)) return true;
  const marked = marks?.length ?? 0;
  const holds = run.test(condition, value, place, marks);
  if (!holds) cutMarks(marks, marked);
  const failingKeyword = holds ? "then" : "else";
  const branch = node[failingKeyword];
  if (branch === undefined || run.evaluate(branch, value, place, marks)) return true;
  return fail(run, node, "if", value, place, () => ({
    message: `must match "${failingKeyword}" schema`,
    params: { failingKeyword },
  }));
};
