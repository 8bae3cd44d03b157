import { readFileSync, statSync } from "node:fs";
import { locatePointers, parseJson, positionsOf } from "@touchstone/core";
import type { Finding } from "@touchstone/protocol";
import { CliExit, EXIT_FAILED, EXIT_USAGE } from "../exit.ts";

/** Largest file that is read, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The tools of a captured `tools/list`, and where findings in them stand in the file. */
export interface Capture {
  readonly name: string;
  readonly tools: readonly unknown[];
  readonly placesOf: (
    findings: readonly Pick<Finding, "index" | "path">[],
  ) => readonly { readonly line?: number; readonly column?: number }[];
}

/** Whether a word names a file that is there. */
export function isCapture(word: string): boolean {
  return statSync(word, { throwIfNoEntry: false })?.isFile() === true;
}

/** Where the tools may stand: a list, a result, a JSON-RPC answer. */
const PLACES = ["", "/tools", "/result/tools"] as const;

function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of pointer.split("/").slice(1)) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

/**
 * Reads a file that holds the tools of a server: a list of them, a `tools/list` result, or the
 * JSON-RPC answer that brought it.
 * @throws CliExit where it cannot be read or holds no tools
 */
export function readCapture(file: string): Capture {
  const bytes = read(file);
  const parsed = parseJson(bytes);
  if (!parsed.ok) {
    throw new CliExit(EXIT_USAGE, `${file}: not JSON: ${parsed.message}`);
  }
  const place = PLACES.find((pointer) => Array.isArray(at(parsed.value, pointer)));
  if (place === undefined) {
    const wanted = "a list of tools, a tools/list result, or the JSON-RPC answer that brought it";
    throw new CliExit(EXIT_USAGE, `${file}: holds no tools; it must be ${wanted}`);
  }
  return {
    name: file,
    tools: at(parsed.value, place) as readonly unknown[],
    placesOf: (findings) =>
      positions(
        bytes,
        findings.map(({ index, path }) => `${place}/${index}${path}`),
      ),
  };
}

function read(file: string): Uint8Array {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    return bytes;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliExit(EXIT_FAILED, `cannot read ${file}: ${reason}`);
  }
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
