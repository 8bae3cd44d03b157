import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { ProcessTree, processesFromPs } from "./process-tree.ts";

const ON_WINDOWS = process.platform === "win32";
const STAYS = "setInterval(() => {}, 60000)";
/** Starts another process, prints the id of that process, and keeps running. */
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

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function family(): Promise<{ parent: ChildProcess; root: number; grandchild: number }> {
  const parent = spawn(process.execPath, ["-e", STARTS], { stdio: ["ignore", "pipe", "inherit"] });
  const [told] = await once(parent.stdout, "data");
  const [root, grandchild] = [parent.pid ?? 0, Number(told)];
  started.push(root, grandchild);
  return { parent, root, grandchild };
}

describe.skipIf(ON_WINDOWS)("the processes that a process has started", () => {
  it("are known after it has ended, and are signaled without it", async () => {
    const { parent, root } = await family();
    const tree = new ProcessTree(root);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    expect(tree.runs).toBe(true);
    await tree.signal("SIGKILL");
    await expect.poll(() => tree.runs).toBe(false);
  });

  it("are signaled without the process itself", async () => {
    const { parent, root } = await family();
    const tree = new ProcessTree(root);
    await tree.signal("SIGKILL");
    await expect.poll(() => tree.runs).toBe(false);
    expect(parent.exitCode).toBeNull();
    expect(parent.signalCode).toBeNull();
  });

  it("are none for an unknown process", async () => {
    const tree = new ProcessTree(2 ** 22);
    expect(tree.runs).toBe(false);
    await tree.signal("SIGKILL");
  });
});

it.runIf(ON_WINDOWS)("are stopped with it on Windows", async () => {
  const { parent, root, grandchild } = await family();
  const ended = once(parent, "exit");
  await new ProcessTree(root).signal("SIGTERM");
  await ended;
  await expect.poll(() => runs(grandchild)).toBe(false);
});

it.skipIf(ON_WINDOWS)("fromPs also reports parents", async () => {
  const { root, grandchild } = await family();
  expect(processesFromPs().get(root)?.parent).toBe(process.pid);
  expect(processesFromPs().get(grandchild)?.parent).toBe(root);
});
