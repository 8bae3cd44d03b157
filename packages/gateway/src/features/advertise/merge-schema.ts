import { compileDeclared, dialectOf, isObject, type JsonObject } from "@touchstone/core/advanced";
import { KEYWORD_RULES } from "./keyword-rules.ts";

/*
 * Writes the constraints of a schema of `narrow` into a tool's own schema, place by place. Each change is a keyword
 * of one object of the tool's schema, so that nothing moves. A change only narrows, and never more than `narrow`
 * does: whatever both schemas accept, the merged one accepts. Parts that cannot be merged are returned, to be
 * expressed in words. So are parts that a model provider would refuse: only keywords that all of them accept are
 * added (`lint --for`).
 */

/** A member to add to an object of the schema, or to set to another value. */
export interface SchemaChange {
  /** The steps from the schema to the object. */
  readonly steps: readonly string[];
  readonly name: string;
  readonly value: unknown;
}

/** A part of `narrow` that could not be merged. */
export interface UnmergedPart {
  /** The steps to the property that it is about; none for the arguments as a whole. */
  readonly steps: readonly string[];
  /** Whether it is about each item of the property. */
  readonly ofItems: boolean;
  /** An additional schema for the value; false if the value must be absent. */
  readonly schema: JsonObject | false;
  /** The only members that it may have. */
  readonly only?: readonly string[];
}

export interface MergedSchema {
  readonly changes: readonly SchemaChange[];
  readonly unmerged: readonly UnmergedPart[];
}

/** What is known of the two schemas as wholes. */
interface Context {
  readonly changes: SchemaChange[];
  readonly unmerged: UnmergedPart[];
  /** How many more lists of values may be compared. */
  lists: number;
  /** Returns whether a part of `narrow` may be shown as it is. */
  readonly mayShow: (part: unknown) => boolean;
}

/** A place of the tool's schema. */
interface SubschemaPlace {
  readonly schema: JsonObject;
  readonly steps: readonly string[];
  /** The property that it describes, or whose items it describes. */
  readonly property: readonly string[];
  readonly ofItems: boolean;
}

/** Keywords of `narrow` that constrain nothing by themselves. */
const IDLE: ReadonlySet<string> = new Set(
  "$schema $id $anchor $comment $defs definitions title description default examples deprecated readOnly writeOnly".split(
    " ",
  ),
);
/** Keywords of a schema beside which others have no effect in some dialects, or are moved by a reference. */
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"] as const;
/** References to definitions, which are never changed. */
const TO_DEFINITION = /^#\/(?:\$defs|definitions)\//;
/** Longer lists of values are not compared. */
const MAX_VALUES = 200;
const MAX_VALUES_TEXT = 8_192;
/** Lists of one tool that are compared. */
const MAX_LISTS = 32;

/**
 * Merges what `narrow` says into the schema of a tool's arguments.
 * @param mayShow returns whether a part of `narrow` may be shown: other parts are returned as unmerged
 */
export function mergeSchema(
  own: JsonObject,
  narrow: JsonObject,
  mayShow: (part: unknown) => boolean,
): MergedSchema {
  const context: Context = { changes: [], unmerged: [], lists: MAX_LISTS, mayShow };
  const place = { schema: own, steps: [], property: [], ofItems: false };
  // The target of a reference must not change, because other references may lead to it.
  const isLeft = isForeign(own["$schema"]) || someReference(own, (to) => !TO_DEFINITION.test(to));
  if (isLeft) leave(place, narrow, context);
  else merge(place, narrow, context);
  return { changes: context.changes, unmerged: context.unmerged };
}

/** Returns whether keywords may mean something else in a dialect than in that of `narrow`, which is 2020-12 and more. */
function isForeign(dialect: unknown): boolean {
  if (dialect === undefined) return false;
  const known = typeof dialect === "string" ? dialectOf(dialect) : undefined;
  return known === undefined || known === "draft-04";
}

function someReference(schema: JsonObject, is: (target: string) => boolean): boolean {
  const open: unknown[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const inside of Object.values(value)) open.push(inside);
    if (Array.isArray(value)) continue;
    for (const keyword of REFERENCES) {
      const target = (value as JsonObject)[keyword];
      if (typeof target === "string" && is(target)) return true;
    }
  }
  return false;
}

