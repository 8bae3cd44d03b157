import { dirname } from "node:path";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type KeyFault,
  type Path,
  parseDocument,
} from "./document.ts";
import { FaultList } from "./fault-list.ts";
import { configTooLarge, MAX_CONFIG_BYTES } from "./file.ts";
import { type Environment, substitute } from "./variables.ts";

export interface SourceOptions {
  /** The file's name in messages. */
  readonly file: string;
  readonly env: Environment;
  /** Also read `${env:NAME}`, the form of VS Code and Cursor. */
  readonly editorForms: boolean;
  /** Returns whether a value belongs to other programs: it is neither checked nor changed. */
  readonly foreign: (top: JsonObject) => (path: Path) => boolean;
}

/** A syntactically valid text with its variables substituted, ready to be checked. */
export interface SubstitutedConfig {
  /** With variables substituted. */
  readonly value: JsonObject;
  /** As written, for messages. */
  readonly written: JsonObject;
  /** The files that references name. */
  readonly files: readonly string[];
  /** Holds the faults found so far. */
  readonly faults: FaultList;
}

/** Keeps the number of faults, and the time of every later step, bounded. */
const MAX_VALUES = 50_000;

/**
 * Opens a configuration's text.
 *
 * @throws {ConfigError} for a text over 1 MiB, syntax faults, a value that is not an object, and too many values;
 *   other faults go to `faults`
 */
export function openSource(input: string, options: SourceOptions): SubstitutedConfig {
  if (Buffer.byteLength(input) > MAX_CONFIG_BYTES) throw configTooLarge(options.file);
  const text = input.startsWith("\uFEFF") ? input.slice(1) : input;
  const document = parseDocument(text);
  if ("faults" in document) {
    const faults = new FaultList(options.file, text);
    for (const fault of document.faults) faults.addAt(fault.code, fault.offset, [], fault.message);
    return faults.fail();
  }
  const faults = new FaultList(options.file, text, document.places);
  const { value: written } = document;
  if (!isJsonObject(written)) {
    faults.add("WRONG_TYPE", [], "must be an object: { … }");
    return faults.fail();
  }
  const foreign = options.foreign(written);
  if (countValues(written, [], foreign, 0) > MAX_VALUES) {
    faults.add("TOO_MANY_VALUES", [], `has more than ${MAX_VALUES} values; split it`);
    return faults.fail();
  }
  addKeyFaults(document.duplicates, foreign, (path, offset) =>
    faults.addAt("DUPLICATE_KEY", offset, path, "this key occurs twice in one object; remove one"),
  );
  addKeyFaults(document.prototypes, foreign, (path, offset) =>
    faults.addAt("INVALID_NAME", offset, path, 'nothing can be named "__proto__"; rename it'),
  );
  const folder = dirname(options.file);
  const { value, files } = substitute(written, faults, { ...options, folder, skip: foreign });
  faults.secretFiles = files;
  return { value, written, files, faults };
}

function addKeyFaults(
  found: readonly KeyFault[],
  foreign: (path: Path) => boolean,
  add: (path: Path, offset: number) => void,
): void {
  for (const { path, offset } of found) if (!foreign(path)) add(path, offset);
}

/** Adds the values that are not foreign to `count`; stops soon after the limit. */
function countValues(
  value: JsonValue,
  path: Path,
  foreign: (path: Path) => boolean,
  count: number,
): number {
  if (path.length > 0 && foreign(path)) return count;
  let total = count + 1;
  if (typeof value !== "object" || value === null) return total;
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    if (total > MAX_VALUES) return total;
    total = countValues(member, [...path, isList ? Number(key) : key], foreign, total);
  }
  return total;
}
