import {
  type CompiledSchema,
  type CompileOptions,
  compileSource,
  schemaLimits,
} from "./compile.ts";
import type { Deadline } from "./deadline.ts";
import { readSource, type SchemaInput } from "./source.ts";

export interface SchemaCacheOptions {
  /** How many schemas are kept. Default 1000. */
  readonly maxEntries?: number;
  /** How many bytes their texts have together. Default 67,108,864. */
  readonly maxBytes?: number;
  /** Ends what takes too long, in compiling and in checking. */
  readonly deadline?: Deadline;
}

/** Options that a schema can be kept by. */
export type CachedOptions = Omit<CompileOptions, "deadline" | "documents">;

interface Entry {
  readonly compiled: CompiledSchema;
  readonly bytes: number;
}

/**
 * Compiled schemas by the SHA-256 of their text and by the options, so that equal schemas are
 * compiled once. Bounded in number and size; the least recently used goes first. Schemas with a
 * fault are kept like others, so that a broken one is not compiled again for each call.
 */
export class SchemaCache {
  private readonly entries: Map<string, Entry> = new Map();
  private readonly maxEntries: number;
  private readonly maxBytes: number;
  private readonly deadline: Deadline | undefined;
  private bytes = 0;

  constructor({ maxEntries = 1000, maxBytes = 67_108_864, deadline }: SchemaCacheOptions = {}) {
    this.deadline = deadline;
    this.maxEntries = maxEntries;
    this.maxBytes = maxBytes;
  }

  /** How many schemas are kept. */
  get size(): number {
    return this.entries.size;
  }

  /** The compiled schema, from the cache or compiled now. Never throws. */
  get(input: SchemaInput, given: CachedOptions = {}): CompiledSchema {
    const options = this.deadline === undefined ? given : { ...given, deadline: this.deadline };
    const limits = schemaLimits(options);
    const source = readSource(input, limits);
    // A value without a text has no hash that could stand for it.
    if (source.fault !== undefined) return compileSource(source, options);
    const { maxBytes, maxDepth, maxSubschemas } = limits;
    const settings = [options.dialect, options.formats, maxBytes, maxDepth, maxSubschemas];
    const key = `${source.hash} ${settings.join(" ")}`;
    const kept = this.entries.get(key);
    if (kept !== undefined) {
      this.entries.delete(key);
      this.entries.set(key, kept);
      return kept.compiled;
    }
    const compiled = compileSource(source, options);
    this.entries.set(key, { compiled, bytes: source.bytes.length });
    this.bytes += source.bytes.length;
    this.evict();
    return compiled;
  }

  private evict(): void {
    for (const [key, { bytes }] of this.entries) {
      if (this.entries.size <= this.maxEntries && this.bytes <= this.maxBytes) return;
      this.entries.delete(key);
      this.bytes -= bytes;
    }
  }
}
