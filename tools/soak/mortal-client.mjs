// A client in its own process, so that it can be killed: `node mortal-client.mjs ARGS…` starts `touchstone wrap ARGS`
// and passes its own pipes on to it.
import { spawn } from "node:child_process";
import { NODE, TOUCHSTONE } from "./processes.mjs";

const child = spawn(NODE, [TOUCHSTONE, "wrap", ...process.argv.slice(2)], {
  stdio: ["pipe", "pipe", "inherit"],
});
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on("exit", () => process.exit(0));
