/** What the address names, after its `#`. */
export interface Route {
  /** The tool that is open, as its name stands in a path (a lone surrogate as U+FFFD). */
  readonly tool?: string;
}

const TOOL = "#/tools/";

/** Reads the fragment of an address. One that names nothing is the list. Never throws. */
export function readRoute(hash: string): Route {
  if (!hash.startsWith(TOOL)) return {};
  try {
    const tool = decodeURIComponent(hash.slice(TOOL.length));
    return tool === "" ? {} : { tool };
  } catch {
    return {};
  }
}

/** The fragment that {@link readRoute} reads as this tool. */
export function toolHash(name: string): string {
  return TOOL + encodeURIComponent(name.toWellFormed());
}
