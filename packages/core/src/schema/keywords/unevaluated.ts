import { _, type Ajv, type Code, type KeywordCxt, Name } from "ajv";
import { and, not } from "ajv/dist/compile/codegen/index.js";
import { alwaysValidSchema, Type } from "ajv/dist/compile/util.js";
import { replaceKeyword, useFunction } from "./replace.ts";

const ERRORS = new Name("errors");

/**
 * Replaces Ajv's `unevaluatedProperties` by the same with one difference: it looks evaluated
 * properties up as own members only. Ajv's takes `toString` or `constructor` for evaluated.
 */
export function judgeUnevaluatedProperties(ajv: Ajv): void {
  replaceKeyword(ajv, "unevaluatedProperties", () => ({
    code(cxt: KeywordCxt): void {
      const { gen, schema, data, errsCount, it } = cxt;
      const { allErrors, props } = it;
      const judge = (key: Name): void => {
        if (schema === false) {
          cxt.setParams({ unevaluatedProperty: key });
          cxt.error();
          if (!allErrors) gen.break();
        } else if (alwaysValidSchema(it, schema) !== true) {
          const valid = gen.name("valid");
          const place = { dataProp: key, dataPropType: Type.Str } as const;
          cxt.subschema({ keyword: cxt.keyword, ...place }, valid);
          if (!allErrors) gen.if(not(valid), () => gen.break());
        }
      };
      if (props instanceof Name) {
        const has = useFunction(cxt, Object.hasOwn);
        gen.if(_`${props} !== true`, () =>
          gen.forIn("key", data, (key) =>
            gen.if(_`!${props} || !${has}(${props}, ${key})`, () => judge(key)),
          ),
        );
      } else if (props !== true) {
        const evaluated = Object.keys(props ?? {}).filter((name) => props?.[name] === true);
        const differs = (key: Name): Code => and(...evaluated.map((name) => _`${key} !== ${name}`));
        gen.forIn("key", data, (key) => {
          if (evaluated.length === 0) judge(key);
          else gen.if(differs(key), () => judge(key));
        });
      }
      it.props = true;
      cxt.ok(_`${errsCount} === ${ERRORS}`);
    },
  }));
}
