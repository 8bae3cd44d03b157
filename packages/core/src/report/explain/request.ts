import { decimalText } from "../../json/decimal.ts";
import { quote, wordList } from "../../json/quote.ts";
import { alwaysApplied, exactLiteralsOf, literalsOf } from "../../keywords/literals.ts";
import type { SchemaNode, SchemaNumber } from "../../keywords/node.ts";
import type { SuggestionBudget } from "../issues/nearest.ts";
import { listTexts, listValues, typeWithArticle } from "./describe.ts";

const MAX_BRANCHES = 4;
const MAX_WORDS = 7;
const MAX_NAMES = 8;
const MAX_PATTERN = 80;
/** Levels of items and members that are described, and the UTF-16 code units that they may take. */
const MAX_LEVELS = 4;
const MAX_LENGTH = 280;
/** Maximum number of schemas visited for one description: a hostile schema has branches times branches of them. */
const MAX_SCHEMAS = 64;
/** What a visit costs, in cells of an {@link SuggestionBudget}. */
const SCHEMA_CELLS = 600;

/**
 * Returns what to send so that a schema accepts it, in some words: the types, with their bounds; what each item is; the
 * required members. Describes as many levels as fit into 280 characters. It may lack requirements that are hard to put
 * into words, such as conditions. Undefined if there is no short description, or if the effort is spent.
 */
export function requestOf(node: SchemaNode, effort: SuggestionBudget): string | undefined {
  for (let levels = MAX_LEVELS; levels > 0; levels--) {
    const words = atLevel(node, levels, { left: MAX_SCHEMAS, effort });
    if (words === undefined || words.length <= MAX_LENGTH) return words;
  }
  return atLevel(node, 0, { left: MAX_SCHEMAS, effort });
}

/** How many schemas may still be visited, and what that may cost. */
interface Schemas {
  left: number;
  readonly effort: SuggestionBudget;
}

function atLevel(node: SchemaNode, levels: number, schemas: Schemas): string | undefined {
  const words = wordsOf(node, levels, schemas);
  return words && wordList(words, MAX_WORDS);
}

function wordsOf(
  node: SchemaNode,
  levels: number,
  schemas: Schemas,
): readonly string[] | undefined {
  if (schemas.left-- <= 0 || !schemas.effort.compare(SCHEMA_CELLS)) return undefined;
  const literals = literalsOf(node);
  if (literals !== undefined) return [listValues(literals)];
  const exact = exactLiteralsOf(node);
  if (exact !== undefined) return [listTexts(exact)];
  const nodes = alwaysApplied(node);
  if (!schemas.effort.compare(nodes.length * SCHEMA_CELLS)) return undefined;
  for (const { type, anyOf, oneOf } of nodes) {
    if (type !== undefined) {
      const some = nodes.filter((each) => each.type !== undefined);
      const names = type.filter((name) => some.every((each) => allows(each, name)));
      return names.map((name) => phrase(name, nodes, levels, schemas));
    }
    const branches = anyOf ?? oneOf;
    if (branches === undefined || branches.length > MAX_BRANCHES || levels <= 0) continue;
    const words = branches.map((branch) => wordsOf(branch, levels - 1, schemas));
    if (words.includes(undefined)) continue;
    return [...new Set(words.flatMap((all) => all ?? []))];
  }
  const isObject = nodes.some(({ required = [] }) => required.length > 0);
  return isObject ? [phrase("object", nodes, levels, schemas)] : undefined;
}

function allows({ type = [] }: SchemaNode, name: string): boolean {
  const names: readonly string[] = type;
  return names.includes(name) || (name === "integer" && names.includes("number"));
}

type Nodes = readonly SchemaNode[];

function phrase(type: string, nodes: Nodes, levels: number, schemas: Schemas): string {
  switch (type) {
    case "string":
      return text(nodes);
    case "integer":
    case "number":
      return `${typeWithArticle(type)}${range(nodes)}`;
    case "array":
      return list(nodes, levels, schemas);
    case "object":
      return `an object${members(nodes, levels, schemas)}`;
    default:
      return typeWithArticle(type);
  }
}

