import { _, type Ajv, type KeywordCxt, Name } from "ajv";
import { replaceKeyword } from "./ajv-keywords/replace.ts";

/** Ajv's counter of the errors so far, in generated code. */
const ERRORS = new Name("errors");

/** The parameter in which a failed composite reports the number of errors after each branch. */
export const BRANCH_ENDS = "branchEnds";

/**
 * Lets failed `anyOf` and `oneOf` say which of the errors before theirs belong to which branch: their parameter {@link
 * BRANCH_ENDS} holds, for every branch that was tried, the number of errors from the composite's first branch up to
 * that branch's end. Ajv lists branch errors before the composite's own, and after a `$ref` their `schemaPath` does not
 * show which branch they come from.
 */
export function tellBranches(ajv: Ajv): void {
  const ends = new WeakMap<object, Name>();
  for (const keyword of ["anyOf", "oneOf"]) {
    replaceKeyword(ajv, keyword, (original) => ({
      code(cxt: KeywordCxt): void {
        const { gen, errsCount } = cxt;
        const list = gen.const("ends", _`[]`);
        ends.set(cxt, list);
        const subschema = cxt.subschema.bind(cxt);
        cxt.subschema = (applied, valid) => {
          const branch = subschema(applied, valid);
          gen.code(_`${list}.push(${ERRORS} - ${errsCount})`);
          return branch;
        };
        original(cxt);
      },
      error: {
        message:
          keyword === "anyOf"
            ? "must match a schema in anyOf"
            : "must match exactly one schema in oneOf",
        params: (cxt) => {
          const list = ends.get(cxt);
          return keyword === "anyOf"
            ? _`{${new Name(BRANCH_ENDS)}: ${list}}`
            : _`{passingSchemas: ${cxt.params["passing"]}, ${new Name(BRANCH_ENDS)}: ${list}}`;
        },
      },
    }));
  }
}
