import { SchemaCache } from "@touchstone/core/advanced";
import { expect } from "vitest";

type Responses = Record<string, { content: Record<string, { schema: object }> }>;

interface Document {
  readonly paths: Record<string, Record<string, { responses: Responses }>>;
  readonly components: object;
}

const ACTIONS: readonly [RegExp, string][] = [
  [/^\/tools\/.*\/validate$/, "/tools/{name}/validate"],
  [/^\/tools\/.*\/call$/, "/tools/{name}/call"],
  [/^\/tools\/.+$/, "/tools/{name}"],
  [/^\/(?:tools|validate)$/, ""],
];

function template(path: string, method: string): string | undefined {
  const [plain = ""] = path.split("?", 1);
  const found = ACTIONS.find(([pattern]) => pattern.test(plain));
  if (found === undefined) return undefined;
  const [, name] = found;
  return method === "GET" && name.startsWith("/tools/{name}/") ? "/tools/{name}" : name || plain;
}

const cache = new SchemaCache();

function satisfies(schema: object, document: Document, text: string): void {
  const compiled = cache.get({ value: { ...schema, components: document.components } });
  expect(compiled.error).toBeUndefined();
  expect(compiled.validateText(text).errors).toEqual([]);
}

/** Asserts that a response with a JSON text is one that the API's own description names. */
export function conforms(
  document: Document,
  [method, path]: readonly [method: string, path: string],
  status: number,
  text: string,
): void {
  const operation = document.paths[template(path, method) ?? ""]?.[method.toLowerCase()];
  const response = operation?.responses[String(status)];
  if (response === undefined) {
    // Requests that belong to no operation: unknown paths and methods, and a client that left.
    expect([404, 405]).toContain(status);
    satisfies({ $ref: "#/components/schemas/Error" }, document, text);
    return;
  }
  const schema = response.content["application/json"]?.schema;
  expect(schema).toBeDefined();
  satisfies(schema ?? {}, document, text);
}
