import { INTEGER, nullable, object, type Row, STRING } from "./call.ts";

const SHAPE = {
  $defs: {
    Circle: object({ kind: { const: "circle" }, radius: { type: "number", exclusiveMinimum: 0 } }, [
      "kind",
      "radius",
    ]),
    Square: object({ kind: { const: "square" }, side: { type: "number" } }, ["kind", "side"]),
    Text: object({ kind: { const: "text" }, value: STRING, size: INTEGER }, ["kind", "value"]),
  },
  ...object(
    {
      shape: {
        oneOf: [{ $ref: "#/$defs/Circle" }, { $ref: "#/$defs/Square" }, { $ref: "#/$defs/Text" }],
      },
    },
    ["shape"],
  ),
};

const FILTER = {
  $defs: {
    Filter: {
      anyOf: [
        object({ and: { type: "array", items: { $ref: "#/$defs/Filter" } } }, ["and"]),
        object({ field: STRING, op: { enum: ["eq", "lt", "gt"] }, value: {} }, ["field", "op"]),
      ],
    },
  },
  ...object({ filter: { $ref: "#/$defs/Filter" } }, ["filter"]),
};

const BLOCKS = object({
  children: {
    type: "array",
    items: {
      anyOf: [
        object({ type: { const: "paragraph" }, text: STRING }, ["type", "text"]),
        object({ type: { const: "heading" }, text: STRING, level: INTEGER }, ["type", "text"]),
      ],
    },
  },
});

const TARGET = {
  type: "object",
  properties: { path: STRING, url: { type: "string", format: "uri" } },
  oneOf: [{ required: ["path"] }, { required: ["url"] }],
};

/** Calls that fail several branches of an anyOf or oneOf. */
export const UNIONS: readonly Row[] = [
  [
    "branch by its discriminator",
    SHAPE,
    { shape: { kind: "circle", size: 2 } },
    ["Add /shape/radius", "a number", "/shape/size"],
    330,
    ["square", "Square"],
  ],
  [
    "wrong discriminator",
    SHAPE,
    { shape: { kind: "sqare", side: 2 } },
    ["/shape/kind", '"circle"', '"text"', 'Did you mean "square"'],
    260,
  ],
  [
    "no discriminator",
    SHAPE,
    { shape: { radius: 2 } },
    ["Add /shape/kind", '"circle"', '"square"', '"text"'],
    260,
  ],
  [
    "scalar for a union of objects",
    SHAPE,
    { shape: "circle" },
    ["/shape", "an object", "a string of 6 characters", '"kind" ("circle") and "radius"'],
    380,
  ],
  [
    "fault deep in a recursive union",
    FILTER,
    {
      filter: {
        and: [
          { field: "a", op: "eq" },
          { field: "b", op: "==" },
        ],
      },
    },
    ["/filter/and/1/op", '"eq"', '"gt"'],
    300,
  ],
  [
    "fault in one of many items",
    BLOCKS,
    {
      children: [
        { type: "paragraph", text: "a" },
        { type: "heading", text: 5 },
      ],
    },
    ["/children/1/text", "a string"],
    260,
    ["paragraph"],
  ],
  ["one of two is required", TARGET, {}, ["/path or /url"], 240],
  [
    "both of two that exclude each other",
    TARGET,
    { path: "a", url: "https://b.c/" },
    ["the arguments", "#0 and #1", "exactly one"],
    260,
  ],
  [
    "string or number, given neither",
    object({ id: { type: ["string", "integer"] } }),
    { id: [] },
    ["/id", "a string or an integer", "an array"],
  ],
  [
    "null in a string for a union with null",
    object({ n: nullable(INTEGER) }),
    { n: "None" },
    ["/n", "an integer or null", "send null, without quotes"],
  ],
  [
    "null in a string for a date or null",
    object({ day: nullable({ type: "string", format: "date" }) }),
    { day: "null" },
    ["/day", "send null, without quotes"],
  ],
  [
    "array in a string for a union with an array",
    object({ n: { anyOf: [INTEGER, { type: "array", items: INTEGER }] } }),
    { n: "[5]" },
    ["/n", "send the array itself"],
  ],
  [
    "number in a string for a union that another schema limits",
    object({ n: { anyOf: [INTEGER, { type: "null" }], allOf: [{ minimum: 9 }] } }),
    { n: "5" },
    ["/n", "an integer or null"],
    250,
    ["without quotes"],
  ],
  [
    "member that the branch requires, and that is null",
    SHAPE,
    { shape: { kind: "circle", radius: null } },
    ["Change /shape/radius", "a number of more than 0"],
    300,
    ["leave it out"],
  ],
];
