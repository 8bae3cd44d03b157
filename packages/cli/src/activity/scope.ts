import { type ActivityScope, parseActivityScope } from "@touchstone/gateway/activity";
import { scopeInput } from "./filters.ts";
import { type ActivityIo, type Options, reportingActivityErrors } from "./options.ts";

/**
 * Returns the records that the options select.
 * @param period the default start of the time range, as a length of time; without it, there is no limit
 * @param parse reads the options; by default, it refuses text to search for
 * @throws CliExit 2 for a bad filter
 */
export function readScope(
  io: ActivityIo,
  options: Options,
  period?: string,
  parse: typeof parseActivityScope = parseActivityScope,
): Promise<ActivityScope> {
  const input = scopeInput(options);
  const begins = input["period"] !== undefined || input["since"] !== undefined;
  return reportingActivityErrors(() => parse(begins ? input : { ...input, period }, io.now()));
}