function merge(place: SubschemaPlace, narrow: JsonObject, context: Context): void {
  const { schema, steps } = place;
  if (Object.hasOwn(schema, "enum") && steps.length > 0) {
    const kept = keptValues(schema["enum"], narrow, context);
    if (kept === undefined) leave(place, narrow, context);
    else if (kept !== schema["enum"]) context.changes.push({ steps, name: "enum", value: kept });
    return;
  }
  const isOpen =
    REFERENCES.every((keyword) => !Object.hasOwn(schema, keyword)) &&
    !Object.hasOwn(schema, "nullable");
  if (!isOpen) {
    leave(place, narrow, context);
    return;
  }
  const left: Record<string, unknown> = {};
  // Keeps one object for each place, because changes are looked up by it.
  const changed = new Set<string>();
  for (const [keyword, value] of Object.entries(narrow)) {
    if (IDLE.has(keyword)) continue;
    const rest = mergeKeyword(place, narrow, keyword, value, context, changed);
    if (rest !== undefined) left[keyword] = rest;
  }
  leave(place, left, context, narrow);
}

/** @param whole the schema that the rest remains from: it names all members */
function leave(
  { property, ofItems }: SubschemaPlace,
  rest: JsonObject,
  { unmerged }: Context,
  whole: JsonObject = rest,
): void {
  const { additionalProperties, ...others } = rest;
  const isOnly = additionalProperties === false && whole["patternProperties"] === undefined;
  const only = isOnly ? Object.keys(Object(whole["properties"])) : undefined;
  const says = Object.entries(isOnly ? others : rest).filter(([keyword]) => !IDLE.has(keyword));
  if (says.length === 0 && only === undefined) return;
  const schema = Object.fromEntries(says);
  unmerged.push({ steps: property, ofItems, schema, ...(only && { only }) });
}

/** Merges one keyword. Returns the part of its value that remains unmerged, undefined if nothing remains. */
function mergeKeyword(
  place: SubschemaPlace,
  narrow: JsonObject,
  keyword: string,
  value: unknown,
  context: Context,
  changed: Set<string>,
): unknown {
  const { schema, steps } = place;
  switch (keyword) {
    case "properties":
      return isObject(value) ? mergeProperties(place, value, context) : value;
    case "required":
      return Array.isArray(value) ? mergeRequired(place, value, context) : value;
    case "items":
      return mergeItems(place, narrow, value, context);
    case "additionalProperties":
      if (value === true) return undefined;
      return value === false && close(place, narrow, context) ? undefined : value;
    default: {
      const rule = KEYWORD_RULES.get(keyword);
      // Providers refuse keywords beside "anyOf".
      const isAlone = Object.hasOwn(schema, "anyOf") && steps.length > 0;
      if (rule === undefined || isAlone || !context.mayShow(value)) return value;
      const merged = rule(schema, value, keyword);
      if (merged === undefined) return value;
      if (merged === "same") return undefined;
      // "const" and "enum" are written as one keyword.
      if (changed.has(merged.name)) return value;
      changed.add(merged.name);
      context.changes.push({ steps, ...merged });
      return undefined;
    }
  }
}

/** Returns whether a schema of an object takes no member beside its `properties`. */
function isClosed({ additionalProperties, patternProperties }: JsonObject): boolean {
  return additionalProperties === false && patternProperties === undefined;
}

function mergeProperties(place: SubschemaPlace, narrow: JsonObject, context: Context): unknown {
  const { schema, steps } = place;
  const own = isObject(schema["properties"]) ? schema["properties"] : {};
  const left: Record<string, unknown> = {};
  for (const [name, more] of Object.entries(narrow)) {
    if (more === true) continue;
    const declared = Object.hasOwn(own, name) ? own[name] : undefined;
    if (declared === false || (declared === undefined && isClosed(schema))) continue;
    if (!isObject(declared)) {
      left[name] = more;
      continue;
    }
    const at = [...steps, "properties", name];
    if (more === false) context.unmerged.push({ steps: at, ofItems: false, schema: false });
    else if (isObject(more)) {
      merge({ schema: declared, steps: at, property: at, ofItems: false }, more, context);
    }
  }
  return Object.keys(left).length === 0 ? undefined : left;
}