function firstOf<K extends keyof SchemaNode>(nodes: Nodes, key: K): SchemaNode[K] | undefined {
  return nodes.find((node) => node[key] !== undefined)?.[key];
}

function propertyIn(nodes: Nodes, name: string): SchemaNode | undefined {
  return nodes.find(({ properties }) => properties?.has(name))?.properties?.get(name);
}

/** Returns the bounds of a count: ` of 2 to 4 items`. */
function counted(
  least: number | undefined,
  most: number | undefined,
  one: string,
  many: string,
): string {
  const low = least === 0 ? undefined : least;
  const units = (count: number): string => (count === 1 ? one : many);
  if (low === undefined && most === undefined) return "";
  if (most === undefined) return ` of at least ${low} ${units(low ?? 0)}`;
  if (low === undefined) return ` of at most ${most} ${units(most)}`;
  return low === most ? ` of ${low} ${units(low)}` : ` of ${low} to ${most} ${units(most)}`;
}

function text(nodes: Nodes): string {
  const format = firstOf(nodes, "format");
  if (format !== undefined) return `a string (${quote(format)})`;
  const source = firstOf(nodes, "pattern")?.source;
  const matching =
    source === undefined || source.length > MAX_PATTERN
      ? ""
      : ` that matches ${quote(source, MAX_PATTERN)}`;
  const least = firstOf(nodes, "minLength");
  const most = firstOf(nodes, "maxLength");
  // A minimum length of 1 is not mentioned, because it is obvious.
  const low = least === 1 ? undefined : least;
  return `a string${counted(low, most, "character", "characters")}${matching}`;
}

function digits({ value, exact }: SchemaNumber): string {
  return (exact && decimalText(exact)) ?? String(value);
}

function range(nodes: Nodes): string {
  const [least, most] = [firstOf(nodes, "minimum"), firstOf(nodes, "maximum")];
  const [above, below] = [firstOf(nodes, "exclusiveMinimum"), firstOf(nodes, "exclusiveMaximum")];
  const of = firstOf(nodes, "multipleOf");
  const multiple = of === undefined ? "" : ` that is a multiple of ${digits(of)}`;
  if (least !== undefined && most !== undefined && above === undefined && below === undefined) {
    return ` from ${digits(least)} to ${digits(most)}${multiple}`;
  }
  const bounds = [
    ...(above === undefined ? [] : [`more than ${digits(above)}`]),
    ...(least === undefined || above !== undefined ? [] : [`at least ${digits(least)}`]),
    ...(below === undefined ? [] : [`less than ${digits(below)}`]),
    ...(most === undefined || below !== undefined ? [] : [`at most ${digits(most)}`]),
  ];
  return `${bounds.length === 0 ? "" : ` of ${bounds.join(" and ")}`}${multiple}`;
}

function list(nodes: Nodes, levels: number, schemas: Schemas): string {
  const size = counted(firstOf(nodes, "minItems"), firstOf(nodes, "maxItems"), "item", "items");
  const item = firstOf(nodes, "prefixItems") === undefined ? firstOf(nodes, "items") : undefined;
  const words = item === undefined || levels <= 0 ? undefined : atLevel(item, levels - 1, schemas);
  return `an array${size}${words === undefined ? "" : `, each item ${words}`}`;
}

function members(nodes: Nodes, levels: number, schemas: Schemas): string {
  const names = [...new Set(nodes.flatMap(({ required = [] }) => required))];
  if (names.length === 0 || levels <= 0) return "";
  const words = names.slice(0, MAX_NAMES).map((name) => {
    const property = propertyIn(nodes, name);
    const described = property && atLevel(property, levels - 1, schemas);
    return `${quote(name)}${described === undefined ? "" : ` (${described})`}`;
  });
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more properties` : "";
  return ` with ${more === "" ? wordList(words, MAX_NAMES, "and") : words.join(", ")}${more}`;
}
