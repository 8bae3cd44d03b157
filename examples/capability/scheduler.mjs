// Jobs that run later are checked before they are stored: nobody is there to see them fail.
//   node examples/capability/scheduler.mjs
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ToolValidator } from "@touchstone/capability";
import { isProgram } from "../is-program.mjs";

/** A job whose tool call would fail. */
export class JobRefused extends Error {
  constructor(job, { errors, suggestions }) {
    super(`${job.tool} would fail: ${[...errors, ...suggestions].join("; ")}`);
  }
}

export function createScheduler(validator) {
  const jobs = [];
  return {
    jobs,
    /** Stores a job `{tool: "server:tool", arguments, at}`. Throws JobRefused where it would fail. */
    async add(job) {
      const verdict = await validator.validateTool(job.tool, job.arguments);
      if (!verdict.valid) throw new JobRefused(job, verdict);
      jobs.push({ ...job, checkedBy: verdict.method, warnings: verdict.warnings });
    },
  };
}

if (isProgram(import.meta.url)) {
  const server = fileURLToPath(new URL("server.mjs", import.meta.url));
  const client = new Client(
    { name: "scheduler", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server, "."] }),
  );
  const scheduler = createScheduler(new ToolValidator({ desk: client }, { logger: console }));
  const remind = (at) => ({ tool: "desk:remind", arguments: { text: "tea", at }, at });
  for (const at of ["2020-01-01T00:00:00Z", new Date(Date.now() + 86_400_000).toISOString()]) {
    await scheduler.add(remind(at)).catch(({ message }) => console.log(`refused: ${message}`));
  }
  console.log(`stored: ${JSON.stringify(scheduler.jobs)}`);
  await client.close();
}
