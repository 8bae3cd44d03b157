import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";

/** The permission bits with which others than the owner may write. */
const OTHERS_MAY_WRITE = 0o022;

/**
 * Reads a small file that nobody but its owner can have written, or replaced in its folder.
 * @param owner the user who must own the file; undefined on Windows, where the rights of the user's profile decide
 * @throws Error with the reason: no such file, a link, a pipe, another owner, a folder or file that others may write, too
 *   many bytes
 */
export function readOwnText(
  folder: string,
  file: string,
  { maxBytes, owner }: { readonly maxBytes: number; readonly owner: number | undefined },
): string {
  // A link could lead to another user's file, and a pipe would block.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const handle = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new Error("it is not a file");
    assertOwn(folder, statSync(folder), owner);
    assertOwn(file, stats, owner);
    if (stats.size > maxBytes) throw new Error("it is too large");
    return readFileSync(handle, "utf8");
  } finally {
    closeSync(handle);
  }
}

/** @throws Error if a file or folder belongs to another user than the owner, or others may write it */
export function assertOwn(path: string, { uid, mode }: Stats, owner: number | undefined): void {
  if (owner === undefined) return;
  if (uid !== owner) throw new Error(`${path} belongs to another user`);
  if ((mode & OTHERS_MAY_WRITE) !== 0) {
    throw new Error(`other users may write ${path}; run chmod go-w on it`);
  }
}
