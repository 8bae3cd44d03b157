import { isJsonObject, type JsonValue, type Path } from "../document.ts";

/** Something in a value that does not have its shape. */
export type ShapeIssue =
  | {
      readonly code: "WRONG_TYPE" | "INVALID_VALUE";
      readonly path: Path;
      /** The end of a sentence that begins with the place: "… must be a string". */
      readonly message: string;
      /** The texts that may stand there, where it is one of a few. */
      readonly allowed?: readonly string[];
    }
  | { readonly code: "UNKNOWN_KEY"; readonly path: Path; readonly keys: readonly string[] };

type Found = (issue: ShapeIssue) => void;

/**
 * What a value may be. Own code, since a configuration is read before anybody is answered, and to load a
 * library for it took longer than all of the reading.
 */
export interface Shape<T = unknown> {
  /** The same as JSON Schema (2020-12). */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Tells what is wrong with the value at a path. */
  readonly check: (value: JsonValue, path: Path, found: Found) => void;
  /** Only for the compiler: the type of a value that nothing is wrong with. */
  readonly type?: T;
}
type TypeOf<S> = S extends Shape<infer T> ? T : never;

/** What editors show of a key. */
export interface About {
  readonly description?: string;
  readonly default?: unknown;
}

function shape<T>(
  schema: Shape["schema"],
  message: string,
  isType: (value: JsonValue) => boolean,
  inside: Shape["check"] = () => {},
): Shape<T> {
  return {
    schema,
    check(value, path, found) {
      if (isType(value)) inside(value, path, found);
      else found({ code: "WRONG_TYPE", path, message });
    },
  };
}

/** A string, of a pattern where one is given. */
export function text(about: About = {}, pattern?: RegExp, mustBe?: string): Shape<string> {
  const schema = { ...about, type: "string", ...(pattern && { pattern: pattern.source }) };
  const message = "must be a string";
  const isText = (value: JsonValue): boolean => typeof value === "string";
  return shape(schema, message, isText, (value, path, found) => {
    if (pattern === undefined || pattern.test(String(value))) return;
    found({ code: "INVALID_VALUE", path, message: mustBe ?? message });
  });
}

export function flag(about: About = {}): Shape<boolean> {
  const isFlag = (value: JsonValue): boolean => typeof value === "boolean";
  return shape({ ...about, type: "boolean" }, "must be true or false", isFlag);
}

/** One of a few strings. @param shown those that are told of, where others are taken as well */
export function choice<const Values extends readonly string[]>(
  values: Values,
  about: About = {},
  shown: readonly string[] = values,
): Shape<Values[number]> {
  const message = `must be one of ${shown.map((value) => `"${value}"`).join(", ")}`;
  return {
    schema: { ...about, type: "string", enum: shown },
    check(value, path, found) {
      if (typeof value === "string" && values.includes(value)) return;
      found({ code: "INVALID_VALUE", path, message, allowed: values });
    },
  };
}

/** A whole number. */
export function whole(minimum: number, maximum: number, about: About): Shape<number> {
  const message = `must be an integer from ${minimum} to ${maximum}`;
  const schema = { ...about, type: "integer", minimum, maximum };
  return shape(schema, message, Number.isInteger, (value, path, found) => {
    if (Number(value) >= minimum && Number(value) <= maximum) return;
    found({ code: "INVALID_VALUE", path, message });
  });
}

/** A number of seconds above 0. */
export function seconds(maximum: number, about: About): Shape<number> {
  const message = `must be a number of seconds above 0, at most ${maximum}`;
  const schema = { ...about, type: "number", exclusiveMinimum: 0, maximum };
  return shape(schema, message, Number.isFinite, (value, path, found) => {
    if (Number(value) > 0 && Number(value) <= maximum) return;
    found({ code: "INVALID_VALUE", path, message });
  });
}

export function list<T>(items: Shape<T>, about: About, message: string): Shape<readonly T[]> {
  const schema = { ...about, type: "array", items: items.schema };
  return shape(schema, message, Array.isArray, (value, path, found) => {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) items.check(item, [...path, index], found);
  });
}

/** An object with any keys. */
export function map<T>(
  members: Shape<T>,
  about: About = {},
  message = "must be an object",
): Shape<Readonly<Record<string, T>>> {
  const propertyNames = { type: "string" };
  const additionalProperties = members.schema;
  const schema = { ...about, type: "object", propertyNames, additionalProperties };
  return shape(schema, message, isJsonObject, (value, path, found) => {
    for (const [key, member] of Object.entries(value ?? {})) {
      members.check(member, [...path, key], found);
    }
  });
}

type Members<Keys> = { readonly [Key in keyof Keys]?: TypeOf<Keys[Key]> | undefined };

/** An object with some keys, none of which has to be there. @param others whether there may be others */
export function section<Keys extends Readonly<Record<string, Shape>>>(
  keys: Keys,
  others: "others" | "no others" = "no others",
): Shape<Members<Keys>> {
  const shapes = Object.entries(keys);
  const properties = Object.fromEntries(shapes.map(([key, { schema }]) => [key, schema]));
  const additionalProperties = others === "others" ? {} : false;
  const schema = { type: "object", properties, additionalProperties };
  return shape(schema, "must be an object", isJsonObject, (value, path, found) => {
    if (!isJsonObject(value)) return;
    for (const [key, { check }] of shapes) {
      const member = Object.hasOwn(value, key) ? value[key] : undefined;
      if (member !== undefined) check(member, [...path, key], found);
    }
    if (others === "others") return;
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(keys, key));
    if (unknown.length > 0) found({ code: "UNKNOWN_KEY", path, keys: unknown });
  });
}
