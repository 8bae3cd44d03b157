// A published server: shows what a hop adds to a call that does some work. It reads a file and returns it twice, in its
// text and in its structured content.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { temporary } from "./processes.mjs";
import { sdkStdioClient } from "./sdk-clients.mjs";
import { SIZES, toolName } from "./tools.mjs";

const { resolve } = createRequire(import.meta.url);

/**
 * Returns `@modelcontextprotocol/server-filesystem` over a folder with files of the measured sizes, and its client,
 * which reads the file whose size is in the tool's name.
 */
export function filesystem() {
  const folder = temporary();
  const files = new Map(
    SIZES.map((size) => {
      const path = join(folder, `${size}kb.txt`);
      const content = "x".repeat(size * 1024);
      writeFileSync(path, content);
      return [toolName(size, true), { path, content }];
    }),
  );
  const calls = {
    requestOf: (_id, tool) => ({
      name: "read_text_file",
      arguments: { path: files.get(tool).path },
    }),
    isAnswer: ({ structuredContent }, _id, tool) =>
      structuredContent?.content === files.get(tool).content,
  };
  return {
    title: "the SDK's client and @modelcontextprotocol/server-filesystem, which reads a file",
    server: resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
    args: [folder],
    stdio: (child) => sdkStdioClient(child, calls),
  };
}
