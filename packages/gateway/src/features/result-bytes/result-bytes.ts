import { LEVEL_OWNER_TEXTS, type Limit } from "../limit.ts";

/** `limits.result_bytes`: how many bytes the result of a call, or the error instead of one, may have. */
export const resultBytes = {
  name: "result_bytes",
  schema: { $ref: "#/$defs/bytes" },
  descriptions: {
    top: "Maximum result of a tool call, in bytes",
    level: "Maximum result for this server, tool or caller, in bytes",
  },
  text: (value) => `results of up to ${value} bytes`,
  overResult: (limits, what, size) => {
    const smallest = limits.reduce((one, other) => (other.value < one.value ? other : one));
    if (size <= smallest.value) return undefined;
    return `the ${what} of ${size} bytes is over the limit of ${smallest.value} bytes ${LEVEL_OWNER_TEXTS[smallest.level]} (limits.result_bytes)`;
  },
} as const satisfies Limit;
