import type { AcceptedValue } from "../json/range.ts";
import { wasmScanners } from "../json/wasm/source.ts";
import type { SchemaGraph } from "../keywords/node.ts";
import { schemaImage } from "./schema-image.ts";

/** If the scanner could not judge this many more texts than it judged, it is no longer used. */
const MAX_UNTOLD = 16;

/** Lets the scanner judge texts by a schema, if it can. */
export class Acceptor {
  readonly #graph: SchemaGraph;
  /** Undefined before the first use, null if there is none. */
  #image: Uint8Array | null | undefined;
  /** How many more texts the scanner could not judge than it could. */
  #untold = 0;

  constructor(graph: SchemaGraph) {
    this.#graph = graph;
  }

  /** The image that the scanner checks texts with; undefined if there is none, or it rarely helps. */
  get image(): Uint8Array | undefined {
    if (this.#image === undefined) this.#image = schemaImage(this.#graph) ?? null;
    return this.#image ?? undefined;
  }

  /**
   * Returns whether the scanner finds that a text is valid, without building a value from it. The text must be JSON in
   * which no object has a key twice and a double holds every number. Takes time linear in its length, whatever the
   * schema. False does not mean that the text is invalid; never throws.
   * @param accepted a value that was accepted in the scan of the text around it
   */
  accepts(text: Uint8Array, accepted?: AcceptedValue): boolean {
    const { image } = this;
    if (image === undefined) return false;
    const isKnown = accepted?.image === image && holds(accepted, text);
    const answer =
      isKnown || wasmScanners.use(text.length, (scanner) => scanner.accept(text, image));
    if (answer !== undefined) this.#untold = Math.max(0, this.#untold - 1);
    // The scanner can rarely judge texts by this schema, so it is no longer used for it.
    else if (++this.#untold === MAX_UNTOLD) this.#image = null;
    return answer === true;
  }
}

/** Returns whether a range is exactly these bytes. */
function holds(
  { buffer, start, end }: AcceptedValue,
  { buffer: own, byteOffset, length }: Uint8Array,
): boolean {
  return buffer === own && start === byteOffset && end === byteOffset + length;
}
