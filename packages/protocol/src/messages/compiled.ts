import { type CompiledSchema, compileOwn } from "@touchstone/core/advanced";
import type { MessageTable } from "./message-table.ts";
import { listOf, ref, type Schema } from "./schema.ts";

const REFERENCE = "#/$defs/";
const compiled = new WeakMap<MessageTable, Map<string, CompiledSchema>>();

/** Returns the names of the definitions that a schema refers to. */
function reached(schema: Schema, table: MessageTable): Set<string> {
  const names = new Set<string>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [key, value] of Object.entries(part)) {
      if (key !== "$ref" || typeof value !== "string") {
        visit(value);
        continue;
      }
      const name = value.slice(REFERENCE.length);
      if (names.has(name)) continue;
      names.add(name);
      visit(table.definitions[name]);
    }
  };
  visit(schema);
  return names;
}

/** Returns a schema together with all definitions that it needs. */
export function withDefinitions(table: MessageTable, schema: Schema): Schema {
  const names = [...reached(schema, table)];
  const $defs = Object.fromEntries(names.map((name) => [name, table.definitions[name]]));
  return { ...schema, $defs };
}

const ITEMS_OF = "items of ";

/** Returns the key under which {@link compiledMessage} finds the schema for a list of these items. */
export function itemsKey(item: string): string {
  return `${ITEMS_OF}${item}`;
}

/** Returns the schema for a key that {@link compiledMessage} takes. */
export function schemaOf(table: MessageTable, key: string): Schema {
  if (key.startsWith(ITEMS_OF)) return listOf(ref(key.slice(ITEMS_OF.length)));
  return table.errors[key] ?? ref(key);
}

/**
 * Returns the compiled schema of the definition with this name, of the content of an `error` with this code, or of
 * the list with this {@link itemsKey}. Compiles it on first use and then keeps it. Formats are annotations, as in
 * MCP's own schemas.
 */
export function compiledMessage(table: MessageTable, key: string): CompiledSchema {
  const kept = compiled.get(table) ?? new Map<string, CompiledSchema>();
  compiled.set(table, kept);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const value = withDefinitions(table, schemaOf(table, key));
  const schema = compileOwn(value, { formats: false });
  kept.set(key, schema);
  return schema;
}
