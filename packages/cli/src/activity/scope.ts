import { type ActivityScope, parseActivityScope } from "@touchstone/gateway/activity";
import { scopeInput } from "./filters.ts";
import { type ActivityIo, type Options, reportingActivityErrors } from "./options.ts";

/**
 * Returns which records the options ask for.
 * @param period how far back where they report no beginning; without it, there is none
 * @throws CliExit 2 for a bad filter
 */
export function readScope(
  io: ActivityIo,
  options: Options,
  period?: string,
): Promise<ActivityScope> {
  const input = scopeInput(options);
  const begins = input["period"] !== undefined || input["since"] !== undefined;
  return reportingActivityErrors(() =>
    parseActivityScope(begins ? input : { ...input, period }, io.now()),
  );
}
