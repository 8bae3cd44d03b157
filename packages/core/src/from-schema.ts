/** The type names of JSON Schema, and the TypeScript type for each. */
interface Types {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
  array: unknown[];
  object: Record<string, unknown>;
}

type List<Item = unknown> = readonly Item[];

/** Shows an intersection of objects as one object. */
type Shown<Of> = { [Name in keyof Of]: Of[Name] };

/** The names in `required`; none if the type does not show which names the list contains. */
type RequiredOf<S> = S extends { readonly required: List<infer Name> }
  ? string extends Name
    ? never
    : Name & string
  : never;

/** An object by its `properties` and `required`. It may have more members, as every type of TypeScript allows. */
type ObjectOf<S, Root> = S extends { readonly properties: infer Properties extends object }
  ? Shown<
      { [Name in keyof Properties & RequiredOf<S>]: FromSchema<Properties[Name], Root> } & {
        [Name in Exclude<keyof Properties, RequiredOf<S>>]?:
          | FromSchema<Properties[Name], Root>
          | undefined;
      } & { [Name in Exclude<RequiredOf<S>, keyof Properties>]: unknown }
    >
  : S extends { readonly patternProperties: object }
    ? Types["object"]
    : S extends { readonly additionalProperties: infer Member }
      ? Record<string, FromSchema<Member, Root>> & Record<RequiredOf<S>, FromSchema<Member, Root>>
      : Types["object"] & Record<RequiredOf<S>, unknown>;

/** The items after those in `prefixItems`. */
type RestOf<S, Root> = S extends { readonly items: infer Item }
  ? FromSchema<Item, Root>[]
  : unknown[];

/** An array by `items` and `prefixItems`. It may be shorter than `prefixItems`. */
type ArrayOf<S, Root> = S extends { readonly prefixItems: infer Items extends List }
  ? [...{ -readonly [At in keyof Items]?: FromSchema<Items[At], Root> }, ...RestOf<S, Root>]
  : S extends { readonly items: infer Item }
    ? Item extends List
      ? unknown[]
      : FromSchema<Item, Root>[]
    : unknown[];

type NamedType<Name, S, Root> = Name extends "object"
  ? ObjectOf<S, Root>
  : Name extends "array"
    ? ArrayOf<S, Root>
    : Name extends keyof Types
      ? Types[Name]
      : unknown;

/** The type by `const`, `enum` or `type`, whichever is the most specific. */
type ValueOf<S, Root> = S extends { readonly const: infer Value }
  ? Mutable<Value>
  : S extends { readonly enum: List<infer Value> }
    ? Mutable<Value>
    : S extends { readonly type: infer Name }
      ? Name extends List<infer Each>
        ? NamedType<Each, S, Root>
        : NamedType<Name, S, Root>
      : unknown;

type Mutable<Of> = Of extends object ? { -readonly [Name in keyof Of]: Mutable<Of[Name]> } : Of;

/** The type by `allOf`: the intersection of its schemas. */
type AllOf<Schemas, Root> = Schemas extends readonly [infer First, ...infer Rest]
  ? FromSchema<First, Root> & AllOf<Rest, Root>
  : unknown;

/** The type by `anyOf` or `oneOf`: the union of its schemas. */
type OneOf<Schemas, Root> = Schemas extends List<infer Each> ? Union<Each, Root> : unknown;

type Union<Each, Root> = Each extends unknown ? FromSchema<Each, Root> : never;

type Target<Reference, Root> = Reference extends "#"
  ? FromSchema<Root, Root>
  : Reference extends `#/${infer Group extends "$defs" | "definitions"}/${infer Name}`
    ? Root extends { readonly [In in Group]: { readonly [Of in Name]: infer Schema } }
      ? FromSchema<Schema, Root>
      : unknown
    : unknown;

/**
 * The type of the values that a JSON Schema accepts, if the schema is a literal: an argument of `compile`, or a
 * constant with `as const`. It is `unknown` for schemas that the compiler does not know, such as a text.
 *
 * It reads `type`, `const`, `enum`, `properties`, `required`, `additionalProperties`, `items`, `prefixItems`, `allOf`,
 * `anyOf`, `oneOf`, and `$ref` to `#`, `#/$defs/…` and `#/definitions/…`. A type does not express what other keywords
 * require: with a `minimum`, fewer values are accepted than `number` has. As in JSON Schema, `properties` without
 * `"type": "object"` accept values that are not objects, so that such a schema has the type `unknown`.
 * @typeParam S the type of the schema
 * @typeParam Root the type of the schema to which references lead
 */
export type FromSchema<S, Root = S> = S extends boolean
  ? S extends false
    ? never
    : unknown
  : S extends { readonly $ref: infer Reference }
    ? Target<Reference, Root>
    : S extends object
      ? ValueOf<S, Root> &
          (S extends { readonly allOf: infer Schemas } ? AllOf<Schemas, Root> : unknown) &
          (S extends { readonly anyOf: infer Schemas } ? OneOf<Schemas, Root> : unknown) &
          (S extends { readonly oneOf: infer Schemas } ? OneOf<Schemas, Root> : unknown)
      : unknown;
