import {
  type ChainFault,
  openCheckpoint,
  type VerifyReport,
  verifyActivity,
} from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../io/exit.ts";
import { readFile } from "../io/read-file.ts";
import { Progress } from "../terminal/progress.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type ActivityIo, type Options, reportingActivityErrors, textOption } from "./options.ts";
import { withoutRecords, withReader } from "./reader.ts";
import { responseFormat, writeResponse } from "./response-format.ts";

/**
 * `touchstone activity verify`: verifies every chain and names each record that was changed, removed, inserted or
 * moved, and faults of indexes and counts.
 *
 * @throws CliExit 1 if there is a fault, 2 for a wrong option, 3 if the key or the checkpoint is invalid, the records
 *   cannot be read or there are none
 */
export async function runVerify(io: ActivityIo, options: Options): Promise<void> {
  const format = responseFormat(options);
  const checkpoint = await signedStatement(options);
  const progress = new Progress(io);
  const report = await withReader(io, options, (reader) =>
    verifyActivity(reader, {
      checkpoint,
      onProgress: (done, total) => progress.at(() => `${done} of ${plural(total, "record")}`),
    }),
  ).finally(() => progress.clear());
  if (report === undefined) {
    if (checkpoint === undefined || checkpoint.chains.length === 0)
      throw withoutRecords("verified");
    throw new CliExit(EXIT_FINDINGS, "the checkpoint lists records, but there are none");
  }
  writeResponse(io, format, report, () => reportText(report));
  if (!report.ok) {
    const count = report.faults.length + report.more_faults + report.store_faults.length;
    throw new CliExit(
      EXIT_FINDINGS,
      `the records were tampered with, or damaged, in ${plural(count, "place")}`,
    );
  }
}

async function signedStatement(options: Options) {
  const file = textOption(options, "checkpoint");
  const key = textOption(options, "publicKey");
  if (file === undefined && key === undefined) return undefined;
  if (file === undefined || key === undefined) {
    throw new CliExit(EXIT_USAGE, "--checkpoint and --public-key must be given together");
  }
  const [text, pem] = [readSigned(file), readSigned(key)];
  return reportingActivityErrors(() => openCheckpoint(text, pem));
}

/** Largest file to read, in bytes: a checkpoint has a line for each start of a process. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads a key or a checkpoint. The caller checks the encoding.
 * @throws CliExit 3 if the file cannot be read
 */
export function readSigned(file: string): string {
  return readFile(file, MAX_BYTES).toString("utf8");
}

function reportText(report: VerifyReport): string {
  const { chains, records, pruned, faults, more_faults, not_comparable, store_faults } = report;
  const lines = faults.map(faultLine);
  if (more_faults > 0) lines.push(`and ${more_faults} more`);
  for (const fault of store_faults) lines.push(`store: ${safeText(fault)}`);
  for (const chain of not_comparable) {
    lines.push(`chain ${safeText(chain)}: retention has removed what the checkpoint lists`);
  }
  lines.push(...unknownLines(report));
  const kept =
    pruned === 0 ? "" : ` (${plural(pruned, "more was", "more were")} removed by retention)`;
  const others = [
    plural(report.approvals, "approval"),
    plural(report.first_uses, "first use"),
    plural(report.lists - report.unsealed_lists, "tool list"),
  ].filter((text) => !text.startsWith("0 "));
  const verdict = report.ok ? "everything that was compared is in order" : "NOT in order";
  const checked = [`${plural(records, "record")} in ${plural(chains, "chain")}${kept}`, ...others];
  lines.push(`${checked.join(", ")}: ${verdict}`);
  return `${lines.join("\n")}\n`;
}

/** Returns lines about what was not verified. */
function unknownLines(report: VerifyReport): readonly string[] {
  const { erased, unrecorded_approvals, unsealed_lists, tables } = report;
  const lines: string[] = [];
  if (erased > 0) {
    lines.push(
      `${plural(erased, "erased record")}: their content can no longer be checked; their place in the chain was, and ` +
        "what is left of them was compared with the records of their erasure",
    );
  }
  if (unrecorded_approvals > 0) {
    lines.push(
      `${plural(unrecorded_approvals, "approval")} from before approvals were recorded: no record proves or ` +
        "disproves them; look at them with touchstone approve SERVER --list",
    );
  }
  if (unsealed_lists > 0) {
    lines.push(
      `${plural(unsealed_lists, "tool list")} kept by an earlier release: which server it belongs to is verified ` +
        "once that server lists its tools again",
    );
  }
  const open = tables.flatMap(({ table, checked, not_covered, removals_noticed }) => {
    if (checked === null) return [table];
    const removals = removals_noticed ? [] : [`removed rows of ${table}`];
    return [...not_covered.map((column) => `${table}.${column}`), ...removals];
  });
  if (open.length > 0) lines.push(`not covered: ${open.join(", ")}`);
  return lines;
}

function faultLine({ chain, kind, position, message }: ChainFault): string {
  return `${kind}: chain ${safeText(chain)}, position ${position}: ${safeText(message)}`;
}
