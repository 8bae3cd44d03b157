/**
 * The type of the values that a JSON Schema accepts; all keys of an object are optional.
 * @typeParam Definitions the schemas that its `$ref`s name, in the form of `$defs`
 */
export type TypeOf<S, Definitions = object> = S extends {
  $ref: `#/$defs/${infer Name extends keyof Definitions & string}`;
}
  ? TypeOf<Definitions[Name], Definitions>
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { type: "string" }
      ? string
      : S extends { type: "boolean" }
        ? boolean
        : S extends { type: "integer" | "number" }
          ? number
          : S extends { items: infer Item }
            ?
                | readonly TypeOf<Item, Definitions>[]
                | (S extends { pattern: string } ? string : never)
            : S extends { properties: infer Keys }
              ? {
                  readonly [Key in keyof Keys]?: TypeOf<Keys[Key], Definitions> | undefined;
                } & ByPattern<S, Definitions>
              : S extends { additionalProperties: true }
                ? Readonly<Record<string, unknown>>
                : S extends { additionalProperties: infer Member }
                  ? Readonly<Record<string, TypeOf<Member, Definitions>>>
                  : never;

/** The intersection of a union's members. */
export type IntersectionOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Keys that match a pattern; all begin with `/`. */
type ByPattern<S, Definitions> = S extends {
  patternProperties: Readonly<Record<string, infer Member>>;
}
  ? { readonly [Key in `/${string}`]?: TypeOf<Member, Definitions> | undefined }
  : unknown;
