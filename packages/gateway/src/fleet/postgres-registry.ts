import { setTimeout as pause } from "node:timers/promises";
import { CONTRACTS_CHANNEL, type ContractScope, readNotice } from "@touchstone/records/plain";
import { type ConnectionPool, openPool } from "@touchstone/records/postgres/pool";
import type pg from "pg";
import type { KnownGateway } from "./gateways.ts";

/** A gateway's report about itself. */
export type Registration = Pick<
  KnownGateway,
  "id" | "host" | "version" | "configuration" | "listen"
>;

const STATEMENT_MS = 5_000;
const TELL = `INSERT INTO gateways (id, host, version, configuration, listen)
    VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET configuration = excluded.configuration,
    listen = excluded.listen, seen = now()
  RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS clock`;
/** How many rows one statement removes, so that none takes long. */
const STEP = 2_000;
const PAUSE_MS = 15;
/** Killed gateways leave their rows behind, as do tasks and requests whose results nobody fetched. */
const FORGET = [
  ["gateways", "seen < now() - interval '1 day'"],
  ["tasks", "since < now() - interval '7 days'"],
  ["requests", "until < now()"],
].map(
  // Skips rows that another gateway is removing.
  ([table, old]) => `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ${table} WHERE ${old} LIMIT ${STEP} FOR UPDATE SKIP LOCKED))`,
);

/** Events of the registry's connection. */
export interface RegistryEvents {
  /** Another gateway has learned of a changed list; without a scope it may be any. */
  readonly listChanged: (scope: ContractScope | undefined) => void;
}

/**
 * One connection to the shared store, over which a gateway reports itself and receives notices from the others. If
 * the connection is lost, the next {@link tell} opens it again.
 */
export class PostgresRegistry {
  readonly #pool: ConnectionPool;
  readonly #events: RegistryEvents;
  #client: pg.PoolClient | undefined;
  #connecting: Promise<pg.PoolClient> | undefined;
  #left = false;

  /** @throws ActivityError `BAD_STORE` */
  constructor(url: string, events: RegistryEvents) {
    this.#pool = openPool(url, { connections: 1, statementMs: STATEMENT_MS });
    this.#events = events;
  }

  /**
   * Reports that the gateway runs, and its state.
   * @returns the store's clock, in milliseconds since 1970
   */
  async tell({ id, host, version, configuration, listen }: Registration): Promise<number> {
    const values = [id, host, version, configuration, listen];
    const { rows } = await this.#on((client) => client.query<{ clock: number }>(TELL, values));
    return rows[0]?.clock ?? Number.NaN;
  }

  /** Removes old rows, a few at a time, until none is left or the gateway leaves. */
  async forgetOld(): Promise<void> {
    for (const statement of FORGET) {
      for (let removed = STEP; removed === STEP && !this.#left; await pause(PAUSE_MS)) {
        removed = (await this.#on((client) => client.query(statement))).rowCount ?? 0;
      }
    }
  }

  /** Removes the gateway's row, if possible, and ends. */
  async leave(id: string): Promise<void> {
    this.#left = true;
    try {
      await this.#on((client) => client.query("DELETE FROM gateways WHERE id = $1", [id]));
    } finally {
      this.#drop(this.#client);
      await this.#pool.pool.end();
    }
  }

  async #on<T>(statement: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connected();
    try {
      return await statement(client);
    } catch (error) {
      this.#drop(client);
      throw error;
    }
  }

  /** Returns the connection, or makes one for all concurrent callers. */
  #connected(): Promise<pg.PoolClient> {
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.pool.connect();
    client.on("error", () => this.#drop(client));
    client.on("notification", ({ payload }) => this.#events.listChanged(readNotice(payload)));
    try {
      await client.query(`LISTEN ${CONTRACTS_CHANNEL}`);
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#client = client;
    // Notices from before the connection are lost, even before the first connection: the gateway already serves
    // clients.
    this.#events.listChanged(undefined);
    return client;
  }

  #drop(client: pg.PoolClient | undefined): void {
    if (client === undefined || client !== this.#client) return;
    this.#client = undefined;
    client.release(true);
  }
}
