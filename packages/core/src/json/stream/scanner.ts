import type { JsonScan, ScanError, ScanOptions } from "../range.ts";
import { sizeError } from "../syntax.ts";
import { NOT_BYTES, usableOptions } from "../usable.ts";
import { DEFAULT_MAX_DEPTH } from "../walk.ts";
import { StreamCollector } from "./collector.ts";
import { StreamGrammar } from "./grammar.ts";

/**
 * Scans one JSON text that arrives in chunks, wherever they are cut: what {@link JsonScanner.finish}
 * gives equals what `scanJson` gives for the whole text.
 *
 * It keeps no chunk: it holds an entry for each open container, what it found, with `duplicates` or
 * `numbers` also the names in the open objects, and what came of a key or a number that the end of a
 * chunk has cut. Nothing here throws, whatever the bytes are.
 */
export class JsonScanner {
  private readonly options: ScanOptions;
  private readonly found: StreamCollector;
  private readonly grammar: StreamGrammar;
  private size = 0;
  private done: JsonScan | undefined;

  constructor(options: ScanOptions = {}) {
    this.options = usableOptions(options);
    this.found = new StreamCollector(this.options);
    this.grammar = new StreamGrammar(this.found, this.options.maxDepth ?? DEFAULT_MAX_DEPTH);
  }

  /** Why the text is refused, as soon as that is known. */
  get error(): ScanError | undefined {
    return this.done === undefined ? this.grammar.error : this.done.error;
  }

  /**
   * Takes the next bytes of the text, and keeps no reference to them. Ignored after `finish`. What is not bytes makes
   * the text a faulty one.
   */
  push(chunk: Uint8Array): void {
    if (this.done !== undefined) return;
    if (!(chunk instanceof Uint8Array)) {
      this.grammar.refuse(NOT_BYTES);
      return;
    }
    this.grammar.read(chunk);
    this.size += chunk.length;
  }

  /** The text ends here. Later calls give the same. */
  finish(): JsonScan {
    this.done ??= this.result();
    return this.done;
  }

  private result(): JsonScan {
    const { grammar, size } = this;
    const tooLong = sizeError(size);
    if (tooLong !== undefined) {
      const root = { start: grammar.start ?? size, end: tooLong.offset };
      return { error: tooLong, ...new StreamCollector(this.options).result(root, 0) };
    }
    grammar.endText();
    const { error, start = size, end, depth } = grammar;
    const scan = this.found.result({ start, end }, depth);
    return error === undefined ? scan : { error, ...scan };
  }
}
