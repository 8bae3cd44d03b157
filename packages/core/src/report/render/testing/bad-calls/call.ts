/** A call with wrong arguments as users report them, and what a text about it must contain. */
export interface BadCall {
  readonly name: string;
  readonly schema: object;
  readonly args: unknown;
  /** Parts that the text must contain. */
  readonly facts: readonly (string | RegExp)[];
  /** Parts that the text must not contain. */
  readonly never?: readonly (string | RegExp)[];
  /** The maximum length of the text, in UTF-16 code units. */
  readonly max: number;
}

/** The same, short. */
export type Row = readonly [
  name: string,
  schema: object,
  args: unknown,
  facts: BadCall["facts"],
  max?: number,
  never?: BadCall["never"],
];

export const STRING: object = { type: "string" };

export const INTEGER: object = { type: "integer" };

/** Returns a schema that also accepts null. */
export const nullable = (schema: object): object => ({ anyOf: [schema, { type: "null" }] });

/** Returns the schema of an object. By default, it allows no undeclared members. */
export const object = (
  properties: object,
  required: readonly string[] = [],
  closed = true,
): object => ({
  type: "object",
  properties,
  required,
  ...(closed ? { additionalProperties: false } : {}),
});

export const WEATHER: object = object({ city: STRING, unit: { enum: ["celsius", "fahrenheit"] } }, [
  "city",
]);

export const SEARCH: object = object(
  {
    query: STRING,
    limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
    cursor: nullable(STRING),
  },
  ["query"],
);

export const ISSUE: object = object(
  {
    title: STRING,
    labels: { type: "array", items: STRING },
    state: { enum: ["open", "closed", "in_progress"] },
    assignee: nullable(STRING),
    due_date: { type: "string", format: "date" },
  },
  ["title"],
);
