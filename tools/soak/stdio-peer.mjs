import { createInterface } from "node:readline";
import { cancelText, INITIALIZED, idOf, initializeText, MODERN, requestText } from "./messages.mjs";
import { startNode, startTouchstone } from "./processes.mjs";

const INITIALIZE = "init";
const BATCHES = "2025-03-26";

/** A client of `touchstone wrap`, on the pipes of its process. */
export class StdioPeer {
  #waiting = new Map();
  #last = 0;
  #ready;
  #left = false;
  /** Requests that were not JSON, and whose responses with the id null have not arrived yet. */
  #anonymous = [];

  /**
   * @param {{name: string, server: string, revision: string, args: string[], settings: () => object[]}} own
   * @param {{ledger: object, random: object, onLine: (name: string, line: string) => void}} soak
   */
  constructor(own, { ledger, random, onLine }) {
    Object.assign(this, own);
    this.transport = "stdio";
    this.ledger = ledger;
    this.random = random;
    this.onLine = onLine;
    this.batches = own.revision === BATCHES;
  }

  async open() {
    const told = (line) => this.onLine(this.name, line);
    this.child = this.behind
      ? startNode([this.behind, ...this.args], { onLine: told })
      : startTouchstone(["wrap", ...this.args], told);
    const lines = createInterface({
      input: this.child.stdout,
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    lines.on("line", (line) => this.#take(line));
    void this.child.ended.then((code) => this.#gone(code));
    if (this.revision === MODERN) return;
    const ready = new Promise((resolve) => {
      this.#ready = resolve;
    });
    this.#write(initializeText(INITIALIZE, this.revision));
    await Promise.race([ready, this.child.ended]);
    this.#write(INITIALIZED);
  }

  /** Sends an action. Resolves when its request has ended. */
  async act(action) {
    const { entry, id, text } = this.#request(action);
    if (action.text) this.#anonymous.push(entry);
    this.#write(text);
    if (action.cancels) {
      await new Promise((resolve) => setTimeout(resolve, this.random.whole(1, 40)));
      this.#write(cancelText(id));
      this.ledger.close(entry, "cancelled");
    }
    await entry.settled;
  }

  /** Sends several actions in one batch, if the revision has batches. */
  async actTogether(actions) {
    const all = actions.map((action) => this.#request(action));
    this.#write(`[${all.map(({ text }) => text).join(",")}]`);
    await Promise.all(all.map(({ entry }) => entry.settled));
  }

  /** Ends the client's side while requests are in progress: each of them must still get its response. */
  async close() {
    this.#left = true;
    this.child.stdin.end();
    return this.child.ended;
  }

  /** Closes both pipes, as when a client disappears. */
  async vanish() {
    this.#left = true;
    for (const entry of this.#waiting.values()) this.ledger.close(entry, "vanished");
    this.child.stdin.destroy();
    this.child.stdout.destroy();
    return this.child.ended;
  }

  #request(action) {
    this.#last += 1;
    const id = idOf(this.#last);
    const entry = this.ledger.open(action, this);
    this.#waiting.set(JSON.stringify(id), entry);
    return {
      entry,
      id,
      ...requestText(entry, { id, revision: this.revision, random: this.random }),
    };
  }

  #write(text) {
    if (this.child.stdin.writable) this.child.stdin.write(`${text}\n`);
  }

  #take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.ledger.fault("no JSON", `${this.name} sent ${line.slice(0, 200)}`);
      return;
    }
    for (const one of Array.isArray(message) ? message : [message]) this.#message(one, line);
  }

  #message(message, line) {
    if (message.method !== undefined) {
      const token = message.params?.progressToken;
      const known = [...this.#waiting.values()].some(({ tag }) => tag === token);
      if (!known) this.ledger.fault("stray message", `${this.name}: ${line.slice(0, 200)}`);
      return;
    }
    if (message.id === INITIALIZE) {
      this.#ready?.();
      return;
    }
    const named = this.#waiting.get(JSON.stringify(message.id));
    const entry = message.id === null ? this.#anonymous.shift() : named;
    if (entry === undefined) {
      this.ledger.fault("answer to nothing", `${this.name}: ${line.slice(0, 200)}`);
      return;
    }
    if (message.id !== null) this.#anonymous = this.#anonymous.filter((one) => one !== entry);
    this.ledger.answered(entry, message, line);
  }

  #gone(code) {
    for (const entry of this.#waiting.values()) {
      if (entry.state !== "open") continue;
      if (this.behind) {
        this.ledger.close(entry, "vanished");
        continue;
      }
      this.ledger.fault("never answered", `${entry.tag} of ${this.name}, which ended with ${code}`);
      this.ledger.close(entry, "vanished");
    }
    if (!this.#left && !this.mayEnd && !this.behind)
      this.ledger.fault("ended", `${this.name} with ${code}`);
  }
}
