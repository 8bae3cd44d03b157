import type { Frame } from "@touchstone/protocol";

interface Open {
  readonly key: string;
  readonly id: string;
}

/** A POST that is under way, and the requests in it that have no answer yet. */
export class OpenPost {
  readonly abort: AbortController = new AbortController();
  readonly method: string | undefined;
  /** A client may use an id twice in a batch: each has an answer of its own. */
  #open: Open[];
  #heard = false;
  readonly #through: (() => void) | undefined;

  /**
   * @param requests those that it holds
   * @param through told each time that the server has said something of it, and none waits any more
   */
  constructor(method: string | undefined, requests: readonly Frame[], through?: () => void) {
    this.method = method;
    this.#through = through;
    this.#open = requests.flatMap(({ id, idKey: key }) => (id && key ? [{ id, key }] : []));
  }

  /** How many requests have no answer. */
  get size(): number {
    return this.#open.length;
  }

  /** Their ids, by key. */
  get keys(): readonly string[] {
    return this.#open.map(({ key }) => key);
  }

  /** Their ids, as the client wrote them. */
  get ids(): readonly string[] {
    return this.#open.map(({ id }) => id);
  }

  /** One request with this id waits no more. False where none does. */
  answer(idKey: string): boolean {
    const at = this.#open.findIndex(({ key }) => key === idKey);
    if (at >= 0) this.#open.splice(at, 1);
    return at >= 0;
  }

  /** Whether the server still owes something of it, be it only a word that it has come. */
  get isAwaited(): boolean {
    return this.size > 0 || !this.#heard;
  }

  /** Takes note that the server has said something of it. */
  heard(): void {
    this.#heard = true;
    if (this.size === 0) this.#through?.();
  }

  /** None waits any more. */
  clear(): void {
    this.#open = [];
  }
}
