import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { AlertEvent, AlertRule } from "../../features/alerts/alerts.ts";
import type { AlertOutcome } from "../../insight/telemetry/telemetry.ts";
import type { ActivityRecord } from "../../records/record.ts";
import type { Logger } from "../../util/log.ts";
import { PacedLog } from "../../util/paced-log.ts";
import { type Attempt, failed } from "./attempt.ts";
import { run } from "./command.ts";
import { documentOf, eventOf, matches, slackBody } from "./document.ts";
import { Lane, type Pause } from "./lane.ts";
import { post } from "./webhook.ts";

/** How long waiting alerts delay the end of the gateway. */
const CLOSE_MS = 5_000;
/** Commands run one at a time, whichever rule starts them. */
const COMMANDS = "command";

export interface AlertsOptions {
  /** The gateway's own environment: variables for proxies, and for commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Counts how each alert ended. Must not throw. */
  readonly count: (when: AlertEvent, outcome: AlertOutcome) => void;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
  readonly pause?: Pause;
}

interface Live {
  readonly rule: AlertRule;
  /** When its last alert was accepted. */
  last: number;
}

const pauseFor: Pause = async (ms, signal) => {
  await wait(ms, undefined, { signal, ref: false }).catch(() => {});
};

/**
 * Sends alerts about records. {@link take} neither waits nor throws, so alerts never delay a call. Failures are
 * logged and counted.
 */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #log: PacedLog;
  readonly #lanes: Map<string, Lane> = new Map();
  readonly #hurry: AbortController = new AbortController();
  readonly #end: AbortController = new AbortController();
  /** Whether there are rules; if not, {@link take} has nothing to do. */
  isOn = false;
  #live: readonly Live[] = [];

  constructor(options: AlertsOptions) {
    this.#options = options;
    this.#log = new PacedLog(options.log);
  }

  /** Replaces the rules. Unchanged rules keep their intervals; waiting alerts are still sent. */
  update(rules: readonly AlertRule[] = []): void {
    const before = [...this.#live];
    this.isOn = rules.length > 0;
    this.#live = rules.map((rule) => {
      const at = before.findIndex((live) => isDeepStrictEqual(live.rule, rule));
      const [same] = at === -1 ? [] : before.splice(at, 1);
      return same ?? { rule, last: Number.NEGATIVE_INFINITY };
    });
    for (const [key, lane] of this.#lanes) if (lane.empty) this.#lanes.delete(key);
  }

  /** Notes records that were kept. */
  take(records: readonly ActivityRecord[]): void {
    if (!this.isOn) return;
    for (const record of records) {
      const event = eventOf(record);
      if (event === undefined) continue;
      for (const live of this.#live) {
        if (matches(live.rule, event, record)) this.#alert(live, record);
      }
    }
  }

  /** Sends waiting alerts, for 5 s at most and without retries, and drops the rest. Never rejects. */
  async close(): Promise<void> {
    this.isOn = false;
    this.#live = [];
    this.#hurry.abort();
    const late = setTimeout(() => this.#end.abort(), CLOSE_MS);
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
    clearTimeout(late);
  }

  #alert(live: Live, record: ActivityRecord): void {
    const { rule } = live;
    const { count, now = () => performance.now() } = this.#options;
    const at = now();
    if (at - live.last < rule.minInterval * 1000) {
      count(rule.when, "suppressed");
      return;
    }
    live.last = at;
    const key = laneOf(rule);
    const lane =
      this.#lanes.get(key) ?? new Lane(this.#options.pause ?? pauseFor, this.#hurry.signal);
    this.#lanes.set(key, lane);
    if (lane.full) {
      count(rule.when, "dropped");
      this.#tell("an alert was dropped", rule, "too many wait to be sent");
      return;
    }
    // Made at once: a record may contain bodies, which must not wait in memory.
    const text = isSlack(rule) ? slackBody(rule.when, record) : documentOf(record);
    lane.add({
      attempt: () => this.#attempt(rule, text),
      ended: (last) => {
        count(rule.when, last.sent ? "sent" : "failed");
        if (!last.sent) this.#tell("an alert could not be sent", rule, last.reason);
      },
    });
  }

  async #attempt({ to, when }: AlertRule, text: string): Promise<Attempt> {
    const { env } = this.#options;
    const { signal } = this.#end;
    if (signal.aborted) return failed("the gateway stopped before it was sent");
    if ("command" in to) return run(to.command, text, { env, signal });
    return post(to.webhook, { event: when, body: text }, { env, signal });
  }

  #tell(what: string, rule: AlertRule, reason: string): void {
    this.#log.warn(what, `${what}: ${rule.when}, to ${placeOf(rule)}: ${reason}`);
  }
}

function isSlack({ to }: AlertRule): boolean {
  return "webhook" in to && to.webhook.format === "slack";
}

/** Alerts of one lane are sent one after the other. */
function laneOf({ to }: AlertRule): string {
  return "command" in to ? COMMANDS : to.webhook.url;
}

/** Returns an alert's destination for people, without path and arguments, which may contain keys. */
function placeOf({ to }: AlertRule): string {
  return "command" in to ? `${to.command[0]}` : new URL(to.webhook.url).origin;
}
