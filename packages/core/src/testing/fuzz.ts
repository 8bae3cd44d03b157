import { type Schema, Validator } from "@cfworker/json-schema";
import { registerSchema, unregisterSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import fc from "fast-check";
import { compileDeclared } from "../compile.ts";
import { jsonSchema, jsonValue } from "../engine/testing/arbitrary.ts";
import { encodeUtf8 } from "../json/text.ts";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const VALUES = 20;

/** A pair on which an engine and ours disagree. */
export interface Disagreement {
  readonly schema: unknown;
  readonly value: unknown;
  readonly ours: string;
  readonly hyperjump: boolean | undefined;
  readonly cfworker: boolean | undefined;
}

export interface FuzzResult {
  pairs: number;
  /** Pairs that cannot be compared: our check ended as `budget`, or both oracles exhausted the stack. */
  undecided: number;
  /** Pairs on which the interpreter, the compiled verdict and the scanner differ. */
  readonly inconsistent: Disagreement[];
  /** Pairs on which both oracles agree with each other but not with us. */
  readonly against: Disagreement[];
  /** Pairs on which the oracles differ and hyperjump does not agree with us. */
  readonly split: Disagreement[];
}

type Oracle = (value: unknown) => boolean | undefined;

function orUndefined(judge: () => boolean): boolean | undefined {
  try {
    return judge();
  } catch {
    return undefined;
  }
}

async function withHyperjump<T>(
  schema: unknown,
  name: string,
  use: (oracle: Oracle) => T,
): Promise<T> {
  const uri = `https://fuzz.test/${name}`;
  registerSchema(structuredClone(schema) as Parameters<typeof registerSchema>[0], uri, DIALECT);
  try {
    const judge = await validate(uri);
    return use((value) => orUndefined(() => judge(value as Parameters<typeof judge>[0]).valid));
  } finally {
    unregisterSchema(uri);
  }
}

/**
 * Compares verdicts on random 2020-12 schemas and values, names of the prototype among the keys:
 * ours, by the interpreter, by Ajv and by the scanner, with those of hyperjump and of cfworker.
 * @param progress receives the number of pairs that are done
 */
export async function fuzz(
  pairs: number,
  seed: number,
  progress: (done: number) => void,
): Promise<FuzzResult> {
  const result: FuzzResult = { pairs: 0, undecided: 0, inconsistent: [], against: [], split: [] };
  const cases = fc.tuple(
    jsonSchema({ proto: true, unevaluated: true, full: false }),
    fc.array(jsonValue, { minLength: VALUES, maxLength: VALUES }),
  );
  const chunk = 500;
  for (let i = 0; result.pairs < pairs; i += 1) {
    for (const [n, [schema, values]] of fc
      .sample(cases, { numRuns: chunk, seed: seed + i })
      .entries()) {
      if (result.pairs >= pairs) break;
      await withHyperjump(schema, `${i}-${n}`, (hyperjump) =>
        compare(schema, values, hyperjump, result),
      );
    }
    progress(result.pairs);
  }
  return result;
}

function compare(
  schema: unknown,
  values: readonly unknown[],
  hyperjump: Oracle,
  result: FuzzResult,
): void {
  const compiled = compileDeclared({ value: schema });
  const other = new Validator(schema as Schema, "2020-12");
  for (const value of values) {
    result.pairs += 1;
    const text = JSON.stringify(value);
    // Texts in bytes go to the scanner. Short ones do not, so this one is padded.
    const bytes = encodeUtf8(text.padEnd(40));
    const outcomes = [text, text, text, text, bytes].map(
      (json) => compiled.validateText(json).outcome,
    );
    // If a schema applies itself to the same value, the check of one engine may end while that of another does not.
    const decided = outcomes.filter((outcome) => outcome !== "budget");
    const [ours = "budget"] = decided;
    const pair = {
      schema,
      value,
      ours: outcomes.join(),
      hyperjump: hyperjump(value),
      cfworker: orUndefined(() => other.validate(value).valid),
    };
    if (decided.some((outcome) => outcome !== ours)) result.inconsistent.push(pair);
    const expected = pair.hyperjump ?? pair.cfworker;
    if (expected === undefined || (ours !== "pass" && ours !== "violation")) result.undecided += 1;
    else if (expected !== (ours === "pass")) {
      const agreed = pair.cfworker === pair.hyperjump || pair.hyperjump === undefined;
      result[agreed ? "against" : "split"].push(pair);
    }
  }
}
