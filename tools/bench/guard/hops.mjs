// The gateway's figures: the processor time of a checked, recorded call relative to that of a call through the bare
// relay.
import { callTimes } from "../gateway/call-time.mjs";
import { httpWays, stdioWays } from "../gateway/endpoints.mjs";
import { httpUpstream, stop } from "../gateway/processes.mjs";

const ROUNDS = 5;
/** Sizes of results in KB. */
const SIZES = [1, 10, 100];

/** Returns the minimum of some figures; rounds without a time have NaN. */
const least = (figures) => Math.min(...figures.filter((figure) => !Number.isNaN(figure)));

/** Returns the best round's ratio for each size: the relay's time depends on load more than the gateway's. */
async function figuresOf(transport, { relay, warn }) {
  const ways = Object.entries({ relay, warn });
  const times = await callTimes(transport, ways, SIZES, ROUNDS);
  return SIZES.map((size) => {
    const ours = times.get(size).get("warn");
    const ratios = times
      .get(size)
      .get("relay")
      .map((time, round) => ours[round] / time);
    return [`call ÷ bare relay, ${transport}, ${size} KB`, least(ratios)];
  });
}

/** Returns the figures of both transports, in `warn` with all checks and records. */
export async function hopFigures() {
  const stdio = await figuresOf("stdio", stdioWays());
  const { child, url } = await httpUpstream();
  const http = await figuresOf("HTTP", httpWays(url));
  await stop(child);
  return new Map([...stdio, ...http]);
}
