/**
 * What clients do. `faults` lists what is wrong with an action: `request` (with the message itself), `unlisted`,
 * `input`, `missing`, `output`, `answer` (with the response as a message), and `lost`, for a response that cannot be
 * forwarded in any mode; `always` if it is recorded in every mode. `native` is how the server responds. `exact`: the
 * arguments must come back as they were sent, byte for byte.
 */
const long = (length) => "z".repeat(length);
const nested = (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const call = (name, tool, weight, more, rest = "") => ({
  name,
  tool,
  weight,
  faults: [],
  native: "result",
  args: (tag) => `{"tag":"${tag}"${rest}}`,
  ...more,
});
const withArgs = (args) => ({ args });

/** Exceeds `limits.request_bytes` of the soak's configuration. */
const TOO_LARGE = 1_200_000;

const GOOD = [
  call("good", "echo", 30, {
    exact: true,
    ...withArgs((tag, random) => `{"tag":"${tag}","n":${random.whole(-1e6, 1e6)}}`),
  }),
  call("numbers as written", "echo", 5, {
    exact: true,
    raw: true,
    ...withArgs(
      (tag) => `{"tag":"${tag}","n":9007199254740993123,"extra":[1.0,1e400,-0.0,"\\u00e9\\/"]}`,
    ),
  }),
  call("no output schema", "free", 4),
  call("list", undefined, 3, { method: "tools/list", params: "{}" }),
];

const BAD = [
  call("wrong type", "sink", 6, {
    faults: ["input"],
    ...withArgs((tag) => `{"tag":"${tag}","n":"seven"}`),
  }),
  call("missing and unknown", "sink", 4, {
    faults: ["input"],
    ...withArgs((tag) => `{"tag":"${tag}","m":1}`),
  }),
  call("wrong on both sides", "wrong", 4, { faults: ["input", "output"] }),
  call("wrong result", "wrong", 8, { faults: ["output"] }, ',"n":1'),
  call("nothing structured", "plain", 4, { faults: ["missing"] }),
  call("tool error", "failing", 4, { native: "tool error" }),
  call("error", "refusing", 3, { native: "error" }),
  call("unknown tool", "nowhere", 2, { faults: ["unlisted"], native: "error" }),
  call("schema that cannot be used", "uncompilable", 2),
];

const HOSTILE = [
  call("deep arguments", "sink", 2, {
    faults: ["input"],
    ...withArgs((tag) => `{"tag":"${tag}","n":1,"extra":${nested(200)}}`),
  }),
  call("very deep arguments", "sink", 1, {
    faults: ["input"],
    raw: true,
    ...withArgs((tag) => `{"tag":"${tag}","n":1,"extra":${nested(2_000)}}`),
  }),
  call("large arguments", "sink", 1, {
    faults: ["input"],
    ...withArgs((tag) => `{"tag":"${tag}","n":1,"extra":"${long(120_000)}"}`),
  }),
  call("deep result", "deep", 2, { faults: ["output"] }, ',"depth":90'),
  call("large result", "large", 1, { faults: ["output"] }, ',"bytes":150000'),
  call("result over the limit", "huge", 0.3, {
    faults: ["lost"],
    native: "error",
    always: true,
  }),
  call("key twice in the arguments", "sink", 3, {
    faults: ["request"],
    raw: true,
    ...withArgs((tag) => `{"tag":"${tag}","n":1,"n":2}`),
  }),
  call("key twice in the result", "doubled", 3, { faults: ["answer"] }),
  call("answer that breaks off", "broken", 1, { faults: ["lost"], native: "error", on: "stdio" }),
  call("noise before the answer", "noisy", 1),
  call("unknown method", undefined, 2, { method: "soak/nothing", params: "{}", native: "error" }),
  call("no tool's name", undefined, 2, {
    raw: true,
    faults: ["request", "unlisted"],
    native: "error",
  }),
  call("message over the limit", undefined, 0.3, {
    method: "tools/call",
    params: `{"name":"sink","arguments":{"extra":"${long(TOO_LARGE)}"}}`,
    faults: ["lost"],
    native: "error",
    always: true,
  }),
  call("no JSON", undefined, 1, {
    text: (id) => `{"jsonrpc":"2.0","id":${id},"method":`,
    faults: ["lost"],
    native: "error",
  }),
];

const SLOW = [
  call("slow", "slow", 6, { slow: true, ...timed() }),
  call("slow with progress", "slow", 4, { slow: true, progress: true, ...timed() }),
  call("cancelled", "slow", 3, { slow: true, cancels: true, ...timed(2) }),
  call("client vanishes", "slow", 3, { slow: true, vanishes: true, ...timed(2) }),
];

function timed(times = 1) {
  return withArgs((tag, random) => `{"tag":"${tag}","ms":${times * random.whole(30, 300)}}`);
}

/** The server of this call crashes, and all of its other requests are lost, too. */
export const CRASH = call("crash", "crash", 1, { native: "error", crashes: true });
export const ACTIONS = [...GOOD, ...BAD, ...HOSTILE, ...SLOW];

/** Returns whether the arguments identify the action's records: others are only counted. */
export const isTagged = ({ method, text }) => method === undefined && text === undefined;

/**
 * Returns the expected outcome of an action under settings `{input, output, protocol, missing}`.
 *
 * @returns {{answer: string, decisions: Record<string, string>}} the kind of response, and the decision by direction;
 *   a direction that is absent has no record
 */
export function expected({ faults, native, always = false }, settings) {
  const decisions = {};
  const meets = (direction, mode) => {
    if (mode === "off") return false;
    decisions[direction] = mode === "strict" ? "blocked" : "warning";
    return mode === "strict";
  };
  if (faults.includes("request") && meets("protocol", settings.protocol)) {
    return { answer: "error", decisions };
  }
  // If both are off, it is unknown what the call and its result must satisfy.
  const either = [settings.input, settings.output];
  const strictest = ["strict", "warn"].find((mode) => either.includes(mode)) ?? "off";
  if (faults.includes("unlisted") && meets("input", strictest)) {
    return { answer: "error", decisions };
  }
  if (faults.includes("input") && meets("input", settings.input)) {
    return { answer: "tool error", decisions };
  }
  if (faults.includes("lost")) {
    if (always || settings.protocol !== "off") decisions.protocol = "blocked";
    return { answer: "error", decisions };
  }
  if (faults.includes("answer") && meets("protocol", settings.protocol)) {
    return { answer: "error", decisions };
  }
  const missing =
    faults.includes("missing") && settings.output === "strict" && settings.missing === "block";
  if ((faults.includes("output") || missing) && meets("output", settings.output)) {
    return { answer: "tool error", decisions };
  }
  return { answer: native, decisions };
}
