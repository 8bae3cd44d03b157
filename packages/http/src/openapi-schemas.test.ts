import { expect, it } from "vitest";
import { SCHEMAS } from "./openapi-schemas.ts";

/** Yields pointers to the schemas that name members and allow others. */
function* openIn(schema: unknown, path: string): Generator<string> {
  if (typeof schema !== "object" || schema === null) return;
  if (
    "properties" in schema &&
    (schema as { additionalProperties?: unknown }).additionalProperties !== false
  ) {
    yield path;
  }
  for (const [name, below] of Object.entries(schema)) yield* openIn(below, `${path}/${name}`);
}

it("describe every member of a response, except what MCP leaves open", () => {
  expect([...openIn(SCHEMAS, "")]).toEqual([
    "/ValidateResult/if",
    "/ValidateResult/then",
    "/Batch",
    "/Batch/properties/calls/items",
    "/CallResult/properties/content/items",
    "/CallResult/properties/_meta",
  ]);
});
