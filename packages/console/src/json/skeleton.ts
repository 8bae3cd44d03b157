import { treeAt } from "./edit.ts";
import { type JsonTree, type Member, printTree } from "./tree.ts";

const NULL: JsonTree = { kind: "scalar", text: "null" };

/**
 * The text that a form starts with: an object with exactly the keys that the schema's own `required`
 * (JSON Schema 2020-12, Validation, section 6.5.3) names, each with its `default` as the schema
 * writes it, else null. A null is wrong for most types, so that a fresh form shows what is missing.
 */
export function skeleton(schema: JsonTree): string {
  const required = treeAt(schema, ["required"]);
  const names = new Map<string, string>();
  for (const item of required?.kind === "array" ? required.items : []) {
    if (item.kind !== "scalar" || !item.text.startsWith('"')) continue;
    const name = String(JSON.parse(item.text));
    if (!names.has(name)) names.set(name, item.text);
  }
  const members = [...names].map(
    ([name, key]): Member => ({
      name,
      key,
      value: treeAt(schema, ["properties", name, "default"]) ?? NULL,
    }),
  );
  return printTree({ kind: "object", members });
}
