import { DRIFT_DELAY_NOTE, driftReport } from "@touchstone/gateway/activity";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS } from "../io/exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { driftText, headline } from "./drift-text.ts";
import { type ActivityIo, failsOn, type Options } from "./options.ts";
import { withoutRecords, withReader } from "./reader.ts";
import { responseFormat, writeResponse } from "./response-format.ts";

/** The response for programs about a tool without known results; a missing schema is `null`. */
const UNKNOWN = {
  schema_hash: null,
  since: null,
  until: null,
  results: 0,
  refused: 0,
  findings: [],
  partial: false,
  proposed: null,
  proposed_fits: false,
  proposed_unsure: [],
};

/**
 * `touchstone activity drift SERVER TOOL`: shows how a tool's results differed from its output schema, and proposes a
 * schema that fits.
 *
 * @throws CliExit 1 if `--fail-on drift` is given and there is drift, 2 for a wrong option, 3 if the records cannot
 *   be read, or `--fail-on` is given and no results of the tool are known
 */
export async function runDrift(
  io: ActivityIo,
  server: string,
  tool: string,
  options: Options,
): Promise<void> {
  const format = responseFormat(options);
  const fails = failsOn(options, "drift");
  const kept = await withReader(io, options, (reader) => reader.drift(server, tool));
  if (kept === undefined && fails) throw withoutRecords("compared");
  const [latest] = kept ?? [];
  if (latest === undefined) {
    if (format !== "table") writeResponse(io, format, { server, tool, ...UNKNOWN }, () => "");
    if (kept === undefined) return;
    const unknown = `Nothing is known about results of ${safeText(server)}/${safeText(tool)}. ${DRIFT_DELAY_NOTE}`;
    if (fails) throw new CliExit(EXIT_FAILED, unknown);
    io.stderr.write(`${unknown}\n`);
    return;
  }
  const answer = driftReport(latest);
  writeResponse(io, format, answer, () => driftText(answer));
  if (fails && (answer.findings.length > 0 || answer.refused > 0)) {
    throw new CliExit(EXIT_FINDINGS, headline(answer));
  }
}
