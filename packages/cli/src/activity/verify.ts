import { readFileSync } from "node:fs";
import {
  type ChainFault,
  openCheckpoint,
  type VerifyReport,
  verifyActivity,
} from "@touchstone/gateway/activity";
import { CliExit, EXIT_FAILED, EXIT_FINDINGS, EXIT_USAGE } from "../exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { toJson, toYaml } from "../terminal/serialise.ts";
import { progress } from "./export.ts";
import {
  type ActivityIo,
  type Options,
  outputFormat,
  reportingActivityErrors,
  textOption,
} from "./options.ts";
import { withReader } from "./reader.ts";

const FORMATS = ["table", "json", "yaml"] as const;

/**
 * `touchstone activity verify`: follows every chain and names each record that was changed, removed,
 * inserted or put elsewhere.
 *
 * @throws CliExit 1 where something is wrong, 2 for a wrong option, key or checkpoint, 3 where the
 *   records cannot be read
 */
export async function runVerify(io: ActivityIo, options: Options): Promise<void> {
  const format = outputFormat(options, FORMATS);
  const checkpoint = await signedStatement(options);
  const report = await withReader(io, options, (reader) =>
    verifyActivity(reader, {
      checkpoint,
      onProgress: (done, total) => progress(io, `${done} of ${total} records`),
    }),
  );
  progress(io, "");
  if (report === undefined) {
    if (checkpoint === undefined || checkpoint.chains.length === 0) return;
    throw new CliExit(EXIT_FINDINGS, "the checkpoint tells of records, and there are none");
  }
  if (format === "json") io.stdout.write(toJson(report, "lines"));
  else if (format === "yaml") io.stdout.write(toYaml(report));
  else io.stdout.write(reportText(report));
  if (!report.ok) {
    const count = report.faults.length + report.more_faults;
    throw new CliExit(EXIT_FINDINGS, `the records were tampered with in ${count} places`);
  }
}

async function signedStatement(options: Options) {
  const file = textOption(options, "checkpoint");
  const key = textOption(options, "publicKey");
  if (file === undefined && key === undefined) return undefined;
  if (file === undefined || key === undefined) {
    throw new CliExit(EXIT_USAGE, "--checkpoint and --public-key belong together");
  }
  const [text, pem] = [readText(file), readText(key)];
  return reportingActivityErrors(() => openCheckpoint(text, pem));
}

/** @throws CliExit 3 where the file cannot be read */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new CliExit(EXIT_FAILED, `${safeText(file)} cannot be read: ${safeText(text)}`);
  }
}

function reportText(report: VerifyReport): string {
  const { chains, records, pruned, faults, more_faults, not_comparable } = report;
  const lines = faults.map(faultLine);
  if (more_faults > 0) lines.push(`and ${more_faults} more`);
  for (const chain of not_comparable) {
    lines.push(`chain ${safeText(chain)}: retention has removed what the checkpoint tells of`);
  }
  const kept = pruned === 0 ? "" : ` (${pruned} more were removed by retention)`;
  const verdict = report.ok ? "all in order" : "NOT in order";
  lines.push(`${records} records in ${chains} chains${kept}: ${verdict}`);
  return `${lines.join("\n")}\n`;
}

function faultLine({ chain, kind, position, message }: ChainFault): string {
  return `${kind}: chain ${safeText(chain)}, position ${position}: ${safeText(message)}`;
}
