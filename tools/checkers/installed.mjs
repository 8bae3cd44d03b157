// Finds what install.mjs has installed.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The command of an npm package in the folder that `install` filled. */
export function npmCommand(cache, name) {
  const root = join(cache, name, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return join(root, typeof bin === "string" ? bin : (bin[name] ?? Object.values(bin)[0]));
}
/** Returns the command of a package of PyPI in that folder. */
export const pythonCommand = (cache, name, command) => {
  const file = join(cache, name, "venv", "bin", command);
  if (!existsSync(file)) throw new Error(`${name} has no command ${command}`);
  return file;
};

/** Returns a password that differs in each run. */
export const secret = () => randomBytes(24).toString("base64url");
