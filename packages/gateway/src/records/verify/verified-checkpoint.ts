import type { ActivityReader } from "../store.ts";
import { checkpointStatement, type SignedCheckpoint, signCheckpoint } from "./checkpoint.ts";
import { type VerifyOptions, type VerifyReport, verifyActivity } from "./verify.ts";

/** What verifying before signing came to. */
export interface VerifiedCheckpoint {
  readonly report: VerifyReport;
  /** Absent if the records are not in order. */
  readonly signed?: SignedCheckpoint;
}

/**
 * Signs where every chain stood when the verification began, and only what it found in order: records
 * that are appended meanwhile, by whomever, are verified and signed by the next one.
 *
 * @param privateKeyPem an Ed25519 private key in PEM (RFC 8410), not encrypted
 * @throws ActivityError `BAD_KEY`, or where the records cannot be read; the signal's reason once it is aborted
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
