import { type CompiledSchema, type IsRequiredAt, pointerTokens } from "@touchstone/core/advanced";
import { removeAt } from "../json/edit.ts";
import { printTree, readTree } from "../json/tree.ts";

/** Each try costs a check of the whole text. */
const MAX_TRIED = 20;

/**
 * Returns a function that reports whether a property in a JSON text is required: it checks the text without it. After
 * 20 properties, it reports "not required" without a check.
 */
export function requiredTest(schema: CompiledSchema, text: string): IsRequiredAt {
  let read: ReturnType<typeof readTree> | undefined;
  let tried = 0;
  return (path) => {
    read ??= readTree(text);
    if (!read.ok || tried >= MAX_TRIED) return false;
    tried += 1;
    const { errors } = schema.validateText(printTree(removeAt(read.tree, pointerTokens(path))));
    return errors.some(
      (issue) =>
        issue.path === path &&
        (issue.keyword === "required" || issue.keyword === "dependentRequired"),
    );
  };
}
