import {
  arrayItems,
  isObject,
  type JsonObject,
  jsonText,
  locatePointers,
} from "@touchstone/core/advanced";
import type { LockedServer } from "@touchstone/protocol/lock";
import type { Introduction } from "./handshake.ts";

/** What a server declares, as JSON texts. */
export interface Declarations {
  readonly tools: readonly string[];
  /** Undefined if it is unknown whether there are any. */
  readonly prompts?: readonly string[] | undefined;
  readonly resourceTemplates?: readonly string[] | undefined;
  /** Undefined if it is not known how the server introduces itself. */
  readonly introduction?: Introduction | undefined;
}

/** Returns what a lock file says of a server. */
export function lockedDeclarations(name: string, server: LockedServer): Declarations {
  const { identity, instructions, tools, prompts, resourceTemplates } = server;
  const texts = (definitions: LockedServer["prompts"]): readonly string[] =>
    [...(definitions?.values() ?? [])].map(({ text }) => text);
  const has = (definitions: LockedServer["prompts"]): boolean => (definitions?.size ?? 0) > 0;
  const capabilities: JsonObject = {
    tools: {},
    ...(has(prompts) ? { prompts: {} } : {}),
    ...(has(resourceTemplates) ? { resources: {} } : {}),
  };
  return {
    tools: texts(tools),
    prompts: texts(prompts),
    resourceTemplates: texts(resourceTemplates),
    introduction: {
      capabilities,
      serverInfo: { name, version: "0", ...identity },
      ...(typeof instructions === "string" ? { instructions } : {}),
    },
  };
}

/** Where a file may have a list of tools: as a list, a result, or a JSON-RPC response. */
const PLACES: readonly (readonly string[])[] = [[], ["tools"], ["result", "tools"]];

/** Returns the tools in a JSON text; undefined if it has no list of them. */
export function listedDeclarations(bytes: Uint8Array, value: unknown): Declarations | undefined {
  const place = PLACES.find((names) => {
    let found: unknown = value;
    for (const name of names) found = isObject(found) ? found[name] : undefined;
    return Array.isArray(found) && found.every((tool) => isObject(tool) && "name" in tool);
  });
  if (place === undefined) return undefined;
  const pointer = place.map((name) => `/${name}`).join("");
  const list = locatePointers(bytes, [pointer]).get(pointer);
  if (list === undefined) return undefined;
  return { tools: [...arrayItems(bytes, list.value)].map((range) => jsonText(bytes, range)) };
}
