/**
 * Every request that was sent, and its outcome. A request ends in one of these ways: `answered` on its id, `refused`
 * by HTTP, `cancelled` or `vanished` with its client, `lost` with a server that crashed.
 */
import { expected, isTagged } from "./actions.mjs";

const KEPT = 40;

export class Ledger {
  entries = [];
  /** Violations, `{rule, detail}`: only the first ones; `counts` has the number of all, by rule. */
  faults = [];
  counts = new Map();
  /** Failures of messages that are not calls: how many records they must have in all. */
  unlinked = { least: 0, most: 0 };
  #under = 0;

  get underWay() {
    return this.#under;
  }

  /** @param {{name: string, server: string, settings: () => object[]}} peer the sender */
  open(action, peer) {
    const entry = {
      tag: `k${this.entries.length.toString(36)}`,
      action,
      peer,
      /** The settings that may apply to the request: more than one if they change in the meantime. */
      settings: new Set(peer.settings()),
      state: "open",
      answers: 0,
      answer: undefined,
    };
    entry.settled = new Promise((resolve) => {
      entry.settle = resolve;
    });
    this.entries.push(entry);
    this.#under += 1;
    return entry;
  }

  /** Ends a request. @param state one of those above; a second response to the same request is a fault */
  close(entry, state, answer) {
    if (state === "answered") {
      entry.answers += 1;
      if (entry.answers > 1) this.fault("answered twice", describe(entry));
    }
    if (entry.state !== "open") return;
    for (const settings of entry.peer.settings()) entry.settings.add(settings);
    entry.state = state;
    entry.answer = answer;
    this.#under -= 1;
    if (!isTagged(entry.action)) this.#expectUnlinked(entry);
    if (state === "answered") this.#judge(entry);
    entry.settle();
  }

  /** Ends a request with its JSON-RPC response. */
  answered(entry, message, text) {
    this.close(entry, "answered", kindOf(message));
    const { action } = entry;
    if (!action.exact || entry.answer !== "result") return;
    if (!text.includes(`{"echo":${entry.args}}`)) this.fault("changed", describe(entry));
  }

  /** Ends all requests without a response, each with a fault. */
  giveUp() {
    for (const entry of this.entries.filter(({ state }) => state === "open")) {
      this.fault("never answered", describe(entry));
      this.close(entry, "vanished");
    }
  }

  fault(rule, detail) {
    this.counts.set(rule, (this.counts.get(rule) ?? 0) + 1);
    if (this.faults.length < KEPT) this.faults.push({ rule, detail });
  }

  #expectUnlinked({ action, settings, state }) {
    const counts = [...settings].map((one) => Object.keys(expected(action, one).decisions).length);
    if (state !== "answered") counts.push(0);
    this.unlinked.least += Math.min(...counts);
    this.unlinked.most += Math.max(...counts);
  }

  #judge(entry) {
    const { action, answer, settings, peer } = entry;
    // Its server may end before it reaches the call.
    if (peer.crashes && answer === "error") return;
    if (action.cancels) return;
    const wanted = [...settings].map((one) => expected(action, one).answer);
    if (wanted.includes(answer)) return;
    this.fault(
      "unexpected answer",
      `${describe(entry)}: wanted ${[...new Set(wanted)].join(" or ")}`,
    );
  }
}

function kindOf(message) {
  if (message.error !== undefined) return "error";
  return message.result?.isError === true ? "tool error" : "result";
}

export function describe({ tag, action, peer, state, answer }) {
  return `${tag} "${action.name}" of ${peer.name}: ${state}${answer === undefined ? "" : ` (${answer})`}`;
}
