import type { AdaptedTool } from "@touchstone/protocol/lint";
import { BoundedMap } from "@touchstone/util";

/** How many adapted tools to remember, over all servers, and how many bytes together. */
const MAX_KNOWN = 20_000;
const MAX_KNOWN_BYTES = 64 * 1024 * 1024;

/** An adapted tool, without its text if that is unchanged. */
export type CachedAdaptedTool = AdaptedTool & { readonly isSame?: true };

/** Returns the cache entry for the result of adapting a text. */
export function toCachedTool(made: AdaptedTool, text: Uint8Array): CachedAdaptedTool {
  return made.text === text ? { ...made, text: undefined, isSame: true } : made;
}

/** Returns the tool of a cache entry. If nothing was changed, it has the same bytes as the text. */
export function fromCachedTool(kept: CachedAdaptedTool, text: Uint8Array): AdaptedTool {
  return kept.isSame === true ? { ...kept, text } : kept;
}

/** Caches adapted tools by their input, so that a list that is sent again costs one hash per tool. */
export class KnownTools {
  #tools: BoundedMap<string, CachedAdaptedTool> = new BoundedMap(MAX_KNOWN);
  #bytes = 0;

  get(key: string): CachedAdaptedTool | undefined {
    const known = this.#tools.get(key);
    if (known !== undefined) this.#tools.set(key, known);
    return known;
  }

  set(key: string, tool: CachedAdaptedTool): void {
    const notes = tool.changes.length + (tool.left?.findings.length ?? 0);
    const size = (tool.text?.length ?? 0) + 200 * notes + 200;
    this.#bytes += size;
    if (this.#bytes > MAX_KNOWN_BYTES) {
      this.#tools = new BoundedMap(MAX_KNOWN);
      this.#bytes = size;
    }
    this.#tools.set(key, tool);
  }
}
