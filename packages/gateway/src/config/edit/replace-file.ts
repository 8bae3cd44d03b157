import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Replaces a file's content atomically: a reader sees the old content or the new one. If the name is a link, its
 * target is replaced and the link stays. The file keeps its mode, and its owner if this process may set it.
 *
 * @param check called when the new content is written and the old one is still in place; if it throws, the file stays
 *   unchanged
 * @throws {Error} of `node:fs`, or of `check`; the file is unchanged then
 */
export function replaceFile(file: string, text: string, check: () => void = () => {}): void {
  const target = realpathSync(file);
  const { mode, uid, gid } = statSync(target);
  const random = randomBytes(6).toString("hex");
  // In the same directory, because a rename does not cross file systems.
  const temporary = join(dirname(target), `.${basename(target)}.${random}.tmp`);
  const handle = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeFileSync(handle, text);
      own(handle, uid, gid);
      fchmodSync(handle, mode & 0o7777);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    check();
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function own(handle: number, uid: number, gid: number): void {
  try {
    fchownSync(handle, uid, gid);
  } catch {
    // Only root may change owners; otherwise the user of the gateway then owns the file.
  }
}
