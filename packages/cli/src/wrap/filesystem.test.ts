import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  type Calls,
  expectOneRecordEach,
  expectSameBytes,
  failed,
  through,
} from "../testing/conversation.ts";
import { describeSdks } from "../testing/sdk-clients.ts";
import { FILESYSTEM_SERVER, tempDir } from "../testing/touchstone.ts";

const filesystem = (folder: string): Calls => {
  const path = join(folder, "a.txt");
  writeFileSync(path, "one\ntwo é\n");
  return {
    read_file: { path },
    read_text_file: { path, head: 1 },
    read_media_file: { path },
    read_multiple_files: { paths: [path, join(folder, "none")] },
    write_file: { path: join(folder, "b.txt"), content: "three" },
    edit_file: { path: join(folder, "b.txt"), edits: [{ oldText: "three", newText: "four" }] },
    create_directory: { path: join(folder, "d") },
    list_directory: { path: folder },
    list_directory_with_sizes: { path: folder },
    directory_tree: { path: folder },
    move_file: { source: join(folder, "b.txt"), destination: join(folder, "d", "c.txt") },
    search_files: { path: folder, pattern: "*.txt" },
    get_file_info: { path },
    list_allowed_directories: {},
  };
};

describeSdks("v2 legacy", (sdk) => {
  it("lists and calls every tool of server-filesystem, bytes unchanged", async () => {
    const folder = tempDir();
    const calls = filesystem(folder);
    const talk = await through(sdk, [FILESYSTEM_SERVER, folder], calls);
    expect(talk.tools.sort()).toEqual(Object.keys(calls).sort());
    expect(failed(talk)).toEqual([]);
    expectSameBytes(talk);
    expectOneRecordEach(talk);
  });
});
