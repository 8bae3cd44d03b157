import { statSync } from "node:fs";
import type { Readable } from "node:stream";
import { isObject, locatePointers, parseJson, positionsOf } from "@touchstone/core/advanced";
import { findToolList, toolTexts } from "@touchstone/protocol/advanced";
import type { Finding } from "@touchstone/protocol/lint";
import { duplicateKeys } from "../findings/duplicate-keys.ts";
import { remarkLines } from "../findings/text-remarks.ts";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";
import { inputName } from "../io/input-pieces.ts";
import { readInput } from "../io/read-file.ts";
import { safeText } from "../terminal/safe-text.ts";

/** Largest file to read, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The tools of a captured `tools/list`, and the positions in the file for findings about them. */
export interface Capture {
  readonly name: string;
  readonly tools: readonly unknown[];
  /** The duplicate keys in the file, one line each. */
  readonly warnings: readonly string[];
  /** Why tools of the server are missing from the file; absent if the file does not show that. */
  readonly partial?: string;
  /** The JSON text of each tool. */
  readonly texts: () => readonly string[];
  readonly placesOf: (
    findings: readonly Pick<Finding, "index" | "path">[],
  ) => readonly { readonly line?: number; readonly column?: number }[];
}

/**
 * Returns whether a word names a file, or is `-` for standard input, rather than a server: a file or pipe of this
 * name exists, or the word looks like a path. A directory is only treated as a file if the word cannot be the name of
 * a server.
 * @param mayName whether the word may be the name of a configured server
 */
export function isCapture(word: string, mayName: boolean): boolean {
  if (word === "-") return true;
  if (/^https?:/i.test(word)) return false;
  const isDirectory = isDirectoryAt(word);
  return isDirectory === undefined || (isDirectory && mayName) ? /\.json$/i.test(word) : true;
}

/** Returns whether a path is a directory; undefined if it does not exist or cannot be examined. */
function isDirectoryAt(path: string): boolean | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory();
  } catch {
    return undefined;
  }
}

const MORE_PAGES =
  'holds one page of the list: "nextCursor" names another one, whose tools are not examined';

/** Returns the message for a configuration, which is easily mistaken for the file to check. */
function holdsServers(file: string, servers: object): string {
  const names = Object.keys(servers).slice(0, 50).map(safeText).join(", ");
  const shown = safeText(file);
  return `${shown}: holds servers and no tools; name one of them: --servers ${shown} NAME. It has: ${names}`;
}

/**
 * Reads a file, or standard input, with the tools of a server: a list of them, a `tools/list` result, or the JSON-RPC
 * response with it.
 * @throws CliExit if it cannot be read or holds no tools
 */
export async function readCapture(given: string, stdin: Readable): Promise<Capture> {
  const file = inputName(given);
  const bytes = await readInput(given, MAX_BYTES, stdin);
  const parsed = parseJson(bytes);
  if (!parsed.ok) {
    throw new CliExit(EXIT_USAGE, `${file}: not JSON: ${parsed.message}`);
  }
  const { value } = parsed;
  const list = findToolList(value);
  if (list === undefined) {
    const servers = isObject(value) ? value["mcpServers"] : undefined;
    if (isObject(servers)) throw new CliExit(EXIT_USAGE, holdsServers(file, servers));
    const wanted =
      "a list of tools, a tools/list result, or the JSON-RPC response that contained it";
    throw new CliExit(EXIT_USAGE, `${file}: holds no tools; it must be ${wanted}`);
  }
  return {
    name: file,
    tools: list.tools,
    texts: () => toolTexts(bytes, list.pointer),
    warnings: [...remarkLines(given, bytes, duplicateKeys(bytes))],
    ...(list.hasMorePages && { partial: `${safeText(file)}: ${MORE_PAGES}` }),
    placesOf: (findings) =>
      positions(
        bytes,
        findings.map(({ index, path }) => `${list.pointer}/${index}${path}`),
      ),
  };
}

function positions(
  bytes: Uint8Array,
  pointers: readonly string[],
): readonly { readonly line?: number; readonly column?: number }[] {
  const places = locatePointers(bytes, new Set(pointers));
  const offsets = pointers.map((pointer) => places.get(pointer)?.value.start);
  const known = positionsOf(
    bytes,
    offsets.filter((offset) => offset !== undefined),
  );
  return offsets.map((offset) => (offset === undefined ? {} : (known.get(offset) ?? {})));
}
