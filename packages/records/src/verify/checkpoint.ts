import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { compileOwn } from "@touchstone/core/advanced";
import { canonicalJson } from "../canonical.ts";
import { ActivityError } from "../errors.ts";
import type { ActivityReader } from "../store.ts";

const TYPE = "touchstone-activity-checkpoint";

/** What {@link signCheckpoint} writes. */
export const SIGNED_SCHEMA: object = {
  type: "object",
  required: ["statement", "key", "signature"],
  properties: {
    statement: {
      type: "object",
      required: ["type", "version", "time", "chains"],
      properties: {
        type: { const: TYPE },
        version: { const: 1 },
        /** RFC 3339, UTC. */
        time: { type: "string", maxLength: 64 },
        chains: {
          type: "array",
          items: {
            type: "object",
            required: ["chain", "records", "head"],
            properties: {
              chain: { type: "string", maxLength: 64 },
              records: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
              head: { type: "string", pattern: "^[0-9a-f]{64}$" },
            },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
    /** `sha256:` and the hex digest of the public key in its DER form (SubjectPublicKeyInfo). */
    key: { type: "string", maxLength: 80 },
    /** Ed25519 (RFC 8032) over the statement's canonical JSON (RFC 8785), in base64. */
    signature: {
      type: "string",
      maxLength: 128,
      pattern: "^(?:[0-9A-Za-z+/]{4})*(?:[0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$",
    },
  },
  additionalProperties: false,
};

/** The end of one chain. */
export interface CheckpointChain {
  readonly chain: string;
  /** How many records had been appended to it. */
  readonly records: number;
  /** Hash of the last of them. */
  readonly head: string;
}
/** The ends of all chains at one time. */
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
 * Returns the current end of every chain, according to the store. A signer must verify the records against it first:
 * records that are appended in the meantime are in neither.
 *
 * @throws ActivityError if the chains cannot be read
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
 * Signs the ends of all chains. If the result is stored away from the records, it later shows that the end of a chain
 * was cut off, or that a chain was rewritten from its start.
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
 * @throws ActivityError `BAD_CHECKPOINT` if it is invalid or was not signed by that key, `BAD_KEY`
 */
export function openCheckpoint(text: string, publicKeyPem: string): CheckpointStatement {
  const key = readKey(publicKeyPem, "public");
  const { value, problem } = readSigned(text);
  if (value === undefined) throw badCheckpoint(`is not a checkpoint: ${problem}`);
  const { statement: made, key: keyId, signature } = value;
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

function readSigned(text: string): { value?: SignedCheckpoint; problem?: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "it is not JSON" };
  }
  const check = compileOwn(SIGNED_SCHEMA).validate(value, {
    maxBytes: Number.MAX_SAFE_INTEGER,
  });
  if (check.valid) return { value: value as SignedCheckpoint };
  const [issue] = check.errors;
  return { problem: `${issue?.path ?? ""} ${issue?.message ?? ""}`.trim() };
}

function signedBytes(made: CheckpointStatement): Buffer {
  try {
    return bytesOf(made);
  } catch {
    // Canonical JSON cannot contain a lone surrogate, so this text was never signed.
    throw badCheckpoint("is not a checkpoint: it holds text that is not Unicode");
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
    // Reported below, together with other kinds of keys.
  }
  if (key === undefined || key.asymmetricKeyType !== "ed25519") {
    const make =
      kind === "private"
        ? "Make one with: openssl genpkey -algorithm ed25519 -out key.pem"
        : "Take it out of the private key with: openssl pkey -in key.pem -pubout -out key.pub.pem";
    throw new ActivityError(
      "BAD_KEY",
      `The ${kind} key is not an Ed25519 key in PEM without a passphrase. ${make}`,
    );
  }
  return key;
}