function mergeRequired(
  { schema, steps }: SubschemaPlace,
  names: readonly unknown[],
  { changes }: Context,
): unknown {
  const { required: before = [], properties } = schema;
  if (!Array.isArray(before)) return names;
  const own = isObject(properties) ? properties : {};
  const missing = names.filter((name) => !before.includes(name));
  // A property whose description says that it is optional would then contradict `required`.
  const isMergeable = (name: unknown): boolean => {
    const declared = typeof name === "string" && Object.hasOwn(own, name) ? own[name] : undefined;
    return isObject(declared) && declared["optional"] !== true;
  };
  const more = missing.filter(isMergeable);
  if (more.length > 0) changes.push({ steps, name: "required", value: [...before, ...more] });
  const left = missing.filter((name) => !isMergeable(name));
  return left.length === 0 ? undefined : left;
}

function mergeItems(
  place: SubschemaPlace,
  narrow: JsonObject,
  more: unknown,
  context: Context,
): unknown {
  if (more === true) return undefined;
  const { schema, steps, property } = place;
  const { items, prefixItems, additionalItems } = schema;
  const isAll = prefixItems === undefined && additionalItems === undefined;
  const isAboutAll = narrow["prefixItems"] === undefined;
  // A constraint on the items of items has no property of its own to describe.
  if (!isObject(items) || !isObject(more) || !isAll || !isAboutAll || place.ofItems) return more;
  if (steps.length === 0) return more;
  merge({ schema: items, steps: [...steps, "items"], property, ofItems: true }, more, context);
  return undefined;
}

/**
 * Allows no member of an object beside those that `narrow` names, if its own schema says something about others
 * already, and declares all of these. Members that the schema declares and `narrow` does not name must be absent.
 */
function close(place: SubschemaPlace, narrow: JsonObject, { changes, unmerged }: Context): boolean {
  const { schema, steps } = place;
  const { properties, required = [] } = schema;
  if (narrow["patternProperties"] !== undefined || !isObject(properties)) return false;
  if (!Array.isArray(required) || required.some((name) => !Object.hasOwn(properties, name))) {
    return false;
  }
  const named = Object.keys(isObject(narrow["properties"]) ? narrow["properties"] : {});
  if (!isClosed(schema)) {
    if (schema["patternProperties"] !== undefined) return false;
    if (!Object.hasOwn(schema, "additionalProperties")) return false;
    if (!named.every((name) => Object.hasOwn(properties, name))) return false;
    changes.push({ steps, name: "additionalProperties", value: false });
  }
  const allowed = new Set(named);
  for (const [name, declared] of Object.entries(properties)) {
    if (allowed.has(name) || !isObject(declared)) continue;
    unmerged.push({ steps: [...steps, "properties", name], ofItems: false, schema: false });
  }
  return true;
}

/** Returns the values of a list that `narrow` accepts; undefined if it accepts none of them, or that is unknown. */
function keptValues(
  values: unknown,
  narrow: JsonObject,
  context: Context,
): readonly unknown[] | undefined {
  if (context.lists === 0) return undefined;
  context.lists -= 1;
  if (!Array.isArray(values) || values.length > MAX_VALUES || !context.mayShow(narrow))
    return undefined;
  if (JSON.stringify(values).length > MAX_VALUES_TEXT) return undefined;
  // A reference in a part that is checked alone would lead to another place.
  if (someReference(narrow, () => true)) return undefined;
  const compiled = compileDeclared({ value: narrow }, { dialect: "policy" });
  if (compiled.error !== undefined) return undefined;
  const kept: unknown[] = [];
  for (const value of values) {
    const { outcome } = compiled.validate(value, { maxIssues: 1 });
    if (outcome === "pass") kept.push(value);
    else if (outcome !== "violation") return undefined;
  }
  if (kept.length === 0) return undefined;
  return kept.length === values.length ? values : kept;
}
