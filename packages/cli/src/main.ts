import process from "node:process";
import { run } from "./program.ts";

// A reader that leaves early (`touchstone activity list | head`) is no fault.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stdoutStream: process.stdout,
  stderr: process.stderr,
  env: process.env,
  now: () => new Date(),
  signals: process,
  exit: (code) => {
    process.exitCode = code;
  },
});
