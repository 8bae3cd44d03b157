import process from "node:process";
import { EXIT_FAILED } from "./exit.ts";
import { run } from "./program.ts";
import { watchOutput } from "./watch-output.ts";

let lost = false;
watchOutput(process.stdout, process.stderr, () => {
  lost = true;
  process.exitCode ||= EXIT_FAILED;
});
// There is no other place to say it.
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
    process.exitCode = code === 0 && lost ? EXIT_FAILED : code;
  },
});
