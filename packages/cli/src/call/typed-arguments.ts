import { parseJson, quote } from "@touchstone/core/advanced";
import { didYouMean } from "@touchstone/gateway/config";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { readDeclaration, type ValueDeclaration } from "../tools/declared.ts";
import { typeText } from "../tools/text.ts";

/** A place in the arguments: the names that lead to it, and its declaration. */
interface ArgumentPlace {
  readonly names: readonly string[];
  readonly schema: unknown;
}

interface Leaf extends ArgumentPlace {
  readonly key: string;
  readonly words: string[];
}

type Node = Leaf | Map<string, Node>;

/**
 * Builds the JSON text of a call's arguments from `key=value` words. The schema decides how a word is read: a string
 * is taken literally; anything else is read as JSON if the types, `enum` and `const` of the schema allow that value,
 * and is text if they only allow text. Numbers keep their digits. A repeated key becomes an array; `a.b=1` is a
 * member of `a` if the schema declares `a` as an object and no property `a.b`. The later check decides whether values
 * are valid.
 * @param schema the tool's input schema, of any shape
 * @throws CliExit 2 for a word without `=`, or a key that matches no place or several
 */
export function typedArguments(words: readonly string[], schema: unknown): string {
  const root = new Map<string, Node>();
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1) throw usage(`-a ${shown(word)}: write it as key=value`);
    const key = word.slice(0, at);
    put(root, key, placeOf(key, schema), word.slice(at + 1));
  }
  return nodeText(root, schema);
}

function usage(message: string): CliExit {
  return new CliExit(EXIT_USAGE, message);
}

const shown = (text: string): string => safeText(text.slice(0, 200));

/** Finds the only place that a key can refer to. */
function placeOf(key: string, schema: unknown): ArgumentPlace {
  const [found, another] = placesOf(key, schema, schema);
  const asJson = "pass all arguments as JSON";
  if (found === undefined) {
    const known = [...readDeclaration(schema, schema).properties.keys()];
    const head = key.split(".", 1)[0] ?? "";
    const closest = safeText(didYouMean(head, known));
    const hint = known.includes(head)
      ? `"${shown(head)}" is not an object with such a member`
      : `the tool declares neither "${shown(key)}" nor "${shown(head)}"${closest}`;
    throw usage(
      `-a ${shown(key)}: ${hint}${hint.endsWith("?") ? "" : "."} If it is meant, ${asJson}`,
    );
  }
  if (another !== undefined) {
    const each = [found, another].map(({ names }) => names.map((name) => quote(name)).join(" > "));
    throw usage(`-a ${shown(key)} means ${safeText(each.join(" or "))}: ${asJson}`);
  }
  return found;
}

/** Yields every place that a key can refer to. */
function placesOf(key: string, schema: unknown, root: unknown): readonly ArgumentPlace[] {
  const { properties } = readDeclaration(schema, root);
  const found: ArgumentPlace[] = [];
  if (properties.has(key)) found.push({ names: [key], schema: properties.get(key) });
  for (let dot = key.indexOf("."); dot >= 0; dot = key.indexOf(".", dot + 1)) {
    const head = key.slice(0, dot);
    const below = properties.get(head);
    if (!properties.has(head) || !readDeclaration(below, root).types.has("object")) continue;
    for (const { names, schema: there } of placesOf(key.slice(dot + 1), below, root)) {
      found.push({ names: [head, ...names], schema: there });
    }
  }
  // An undeclared name: the check decides whether it is allowed.
  if (found.length === 0 && key !== "" && !key.includes(".")) return [{ names: [key], schema: {} }];
  return found;
}

/** Adds a word at its place. */
function put(root: Map<string, Node>, key: string, place: ArgumentPlace, word: string): void {
  const { names } = place;
  const clash = (): CliExit =>
    usage(`-a ${shown(key)}: its object is given both whole and by its members; use one of them`);
  let at = root;
  for (const name of names.slice(0, -1)) {
    const below = at.get(name) ?? new Map<string, Node>();
    if (!(below instanceof Map)) throw clash();
    at.set(name, below);
    at = below;
  }
  const last = names.at(-1) ?? "";
  const there = at.get(last);
  if (there instanceof Map) throw clash();
  if (there === undefined) at.set(last, { ...place, key, words: [word] });
  else there.words.push(word);
}

function nodeText(node: Node, root: unknown): string {
  if (!(node instanceof Map)) return leafText(node, root);
  const members = [...node].map(
    ([name, below]) => `${JSON.stringify(name)}:${nodeText(below, root)}`,
  );
  return `{${members.join(",")}}`;
}

function leafText({ key, words, schema }: Leaf, root: unknown): string {
  const what = readDeclaration(schema, root);
  const [first = "", ...others] = words;
  if (others.length === 0) return wordText(first, what, root);
  if (!what.types.has("array")) {
    const type = safeText(typeText(what, root));
    throw usage(`-a ${shown(key)} is given ${words.length} times, and takes one value: ${type}`);
  }
  return `[${words.map((word, index) => wordText(word, readDeclaration(what.item(index), root), root)).join(",")}]`;
}

/**
 * Returns a word as JSON text. It is JSON if the declared types, `enum` and `const` allow that value, otherwise a
 * string if they allow that, otherwise the only item of an array.
 */
function wordText(word: string, declaration: ValueDeclaration, root: unknown): string {
  const { types, item, allows } = declaration;
  const text = JSON.stringify(word);
  if (types.size === 1 && types.has("string")) return text;
  const parsed = parseJson(word);
  if (parsed.ok && allows(parsed.value)) return word.trim();
  if (allows(word)) return text;
  const isArray = parsed.ok && Array.isArray(parsed.value);
  if (types.has("array") && !isArray)
    return `[${wordText(word, readDeclaration(item(0), root), root)}]`;
  return parsed.ok ? word.trim() : text;
}
