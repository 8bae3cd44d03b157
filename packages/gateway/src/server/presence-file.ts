import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isProcessDead, OWN_PROCESS, type ProcessIdentity, readOwnText } from "@touchstone/util";

const FOLDER = "gateways";
const MAX_BYTES = 16 * 1024;
/** How long a gateway on this machine may take to respond, in milliseconds. */
const ASK_MS = 2_000;

/** The facts that a running gateway writes into its data directory. */
interface Presence extends ProcessIdentity {
  /** Where it listens. */
  readonly url: string;
  /** The secret for requesting a code, with which a browser signs in. */
  readonly secret: string;
}

/**
 * Writes a gateway's address into its data directory, readable by its user only, so that a command on the same
 * directory finds it.
 * @returns a function that removes the file, if it still exists
 * @throws if the file cannot be written
 */
export function writePresenceFile(dataDir: string, url: string, secret: string): () => void {
  const folder = join(dataDir, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${randomUUID()}.json`);
  const presence: Presence = { ...OWN_PROCESS, url, secret };
  writeFileSync(file, JSON.stringify(presence), { mode: 0o600, flag: "wx" });
  return () => rmSync(file, { force: true });
}

/**
 * Returns a link to a gateway's console that signs a browser in. The code is in the fragment, which browsers never
 * send; the page removes it from the address before anything else.
 * @param url of the gateway, ending with a slash
 * @param page to open, such as `activity/ID`
 * @param code from `SignIn.issue`
 */
export function consoleLink(url: string, page: string, code: string): string {
  return `${url}#/${page}?code=${code}`;
}

/** A gateway that runs on a data directory. */
export interface FoundGateway {
  /** Its URL, ending with a slash. */
  readonly url: string;
  /** A code that works once, and for 60 s, to open its console. */
  readonly code: string;
}

/**
 * Finds a gateway of this machine, or of this container, that runs on a data directory. Removes leftover files of
 * gateways that have ended.
 * @returns undefined if no gateway responds
 */
export async function findGateway(dataDir: string): Promise<FoundGateway | undefined> {
  for (const file of filesOf(join(dataDir, FOLDER))) {
    const presence = read(file);
    const dead = presence && isProcessDead(presence);
    if (dead) rmSync(file, { force: true });
    if (presence === undefined || dead !== false) continue;
    const code = await askForCode(presence);
    if (code !== undefined) return { url: presence.url, code };
  }
  return undefined;
}

function filesOf(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** @returns undefined if the file was not written by {@link writePresenceFile}, or could have been by another user */
function read(file: string): Presence | undefined {
  try {
    const folder = dirname(file);
    const own = process.geteuid?.();
    // Root may look for the gateway of the user who owns the folder.
    const owner = own === 0 ? statSync(folder).uid : own;
    const text = readOwnText(folder, file, { maxBytes: MAX_BYTES, owner });
    const { host, pid, start, url, secret } = JSON.parse(text) as Partial<Presence>;
    if (typeof host !== "string" || typeof secret !== "string") return undefined;
    if (!Number.isSafeInteger(pid) || typeof url !== "string") return undefined;
    return { host, pid: pid as number, start, url: new URL("/", url).href, secret };
  } catch {
    return undefined;
  }
}

/** @returns undefined if another program listens there */
async function askForCode({ url, secret }: Presence): Promise<string | undefined> {
  try {
    const response = await fetch(new URL("api/v1/sign-in/codes", url), {
      method: "POST",
      headers: { "x-touchstone-local": secret },
      redirect: "error",
      signal: AbortSignal.timeout(ASK_MS),
    });
    const body = (await response.json()) as { readonly code?: unknown };
    return response.ok && typeof body.code === "string" ? body.code : undefined;
  } catch {
    return undefined;
  }
}
