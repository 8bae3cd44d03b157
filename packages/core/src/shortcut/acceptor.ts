import { scanners } from "../json/wasm/source.ts";
import type { SchemaGraph } from "../keywords/node.ts";
import { schemaImage } from "./image.ts";

/** From this many texts more than it could report, of which it could not, the scanner is no longer asked. */
const MAX_UNTOLD = 16;

/** Has the scanner judge texts by a schema, if it can. */
export class Acceptor {
  readonly #graph: SchemaGraph;
  /** Undefined before the first use, null if there is none. */
  #image: Uint8Array | null | undefined;
  /** How much more often the scanner could not tell than it could. */
  #untold = 0;

  constructor(graph: SchemaGraph) {
    this.#graph = graph;
  }

  /** By what the scanner checks texts; undefined if it cannot, or rarely can. */
  get image(): Uint8Array | undefined {
    if (this.#image === undefined) this.#image = schemaImage(this.#graph) ?? null;
    return this.#image ?? undefined;
  }

  /**
   * Whether the scanner can tell that a text is valid, without a value being made of it. It must be a
   * JSON text in which no object has a key twice and a double holds every number. Takes time that is
   * linear in its length, whatever the schema. False says nothing; never throws.
   */
  accepts(text: Uint8Array): boolean {
    const { image } = this;
    if (image === undefined) return false;
    const answer = scanners.use(text.length, (scanner) => scanner.accept(text, image));
    if (answer !== undefined) this.#untold = Math.max(0, this.#untold - 1);
    // A schema of which it can rarely tell is left alone.
    else if (++this.#untold === MAX_UNTOLD) this.#image = null;
    return answer === true;
  }
}
