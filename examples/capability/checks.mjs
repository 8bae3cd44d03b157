// What the input schemas cannot say: whether a call makes sense, and whether the world allows it.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";

/** Whether a file may be written. Looks, and writes nothing. */
async function isWritable(path) {
  try {
    await access(path, constants.W_OK);
    return !(await stat(path)).isDirectory();
  } catch (error) {
    if (error.code !== "ENOENT") return false;
  }
  try {
    await access(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The checks of the tools, by level. `root` is the folder in which files may be written. */
export function createChecks({ root, now = Date.now }) {
  const folder = resolve(root);
  const inside = (path) => resolve(folder, path).startsWith(folder + sep);
  return {
    write_file: {
      semantic: ({ content }) =>
        content === "" ? { warnings: ["empty content makes an empty file"] } : undefined,
      runtime: async ({ path }) =>
        !inside(path) || (await isWritable(resolve(folder, path)))
          ? undefined
          : { errors: [{ path: "/path", message: "cannot be written" }] },
      security: ({ path }) =>
        inside(path)
          ? undefined
          : { errors: [{ path: "/path", message: "is outside of the folder" }] },
    },
    remind: {
      semantic: ({ at }) =>
        Date.parse(at) > now()
          ? undefined
          : {
              errors: [{ path: "/at", message: "must be in the future" }],
              suggestions: [`it is ${new Date(now()).toISOString()} now`],
            },
    },
  };
}
