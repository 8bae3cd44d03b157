import {
  type Drift,
  type DriftFinding,
  driftOf,
  proposeSchema,
} from "@touchstone/gateway/activity";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS } from "../exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { toJson } from "../terminal/serialise.ts";
import { answerFormat, writeAnswer } from "./answer.ts";
import { type ActivityIo, failsOn, type Options } from "./options.ts";
import { withoutRecords, withReader } from "./reader.ts";

/** What the results of one tool were like under one of its schemas. */
interface Answer extends Drift {
  readonly server: string;
  readonly tool: string;
  readonly schema_hash: string;
  readonly since: string;
  readonly until: string;
  /** The schema with what came put in. */
  readonly proposed: unknown;
  /** Whether it takes all that came, as far as it could be compared. */
  readonly proposed_fits: boolean;
}

/**
 * `touchstone activity drift SERVER TOOL`: tells in what the results of a tool were not what its
 * output schema says, and proposes a schema that fits.
 *
 * @throws CliExit 1 where `--fail-on drift` is given and there is any, 2 for a wrong option, 3 where
 *   the records cannot be read, or `--fail-on` is given and nothing is known of the tool
 */
export async function runDrift(
  io: ActivityIo,
  server: string,
  tool: string,
  options: Options,
): Promise<void> {
  const format = answerFormat(options);
  const fails = failsOn(options, "drift");
  const kept = await withReader(io, options, (reader) => reader.drift(server, tool));
  if (kept === undefined) {
    if (fails) throw withoutRecords("compared");
    return;
  }
  const [latest] = kept;
  if (latest === undefined) {
    const unknown =
      `Nothing is known of results of ${safeText(server)}/${safeText(tool)}. ` +
      'Set "activity": {"drift": true}, with output_validation in warn or strict, and call it.';
    if (fails) throw new CliExit(EXIT_FAILED, unknown);
    io.stderr.write(`${unknown}\n`);
    return;
  }
  const schema = parsed(latest.schema);
  const proposal = proposeSchema(schema, latest.shape);
  const answer: Answer = {
    server,
    tool,
    schema_hash: latest.schemaHash,
    since: latest.since,
    until: latest.until,
    ...driftOf(schema, latest.shape),
    proposed: proposal.schema,
    proposed_fits: proposal.fits,
  };
  writeAnswer(io, format, answer, () => driftText(answer));
  if (fails && answer.findings.length > 0) {
    throw new CliExit(EXIT_FINDINGS, headline(answer));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return true;
  }
}

const number = (count: number): string => count.toLocaleString("en");

function headline({ server, tool, results, findings }: Answer): string {
  const where = `${safeText(server)}/${safeText(tool)}`;
  const seen = `${number(results)} result${results === 1 ? "" : "s"} of ${where}`;
  return findings.length === 0
    ? `${seen} had what the schema declares, and nothing else`
    : `${seen} differed from the schema in ${findings.length} way${findings.length === 1 ? "" : "s"}`;
}

function driftText(answer: Answer): string {
  const lines = [`${headline(answer)}${answer.findings.length === 0 ? "" : ":"}`];
  lines.push(...answer.findings.map((finding) => `  ${line(finding)}`));
  if (answer.partial) {
    lines.push("Parts of the schema (anyOf, conditions, patterns) were not compared.");
  }
  if (answer.findings.length > 0) {
    const what = answer.proposed_fits
      ? "A schema that fits:"
      : "A schema that fits better, with the parts as they are that could not be compared:";
    lines.push("", what, toJson(answer.proposed, "lines").trimEnd());
  }
  return `${lines.join("\n")}\n`;
}

function kept(count: number, of: number): string {
  const within = `in ${number(of)}`;
  return count === 1
    ? `1 member ${within} whose name was not kept, as it may be data`
    : `${number(count)} members ${within} whose names were not kept, as they may be data`;
}

function line({
  kind,
  path,
  count,
  of,
  types = [],
  declared = [],
  required,
  closed,
}: DriftFinding): string {
  const at = path === "" ? "(the result)" : safeText(path);
  const refused = closed === true ? "; the schema takes no others" : "";
  const share = `${number(count)} of ${number(of)}`;
  switch (kind) {
    case "never_came":
      return `${at} never came in ${number(of)}${required === true ? ", and is required" : ""}`;
    case "sometimes_missing":
      return `${at} is required, and was missing in ${share}`;
    case "undeclared":
      return `${at} is not declared, and came in ${share} (${types.join(", ")})${refused}`;
    case "unnamed":
      return `${at} had ${kept(count, of)}${refused}`;
    default:
      return `${at} was ${types.join(", ")} in ${share}; declared is ${safeText(declared.join(", ") || "nothing")}`;
  }
}
