// The scripts that `package.json` runs import this first: `--help` prints the comment at the top of the script, and
// does nothing else; an unknown option ends the script with exit code 2, without a stack trace.
import { readFileSync } from "node:fs";
import { argv, exit } from "node:process";

const script = argv[1];
const given = argv.slice(2);

if (given.some((word) => word === "--help" || word === "-h")) {
  const [comment = ""] = readFileSync(script, "utf8").match(/^(?:\/\/.*\n)*/) ?? [];
  console.log(comment.replace(/^\/\/ ?/gm, "").trimEnd());
  exit(0);
}

process.on("uncaughtException", (error) => {
  const isUsage = String(error?.code).startsWith("ERR_PARSE_ARGS_");
  console.error(isUsage ? `${error.message}\n--help lists the options` : error);
  exit(isUsage ? 2 : 1);
});
