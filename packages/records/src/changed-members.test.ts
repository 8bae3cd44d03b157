import { expect, it } from "vitest";
import { changedMembers } from "./approvals.ts";

const tool = (more: object = {}): string =>
  JSON.stringify({ name: "read", inputSchema: { type: "object" }, ...more });

it.each([
  ["nothing", tool(), tool(), []],
  ["a description that is new", tool(), tool({ description: "x" }), ["description"]],
  [
    "a description and what is required",
    tool({ description: "x" }),
    tool({ description: "y", inputSchema: { type: "object", required: ["a"] } }),
    ["description", "inputSchema.required"],
  ],
  ["a schema that is gone", tool({ outputSchema: {} }), tool(), ["outputSchema"]],
  ["a schema of another kind", tool({ inputSchema: true }), tool(), ["inputSchema"]],
  [
    "deep in a schema",
    tool({ inputSchema: { properties: { a: 1 } } }),
    tool({ inputSchema: { properties: { a: 2 } } }),
    ["inputSchema.properties"],
  ],
  ["instructions", '"a"', '"b"', undefined],
  ["a text that is not JSON", "{", tool(), undefined],
  [
    "digits that a double cannot hold",
    '{"a":9007199254740993}',
    '{"a":9007199254740992}',
    undefined,
  ],
])("names %s", (_, before, now, changed) => expect(changedMembers(before, now)).toEqual(changed));
