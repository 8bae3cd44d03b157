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

  /** @param requests those that it holds */
  constructor(method: string | undefined, requests: readonly Frame[]) {
    this.method = method;
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

  /** None waits any more. */
  clear(): void {
    this.#open = [];
  }
}
