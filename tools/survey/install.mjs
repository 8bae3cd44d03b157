// Installs a server of the survey into a folder of its own.
import { join } from "node:path";
import { installPublished, reasonOf } from "../published-package.mjs";

/** How long one package may take, milliseconds. */
const MOST = 180_000;
/** Browsers are not needed to list tools. */
const WITHOUT_BROWSERS = { PUPPETEER_SKIP_DOWNLOAD: "1", PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" };

/** Returns the folder of a server below `root`. */
export const folderOf = (root, { registry, name }) =>
  join(root, registry, name.replaceAll("/", "+"));

/**
 * Installs a server unless its folder has it.
 * @param stop ends it early
 * @returns why it failed; undefined if it is installed
 */
export async function install(root, server, stop) {
  const env = { ...process.env, ...WITHOUT_BROWSERS };
  try {
    await installPublished(folderOf(root, server), server, { env, signal: stop, ms: MOST });
  } catch (error) {
    return reasonOf(error, MOST);
  }
}
