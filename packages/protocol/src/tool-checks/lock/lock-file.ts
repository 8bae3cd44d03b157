import {
  type CompiledSchema,
  canonicalText,
  compileOwn,
  decodeUtf8,
  encodeUtf8,
  escapePointer,
  isObject,
  joinPointer,
  locatePointers,
  positionsOf,
  quotePointer,
  scanJson,
  type TextPosition,
} from "@touchstone/core/advanced";
import { canonicalDefinition, instructionsHash, memberHashes } from "./definition.ts";
import { showInvisible } from "./invisible-characters.ts";
import { LOCK_SCHEMA } from "./lock-schema.ts";

/** A locked tool, prompt or resource template. */
export interface LockedDefinition {
  /** Hash of the whole definition, as returned by `canonicalDefinition`. */
  readonly hash: string;
  /** The whole definition as canonical JSON. */
  readonly text: string;
  /** Hashes of other definitions that are also approved for this name. */
  readonly alsoApproved: readonly string[];
}

/** How a server introduces itself. */
export interface LockedIdentity {
  readonly name?: string;
  readonly title?: string;
  readonly version?: string;
}

/** The declarations of one server. */
export interface LockedServer {
  readonly identity?: LockedIdentity | undefined;
  /** The MCP revision that it used. */
  readonly protocolVersion?: string | undefined;
  /** Null if the server has none; undefined if they are not known. */
  readonly instructions?: string | null | undefined;
  /** By name. */
  readonly tools: ReadonlyMap<string, LockedDefinition>;
  /** By name; undefined if they are not known. */
  readonly prompts?: ReadonlyMap<string, LockedDefinition> | undefined;
  /** By `uriTemplate`; undefined if they are not known. */
  readonly resourceTemplates?: ReadonlyMap<string, LockedDefinition> | undefined;
}

/** The content of a lock file: the declarations of servers, by the names under which they were locked. */
export interface LockFile {
  readonly servers: ReadonlyMap<string, LockedServer>;
}

/** A fault in the text of a lock file, and its location. Lines and columns count from 1. */
export interface LockFault {
  readonly line: number;
  readonly column: number;
  /** RFC 6901 pointer; `""` is the whole file. */
  readonly path: string;
  readonly message: string;
}

export type ReadLock =
  | {
      readonly ok: true;
      readonly lock: LockFile;
      /**
       * Returns the positions in the text of the values that pointers lead to; for a pointer that leads nowhere, the
       * last value that it reaches.
       */
      readonly placesOf: (pointers: readonly string[]) => readonly TextPosition[];
    }
  | { readonly ok: false; readonly faults: readonly LockFault[] };

const NOTE =
  "Made by touchstone lock. It pins what servers declare. What tools, prompts and resources return cannot be pinned.";
const LOCK_AGAIN = "lock the server again with touchstone lock";
/** The largest number of faults listed. */
const MAX_FAULTS = 20;
const ALL = Number.MAX_SAFE_INTEGER;
const LIMITS = { maxBytes: ALL, maxDepth: 10_000, maxIssues: MAX_FAULTS, maxText: ALL } as const;
const CONFLICT = /^(?:<{7}|={7}|>{7})(?: |$)/m;

const START: TextPosition = { line: 1, column: 1 };

let schema: CompiledSchema | undefined;

/** Returns what a lock file stores for a definition; undefined if the source is not JSON. */
export function lockedDefinition(source: string | Uint8Array): LockedDefinition | undefined {
  const definition = canonicalDefinition(source);
  return definition && { ...definition, alsoApproved: [] };
}

/** Returns whether a lock approves a definition with this hash. */
export function approves(
  locked: Pick<LockedDefinition, "hash" | "alsoApproved"> | undefined,
  hash: string,
): boolean {
  return locked !== undefined && (locked.hash === hash || locked.alsoApproved.includes(hash));
}

/**
 * Writes a lock file: the same text for the same content, in lines that are easy to compare. Escapes invisible
 * characters, so that a diff shows them.
 */
export function writeLock({ servers }: LockFile): string {
  const text = objectText([
    ["lock_version", "1"],
    ["note", JSON.stringify(NOTE)],
    ["servers", mapText(servers, serverText)],
  ]);
  const lines = canonicalText(text, "  ") ?? "";
  return `${showInvisible(lines)}\n`;
}

