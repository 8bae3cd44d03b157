import { isObject, messageOf } from "@touchstone/core/advanced";
import { CliExit, EXIT_FAILED } from "../io/exit.ts";
import type { CliIo } from "../terminal/cli-io.ts";

/** Where to look up the newest version, unless `npm_config_registry` names another registry. */
const REGISTRY = "https://registry.npmjs.org/";
const TIMEOUT_MS = 10_000;
/** Larger than any manifest. */
const MAX_BYTES = 1_048_576;

/** The newest version, and the one that is running. */
export interface VersionCheck {
  readonly latest: string;
  readonly isNewer: boolean;
}

/**
 * Asks npm's registry for the newest version of the command. Takes at most 10 s and sends nothing but the request.
 * @throws CliExit 3 if the registry cannot be reached or its response cannot be read
 */
export async function checkVersion(version: string, env: CliIo["env"]): Promise<VersionCheck> {
  const latest = await latestVersion(env).catch((error: unknown) => {
    throw new CliExit(EXIT_FAILED, `cannot look up the newest version: ${messageOf(error)}`, {
      cause: error,
    });
  });
  return { latest, isNewer: isNewer(latest, version) };
}

async function latestVersion(env: CliIo["env"]): Promise<string> {
  const { npm_config_registry: registry = REGISTRY } = env;
  const url = new URL("touchstone/latest", registry.endsWith("/") ? registry : `${registry}/`);
  const { fetchFor } = await import("@touchstone/gateway/http-link");
  const send = await fetchFor(url.href, env);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await send(url, { signal, headers: { accept: "application/json" } });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(
      response.status === 404
        ? `${url.origin} has no package touchstone; it is not published there`
        : `${url.origin} responded with ${response.status}`,
    );
  }
  const manifest: unknown = JSON.parse(await bodyText(response));
  const version = isObject(manifest) ? manifest["version"] : undefined;
  if (typeof version !== "string" || partsOf(version) === undefined) {
    throw new Error(`${url.origin} named no version`);
  }
  return version;
}

async function bodyText({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new Error("the response is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

interface Parts {
  readonly numbers: readonly number[];
  readonly isPrerelease: boolean;
}

function partsOf(version: string): Parts | undefined {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.exec(
    version,
  );
  if (match === null) return undefined;
  const [, major, minor, patch, prerelease] = match;
  return { numbers: [major, minor, patch].map(Number), isPrerelease: prerelease !== undefined };
}

/**
 * Returns whether a version is newer than another (Semantic Versioning 2.0.0, 11). Prereleases of the same version
 * are never newer than each other.
 */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)];
  if (a === undefined || b === undefined) return false;
  for (const [at, number] of a.numbers.entries()) {
    const other = b.numbers[at] ?? 0;
    if (number !== other) return number > other;
  }
  return !a.isPrerelease && b.isPrerelease;
}
