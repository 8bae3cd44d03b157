import { _, type Ajv, type KeywordCxt } from "ajv";
import { replaceKeyword, useFunction } from "./replace.ts";

/** The length of text in Unicode characters, in which a lone surrogate is one. */
function characters(text: string): number {
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    // The code point before a unit that is no low surrogate is the unit itself.
    if ((text.codePointAt(i - 1) ?? 0) > 0xffff) {
      pairs++;
      i++;
    }
  }
  return text.length - pairs;
}

/**
 * Replaces Ajv's `maxLength` and `minLength`, which count the characters of every string: there are
 * at least half as many as UTF-16 code units, and no more than these.
 */
export function judgeLengths(ajv: Ajv): void {
  replaceKeyword(ajv, "maxLength", () => ({
    code(cxt: KeywordCxt): void {
      const { data, schema: most } = cxt;
      const count = useFunction(cxt, characters);
      cxt.fail(
        _`${data}.length > ${most} && (${data}.length > ${2 * most} || ${count}(${data}) > ${most})`,
      );
    },
  }));
  replaceKeyword(ajv, "minLength", () => ({
    code(cxt: KeywordCxt): void {
      const { data, schema: least } = cxt;
      const count = useFunction(cxt, characters);
      cxt.fail(
        _`${data}.length < ${2 * least} && (${data}.length < ${least} || ${count}(${data}) < ${least})`,
      );
    },
  }));
}
