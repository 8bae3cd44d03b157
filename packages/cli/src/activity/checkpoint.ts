import { verifiedCheckpoint } from "@touchstone/gateway/activity";
import { plural } from "@touchstone/util/plural";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../io/exit.ts";
import { Progress } from "../terminal/progress.ts";
import { safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import { type ActivityIo, type Options, outFile, textOption } from "./options.ts";
import { withRecords } from "./reader.ts";
import { withTextOutput } from "./text-output.ts";
import { readSigned } from "./verify.ts";

/**
 * `touchstone activity checkpoint`: verifies the records and signs the ends of all chains at its start.
 *
 * @throws CliExit 1 if the verification of the records fails, and then nothing is signed; 2 for a wrong option; 3 if
 *   the key is invalid, a file cannot be read or written, or there are no records
 */
export async function runCheckpoint(io: ActivityIo, options: Options): Promise<void> {
  const keyFile = textOption(options, "key");
  if (keyFile === undefined) {
    throw new CliExit(EXIT_USAGE, "--key FILE is needed: an Ed25519 private key in PEM");
  }
  const key = readSigned(keyFile);
  const file = outFile(options);
  await withRecords(io, options, "signed", async (reader) => {
    const progress = new Progress(io);
    const { signed } = await verifiedCheckpoint(reader, key, io.now(), {
      onProgress: (done, total) => progress.at(() => `${done} of ${plural(total, "record")}`),
    }).finally(() => progress.clear());
    if (signed === undefined) {
      throw new CliExit(
        EXIT_FINDINGS,
        "the records do not verify, so nothing was signed; run touchstone activity verify to see why",
      );
    }
    await withTextOutput(io, file, (write) => write(terminalJson(signed, "lines")));
    if (file !== undefined) {
      const { length } = signed.statement.chains;
      const chains = plural(length, "chain stands", "chains stand");
      io.stderr.write(`Where ${chains} was signed into ${safeText(file)}\n`);
    }
  });
}
