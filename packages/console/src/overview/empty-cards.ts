import type { Overview, ServerSummary } from "@touchstone/gateway/api";

/** What a card of the overview shows if it has nothing to list. */
export interface EmptyCard {
  readonly text: string;
  /** Whether the text reports that something was checked, and that all of it was in order. */
  readonly isGood: boolean;
}

const STATE_WORDS: Readonly<Record<string, string>> = {
  idle: "not started yet",
  starting: "starting",
  stopped: "stopped",
  disabled: "disabled",
  wrapped: "started by clients",
};

const counted = (count: number, one: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : `${one}s`}`;

/** Returns the text about servers, if none has failed. It is good news if all of them run. */
export function serversInOrder(servers: readonly Pick<ServerSummary, "state">[]): EmptyCard {
  const running = servers.filter(({ state }) => state === "running").length;
  const others = Object.entries(STATE_WORDS).flatMap(([state, words]) => {
    const count = servers.filter((server) => server.state === state).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  if (others.length > 0) {
    const all = [...(running > 0 ? [`${running} running`] : []), ...others];
    return { text: `${counted(servers.length, "server")}: ${all.join(", ")}.`, isGood: false };
  }
  const text =
    running === 1
      ? "The server is running."
      : running === 0
        ? "There are no servers."
        : `All ${running} servers are running.`;
  return { text, isGood: running > 0 };
}

/** Returns the text that is shown if no call failed or was refused. */
export function noneFailed({ calls }: Pick<Overview["totals"], "calls">): EmptyCard {
  const text = `Of ${counted(calls, "call")}, none failed, and none was refused by policy, pins or a limit.`;
  return { text, isGood: calls > 0 };
}

/** Returns the text that is shown if no difference of results is recorded. */
export function driftInOrder(compared: number): EmptyCard {
  return compared === 0
    ? { text: "No results were compared with their schemas.", isGood: false }
    : {
        text: `Results of ${counted(compared, "tool")} were compared, and no difference is recorded.`,
        isGood: true,
      };
}
