/** As much as may wait for a server that does not read. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Bytes of the clients' messages that wait for what has to be known of their server first, over all clients. */
export class HeldBytes {
  #bytes = 0;

  /**
   * Counts a message as long as it waits. Gives the wait; undefined where so much waits that this one may not.
   * @param wait never rejects
   */
  take<T>(bytes: number, wait: Promise<T>): Promise<T> | undefined {
    if (this.#bytes >= MAX_HELD_BYTES) return undefined;
    this.#bytes += bytes;
    return wait.finally(() => {
      this.#bytes -= bytes;
    });
  }
}
