import { isDeepStrictEqual } from "node:util";
import { type Logger, timeoutSignal } from "@touchstone/util";
import type { GatewayConfig } from "../config/config.ts";
import { hostAndPort, type Rules, rulesOf, tokensOf } from "./access/rules.ts";
import type { Tokens } from "./access/tokens.ts";
import { type ListenerOptions, listen } from "./listener.ts";
import { STOPPING_TEXT } from "./mcp-routes.ts";
import { RetiredParts } from "./retired-parts.ts";
import { DRAIN_MS } from "./served-servers.ts";
import type { SignInCodes } from "./sign-in/codes.ts";
import { closeSocket, type Socket } from "./socket.ts";

/** What is served at each address. */
export type ListenerParts = Pick<ListenerOptions, "endpoints" | "app" | "bodies" | "turnedAway">;

/** Where a gateway listens: at one address, and at former ones until their calls are answered. */
export class Addresses {
  readonly #served: () => ListenerParts;
  readonly #codes: SignInCodes;
  readonly #log: Logger;
  #auth: GatewayConfig["auth"] = {};
  /** Verifies access tokens with the issuer's keys; kept while the settings stay the same. */
  #verifier: { readonly for: unknown; readonly tokens: Tokens | undefined } | undefined;
  #open: Socket | undefined;
  #configured: string | undefined;
  readonly #leaving: RetiredParts = new RetiredParts();
  readonly #closing: AbortController = new AbortController();

  constructor(served: () => ListenerParts, codes: SignInCodes, log: Logger) {
    this.#served = served;
    this.#codes = codes;
    this.#log = log;
  }

  get host(): string {
    return this.#open?.listener.host ?? "";
  }

  get port(): number {
    return this.#open?.listener.port ?? 0;
  }

  /**
   * Listens at the configured address if it has changed.
   * @returns the socket, for {@link take}; undefined if the address stays
   * @throws if it cannot listen at the address
   */
  async open(config: GatewayConfig): Promise<Socket | undefined> {
    if (this.#configured === hostAndPort(config.listen)) return undefined;
    const { host, port } = config.listen;
    const rules = { host, port, ...this.#rulesOf(config), ...this.#served(), log: this.#log };
    return { listener: await listen(rules), rules };
  }

  /**
   * Applies a configuration's rules to every connection.
   * @param opened replaces the current address, which is given up
   */
  take(config: GatewayConfig, opened: Socket | undefined): void {
    const old = this.#open;
    const isSame = isDeepStrictEqual(this.#auth, config.auth);
    this.#auth = config.auth;
    if (old !== undefined) this.#rule(old, config, isSame);
    this.#configured = hostAndPort(config.listen);
    if (opened === undefined) return;
    this.#open = opened;
    if (old !== undefined) this.#leave(old);
  }

  /** The rules also apply at a former address: its open connections may send more requests. */
  #rule({ listener, rules }: Socket, config: GatewayConfig, isSame: boolean): void {
    const changed = this.#rulesOf(config);
    Object.assign(rules, changed);
    listener.keepIdle(changed.idleMs);
    if (isSame) return;
    // A client with an old key must not continue to read.
    this.#codes.revoke();
    listener.endStreams();
  }

  #tokens(config: GatewayConfig): Tokens | undefined {
    const { jwt, keys = [] } = config.auth;
    const holds = [jwt, keys.map(({ name }) => name)];
    if (!isDeepStrictEqual(this.#verifier?.for, holds)) {
      const tokens = tokensOf(config, this.#log);
      this.#verifier = { for: holds, tokens };
      void tokens?.prepare();
    }
    return this.#verifier?.tokens;
  }

  #rulesOf(config: GatewayConfig): Rules {
    return rulesOf(config, { codes: this.#codes, tokens: this.#tokens(config) });
  }

  /** Gives an address up without waiting, because open calls may take long. */
  #leave(old: Socket): void {
    const left = closeSocket(old, timeoutSignal(DRAIN_MS, this.#closing.signal));
    void this.#leaving.add(left, (reason) =>
      this.#log.warn(`an address could not be closed cleanly: ${reason}`),
    );
  }

  /** Makes the gateway refuse new requests from now on, because it is stopping. */
  stop(): void {
    if (this.#open) this.#open.rules.leaving = STOPPING_TEXT;
  }

  /** Resolves when the gateway no longer listens anywhere. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#open?.listener.close();
    await this.#leaving.gone();
  }
}
