import { type CompiledSchema, quotePointer } from "@touchstone/core";
import { removeAt } from "../json/edit.ts";
import { type JsonTree, printTree, readTree } from "../json/tree.ts";

/** What core adds to the advice on a value that says nothing. It cannot tell what is around it. */
const OMISSION = ": leave it out if it is not required";
/** Each costs a check of the whole text. */
const MAX_TRIED = 20;

function tokensOf(pointer: string): readonly string[] {
  const tokens = pointer.split("/").slice(1);
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether a property that is there would be missed: the text is judged without it. */
function isRequired(schema: CompiledSchema, tree: JsonTree, pointer: string): boolean {
  const { errors } = schema.check(printTree(removeAt(tree, tokensOf(pointer))));
  return errors.some(
    ({ path, keyword }) =>
      path === pointer && (keyword === "required" || keyword === "dependentRequired"),
  );
}

/**
 * Lines of advice that tell nobody to leave out what has to be there.
 * @param paths of what is wrong, RFC 6901
 */
export function withoutOmissions(
  lines: readonly string[],
  schema: CompiledSchema,
  text: string,
  paths: readonly string[],
): readonly string[] {
  if (!lines.some((line) => line.includes(OMISSION))) return lines;
  const read = readTree(text);
  if (!read.ok) return lines;
  let tried = 0;
  return lines.map((line) => {
    const path = paths.find((pointer) => line.startsWith(`Change ${quotePointer(pointer)}:`));
    if (path === undefined || !line.includes(OMISSION) || tried >= MAX_TRIED) return line;
    tried += 1;
    return isRequired(schema, read.tree, path) ? line.replace(OMISSION, "") : line;
  });
}
