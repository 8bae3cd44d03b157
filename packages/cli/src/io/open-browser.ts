import { spawn } from "node:child_process";
import type { CliIo } from "../terminal/cli-io.ts";

/** How long to wait for a browser launcher to report failure, in milliseconds. */
const FAILS_WITHIN_MS = 1_500;

/** Returns the program that opens a URL, and its arguments; undefined if no browser is available. */
function opener(
  platform: NodeJS.Platform,
  env: CliIo["env"],
): readonly [string, ...string[]] | undefined {
  const { BROWSER: named, CI: ci, SSH_CONNECTION: ssh } = env;
  if (named === "none" || ci) return undefined;
  if (named) return [named];
  if (platform === "darwin") return ssh ? undefined : ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
}

/**
 * Opens a URL in the user's browser, if this machine has one: not in CI, over SSH, or if `BROWSER` is `none`.
 * `BROWSER` may contain the name of a program.
 * @returns whether the browser seems to have opened; never rejects
 */
export async function openBrowser(
  url: string,
  env: CliIo["env"],
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const [program, ...args] = opener(platform, env) ?? [];
  if (program === undefined) return false;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    const timer = setTimeout(() => resolve(true), FAILS_WITHIN_MS);
    const ended = (works: boolean): void => {
      clearTimeout(timer);
      resolve(works);
    };
    child.once("error", () => ended(false));
    child.once("exit", (code) => ended(code === 0));
    child.unref();
  });
}
