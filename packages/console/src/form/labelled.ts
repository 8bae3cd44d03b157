import { isObject } from "../json/object.ts";

/** Keywords beside which a list of values says too little of what may stand there. */
const BESIDE: readonly string[] = ["enum", "$ref", "properties", "items"];

function isOneValue(branch: unknown): boolean {
  return isObject(branch) && Array.isArray(branch["enum"]) && branch["enum"].length === 1;
}

/**
 * Whether a form's schema lists values as branches of one value each, as schemas do which give values titles.
 * @param schema as `formSchema` makes it: `const` is an `enum` of one value in it
 */
export function isLabelled(schema: Readonly<Record<string, unknown>>): boolean {
  if (BESIDE.some((key) => key in schema)) return false;
  const branches = schema["oneOf"] ?? schema["anyOf"];
  return Array.isArray(branches) && branches.length > 0 && branches.every(isOneValue);
}
