import type { ActivityReader } from "../store.ts";
import { checkpointStatement, type SignedCheckpoint, signCheckpoint } from "./checkpoint.ts";
import { type VerifyOptions, type VerifyReport, verifyActivity } from "./verify.ts";

/** The result of a verification before signing. */
export interface VerifiedCheckpoint {
  readonly report: VerifyReport;
  /** Absent if the records have faults. */
  readonly signed?: SignedCheckpoint;
}

/**
 * Signs the ends of all chains at the start of the verification, if it found them intact: records that are appended
 * in the meantime, by any process, are left for the next one.
 *
 * @param privateKeyPem an Ed25519 private key in PEM (RFC 8410), not encrypted
 * @throws ActivityError `BAD_KEY`, or if the records cannot be read; the signal's reason once it is aborted
 */
export async function verifiedCheckpoint(
  reader: ActivityReader,
  privateKeyPem: string,
  now: Date,
  options: Omit<VerifyOptions, "checkpoint"> = {},
): Promise<VerifiedCheckpoint> {
  const checkpoint = await checkpointStatement(reader, now);
  const report = await verifyActivity(reader, { ...options, checkpoint });
  return report.ok ? { report, signed: signCheckpoint(checkpoint, privateKeyPem) } : { report };
}
