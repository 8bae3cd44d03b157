import { oneOf } from "../../util/json-schema.ts";

const MODES = ["pass", "add"] as const;

/**
 * Whether the gateway adds the validation capability to servers that lack it (`add`), or leaves their messages
 * unchanged (`pass`).
 */
export type CapabilityMode = (typeof MODES)[number];

/** `capability` of the file and of a server. */
export const CAPABILITY = {
  enum: MODES,
  default: "pass",
  description: "add: offer validation of calls for servers that lack it",
} as const;

/** Its schema in the HTTP API. */
export const SHOWN_CAPABILITY = oneOf(MODES);
