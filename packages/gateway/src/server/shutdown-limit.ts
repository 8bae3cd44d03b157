import { ActivityError } from "@touchstone/records/errors";
import { valueOrTimeout } from "@touchstone/util";

/** With the 30 s that calls may take, less than the 40 s after which a gateway may be killed. */
const LAST_MS = 5_000;

/** The final work of a gateway in a store on a server that may hang: all of it shares one time limit. */
export class ShutdownLimit {
  readonly #place: string;
  readonly #until: number;

  /** @param place of the store, for people */
  constructor(place: string) {
    this.#place = place;
    this.#until = performance.now() + LAST_MS;
  }

  /** @throws ActivityError `STORE_UNREACHABLE` if the work is not done in time; it continues on its own then */
  hold<T>(work: Promise<T>): Promise<T> {
    return valueOrTimeout(Math.max(0, this.#until - performance.now()), work, () => {
      throw new ActivityError(
        "STORE_UNREACHABLE",
        `The activity store ${this.#place} did not respond while the gateway ended, and the gateway did ` +
          "not wait any longer: its last records may be missing. Check that the server runs.",
      );
    });
  }
}
