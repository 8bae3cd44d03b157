import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../canonical.ts";
import { ActivityError } from "../errors.ts";
import type { ActivityReader } from "../store.ts";

const TYPE = "touchstone-activity-checkpoint";

const chain = z.strictObject({
  chain: z.string().max(64),
  records: z.int().min(0),
  head: z.string().regex(/^[0-9a-f]{64}$/),
});
const statement = z.strictObject({
  type: z.literal(TYPE),
  version: z.literal(1),
  /** RFC 3339, UTC. */
  time: z.string().max(64),
  chains: z.array(chain),
});
const signed = z.strictObject({
  statement,
  /** `sha256:` and the hex digest of the public key in its DER form (SubjectPublicKeyInfo). */
  key: z.string().max(80),
  /** Ed25519 (RFC 8032) over the statement's canonical JSON (RFC 8785), in base64. */
  signature: z.base64().max(128),
});

/** Where one chain stood. */
export interface CheckpointChain {
  readonly chain: string;
  /** How many records had been appended to it. */
  readonly records: number;
  /** Hash of the last of them. */
  readonly head: string;
}
/** Where every chain stood at one moment. */
export interface CheckpointStatement {
  readonly type: typeof TYPE;
  readonly version: 1;
  readonly time: string;
  readonly chains: readonly CheckpointChain[];
}
export interface SignedCheckpoint {
  readonly statement: CheckpointStatement;
  readonly key: string;
  readonly signature: string;
}

/**
 * Where every chain stands now, as the store notes it. Whoever signs it verifies the records against
 * it first: what is appended meanwhile is in neither.
 *
 * @throws ActivityError where the chains cannot be read
 */
export async function checkpointStatement(
  reader: ActivityReader,
  now: Date,
): Promise<CheckpointStatement> {
  const chains = (await reader.chains()).flatMap(({ chain: id, appended, head }) =>
    head === null ? [] : [{ chain: id, records: appended, head }],
  );
  return { type: TYPE, version: 1, time: now.toISOString(), chains };
}

/**
 * Signs where every chain stood. Kept away from the records, it later shows that the end of a
 * chain was cut off, or that a chain was rewritten from its start.
 *
 * @param privateKeyPem an Ed25519 private key in PEM (RFC 8410), not encrypted
 * @throws ActivityError `BAD_KEY`
 */
export function signCheckpoint(made: CheckpointStatement, privateKeyPem: string): SignedCheckpoint {
  const key = readKey(privateKeyPem, "private");
  return {
    statement: made,
    key: fingerprint(createPublicKey(key)),
    signature: sign(null, bytesOf(made), key).toString("base64"),
  };
}

/**
 * Reads a checkpoint and checks its signature.
 *
 * @param text JSON as {@link signCheckpoint} made it
 * @param publicKeyPem an Ed25519 public key in PEM (SubjectPublicKeyInfo, RFC 8410)
 * @throws ActivityError `BAD_CHECKPOINT` where it is none or was not signed by that key, `BAD_KEY`
 */
export function openCheckpoint(text: string, publicKeyPem: string): CheckpointStatement {
  const key = readKey(publicKeyPem, "public");
  const read = signed.safeParse(parse(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue?.path.join("/") ?? "";
    throw badCheckpoint(`is no checkpoint: /${where} ${issue?.message ?? ""}`);
  }
  const { statement: made, key: keyId, signature } = read.data;
  const own = fingerprint(key);
  const bytes = signedBytes(made);
  if (!verify(null, bytes, key, Buffer.from(signature, "base64"))) {
    throw badCheckpoint(
      keyId === own
        ? "was changed after it had been signed"
        : `was signed with another key: it names ${keyId}, the key given is ${own}`,
    );
  }
  if (keyId !== own) throw badCheckpoint(`names another key than the one that signed it: ${keyId}`);
  return made;
}

function badCheckpoint(problem: string): ActivityError {
  return new ActivityError(
    "BAD_CHECKPOINT",
    `The checkpoint ${problem}. Give the file that touchstone activity checkpoint wrote, and the ` +
      "public key of its private key.",
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function signedBytes(made: CheckpointStatement): Buffer {
  try {
    return bytesOf(made);
  } catch {
    // A lone surrogate: canonical JSON has none, and so nobody has signed one.
    throw badCheckpoint("is no checkpoint: it holds text that is no Unicode");
  }
}

function bytesOf(made: CheckpointStatement): Buffer {
  return Buffer.from(canonicalJson(made), "utf8");
}

function fingerprint(key: KeyObject): string {
  const der = key.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(der).digest("hex")}`;
}

function readKey(pem: string, kind: "private" | "public"): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = kind === "private" ? createPrivateKey(pem) : createPublicKey(pem);
  } catch {
    // Told below, together with keys of other kinds.
  }
  if (key === undefined || key.asymmetricKeyType !== "ed25519") {
    const make =
      kind === "private"
        ? "Make one with: openssl genpkey -algorithm ed25519 -out key.pem"
        : "Take it out of the private key with: openssl pkey -in key.pem -pubout -out key.pub.pem";
    throw new ActivityError(
      "BAD_KEY",
      `The ${kind} key is no Ed25519 key in PEM without a passphrase. ${make}`,
    );
  }
  return key;
}
