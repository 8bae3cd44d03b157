import { Ajv2020 } from "ajv/dist/2020.js";
import { type Budget, visit } from "./budget.ts";
import type { EmittedSchema } from "./graph/emit.ts";
import { judgeEquality } from "./keywords/equality.ts";
import { judgeFormats } from "./keywords/format.ts";
import { judgeLengths } from "./keywords/length.ts";
import { judgeMembers } from "./keywords/members.ts";
import { judgeNumbers } from "./keywords/numbers.ts";
import { silenceErrors } from "./keywords/replace.ts";
import { tellWork } from "./keywords/work.ts";
import { compilePattern } from "./pattern/pattern.ts";

/**
 * Tells whether a value whose numbers are doubles satisfies a schema. Patterns spend steps from the
 * budget, and loops spend places where it has a number of them.
 * @throws BudgetError, and whatever Ajv's code throws, `RangeError` on an exhausted stack among it
 */
export type Verdict = (value: unknown, budget: Budget) => boolean;

/** What patterns spend from while no verdict is asked for. */
const NOTHING: Budget = { steps: 0 };

/**
 * Compiles a canonical schema in an Ajv instance of its own. It gives nothing but the verdict: what
 * is wrong with a value is told by the interpreter.
 * @throws what Ajv throws where it cannot compile the schema
 */
export function makeVerdict({ schema }: EmittedSchema): Verdict {
  let budget = NOTHING;
  const regExp = (source: string): { test(text: string): boolean } => {
    const pattern = compilePattern(source);
    return {
      test: (text) => pattern.test(text, budget),
      // Ajv tells patterns apart by their text.
      toString: () => `/${source}/`,
    } as { test(text: string): boolean };
  };
  const ajv = new Ajv2020({
    strict: false,
    // NaN and the infinities are of no type, since no JSON holds them.
    strictNumbers: true,
    logger: false,
    meta: false,
    messages: false,
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    // Inlining copies a target into each reference to it, which a hostile schema multiplies.
    inlineRefs: false,
    ownProperties: true,
    code: { regExp: Object.assign(regExp, { code: "new RegExp" }) },
  });
  // Nothing in an emitted schema asks for annotations, and Ajv's code for them throws at times. Nor
  // has it dynamic references.
  ajv.opts.unevaluated = false;
  ajv.opts.dynamicRef = false;
  judgeFormats(ajv);
  judgeNumbers(ajv);
  judgeLengths(ajv);
  judgeEquality(ajv);
  judgeMembers(ajv);
  silenceErrors(ajv);
  tellWork(ajv, (places) => visit(budget, places));
  const validate = ajv.compile<unknown>(schema);
  return (value, given) => {
    // A getter of the value may ask for another verdict.
    const outer = budget;
    budget = given;
    try {
      return validate(value) === true;
    } finally {
      budget = outer;
      // Errors hold parts of the value.
      validate.errors = null;
    }
  };
}
