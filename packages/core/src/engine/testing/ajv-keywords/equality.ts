import { _, type Ajv, type KeywordCxt, str } from "ajv";
import { equalJson } from "../../../json/value.ts";
import { replaceKeyword, useFunction } from "./replace.ts";

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function equalsAny(data: unknown, allowed: readonly unknown[]): boolean {
  return allowed.some((value) => equalJson(data, value));
}

/**
 * Returns the indexes of the last item that equals an earlier one, and of the nearest such earlier item. Compares every
 * pair.
 */
function findDuplicate(items: readonly unknown[]): { i: number; j: number } | undefined {
  for (let i = items.length - 1; i > 0; i--) {
    for (let j = i - 1; j >= 0; j--) if (equalJson(items[i], items[j])) return { i, j };
  }
  return undefined;
}

/**
 * Replaces Ajv's equality in `const`, `enum` and `uniqueItems`: Ajv's throws if an object has a key `toString`,
 * overlooks a string `__proto__`, refuses an empty `enum` and takes quadratic time.
 */
export function judgeEquality(ajv: Ajv): void {
  replaceKeyword(ajv, "const", (original) => ({
    code(cxt: KeywordCxt): void {
      if (!isObject(cxt.schema)) original(cxt);
      else cxt.fail(_`!${useFunction(cxt, equalJson)}(${cxt.data}, ${cxt.schemaCode})`);
    },
  }));
  replaceKeyword(ajv, "enum", (original) => ({
    code(cxt: KeywordCxt): void {
      const allowed: readonly unknown[] = cxt.schema;
      if (allowed.length > 0 && !allowed.some(isObject)) original(cxt);
      else cxt.fail(_`!${useFunction(cxt, equalsAny)}(${cxt.data}, ${cxt.schemaCode})`);
    },
  }));
  replaceKeyword(ajv, "uniqueItems", () => ({
    code(cxt: KeywordCxt): void {
      if (cxt.schema !== true) return;
      const pair = cxt.gen.const("pair", _`${useFunction(cxt, findDuplicate)}(${cxt.data})`);
      cxt.setParams({ pair });
      cxt.fail(_`${pair} !== undefined`);
    },
    error: {
      message: ({ params }) =>
        str`must NOT have duplicate items (items ## ${_`${params["pair"]}.j`} and ${_`${params["pair"]}.i`} are identical)`,
      params: ({ params }) => _`{i: ${params["pair"]}.i, j: ${params["pair"]}.j}`,
    },
  }));
}
