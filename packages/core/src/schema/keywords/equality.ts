import { _, type Ajv, type Code, type KeywordCxt, str } from "ajv";
import { equalExact, equalJson, findDuplicate } from "../../json/equal.ts";
import { type Decimals, NO_DECIMALS } from "../../json/exact.ts";
import type { ExactNumbers } from "./numbers.ts";
import { instancePath } from "./path.ts";
import { replaceKeyword, useFunction } from "./replace.ts";

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function equalsAny(data: unknown, allowed: readonly unknown[]): boolean {
  return allowed.some((value) => equalJson(data, value));
}

/**
 * Replaces Ajv's equality in `const`, `enum` and `uniqueItems`: it throws where an object has a key
 * `toString`, overlooks a string `__proto__`, refuses an empty `enum` and takes quadratic time.
 * With `exact`, numbers are compared by their exact values.
 */
export function judgeEquality(ajv: Ajv, exact?: ExactNumbers): void {
  replaceKeyword(ajv, "const", (original) => ({
    code(cxt: KeywordCxt): void {
      if (exact !== undefined) failUnlessEqual(cxt, [cxt.schema], exact, "");
      else if (!isObject(cxt.schema)) original(cxt);
      else cxt.fail(_`!${useFunction(cxt, equalJson)}(${cxt.data}, ${cxt.schemaCode})`);
    },
  }));
  replaceKeyword(ajv, "enum", (original) => ({
    code(cxt: KeywordCxt): void {
      const allowed: readonly unknown[] = cxt.schema;
      if (exact !== undefined) failUnlessEqual(cxt, allowed, exact);
      else if (allowed.length > 0 && !allowed.some(isObject)) original(cxt);
      else cxt.fail(_`!${useFunction(cxt, equalsAny)}(${cxt.data}, ${cxt.schemaCode})`);
    },
  }));
  replaceKeyword(ajv, "uniqueItems", () => ({
    code(cxt: KeywordCxt): void {
      if (cxt.schema !== true) return;
      const find = (value: unknown, path: string): { i: number; j: number } | undefined =>
        findDuplicate({ value, decimals: exact?.instance ?? NO_DECIMALS, path });
      const at: Code = exact === undefined ? _`""` : instancePath(cxt);
      const pair = cxt.gen.const("pair", _`${useFunction(cxt, find)}(${cxt.data}, ${at})`);
      cxt.setParams({ pair });
      cxt.fail(_`${pair} !== undefined`);
    },
    error: {
      message: ({ params }) =>
        str`must NOT have duplicate items (items ## ${member(params["pair"], "j")} and ${member(params["pair"], "i")} are identical)`,
      params: ({ params }) =>
        _`{i: ${member(params["pair"], "i")}, j: ${member(params["pair"], "j")}}`,
    },
  }));
}

function member(object: unknown, name: "i" | "j"): Code {
  return name === "i" ? _`${object as Code}.i` : _`${object as Code}.j`;
}

/** @param at the pointer to the only allowed value, where they are not numbered. */
function failUnlessEqual(
  cxt: KeywordCxt,
  allowed: readonly unknown[],
  exact: ExactNumbers,
  at?: "",
): void {
  const decimals: Decimals = exact.ofSchema(cxt.parentSchema, cxt.keyword) ?? NO_DECIMALS;
  const matches = (value: unknown, path: string): boolean =>
    allowed.some((other, i) =>
      equalExact(
        { value, decimals: exact.instance, path },
        { value: other, decimals, path: at ?? `/${i}` },
      ),
    );
  cxt.fail(_`!${useFunction(cxt, matches)}(${cxt.data}, ${instancePath(cxt)})`);
}
