import {
  arrayItems,
  type CompiledSchema,
  compileDeclared,
  isObject,
  jsonText,
  parseJson,
} from "@touchstone/core/advanced";
import type { Frame } from "@touchstone/protocol/advanced";

/** A tool that a source declares. */
export interface DeclaredTool {
  readonly name: string;
  /** The JSON text of its declaration. */
  readonly text: string;
  /** Undefined if it declares none. */
  readonly outputSchema: CompiledSchema | undefined;
}

/** Returns the JSON texts of the tools on the pages of a list. */
export function toolTexts(pages: readonly Frame[]): readonly string[] {
  return pages.flatMap((page) => {
    const range = page.range("/result/tools");
    if (range === undefined) return [];
    return [...arrayItems(page.bytes, range)].map((item) => jsonText(page.bytes, item));
  });
}

/** Returns the tools of a list by name; of several with the same name, the last. */
export function declaredTools(texts: readonly string[]): ReadonlyMap<string, DeclaredTool> {
  const tools = new Map<string, DeclaredTool>();
  for (const text of texts) {
    const parsed = parseJson(text);
    if (!parsed.ok || !isObject(parsed.value)) continue;
    const { name, outputSchema } = parsed.value;
    if (typeof name !== "string") continue;
    const schema =
      outputSchema === undefined ? undefined : compileDeclared({ value: outputSchema });
    tools.set(name, { name, text, outputSchema: schema });
  }
  return tools;
}
