/**
 * JSON Schemas whose types the compiler infers: a schema is declared once, by the functions below, and `Static` is the
 * type of its values.
 */

/** For the compiler only: no schema has this member. */
declare const TYPE: unique symbol;

/** A part of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** Something that carries a type of values: a schema, or a part of a document that contains a schema. */
export interface Typed<out Value> {
  readonly [TYPE]?: Value;
}

/** A JSON Schema, and the type of the values that it accepts. */
export type Schema<Value = unknown> = Json & Typed<Value>;

/** The type of the values that a schema accepts. */
export type Static<Of extends Typed<unknown>> = Of extends Typed<infer Value> ? Value : never;

/** A schema of an OpenAPI document's `components`, to which others refer by its name. */
export interface Component<out Value = unknown> extends Typed<Value> {
  readonly name: string;
  readonly schema: Schema<Value>;
}

export const component = <Value>(name: string, schema: Schema<Value>): Component<Value> => ({
  name,
  schema,
});

/** Returns a reference to one of the document's schemas. */
export const ref = <Value>({ name }: Component<Value>): Schema<Value> => ({
  $ref: `#/components/schemas/${name}`,
});

/** Returns components as an OpenAPI document has them. */
export function componentsOf(all: readonly Component[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(all.map(({ name, schema }) => [name, schema]));
}

/** Declares the type of a schema that the other functions cannot make. */
export const typed = <Value>(schema: Json): Schema<Value> => schema;

/** Adds keywords that only describe or limit the values. */
export const limited = <Value>(schema: Schema<Value>, keywords: Json): Schema<Value> => ({
  ...schema,
  ...keywords,
});

const said = (description: string | undefined): Json =>
  description === undefined ? {} : { description };

export const text = (description?: string): Schema<string> => ({
  type: "string",
  ...said(description),
});
/** RFC 3339 with milliseconds, in UTC. */
export const dateTime = (description?: string): Schema<string> => ({
  ...text(description),
  format: "date-time",
});
export const count = (description?: string): Schema<number> => ({
  type: "integer",
  minimum: 0,
  ...said(description),
});
export const flag: Schema<boolean> = { type: "boolean" };
export const list = <Value>(items: Schema<Value>): Schema<readonly Value[]> => ({
  type: "array",
  items,
});
export const oneOf = <const Value extends string>(values: readonly Value[]): Schema<Value> => ({
  type: "string",
  enum: values,
});
export const constant = <const Value extends string>(value: Value): Schema<Value> => ({
  const: value,
});
export const orNull = <Value>(schema: Schema<Value>): Schema<Value | null> => ({
  anyOf: [schema, { type: "null" }],
});
/** Returns the schema of an object with any names, whose values have one schema. */
export const record = <Value>(values: Schema<Value>): Schema<Readonly<Record<string, Value>>> => ({
  type: "object",
  additionalProperties: values,
});
/** Returns the schema of any object. */
export const object = (description?: string): Schema<Readonly<Record<string, unknown>>> => ({
  type: "object",
  ...said(description),
});
/** Returns the schema of values that exactly one of several accepts. */
export const either = <Forms extends readonly Schema[]>(
  ...forms: Forms
): Schema<Static<Forms[number]>> => ({ oneOf: forms });

export type Properties = Readonly<Record<string, Schema>>;

/** The object type of properties of which some may be absent. JSON leaves out what is undefined. */
export type Members<Of extends Properties, Absent extends keyof Of> = Shown<
  { readonly [Name in Exclude<keyof Of, Absent>]: Static<Of[Name]> } & {
    readonly [Name in Absent]?: Static<Of[Name]> | undefined;
  }
>;
type Shown<Of> = { [Name in keyof Of]: Of[Name] };

/**
 * Returns the schema of an object with exactly these members.
 * @param optional the members that may be absent
 */
export function members<Of extends Properties, Absent extends keyof Of = never>(
  properties: Of,
  ...optional: readonly Absent[]
): Schema<Members<Of, Absent>> {
  const absent = new Set<PropertyKey>(optional);
  return {
    type: "object",
    required: Object.keys(properties).filter((name) => !absent.has(name)),
    properties,
    additionalProperties: false,
  };
}

/** Returns the schema of an object whose members may all be absent. */
export const partial = <Of extends Properties>(properties: Of): Schema<Members<Of, keyof Of>> => ({
  type: "object",
  properties,
  additionalProperties: false,
});
