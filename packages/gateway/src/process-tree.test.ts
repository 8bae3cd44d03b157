import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { fromPs, ProcessTree } from "./process-tree.ts";

const STAYS = "setInterval(() => {}, 60000)";
/** Starts another one, tells its id, and stays. */
const STARTS = `const { spawn } = require("node:child_process");
  console.log(spawn(process.execPath, ["-e", ${JSON.stringify(STAYS)}]).pid); ${STAYS}`;

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
});

async function family(): Promise<{ parent: ChildProcess; root: number; grandchild: number }> {
  const parent = spawn(process.execPath, ["-e", STARTS], { stdio: ["ignore", "pipe", "inherit"] });
  const [told] = await once(parent.stdout, "data");
  const [root, grandchild] = [parent.pid ?? 0, Number(told)];
  started.push(root, grandchild);
  return { parent, root, grandchild };
}

describe("what a process has started", () => {
  it("is known when that has ended, and is sent signals alone", async () => {
    const { parent, root } = await family();
    const tree = new ProcessTree(root);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    expect(tree.runs).toBe(true);
    tree.signal("SIGKILL");
    await expect.poll(() => tree.runs).toBe(false);
  });

  it("leaves that process to others", async () => {
    const { parent, root } = await family();
    const tree = new ProcessTree(root);
    tree.signal("SIGKILL");
    await expect.poll(() => tree.runs).toBe(false);
    expect(parent.exitCode).toBeNull();
    expect(parent.signalCode).toBeNull();
  });

  it("is nothing of a process that is not there", () => {
    const tree = new ProcessTree(2 ** 22);
    expect(tree.runs).toBe(false);
    tree.signal("SIGKILL");
  });
});

it.runIf(process.platform !== "win32")("ps tells of parents as well", async () => {
  const { root, grandchild } = await family();
  expect(fromPs().get(root)?.parent).toBe(process.pid);
  expect(fromPs().get(grandchild)?.parent).toBe(root);
});
