import { BLANK } from "./bad-calls/blank.ts";
import type { BadCall, Row } from "./bad-calls/call.ts";
import { HOSTILE } from "./bad-calls/hostile.ts";
import { NAMES } from "./bad-calls/names.ts";
import { WRITTEN_OTHERWISE } from "./bad-calls/rewritten.ts";
import { UNIONS } from "./bad-calls/unions.ts";
import { VALUES } from "./bad-calls/values.ts";

const ROWS: readonly Row[] = [
  ...WRITTEN_OTHERWISE,
  ...BLANK,
  ...NAMES,
  ...VALUES,
  ...UNIONS,
  ...HOSTILE,
];

/** Every bad call. */
export const BAD_CALLS: readonly BadCall[] = ROWS.map(
  ([name, schema, args, facts, max = 300, never = []]) => ({
    name,
    schema,
    args,
    facts,
    max,
    never,
  }),
);
