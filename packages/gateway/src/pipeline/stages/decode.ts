import { broken, lostMessage } from "../broken.ts";
import type { ClientExchange, ServerExchange, Stage } from "../exchange.ts";
import { describeFaults } from "../faults.ts";
import { blockedMessage } from "../messages.ts";
import { blockedIn, settle } from "../settle.ts";

/** Blocks a frame that is no JSON: nobody can say what it holds, so nothing of it is forwarded. */
export const decodeClient: Stage<ClientExchange> = {
  name: "decode",
  run({ state, frame, entries }) {
    if (frame.scan.error === undefined) return "continue";
    const { faults: issues } = frame;
    const verdict = blockedIn(state.context.settings().protocol.mode);
    const reason = (): string => describeFaults(issues);
    settle(
      state,
      { direction: "protocol", verdict, issues, reason, what: "client message" },
      entries,
    );
    return { respond: blockedMessage(frame, issues) };
  },
};

/** Takes what is no message, or only what is left of one: the requests that it was meant to answer get errors. */
export const decodeServer: Stage<ServerExchange> = {
  name: "decode",
  wait(exchange) {
    const { state, frame, place } = exchange;
    const { inBatch, line } = place;
    const decided = (outcome: ServerExchange["early"]): void => {
      exchange.early = outcome;
    };
    if (line?.lost) return lostMessage(state, frame, line.issue).then(decided);
    if (line !== undefined) state.batches.noteLine(frame, line.issue);
    return frame.kind === "invalid"
      ? broken(state, frame, inBatch === true).then(decided)
      : undefined;
  },
  run: ({ early = "continue" }) => early,
};