function objectText(members: Iterable<readonly [string, string | undefined]>): string {
  const written: string[] = [];
  for (const [name, text] of members) {
    if (text !== undefined) written.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${written.join(",")}}`;
}

function mapText<T>(map: ReadonlyMap<string, T>, write: (value: T) => string): string {
  return objectText([...map].map(([name, value]) => [name, write(value)]));
}

function serverText(server: LockedServer): string {
  const { identity, protocolVersion, instructions, tools, prompts, resourceTemplates } = server;
  return objectText([
    ["identity", identity && JSON.stringify(identity)],
    ["protocol_version", protocolVersion && JSON.stringify(protocolVersion)],
    ["instructions", instructionsText(instructions)],
    ["tools", mapText(tools, definitionText)],
    ["prompts", prompts && mapText(prompts, definitionText)],
    ["resource_templates", resourceTemplates && mapText(resourceTemplates, definitionText)],
  ]);
}

function instructionsText(instructions: string | null | undefined): string | undefined {
  if (typeof instructions !== "string") return instructions === null ? "null" : undefined;
  return JSON.stringify({ hash: instructionsHash(instructions), text: instructions });
}

function definitionText({ hash, text, alsoApproved }: LockedDefinition): string {
  const also = [...new Set(alsoApproved)].sort();
  return objectText([
    ["hash", JSON.stringify(hash)],
    ["hashes", JSON.stringify(memberHashes(text))],
    ["also_approved", also.length === 0 ? undefined : JSON.stringify(also)],
    ["definition", text],
  ]);
}

/**
 * Duplicate keys inside a definition are not faults: a server may declare a key twice there, and the hash covers both.
 */
const IN_DEFINITION =
  /^\/servers\/[^/]*\/(?:tools|prompts|resource_templates)\/[^/]*\/definition\//;

/**
 * Reads the text of a lock file. Never throws. Checks every hash against the content it belongs to, so that a file
 * that was edited by hand or merged wrongly approves nothing by accident.
 * @returns the lock, or else its faults, at most 20
 */
export function readLock(source: string | Uint8Array): ReadLock {
  const bytes = typeof source === "string" ? encodeUtf8(source) : source;
  const scan = scanJson(bytes, { duplicates: true, maxDepth: LIMITS.maxDepth });
  if (scan.error !== undefined) {
    const { offset, message } = scan.error;
    const conflict = CONFLICT.exec(decodeUtf8(bytes));
    const found =
      conflict === null
        ? { offset, message: `it is not JSON: ${message}` }
        : {
            offset: encodeUtf8(conflict.input.slice(0, conflict.index)).length,
            message: `it holds a merge conflict; take one side, and ${LOCK_AGAIN}`,
          };
    return failed(bytes, [{ path: "", ...found }]);
  }
  const duplicate = scan.duplicatesTruncated
    ? scan.duplicates[0]
    : scan.duplicates.find(({ path }) => !IN_DEFINITION.test(path));
  if (duplicate !== undefined) {
    const message = `the key occurs twice; remove one, or ${LOCK_AGAIN}`;
    return failed(bytes, [{ path: duplicate.path, offset: duplicate.offset, message }]);
  }
  const value: unknown = JSON.parse(decodeUtf8(bytes));
  const other = isObject(value) ? value["lock_version"] : undefined;
  if (typeof other === "number" && other > 1) {
    const message = `this version of Touchstone reads lock_version 1; update Touchstone, or ${LOCK_AGAIN}`;
    return failed(bytes, [{ path: "/lock_version", message }]);
  }
  schema ??= compileOwn(LOCK_SCHEMA);
  const { outcome, errors } = schema.validate(value, LIMITS);
  if (outcome !== "pass") {
    const faults = errors.map(({ path, message }) => ({ path, message }));
    return failed(bytes, faults.length > 0 ? faults : [{ path: "", message: "cannot be checked" }]);
  }
  return new LockReader(bytes, value as WrittenLock).read();
}

interface FoundFault {
  readonly path: string;
  readonly message: string;
  readonly offset?: number;
}

/** Returns the offsets of the keys or values that pointers lead to. */
function offsetsOf(bytes: Uint8Array, pointers: readonly string[]): readonly number[] {
  const places = locatePointers(bytes, pointers);
  return pointers.map((pointer) => {
    const place = places.get(pointer);
    return (place?.key ?? place?.value)?.start ?? 0;
  });
}

function failed(bytes: Uint8Array, found: readonly FoundFault[]): ReadLock {
  const listed = found.slice(0, MAX_FAULTS);
  // Pointers cannot be located in text that is not JSON.
  const offsets = listed.every(({ offset }) => offset !== undefined)
    ? []
    : offsetsOf(
        bytes,
        listed.map(({ path }) => path),
      );
  const located = listed.map((fault, at) => ({ ...fault, at: fault.offset ?? offsets[at] ?? 0 }));
  const positions = positionsOf(
    bytes,
    located.map(({ at }) => at),
  );
  const faults = located.map(({ path, message, at }) => ({
    ...(positions.get(at) ?? START),
    path,
    message,
  }));
  return { ok: false, faults };
}

interface WrittenDefinition {
  readonly hash: string;
  readonly hashes: Readonly<Record<string, string>>;
  readonly also_approved?: readonly string[];
}

type WrittenDefinitions = Readonly<Record<string, WrittenDefinition>>;

interface WrittenServer {
  readonly identity?: LockedIdentity;
  readonly protocol_version?: string;
  readonly instructions?: { readonly hash: string; readonly text: string } | null;
  readonly tools: WrittenDefinitions;
  readonly prompts?: WrittenDefinitions;
  readonly resource_templates?: WrittenDefinitions;
}

interface WrittenLock {
  readonly servers: Readonly<Record<string, WrittenServer>>;
}

/** Reads a value that satisfies the schema. */
class LockReader {
  readonly #bytes: Uint8Array;
  readonly #written: WrittenLock;
  readonly #faults: FoundFault[] = [];

  constructor(bytes: Uint8Array, written: WrittenLock) {
    this.#bytes = bytes;
    this.#written = written;
  }

  read(): ReadLock {
    const servers = new Map<string, LockedServer>();
    const texts = this.#texts();
    for (const [name, server] of Object.entries(this.#written.servers)) {
      servers.set(name, this.#server(server, joinPointer("/servers", name), texts));
    }
    if (this.#faults.length > 0) return failed(this.#bytes, this.#faults);
    return {
      ok: true,
      lock: { servers },
      placesOf: (pointers) => {
        const offsets = offsetsOf(this.#bytes, pointers);
        const positions = positionsOf(this.#bytes, offsets);
        return offsets.map((offset) => positions.get(offset) ?? START);
      },
    };
  }

  /** Returns the text of each definition by its pointer. Parsed values would have lost digits of numbers. */
  #texts(): ReadonlyMap<string, string> {
    const pointers: string[] = [];
    for (const [name, server] of Object.entries(this.#written.servers)) {
      for (const member of ["tools", "prompts", "resource_templates"] as const) {
        for (const each of Object.keys(server[member] ?? {})) {
          const at = `/servers/${escapePointer(name)}/${member}/${escapePointer(each)}`;
          pointers.push(`${at}/definition`);
        }
      }
    }
    const texts = new Map<string, string>();
    for (const [pointer, { value }] of locatePointers(this.#bytes, pointers)) {
      texts.set(pointer, decodeUtf8(this.#bytes, value.start, value.end));
    }
    return texts;
  }

  #server(written: WrittenServer, path: string, texts: ReadonlyMap<string, string>): LockedServer {
    const { identity, protocol_version: protocolVersion, instructions } = written;
    if (instructions && instructionsHash(instructions.text) !== instructions.hash) {
      this.#faults.push(changed(`${path}/instructions/hash`));
    }
    const definitions = (member: "tools" | "prompts" | "resource_templates") => {
      const all = written[member];
      if (all === undefined) return undefined;
      return this.#definitions(all, `${path}/${member}`, texts);
    };
    return {
      identity,
      protocolVersion,
      instructions: instructions === undefined ? undefined : (instructions?.text ?? null),
      tools: definitions("tools") ?? new Map(),
      prompts: definitions("prompts"),
      resourceTemplates: definitions("resource_templates"),
    };
  }

  #definitions(
    written: WrittenDefinitions,
    path: string,
    texts: ReadonlyMap<string, string>,
  ): ReadonlyMap<string, LockedDefinition> {
    const definitions = new Map<string, LockedDefinition>();
    for (const [name, { hash, hashes, also_approved: alsoApproved = [] }] of Object.entries(
      written,
    )) {
      const at = joinPointer(path, name);
      const definition = canonicalDefinition(texts.get(`${at}/definition`) ?? "");
      if (definition === undefined || definition.hash !== hash) {
        this.#faults.push(changed(`${at}/hash`));
        continue;
      }
      const own = memberHashes(definition.text);
      const names = new Set([...Object.keys(own), ...Object.keys(hashes)]);
      for (const member of names) {
        if (own[member] === hashes[member]) continue;
        const isThere = Object.hasOwn(hashes, member);
        this.#faults.push(changed(isThere ? joinPointer(`${at}/hashes`, member) : `${at}/hashes`));
      }
      definitions.set(name, { ...definition, alsoApproved });
    }
    return definitions;
  }
}

function changed(path: string): FoundFault {
  const message = `the hash does not match its content: the file was edited; ${LOCK_AGAIN}`;
  return { path, message };
}

/** Returns a fault as one line: `FILE:LINE:COLUMN: PATH: MESSAGE`. */
export function lockFaultText(file: string, { line, column, path, message }: LockFault): string {
  const at = path === "" ? "" : `${quotePointer(path)}: `;
  return `${file}:${line}:${column}: ${at}${message}`;
}
