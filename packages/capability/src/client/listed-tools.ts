import { ownMember } from "../object.ts";
import { type RequestOutcome, requestWithTimeout } from "./request-timeout.ts";
import {
  capabilitiesOf,
  listRemoteTools,
  type RemoteTools,
  type ValidationClient,
} from "./sdk-client.ts";
import type { Clock } from "./validation-cache.ts";

/** Limits of one request. */
export interface RequestLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** How long a list is fresh if the server reports neither a time nor changes, in milliseconds. */
const LIST_MS = 60_000;

/** The tools of one server, as it last listed them. */
export class ListedTools {
  readonly #client: ValidationClient;
  readonly #now: Clock;
  #tools: RemoteTools | undefined;
  #freshUntil = 0;
  #changes = 0;
  #asking:
    | { readonly key: string; readonly answer: Promise<RequestOutcome<RemoteTools>> }
    | undefined;

  constructor(client: ValidationClient, now: Clock) {
    this.#client = client;
    this.#now = now;
  }

  /** Notes `notifications/tools/list_changed`. A list that is still being fetched is not kept. */
  markStale(): void {
    this.#changes += 1;
    this.#tools = undefined;
  }

  /** Concurrent calls wait for one list, unless one of them may be canceled separately. */
  #ask({ timeoutMs, signal }: RequestLimits): Promise<RequestOutcome<RemoteTools>> {
    const ask = (): Promise<RequestOutcome<RemoteTools>> =>
      requestWithTimeout(timeoutMs, signal, (options) => listRemoteTools(this.#client, options));
    if (signal !== undefined) return ask();
    const key = `${this.#changes} ${timeoutMs}`;
    if (this.#asking?.key !== key) {
      const asking = { key, answer: ask() };
      this.#asking = asking;
      void asking.answer.then(() => {
        if (this.#asking === asking) this.#asking = undefined;
      });
    }
    return this.#asking.answer;
  }

  /** Returns the list, fetched if it is not fresh, or why there is none. Never rejects. */
  async list({ timeoutMs, signal }: RequestLimits): Promise<RemoteTools | string> {
    if (this.#tools !== undefined && this.#now() < this.#freshUntil) return this.#tools;
    const changes = this.#changes;
    const asked = await this.#ask({ timeoutMs, signal });
    if (asked.status !== "answered") return `the tools cannot be listed: ${asked.detail}`;
    if (changes === this.#changes) {
      const announcesChanges =
        ownMember(ownMember(capabilitiesOf(this.#client), "tools"), "listChanged") === true;
      const holds = asked.value.ttlMs ?? (announcesChanges ? Number.POSITIVE_INFINITY : LIST_MS);
      this.#tools = asked.value;
      this.#freshUntil = this.#now() + holds;
    }
    return asked.value;
  }
}
