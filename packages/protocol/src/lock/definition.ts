/// <reference types="node" />
import { createHash } from "node:crypto";
import {
  canonicalText,
  canonicalTextSteps,
  decodeUtf8,
  encodeUtf8,
  escapePointer,
  isObject,
  locatePointers,
  takeSteps,
} from "@touchstone/core";

/** What a server declares for one tool, prompt or resource template, in the form that is hashed. */
export interface Definition {
  /** `sha256:` and the hex digest of the UTF-8 bytes of `text`. */
  readonly hash: string;
  /** The whole definition as canonical JSON, including unknown members. */
  readonly text: string;
}

function sha256(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/**
 * {@link definitionOf} in steps, so that a definition of many megabytes does not block everything else.
 * @param source a text that `scanJson` accepts
 */
export function* definitionSteps(source: string | Uint8Array): Generator<void, Definition, void> {
  const text = yield* canonicalTextSteps(typeof source === "string" ? source : decodeUtf8(source));
  return { hash: sha256(text), text };
}

/**
 * Returns the canonical form of a definition and its hash, which identifies what a lock file or a pin approves. All
 * members count, including unknown ones such as `_meta`, `icons` and `execution`. White space, key order and the
 * spelling of strings and numbers do not. Numbers count with all of their digits. A key that occurs twice counts
 * twice, because readers differ in which one they take.
 * @param source the JSON text as the server sent it, or its UTF-8 bytes
 * @returns undefined if it is not JSON
 */
export function definitionOf(source: string | Uint8Array): Definition | undefined {
  const text = canonicalText(source);
  return text === undefined ? undefined : { hash: sha256(text), text };
}

/** Returns the hash of a server's `instructions`, taken from their canonical JSON string. */
export function instructionsHash(instructions: string): string {
  return takeSteps(definitionSteps(JSON.stringify(instructions))).hash;
}

/**
 * Returns the members of a canonical object by name, each as its own text. If a name occurs twice, returns the last
 * one.
 * @param text canonical JSON; a value that is not an object has no members
 */
export function membersOf(text: string): ReadonlyMap<string, string> {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return new Map();
  const bytes = encodeUtf8(text);
  const pointers = new Map(Object.keys(value).map((name) => [`/${escapePointer(name)}`, name]));
  const members = new Map<string, string>();
  for (const [pointer, place] of locatePointers(bytes, pointers.keys())) {
    const name = pointers.get(pointer) ?? "";
    members.set(name, decodeUtf8(bytes, place.value.start, place.value.end));
  }
  return members;
}

/** Returns the hash of each member of a definition, except its name, by the member's name. */
export function memberHashes(text: string): Readonly<Record<string, string>> {
  const hashes: [string, string][] = [];
  for (const [name, member] of membersOf(text)) {
    if (name !== "name") hashes.push([name, sha256(member)]);
  }
  return Object.fromEntries(hashes);
}
