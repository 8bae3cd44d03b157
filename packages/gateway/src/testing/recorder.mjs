/**
 * Runs a command as a child and keeps every byte that passes between it and the caller.
 *
 *   node recorder.mjs [--in FILE] [--out FILE] -- COMMAND [ARGUMENT...]
 *
 * `--in` gets what the caller sent to the child's stdin, `--out` what the child wrote to stdout,
 * each appended before it is passed on; stderr is inherited. SIGINT, SIGTERM and SIGHUP go to the
 * child. Ends as the child ends: with its exit code, or by its signal; 127 if it cannot start,
 * 2 on wrong usage.
 */
import { spawn } from "node:child_process";
import { openSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { in: { type: "string" }, out: { type: "string" } },
  allowPositionals: true,
});
const [command, ...args] = positionals;
if (command === undefined) {
  process.stderr.write("usage: recorder.mjs [--in FILE] [--out FILE] -- COMMAND [ARGUMENT...]\n");
  process.exit(2);
}

/** Called for each chunk before `pipe` hands it on, because it is registered first. */
function keep(stream, file) {
  if (file === undefined) return stream;
  const descriptor = openSync(file, "a");
  return stream.on("data", (chunk) => {
    for (let at = 0; at < chunk.length; ) at += writeSync(descriptor, chunk, at);
  });
}

const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`recorder: cannot start ${command}: ${error.message}\n`);
  process.exit(127);
});
child.stdin.on("error", () => process.stdin.unpipe(child.stdin));
process.stdout.on("error", () => child.kill("SIGTERM"));
keep(process.stdin, values.in).pipe(child.stdin);
keep(child.stdout, values.out).pipe(process.stdout);
child.on("close", (code, signal) => {
  process.stdin.destroy();
  for (const each of signals) process.removeAllListeners(each);
  if (signal !== null) process.kill(process.pid, signal);
  else process.exitCode = code;
});
