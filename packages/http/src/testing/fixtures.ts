import type { Tool, ValidationFailure } from "../index.ts";

const object = (properties: object, required: readonly string[]): object => ({
  type: "object",
  properties,
  required,
});

/** Each level applies the next one twice, so the check of a value of another type runs out of its budget. */
const doubling = (levels: number): object => {
  const $defs: Record<string, object> = { [`d${levels}`]: { type: "null" } };
  for (let i = 0; i < levels; i++) {
    const next = { $ref: `#/$defs/d${i + 1}` };
    $defs[`d${i}`] = { anyOf: [next, next] };
  }
  return { $ref: "#/$defs/d0", $defs };
};

/** Tools with names and schemas of every kind that a host may have. */
export const TOOLS: readonly Tool[] = [
  {
    name: "get_weather",
    description: "Tells the weather",
    title: "Weather",
    annotations: { readOnlyHint: true },
    inputSchema: object({ city: { type: "string" }, count: { type: "integer" } }, ["city"]),
    outputSchema: object({ temperature: { type: "number" } }, ["temperature"]),
    icons: [{ src: "https://example.com/a.png" }],
  },
  { name: "open", description: "Takes anything" },
  { name: "null_schema", description: "", inputSchema: null },
  { name: "empty_schema", description: "", inputSchema: {} },
  { name: "never", description: "", inputSchema: false },
  { name: "broken", description: "", inputSchema: { type: "nonsense" } },
  { name: "endless", description: "", inputSchema: doubling(60) },
  { name: "branches", description: "", inputSchema: { anyOf: [{ $ref: "#" }] } },
  { name: "loop", description: "", inputSchema: { allOf: [{ $ref: "#" }] } },
  { name: "remote", description: "", inputSchema: { $ref: "https://example.com/schema.json" } },
  {
    name: "draft7",
    description: "",
    inputSchema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://example.com/same",
      ...object({ n: { type: "integer" } }, ["n"]),
    },
  },
  {
    name: "same_id",
    description: "",
    inputSchema: { $id: "https://example.com/same", ...object({ m: {} }, ["m"]) },
  },
  { name: "a/b", description: "", inputSchema: object({}, ["in_a_b"]) },
  { name: "a/validate", description: "", inputSchema: object({}, ["in_a_validate"]) },
  { name: "50%", description: "", inputSchema: object({}, ["in_percent"]) },
  { name: "größe 🌡", description: "", inputSchema: object({}, ["in_unicode"]) },
  { name: "__proto__", description: "", inputSchema: object({}, ["in_proto"]) },
  { name: "constructor", description: "", inputSchema: object({}, ["in_constructor"]) },
  {
    name: "destroy",
    description: "",
    annotations: { destructiveHint: true },
    inputSchema: object({ city: { type: "string" } }, ["city"]),
  },
  { name: "array", description: "", inputSchema: { type: "array" } },
  {
    name: "colours",
    description: "",
    inputSchema: { items: { enum: Array.from({ length: 2000 }, (_, i) => `colour${i}`) } },
  },
];

/** A request with a JSON text as its body. */
export function post(
  text: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: text,
  };
}

/** The failure for a property that is missing at the root. */
export function missing(name: string): ValidationFailure {
  const message = `must have required property '${name}'`;
  return { path: `/${name}`, message, keyword: "required" };
}
