/**
 * The tools of the server behind the gateway. `call(args, raw, context)` returns `{structured?, isError?}`, where
 * `structured` is the TEXT of `structuredContent`; or `{error}`; or `{broken}`, text that is sent instead of a
 * message; or `{crash: true}`.
 */
const text = { type: "string" };
const taken = {
  type: "object",
  properties: { tag: text, n: { type: "integer" }, extra: {} },
  required: ["tag", "n"],
  additionalProperties: false,
};
const tagged = { type: "object", properties: { tag: text }, required: ["tag"] };
const done = { type: "object", properties: { done: { type: "boolean" } }, required: ["done"] };
const DONE = '{"done":true}';

/** Exceeds the gateway's limit on a server's message, as the soak configures it. */
const TOO_LARGE = 2_200_000;

const nested = (depth) => `${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`;

const waiting = (ms, { progress, cancelled }) =>
  new Promise((resolve) => {
    const steps = setInterval(progress, Math.max(20, ms / 4));
    const finish = () => {
      clearInterval(steps);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    cancelled.addEventListener("abort", finish, { once: true });
  });

export const TOOLS = [
  {
    name: "echo",
    inputSchema: taken,
    outputSchema: { type: "object", properties: { echo: { type: "object" } }, required: ["echo"] },
    call: (_args, raw) => ({ structured: `{"echo":${raw}}` }),
  },
  { name: "sink", inputSchema: taken, outputSchema: done, call: () => ({ structured: DONE }) },
  {
    name: "wrong",
    inputSchema: taken,
    outputSchema: done,
    call: () => ({ structured: '{"done":"yes","more":[1,2]}' }),
  },
  { name: "plain", inputSchema: tagged, outputSchema: done, call: () => ({}) },
  {
    name: "failing",
    inputSchema: tagged,
    outputSchema: done,
    call: () => ({ structured: '{"why":"the disk is full"}', isError: true }),
  },
  {
    name: "refusing",
    inputSchema: tagged,
    call: () => ({ error: { code: -32000, message: "Not now" } }),
  },
  { name: "free", inputSchema: { type: "object" }, call: () => ({}) },
  {
    name: "deep",
    inputSchema: tagged,
    outputSchema: { type: "object" },
    call: ({ depth }) => ({ structured: nested(depth) }),
  },
  {
    name: "large",
    inputSchema: tagged,
    outputSchema: { type: "object" },
    call: ({ bytes }) => ({ structured: `{"text":"${"x".repeat(bytes)}"}` }),
  },
  {
    name: "huge",
    inputSchema: tagged,
    call: () => ({ structured: `{"text":"${"y".repeat(TOO_LARGE)}"}` }),
  },
  {
    name: "doubled",
    inputSchema: tagged,
    outputSchema: done,
    call: () => ({ structured: '{"done":false,"done":true}' }),
  },
  {
    name: "broken",
    inputSchema: tagged,
    outputSchema: done,
    call: (_args, _raw, { id }) => ({
      broken: `{"jsonrpc":"2.0","id":${id},"result":{"content":[`,
    }),
  },
  {
    name: "noisy",
    inputSchema: tagged,
    outputSchema: done,
    call: (_args, _raw, { noise }) => {
      noise("Listening… this line is not a message");
      return { structured: DONE };
    },
  },
  {
    name: "slow",
    inputSchema: tagged,
    outputSchema: done,
    async call({ ms }, _raw, context) {
      await waiting(ms, context);
      return { structured: DONE };
    },
  },
  { name: "crash", inputSchema: tagged, outputSchema: done, call: () => ({ crash: true }) },
  {
    name: "uncompilable",
    inputSchema: tagged,
    outputSchema: { type: "object", properties: { value: { type: "strin" } } },
    call: () => ({ structured: '{"value":"v"}' }),
  },
];
