import type { Ajv, CodeKeywordDefinition, KeywordCxt, Name } from "ajv";

/** The parts of a keyword that are replaced. Its types and its place in the order of rules are kept. */
export type Replacement = Pick<CodeKeywordDefinition, "code"> &
  Partial<Pick<CodeKeywordDefinition, "error" | "trackErrors">>;

/** The engine's own code for a keyword. */
export type KeywordCode = CodeKeywordDefinition["code"];

/**
 * Replaces how one engine instance checks a keyword. Does nothing if its dialect does not have the keyword.
 * @param make is given the code that the instance has for the keyword so far.
 */
export function replaceKeyword(
  ajv: Ajv,
  keyword: string,
  make: (original: KeywordCode) => Replacement,
): void {
  const rule = ajv.RULES.all[keyword];
  if (typeof rule !== "object" || !("code" in rule.definition)) return;
  rule.definition = { ...rule.definition, ...make(rule.definition.code) };
}

/**
 * Lets every keyword make empty errors, for an engine instance whose errors nobody reads: only their number counts, and
 * making full errors for branches of `anyOf` that fail on a good value takes time.
 */
export function silenceErrors(ajv: Ajv): void {
  for (const keyword of Object.keys(ajv.RULES.all)) {
    replaceKeyword(ajv, keyword, (original) => ({
      code(cxt, type): void {
        const schema: { createErrors?: boolean } = cxt.it;
        schema.createErrors = false;
        original(cxt, type);
      },
    }));
  }
}

/** Makes a function callable from generated code. */
export function useFunction(cxt: KeywordCxt, call: (...args: never[]) => unknown): Name {
  return cxt.gen.scopeValue("func", { ref: call });
}
