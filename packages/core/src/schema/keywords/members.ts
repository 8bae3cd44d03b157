import { _, type Ajv, type Code, type KeywordCxt } from "ajv";
import { ownProperty } from "./own.ts";
import { replaceKeyword, useFunction } from "./replace.ts";

/** Up to this many names a comparison with each of them beats a look-up. */
const FEW_NAMES = 8;

function any(conditions: readonly Code[]): Code {
  return conditions.reduce((all, next) => _`${all} || (${next})`, _`false`);
}

/** Whether a schema of the canonical form accepts everything. */
function isOpen(schema: unknown): boolean {
  return (
    schema === true ||
    (typeof schema === "object" && schema !== null && Object.keys(schema).length === 0)
  );
}

/** Names that `required` has found in the object before this schema's other keywords run. */
function foundNames({ parentSchema, it }: KeywordCxt): ReadonlySet<unknown> {
  const { required } = parentSchema as { required?: readonly unknown[] };
  return new Set(it.allErrors === true ? [] : required);
}

function judgeRequired(ajv: Ajv): void {
  replaceKeyword(ajv, "required", (original) => ({
    code(cxt: KeywordCxt): void {
      const names: readonly string[] = cxt.schema;
      // Many names are better looked up in a loop.
      if (names.length === 0 || names.length >= ajv.opts.loopRequired) {
        original(cxt);
        return;
      }
      const has = ownProperty(cxt);
      cxt.fail(any(names.map((name) => _`!(${has(name)})`)));
    },
  }));
}

function judgeProperties(ajv: Ajv): void {
  replaceKeyword(ajv, "properties", () => ({
    code(cxt: KeywordCxt): void {
      const { gen } = cxt;
      const schemas: Readonly<Record<string, unknown>> = cxt.schema;
      const found = foundNames(cxt);
      const names = Object.keys(schemas).filter((name) => !isOpen(schemas[name]));
      const has = names.every((name) => found.has(name)) ? undefined : ownProperty(cxt);
      const valid = gen.name("valid");
      for (const name of names) {
        const place = { keyword: "properties", schemaProp: name, dataProp: name };
        if (has === undefined || found.has(name)) cxt.subschema(place, valid);
        else {
          gen.if(has(name));
          cxt.subschema(place, valid);
          gen.else().var(valid, true);
          gen.endIf();
        }
        cxt.ok(valid);
      }
    },
  }));
}

function judgeAdditional(ajv: Ajv): void {
  replaceKeyword(ajv, "additionalProperties", (original) => ({
    code(cxt: KeywordCxt): void {
      const { gen, data, parentSchema } = cxt;
      if (cxt.schema !== false || parentSchema["patternProperties"] !== undefined) {
        original(cxt);
        return;
      }
      const names = Object.keys(parentSchema["properties"] ?? {});
      const hasOwn = useFunction(cxt, Object.prototype.hasOwnProperty);
      const known = new Set(names);
      const isKnown = (key: Code): Code =>
        names.length <= FEW_NAMES
          ? any(names.map((name) => _`${key} === ${name}`))
          : _`${gen.scopeValue("obj", { ref: known })}.has(${key})`;
      const more = gen.let("more", false);
      const key = gen.name("key");
      // Such a loop makes no list of keys; what it gives of the prototype's is left out.
      gen.code(
        _`for (const ${key} in ${data}) if (!(${isKnown(key)}) && ${hasOwn}.call(${data}, ${key})) { ${more} = true; break; }`,
      );
      cxt.fail(more);
    },
  }));
}

/** Replaces how Ajv finds an object's own properties: its ways take longer than all the rest. */
export function judgeMembers(ajv: Ajv): void {
  judgeRequired(ajv);
  judgeProperties(ajv);
  judgeAdditional(ajv);
}
