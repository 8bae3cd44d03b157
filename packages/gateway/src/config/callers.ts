import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CallerKeySection, ConfigFile } from "../settings/schema.ts";
import type { CallerKey, CallerRights } from "./config.ts";
import type { Path } from "./document.ts";
import type { FaultList } from "./fault-list.ts";

/** Before the hash of a key, in hex. */
export const HASHED = "sha256:";
const HASH = /^sha256:[0-9a-f]{64}$/i;
/** What a header can hold that is a key: visible ASCII characters without spaces. */
const IN_HEADER = /^[\x21-\x7e]+$/;
export const NOT_A_KEY =
  "must be visible ASCII characters without spaces, at least one: it comes in a header";

/** Returns the SHA-256 of a key, in hex. */
export function hashOfKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Returns whether a text can be a key. */
export function isKey(text: string): boolean {
  return IN_HEADER.test(text);
}

/** Returns what an entry of `auth.keys`, or `auth.jwt`, allows. */
export function rightsOf({
  role = "caller",
  servers,
  tools,
  read_only: readOnly,
}: Pick<CallerKeySection, "role" | "servers" | "tools" | "read_only">): CallerRights {
  return {
    role,
    ...(servers === undefined ? {} : { servers }),
    ...(tools === undefined ? {} : { tools }),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
}

/**
 * Reads `auth.keys`. Of each key only the hash is kept.
 *
 * @param auth with the shape that the schema gives it
 */
export function readKeys(
  { keys = [], api_key, admin_key }: NonNullable<ConfigFile["auth"]>,
  faults: FaultList,
): readonly CallerKey[] {
  const root: Path = ["auth", "keys"];
  const taken = new Map<string, string>();
  if (api_key !== undefined) taken.set(hashOfKey(api_key), "auth.api_key");
  if (admin_key !== undefined) taken.set(hashOfKey(admin_key), "auth.admin_key");
  const read: CallerKey[] = [];
  for (const [at, section] of keys.entries()) {
    const path = [...root, at];
    const { name, key } = section;
    if (name === undefined || key === undefined) {
      const missing = name === undefined ? '"name"' : '"key"';
      faults.add(
        "MISSING_KEY",
        path,
        `${missing} is missing: an entry has the name and the key of a caller`,
      );
      continue;
    }
    const hash = hashIn(key);
    if (hash === undefined) {
      const message = key.startsWith(HASHED)
        ? `must have 64 hexadecimal digits after ${HASHED}: the SHA-256 of the key`
        : NOT_A_KEY;
      faults.add("INVALID_VALUE", [...path, "key"], message);
      continue;
    }
    const other = taken.get(hash);
    if (other !== undefined) {
      faults.add("INVALID_VALUE", [...path, "key"], `must be another key than that of ${other}`);
      continue;
    }
    taken.set(hash, `auth.keys[${at}]`);
    const made = { name, hash, ...rightsOf(section) };
    const same = read.find((one) => one.name === name);
    if (same !== undefined && !isDeepStrictEqual({ ...same, hash }, made)) {
      const message = `must allow the same as the other key of ${JSON.stringify(name)}: they are one caller`;
      faults.add("INVALID_VALUE", path, message);
      continue;
    }
    read.push(made);
  }
  return read;
}

function hashIn(key: string): string | undefined {
  if (HASH.test(key)) return key.slice(HASHED.length).toLowerCase();
  return key.startsWith(HASHED) || !isKey(key) ? undefined : hashOfKey(key);
}
