import type { CutMessage } from "@touchstone/protocol";
import type { LinkEvents } from "./link.ts";

/** Keeps what a link tells until somebody listens, and hands it over in the same order. */
export class LateEvents implements LinkEvents {
  #kept: ((events: LinkEvents) => void)[] = [];
  #events: LinkEvents | undefined;

  frame(bytes: Uint8Array, answers?: readonly string[]): void {
    this.#tell((events) => events.frame(bytes, answers));
  }

  line(bytes: Uint8Array): void {
    this.#tell((events) => (events.line ? events.line(bytes) : events.frame(bytes)));
  }

  oversize(message: CutMessage, answers?: readonly string[]): void {
    this.#tell((events) => events.oversize(message, answers));
  }

  unreadable(reason: string, answers: readonly string[]): void {
    this.#tell((events) => events.unreadable?.(reason, answers));
  }

  attach(events: LinkEvents): void {
    this.#events = events;
    for (const tell of this.#kept) tell(events);
    this.#kept = [];
  }

  #tell(tell: (events: LinkEvents) => void): void {
    if (this.#events === undefined) this.#kept.push(tell);
    else tell(this.#events);
  }
}
