/// <reference types="node" />
import { createHash, type Hash } from "node:crypto";
import {
  type CanonicalOptions,
  canonicalText,
  decodeUtf8,
  encodeUtf8,
  runSteps,
  writeCanonicalSteps,
} from "@touchstone/core/advanced";
import { membersOf } from "./members.ts";

/** The declaration of one tool, prompt or resource template, in the form that is hashed. */
export interface Definition {
  /** `sha256:` and the hex digest of the UTF-8 bytes of the canonical text. */
  readonly hash: string;
  /** The whole definition as canonical JSON, including unknown members. */
  readonly text: string;
}

/** A definition of any size. */
export interface HashedDefinition extends Pick<Definition, "hash"> {
  /** Undefined if it is longer than `maxText`. */
  readonly text: string | undefined;
}

const digestOf = (hash: Hash): string => `sha256:${hash.digest("hex")}`;

function sha256(text: string): string {
  return digestOf(createHash("sha256").update(text));
}

/**
 * Computes the hash of {@link canonicalDefinition} in steps of less than a millisecond, for a definition of any size. The text
 * is hashed piece by piece as it is written, so that little more memory is needed than for the order of its members.
 * @param source a text that `scanJson` accepts
 * @param maxText the longest canonical text to return, in bytes
 * @param options of the writer
 */
export function* definitionSteps(
  source: string | Uint8Array,
  maxText: number,
  options: Pick<CanonicalOptions, "stepBytes"> = {},
): Generator<void, HashedDefinition, void> {
  const hash = createHash("sha256");
  const pieces: Uint8Array[] = [];
  let size = 0;
  const bytes = typeof source === "string" ? encodeUtf8(source) : source;
  yield* writeCanonicalSteps(
    bytes,
    (piece) => {
      hash.update(piece);
      size += piece.length;
      if (size <= maxText) pieces.push(piece.slice());
      else pieces.length = 0;
    },
    options,
  );
  const text = size <= maxText ? decodeUtf8(Buffer.concat(pieces)) : undefined;
  return { hash: digestOf(hash), text };
}

/**
 * Returns the canonical form of a definition and its hash, which identifies what a lock file or a pin approves. All
 * members count, including unknown ones such as `_meta`, `icons` and `execution`. White space, key order and the
 * spelling of strings and numbers do not. Numbers count with all of their digits. A key that occurs twice counts
 * twice, because readers differ in which one they take.
 * @param source the JSON text as the server sent it, or its UTF-8 bytes
 * @returns undefined if it is not JSON
 */
export function canonicalDefinition(source: string | Uint8Array): Definition | undefined {
  const text = canonicalText(source);
  return text === undefined ? undefined : { hash: sha256(text), text };
}

/** Returns the hash of a server's `instructions`, taken from their canonical JSON string. */
export function instructionsHash(instructions: string): string {
  return runSteps(definitionSteps(JSON.stringify(instructions), 0)).hash;
}

/** Returns the hash of each member of a definition, except its name, by the member's name. */
export function memberHashes(text: string): Readonly<Record<string, string>> {
  const hashes: [string, string][] = [];
  for (const [name, member] of membersOf(text)) {
    if (name !== "name") hashes.push([name, sha256(member)]);
  }
  return Object.fromEntries(hashes);
}
