import { describe, expect, it } from "vitest";
import { compileDeclared } from "./compile.ts";

const list = (items: object, more: object = {}) => ({
  type: "object",
  properties: { list: { type: "array", items, ...more } },
});
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const rows = (bytes: number, row: (index: number) => unknown): string => {
  const size = JSON.stringify(row(100_000)).length + 1;
  return JSON.stringify({ list: Array.from({ length: bytes / size }, (_, index) => row(index)) });
};

/** Schemas that people write, and rows that satisfy them. */
const ORDINARY: readonly [string, object, (index: number) => unknown][] = [
  [
    "formats",
    list(
      object({
        at: { type: "string", format: "date-time" },
        id: { type: "string", format: "uuid" },
        mail: { type: "string", format: "email" },
        link: { type: "string", format: "uri" },
      }),
    ),
    (index) => ({
      at: "2026-01-01T00:00:00Z",
      id: "123e4567-e89b-12d3-a456-426614174000",
      mail: "a@b.co",
      link: `https://e.com/${index}`,
    }),
  ],
  [
    "a pattern",
    list(object({ slug: { type: "string", pattern: "^[a-z0-9-]+$" } })),
    (index) => ({ slug: `abc-${index}` }),
  ],
  [
    "uniqueItems on objects",
    list(object({ id: { type: "integer" } }), { uniqueItems: true }),
    (index) => ({ id: index, tags: [{ name: `n${index}` }] }),
  ],
  [
    "patternProperties without others",
    list(
      object(
        {},
        {
          patternProperties: { "^x-": { type: "string" }, "^[a-z]+$": { type: "integer" } },
          additionalProperties: false,
        },
      ),
    ),
    (index) => ({ "x-a": "s", b: index }),
  ],
  [
    "unevaluatedProperties",
    list({
      allOf: [object({ a: { type: "integer" } }), object({ b: { type: "string" } })],
      unevaluatedProperties: false,
    }),
    (index) => ({ a: index, b: "x" }),
  ],
  [
    "oneOf with a discriminator",
    list({
      oneOf: Array.from({ length: 10 }, (_, kind) =>
        object({ k: { const: kind } }, { required: ["k"], additionalProperties: false }),
      ),
    }),
    () => ({ k: 9 }),
  ],
];

describe("a valid value far below the limits stays within the step budget", () => {
  it.each(ORDINARY)("with %s", (_, schema, row) => {
    const compiled = compileDeclared({ value: schema });
    const text = Buffer.from(rows(262_144, row));
    const outcomes = Array.from({ length: 3 }, () => compiled.validateText(text).outcome);
    expect(new Set(outcomes)).toEqual(new Set(["pass"]));
  });
});
