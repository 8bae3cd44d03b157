import type { JsonObject } from "../json/value.ts";
import {
  type AppliedSchema,
  type Keyword,
  keyword,
  type PatternTest,
  PLAIN_TYPE,
} from "./keyword.ts";
import type { SchemaNode, SchemaPattern } from "./node.ts";
import {
  type EvaluationRun,
  hasProperty,
  type KeywordCheck,
  placeBelow,
  reportFailure,
  spendSteps,
  textCost,
  throwExhausted,
  type ValuePlace,
} from "./run.ts";
import { type KeywordShape, readMap, SCHEMA_MAP_SHAPE, SCHEMA_SHAPE } from "./shape.ts";
import { patternWork } from "./string.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly properties?: NodeMap;
    readonly patternProperties?: readonly (readonly [SchemaPattern, SchemaNode])[];
    readonly additionalProperties?: SchemaNode;
    readonly propertyNames?: SchemaNode;
  }
}

const hasOwn = Object.prototype.hasOwnProperty;

/** Returns whether a member satisfies its schema. Tests the most common schemas inline. */
function isGood(
  applied: AppliedSchema,
  run: EvaluationRun,
  member: unknown,
  place: ValuePlace | undefined,
): boolean {
  switch (applied.plain) {
    case PLAIN_TYPE.STRING:
      return typeof member === "string";
    case PLAIN_TYPE.BOOLEAN:
      return typeof member === "boolean";
    case PLAIN_TYPE.INTEGER:
      if (place === undefined) return Number.isInteger(member);
      break;
    case PLAIN_TYPE.ANY:
      return true;
  }
  return applied.check(run, member, place, undefined);
}

/** Returns whether the schema declares all properties that it requires. */
export function declaresRequired({ properties: declared, required }: SchemaNode): boolean {
  if (declared === undefined || required === undefined) return false;
  return required.every((name) => declared.has(name));
}

function hasNames({ properties: declared }: SchemaNode): boolean {
  return declared !== undefined && declared.size > 0;
}

/** Returns whether the schema allows no properties but those that it declares by name. */
function isClosed({ additionalProperties, patternProperties = [] }: SchemaNode): boolean {
  return additionalProperties?.always === false && patternProperties.length === 0;
}

/**
 * `properties` (2020-12 Core, section 10.3.2.1). If only the verdict is needed, one pass over the members also
 * decides on `required` and a closed object.
 */
export const properties: Keyword = keyword({
  name: "properties",
  vocabulary: "applicator",
  since: "draft-04",
  shape: SCHEMA_MAP_SHAPE,
  where: "members",
  appliesTo: "object",
  compile: (node, { apply }) => {
    const declared = new Map(
      [...(node.properties ?? [])].map(([name, schema]) => [name, apply(schema)]),
    );
    const names = [...declared.keys()];
    if (names.length === 0) return undefined;
    const schemas = [...declared.values()];
    const indexes = new Map(names.map((name, i) => [name, i]));
    const closed = isClosed(node);
    const required = new Set(declaresRequired(node) ? node.required : []);
    const isRequired = names.map((name) => required.has(name));
    const inOrder: KeywordCheck<JsonObject> = (run, value, place, marks) => {
      spendSteps(run, names.length);
      run.declared?.some(value);
      let valid = true;
      for (const [name, schema] of declared) {
        if (!hasProperty(value, name)) continue;
        marks?.push(name);
        run.declared?.one(value, name);
        if (schema.check(run, value[name], placeBelow(run, place, name), undefined)) continue;
        if (run.report === undefined) return false;
        valid = false;
      }
      return valid;
    };
    return (run, value, place, marks) => {
      if (run.report !== undefined || marks !== undefined) return inOrder(run, value, place, marks);
      let missing = required.size;
      let left = names.length;
      // Members mostly come in the declared order. In that case, none has to be looked up in the map.
      let next = 0;
      for (const name in value) {
        // V8 can answer this without a lookup, because the name comes from a `for…in` loop over the same object.
        if (!hasOwn.call(value, name)) continue;
        run.steps--;
        if (run.steps < 0) throwExhausted(run);
        let i = next;
        if (name !== names[i]) {
          const found = indexes.get(name);
          if (found === undefined) {
            if (closed) return false;
            continue;
          }
          i = found;
        }
        next = i + 1;
        const member = value[name];
        if (member === undefined) continue;
        if (isRequired[i] === true) missing--;
        const at = place === undefined ? undefined : placeBelow(run, place, name);
        if (!isGood(schemas[i] as AppliedSchema, run, member, at)) return false;
        if (--left === 0 && !closed) return true;
      }
      return missing === 0;
    };
  },
});

function matches(matcher: PatternTest, run: EvaluationRun, name: string): boolean {
  spendSteps(run, textCost(name));
  return matcher.test(name, run);
}

type Patterns = readonly (readonly [SchemaPattern, SchemaNode])[];

const PATTERNS: KeywordShape<Patterns> = {
  holds: "map",
  read: (from, keyword) => {
    const map = readMap(from, keyword);
    if (map === undefined) return undefined;
    const schemas = Object.entries(map).map(
      ([source, value]) => [source, from.schema(value, keyword, source)] as const,
    );
    return schemas.map(([source, schema]) => [from.pattern(source, keyword, source), schema]);
  },
  write: (patterns, below) =>
    Object.fromEntries(patterns.map(([{ source }, schema]) => [source, below(schema)])),
  schemas: (patterns) => patterns.map(([, schema]) => schema),
};

