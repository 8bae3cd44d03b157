type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The bodies of pending responses, by the id of the request. */
export class Bodies {
  /** Undefined while the response is being computed. */
  readonly #readers: Map<number, Reader | undefined> = new Map();

  /** Notes a new request. */
  begin(id: number): void {
    this.#readers.set(id, undefined);
  }

  /**
   * Keeps the body of a response, or cancels it if nothing is waiting for it.
   * @returns whether something is waiting
   */
  async open(id: number, body: ReadableStream<Uint8Array> | null): Promise<boolean> {
    if (!this.#readers.has(id)) {
      await body?.cancel();
      return false;
    }
    if (body === null) this.#readers.delete(id);
    else this.#readers.set(id, body.getReader());
    return true;
  }

  /**
   * Returns the next piece of a body; `null` at its end, and if there is none.
   * @throws the body's own error; it is gone then
   */
  async read(id: number): Promise<Uint8Array | null> {
    try {
      const { value } = (await this.#readers.get(id)?.read()) ?? {};
      if (value === undefined) this.#readers.delete(id);
      return value ?? null;
    } catch (error) {
      this.#readers.delete(id);
      throw error;
    }
  }

  /** Nothing is waiting for this response anymore. */
  async cancel(id: number): Promise<void> {
    const reader = this.#readers.get(id);
    this.#readers.delete(id);
    await reader?.cancel();
  }

  /** Cancels every body. Never rejects. */
  async end(): Promise<void> {
    const ids = [...this.#readers.keys()];
    await Promise.allSettled(ids.map((id) => this.cancel(id)));
  }
}
