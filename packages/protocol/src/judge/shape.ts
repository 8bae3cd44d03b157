import { schemaOf } from "../messages/compiled.ts";
import type { MessageTable } from "../messages/message-table.ts";
import { BASE64_PATTERN, referencedDefinition, type Schema } from "../messages/schema.ts";

/** The parts of a value that schemas examine, for all the schemas together. */
export interface ExaminedShape {
  /** The members that are examined, each with the schemas for it. */
  readonly members: ReadonlyMap<string, readonly Schema[]>;
  /** The schemas for members of any other name; undefined if those are not examined. */
  readonly others: readonly Schema[] | undefined;
  /** The schemas for the items of an array; undefined if those are not examined. */
  readonly items: readonly Schema[] | undefined;
  readonly base64: boolean;
  /** Whether the schemas examine the value itself, and not only its type. */
  readonly literal: boolean;
  /** Whether a schema has a keyword that is unknown here, so that the whole value must be kept. */
  readonly whole: boolean;
}

/** Keywords that examine the value of a string or a number. */
const LITERAL = new Set(["enum", "const", "minimum", "maximum"]);

/** Keyed by identity of the list of schemas: each list is made only once. */
const shapes = new WeakMap<readonly Schema[], ExaminedShape>();

/** Returns what these schemas of one table examine in a value to which each of them may apply. */
export function examinedShape(table: MessageTable, schemas: readonly Schema[]): ExaminedShape {
  const known = shapes.get(schemas);
  if (known !== undefined) return known;
  const shape = readShape(table, schemas);
  shapes.set(schemas, shape);
  return shape;
}

const roots = new WeakMap<MessageTable, Map<string, readonly Schema[]>>();

/** Returns the schema for a key of {@link compiledMessage}, always as the same list. */
export function rootSchemas(table: MessageTable, key: string): readonly Schema[] {
  const kept = roots.get(table) ?? new Map<string, readonly Schema[]>();
  roots.set(table, kept);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const root = [schemaOf(table, key)];
  kept.set(key, root);
  return root;
}

function readShape(table: MessageTable, schemas: readonly Schema[]): ExaminedShape {
  const members = new Map<string, Schema[]>();
  const others: Schema[] = [];
  const items: Schema[] = [];
  let base64 = false;
  let literal = false;
  let whole = false;
  const seen = new Set<Schema>();
  const add = (name: string, more: readonly Schema[]): void => {
    members.set(name, [...(members.get(name) ?? []), ...more]);
  };
  const read = (schema: Schema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const definition = referencedDefinition(schema);
    if (definition !== undefined) {
      read(table.definitions[definition] ?? {});
      return;
    }
    for (const [keyword, value] of Object.entries(schema)) {
      switch (keyword) {
        case "properties":
          for (const [name, property] of Object.entries(value as Record<string, Schema>)) {
            add(name, [property]);
          }
          break;
        case "required":
          for (const name of value as readonly string[]) add(name, []);
          break;
        case "additionalProperties":
          others.push(value as Schema);
          break;
        case "items":
          items.push(value as Schema);
          break;
        case "allOf":
        case "anyOf":
          for (const branch of value as readonly Schema[]) read(branch);
          break;
        case "if":
        case "then":
        case "else":
          read(value as Schema);
          break;
        case "type":
          break;
        case "pattern":
          base64 ||= value === BASE64_PATTERN;
          whole ||= value !== BASE64_PATTERN;
          break;
        default:
          literal ||= LITERAL.has(keyword);
          whole ||= !LITERAL.has(keyword);
      }
    }
  };
  for (const schema of schemas) read(schema);
  if (others.length > 0) for (const name of members.keys()) add(name, others);
  return {
    members,
    others: others.length > 0 ? others : undefined,
    items: items.length > 0 ? items : undefined,
    base64,
    literal,
    whole,
  };
}
