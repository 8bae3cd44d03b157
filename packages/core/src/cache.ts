import {
  type CompiledSchema,
  compileDeclared,
  compileSource,
  compileSourceNow,
  compileWhenNeeded,
} from "./compile.ts";
import { withoutThrowing } from "./document/fault.ts";
import { type CompileOptions, schemaLimits } from "./document/options.ts";
import {
  cacheKeyText,
  decodedText,
  readSource,
  type SchemaInput,
  type SchemaSource,
} from "./document/source.ts";

/** Largest schema to read on the event loop, in bytes: about 10 ms of work. */
export const MAX_SYNC_SCHEMA_BYTES = 32_768;

/** Bounds of a cache, and what its schemas are compiled with. */
export interface SchemaCacheOptions {
  /** How many schemas to keep. Default 1000. */
  readonly maxEntries?: number;
  /** How many bytes their texts may have together. Default 67,108,864. */
  readonly maxBytes?: number;
  /**
   * Called, in milliseconds, with the time to read and build a schema that was not cached. Its errors are ignored.
   */
  readonly compiled?: (milliseconds: number) => void;
  /**
   * Size of a schema's text up to which it is read when it is requested, if it has at most 1,000 subschemas and 4,096
   * characters of patterns. A larger one is read on first use. `checkLater` does not count as a use, so that servers
   * can leave large schemas to threads. By default, every schema is read when it is requested.
   */
  readonly readNow?: number;
}

/** Options under which a schema can be cached. */
export type CachedOptions = Omit<CompileOptions, "documents">;

interface Entry {
  readonly compiled: CompiledSchema;
  readonly bytes: number;
  /** The options with which it was compiled. */
  readonly settings: string;
  /** The text by which it is found without a hash, if it has one. */
  readonly text: string | undefined;
}

/** Every runtime has `performance`, but this package uses the types of none. */
const now = (): number =>
  (globalThis as unknown as { readonly performance: { now(): number } }).performance.now();

const NO_OPTIONS: CachedOptions = {};

/**
 * Returns the options that change a schema, as one text.
 * @throws TypeError for values that could be confused with others: `null`, from a caller without types, is not an
 *   absent value, and a text cannot represent documents, which an object of wider options may have
 */
function settingsOf(options: CompileOptions): string {
  const { dialect, formats, documents, metaschema, messages } = options;
  if (documents !== undefined) throw new TypeError("no schema is kept by documents");
  const isDialect = dialect === undefined || typeof dialect === "string";
  if (!isDialect || (formats !== undefined && typeof formats !== "boolean")) {
    throw new TypeError("no schema is kept by such options");
  }
  const { maxBytes, maxDepth, maxSubschemas } = schemaLimits(options);
  const isPlain = messages === "plain";
  return [dialect, formats, metaschema === false, isPlain, maxBytes, maxDepth, maxSubschemas].join(
    " ",
  );
}

const DEFAULT_SETTINGS = settingsOf(NO_OPTIONS);

/**
 * Compiled schemas by the content of their text and by the options, so that equal schemas are compiled once. A hit
 * compares texts, which is many times faster than hashing them; a miss, and a text that is not well-formed Unicode, is
 * looked up by SHA-256. A value is never looked up by its identity, because its owner may change it.
 *
 * The cache is bounded in number and size, and drops the least recently used schema first. Schemas with a fault are
 * cached too, so that a broken one is not compiled for each call.
 */
export class SchemaCache {
  /** The entries by hash and settings, the least recently used first. */
  readonly #entries: Map<string, Entry> = new Map();
  /** Keys of entries that have a text, by settings and text. */
  readonly #keys: Map<string, Map<string, string>> = new Map();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #compiled: SchemaCacheOptions["compiled"];
  readonly #readNow: number;
  #bytes = 0;
  /** The key of the entry that was used last. */
  #last = "";

  constructor(options: SchemaCacheOptions = {}) {
    const { maxEntries = 1000, maxBytes = 67_108_864, compiled, readNow } = options;
    this.#readNow = readNow ?? Number.POSITIVE_INFINITY;
    this.#compiled = compiled;
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  /** How many schemas are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns the compiled schema, from the cache or compiled now. Never throws. */
  get(input: SchemaInput, given: CachedOptions = NO_OPTIONS): CompiledSchema {
    try {
      const settings = given === NO_OPTIONS ? DEFAULT_SETTINGS : settingsOf(given);
      return this.#byText(input, given, settings) ?? this.#byHash(input, given, settings);
    } catch {
      // A schema that cannot be cached. If the options cannot be read, the fault says what is wrong with them.
      return compileDeclared(input, given);
    }
  }

  #byText(input: SchemaInput, given: CachedOptions, settings: string): CompiledSchema | undefined {
    const keys = this.#keys.get(settings);
    if (keys === undefined) return undefined;
    try {
      const text = cacheKeyText(input, schemaLimits(given));
      const key = text === undefined ? undefined : keys.get(text);
      return key === undefined ? undefined : this.#use(key);
    } catch {
      // Reading it reports what is wrong.
      return undefined;
    }
  }

  #byHash(input: SchemaInput, given: CachedOptions, settings: string): CompiledSchema {
    const source = readSource(input, schemaLimits(given));
    // A value without a text has no hash to identify it.
    if (source.fault !== undefined) return compileSource(source, given);
    const key = `${source.hash} ${settings}`;
    const kept = this.#use(key);
    if (kept !== undefined) return kept;
    const compiled = this.#compile(source, given);
    const bytes = source.bytes.length;
    // Keeps this text and not the given one, which may be a slice of a far longer text.
    const text = bytes > this.#maxBytes ? undefined : decodedText(source.bytes);
    this.#entries.set(key, { compiled, bytes, settings, text });
    this.#bytes += bytes;
    this.#last = key;
    if (text !== undefined) this.#name(settings, text, key);
    this.#evict();
    return compiled;
  }

  #compile(source: SchemaSource, options: CompileOptions): CompiledSchema {
    if (source.bytes.length > this.#readNow) return compileWhenNeeded(source, options);
    const isLimited = this.#readNow !== Number.POSITIVE_INFINITY;
    const compile = isLimited ? compileSourceNow : compileSource;
    if (this.#compiled === undefined) return compile(source, options);
    const began = now();
    const compiled = compile(source, options);
    withoutThrowing(this.#compiled)(now() - began);
    return compiled;
  }

  #use(key: string): CompiledSchema | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (key !== this.#last) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#last = key;
    }
    return entry.compiled;
  }

  #name(settings: string, text: string, key: string): void {
    const keys = this.#keys.get(settings);
    if (keys === undefined) this.#keys.set(settings, new Map([[text, key]]));
    else keys.set(text, key);
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) return;
      this.#drop(key, entry);
    }
  }

  #drop(key: string, { bytes, settings, text }: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= bytes;
    const keys = this.#keys.get(settings);
    if (text !== undefined) keys?.delete(text);
    if (keys?.size === 0) this.#keys.delete(settings);
  }
}
