import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOBODY, needsOtherUser, tempDir, touchstone } from "./testing/touchstone.ts";

describe.runIf(process.getuid?.() === 0)("with a PATH directory that the user cannot read", () => {
  it.for(["call x {}", "wrap"])(
    "%s reports a missing command as not found",
    async (words, context) => {
      needsOtherUser(context);
      const closed = join(tempDir(), "closed");
      mkdirSync(closed, { mode: 0o700 });
      const env = { PATH: `${closed}:${process.env["PATH"]}` };
      const args = [...words.split(" "), "--", "touchstone-no-such-command"];
      const dataDir = tempDir();
      chownSync(dataDir, NOBODY, NOBODY);
      const options = { dataDir, env, uid: NOBODY, gid: NOBODY };
      const { ended, stderr, child } = touchstone(args, options);
      child.stdin.end();
      expect(await ended).toBe(3);
      expect(stderr()).toMatch(/command not found[;.] check the spelling and the PATH/i);
    },
  );
});
