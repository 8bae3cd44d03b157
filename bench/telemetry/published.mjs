// A server as it is published: what a call costs that does some work. It reads a file and says so twice, in
// its text and in its structured content.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { temporary } from "../gateway/processes.mjs";
import { sdkStdioClient } from "../gateway/sdk-clients.mjs";

const { resolve } = createRequire(import.meta.url);

/** `@modelcontextprotocol/server-filesystem` over a folder with one file of so many KB, and its client. */
export function filesystem(size) {
  const folder = temporary();
  const path = join(folder, "file.txt");
  const content = "x".repeat(size * 1024);
  writeFileSync(path, content);
  const calls = {
    argumentsOf: () => ({ path }),
    isAnswer: ({ structuredContent }) => structuredContent?.content === content,
  };
  return {
    server: resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
    args: [folder],
    stdio: (child) => sdkStdioClient(child, calls),
    tool: "read_text_file",
  };
}
