import { expect, it } from "vitest";
import { driftInOrder, noneFailed, serversInOrder } from "./empty-cards.ts";

type State = Parameters<typeof serversInOrder>[0][number]["state"];

it.each<[readonly State[], string, boolean]>([
  [["running"], "The server is running.", true],
  [["running", "running", "running"], "All 3 servers are running.", true],
  [["running", "idle"], "2 servers: 1 running, 1 not started yet.", false],
  [["idle"], "1 server: 1 not started yet.", false],
  [
    ["starting", "stopped", "disabled", "wrapped", "wrapped", "running"],
    "6 servers: 1 running, 1 starting, 1 stopped, 1 disabled, 2 started by clients.",
    false,
  ],
  [[], "There are no servers.", false],
])("says that servers are in order only if each runs: %j", (states, text, isGood) => {
  expect(serversInOrder(states.map((state) => ({ state })))).toEqual({ text, isGood });
});

it.each([
  [1204, /^Of 1,204 calls, none failed, /, true],
  [0, /^Of 0 calls, /, false],
])("says that none of %i calls failed", (calls, expected, good) => {
  const { text, isGood } = noneFailed({ calls });
  expect(text).toMatch(expected);
  expect(isGood).toBe(good);
});

it.each([
  [0, "No results were compared with their schemas.", false],
  [1, "Results of 1 tool were compared, and no difference is recorded.", true],
  [2, "Results of 2 tools were compared, and no difference is recorded.", true],
])("says that results match only if some were compared: %i tools", (compared, text, isGood) => {
  expect(driftInOrder(compared)).toEqual({ text, isGood });
});