/** `patternProperties` (2020-12 Core, section 10.3.2.2). */
export const patternProperties: Keyword = keyword({
  name: "patternProperties",
  vocabulary: "applicator",
  since: "draft-04",
  shape: PATTERNS,
  where: "members",
  cost: ({ patternProperties: patterns = [] }) =>
    patterns.reduce((sum, [pattern]) => sum + patternWork(pattern), 0),
  appliesTo: "object",
  compile: (node, { apply, pattern }) => {
    const patterns = (node.patternProperties ?? []).map(
      ([{ source }, schema]): readonly [PatternTest, AppliedSchema] => [
        pattern(source),
        apply(schema),
      ],
    );
    if (patterns.length === 0) return undefined;
    return (run, value, place, marks) => {
      const keys = run.report === undefined ? run.keysOf(value) : run.sortedKeysOf(value);
      run.declared?.some(value);
      let valid = true;
      for (const [matcher, schema] of patterns) {
        for (const name of keys) {
          if (!matches(matcher, run, name)) continue;
          marks?.push(name);
          run.declared?.one(value, name);
          if (schema.always === true) continue;
          if (schema.check(run, value[name], placeBelow(run, place, name), undefined)) continue;
          if (run.report === undefined) return false;
          valid = false;
        }
      }
      return valid;
    };
  },
});

/**
 * Returns whether a member that no other keyword covers satisfies the schema for such members. Reports it if not.
 */
export function checkOtherMember(
  run: EvaluationRun,
  node: SchemaNode,
  kind: "additional" | "unevaluated",
  schema: AppliedSchema,
  value: JsonObject,
  name: string,
  place: ValuePlace | undefined,
): boolean {
  if (schema.always === undefined) {
    return schema.check(run, value[name], placeBelow(run, place, name), undefined);
  }
  const why = () => ({
    message: `must NOT have ${kind} properties`,
    params: { [`${kind}Property`]: name },
  });
  return reportFailure(run, node, `${kind}Properties`, value, place, why, name);
}

/** `additionalProperties` (2020-12 Core, section 10.3.2.3). */
export const additionalProperties: Keyword = keyword({
  name: "additionalProperties",
  vocabulary: "applicator",
  since: "draft-04",
  shape: SCHEMA_SHAPE,
  where: "members",
  appliesTo: "object",
  issueClass: "extra",
  explain: { about: "additionalProperty" },
  isIdle: (node) =>
    node.additionalProperties?.always === true || (isClosed(node) && hasNames(node)),
  compile: (node, { apply, pattern }): KeywordCheck<JsonObject> | undefined => {
    if (node.additionalProperties === undefined) return undefined;
    const schema = apply(node.additionalProperties);
    const declared = node.properties;
    const patterns = (node.patternProperties ?? []).map(([{ source }]) => pattern(source));
    return (run, value, place, marks) => {
      // All properties count as evaluated: those that this keyword checks, and those that it skips because other
      // keywords beside it evaluate them.
      marks?.push(null);
      run.declared?.all(value);
      if (schema.always === true) return true;
      const keys = run.report === undefined ? run.keysOf(value) : run.sortedKeysOf(value);
      let valid = true;
      for (const name of keys) {
        if (declared?.has(name) === true) continue;
        if (patterns.length > 0 && patterns.some((matcher) => matches(matcher, run, name)))
          continue;
        if (checkOtherMember(run, node, "additional", schema, value, name, place)) continue;
        valid = false;
        if (run.report === undefined) return false;
      }
      return valid;
    };
  },
});

/** `propertyNames` (2020-12 Core, section 10.3.2.4). */
export const propertyNames: Keyword = keyword({
  name: "propertyNames",
  vocabulary: "applicator",
  since: "draft-06",
  shape: SCHEMA_SHAPE,
  where: "names",
  appliesTo: "object",
  issueClass: "extra",
  explain: {
    about: "propertyName",
    branches: { are: "cause", of: ({ propertyNames: schema }) => schema && [schema] },
  },
  compile: (node, { apply }) => {
    if (node.propertyNames === undefined || node.propertyNames.always === true) return undefined;
    const schema = apply(node.propertyNames);
    return (run, value, place) => {
      const { report } = run;
      let valid = true;
      for (const propertyName of report === undefined
        ? run.keysOf(value)
        : run.sortedKeysOf(value)) {
        const outer = report?.propertyName;
        if (report !== undefined) report.propertyName = propertyName;
        // A name has no place of its own, so that of the object is used, but without the object's exact numbers.
        const isValid = schema.check(run, propertyName, place, undefined);
        if (report !== undefined) report.propertyName = outer;
        if (isValid) continue;
        if (report === undefined) return false;
        valid = reportFailure(
          run,
          node,
          "propertyNames",
          value,
          place,
          () => ({ message: "property name must be valid", params: { propertyName } }),
          propertyName,
        );
      }
      return valid;
    };
  },
});
