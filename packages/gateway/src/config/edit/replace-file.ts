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
 * Puts a text instead of a file's content, all at once: whoever reads the file sees the old
 * content or the new one. Where the name is a link, the file that it leads to is replaced and the link
 * stays. The file keeps its mode, and its owner where this process may set it.
 *
 * @param check is called with the new content written and the old one still in place; what it throws
 *   leaves the file as it was
 * @throws {Error} of `node:fs`, or of `check`; the file is then as it was
 */
export function replaceFile(file: string, text: string, check: () => void = () => {}): void {
  const target = realpathSync(file);
  const { mode, uid, gid } = statSync(target);
  const random = randomBytes(6).toString("hex");
  // In the same directory, since a rename does not cross file systems.
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
    // Only root may give files away; who runs the gateway then owns the file.
  }
}
