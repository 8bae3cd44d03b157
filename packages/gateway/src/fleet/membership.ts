import { hostname } from "node:os";
import { messageOf } from "@touchstone/core/advanced";
import { type ContractScope, nextId } from "@touchstone/records/plain";
import type { Logger } from "@touchstone/util";
import { compareGateways, type Fleet, HEARTBEAT_MS } from "./gateways.ts";
import type { PostgresRegistry, Registration } from "./postgres-registry.ts";

type Reading = typeof import("./read-gateways.ts");

/**
 * If the clocks of two machines differ by less than this, their records are almost in order, and are kept for almost
 * the same time.
 */
const CLOCKS_DIFFER_MS = 60_000;
/** About an hour. */
const BEATS_TO_FORGET = 360;

export interface MembershipParts {
  /** The PostgreSQL URL of the shared store; absent if there is none. */
  readonly store: string | undefined;
  /** Returns the current state. */
  readonly self: () => Pick<Registration, "version" | "configuration" | "listen">;
  /** Called when another gateway has learned of a changed list; without a scope it may be any. */
  readonly listChanged: (scope: ContractScope | undefined) => void;
  readonly log: Logger;
  /** How often the gateway reports that it runs. Default: {@link HEARTBEAT_MS}. */
  readonly heartbeatMs?: number;
  /** This machine's clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Makes this gateway a member of the gateways that share its PostgreSQL store: reports that it runs and with which
 * configuration, and receives notices of changed lists. Nothing here stops a message: if the store is unreachable,
 * the log says so once, and every heartbeat tries again. Does nothing if the store is not shared.
 */
export class Membership {
  /** ULID that identifies this gateway in the store. */
  readonly id: string = nextId(new Date());
  readonly #parts: MembershipParts;
  #registry: PostgresRegistry | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<Reading> | undefined;
  #joining: Promise<void> | undefined;
  #left = false;
  #telling: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failing = false;
  #clockDiffers = false;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  /** Reports this gateway, and keeps reporting it. Never rejects. */
  join(): Promise<void> {
    this.#joining ??= this.#join();
    return this.#joining;
  }

  async #join(): Promise<void> {
    const { store, listChanged, heartbeatMs = HEARTBEAT_MS } = this.#parts;
    if (store === undefined) return;
    // The client library is loaded only with a PostgreSQL store.
    const [{ PostgresRegistry }] = await Promise.all([
      import("./postgres-registry.ts"),
      this.#loadReading(),
    ]);
    if (this.#left) return;
    const registry = new PostgresRegistry(store, { listChanged });
    this.#registry = registry;
    let beats = 0;
    const beat = async (): Promise<void> => {
      await this.tell();
      // Nothing depends on when this finishes.
      if (beats % BEATS_TO_FORGET === 0) void registry.forgetOld().catch(() => {});
      beats += 1;
    };
    await beat();
    if (this.#left) return;
    this.#timer = setInterval(() => void beat(), heartbeatMs).unref();
  }

  /** Reports the current state, in a report that begins after this call. Never rejects. */
  tell(): Promise<void> {
    if (this.#telling === undefined) {
      this.#telling = this.#tell().finally(() => {
        this.#telling = undefined;
      });
      return this.#telling;
    }
    this.#next ??= this.#telling.then(() => {
      this.#next = undefined;
      return this.tell();
    });
    return this.#next;
  }

  /**
   * Returns all gateways that share the store, compared with this one; undefined if it is not shared.
   * @throws ActivityError if the store does not respond
   */
  async fleet(): Promise<Fleet | undefined> {
    const { store, self } = this.#parts;
    if (store === undefined) return undefined;
    const { readGateways } = await this.#loadReading();
    return compareGateways(await readGateways(store), self().configuration);
  }

  /** Loaded when the gateway joins: an upgrade may replace its file later. */
  #loadReading(): Promise<Reading> {
    this.#reading ??= import("./read-gateways.ts");
    return this.#reading;
  }

  /** Removes this gateway from the list permanently, even while it is joining. Never rejects. */
  async leave(): Promise<void> {
    this.#left = true;
    await this.#joining;
    clearInterval(this.#timer);
    await this.#telling;
    const registry = this.#registry;
    this.#registry = undefined;
    // If that fails, the gateway counts as silent from now on, as other gateways can see.
    await registry?.leave(this.id).catch(() => {});
  }

  async #tell(): Promise<void> {
    const { self, log, now = Date.now } = this.#parts;
    try {
      const sent = now();
      const clock = await this.#registry?.tell({ id: this.id, host: hostname(), ...self() });
      if (clock !== undefined) this.#compareClocks(clock, sent, now());
      if (this.#failing) log.info("the gateways that share the activity store see this one again");
      this.#failing = false;
    } catch (error) {
      if (this.#failing) return;
      this.#failing = true;
      const reason = messageOf(error);
      log.warn("the gateways that share the activity store cannot see this one", { reason });
    }
  }

  /** @param clock the store's clock, read between `sent` and `received` on this machine's clock */
  #compareClocks(clock: number, sent: number, received: number): void {
    const ahead = sent - clock > CLOCKS_DIFFER_MS;
    const differs = ahead || clock - received > CLOCKS_DIFFER_MS;
    if (differs && !this.#clockDiffers) {
      const seconds = Math.round(Math.abs((sent + received) / 2 - clock) / 1000);
      this.#parts.log.warn(
        `this machine's clock is ${seconds} s ${ahead ? "ahead of" : "behind"} that of the activity store, and ` +
          "records are listed, and removed when they are old, by their machine's time; set the clock (NTP)",
      );
    }
    this.#clockDiffers = differs;
  }
}
