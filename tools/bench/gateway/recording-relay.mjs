// The least work for a hop that lets no response pass unrecorded: it pairs responses with requests by id, chains a
// short record of each by SHA-256, and hands the records of a chunk to the operating system before it sends the chunk.
// It checks nothing, and hostile input breaks it. `node recording-relay.mjs FILE command args…`
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { openSync, writeSync } from "node:fs";

const NEWLINE = 10;
/** More than the digits of an id and the end of the message. */
const ID_BYTES = 16;

const [path, command, ...args] = process.argv.slice(2);
const file = openSync(path, "a", 0o600);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const asked = new Map();
let last = "";

/** Returns the message's own id, if its result contains no id: results of the measured servers have none. */
function idOf(line) {
  const at = line.lastIndexOf('"id":');
  return at < 0
    ? undefined
    : Number.parseInt(line.toString("latin1", at + 5, at + 5 + ID_BYTES), 10);
}

/** Passes on whole lines, all those of a chunk at once. */
function wholeLines(take) {
  let rest;
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = end === bytes.length ? undefined : bytes.subarray(end);
    if (end > 0) take(bytes.subarray(0, end));
  };
}

function* linesOf(bytes) {
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(NEWLINE, from) + 1;
    yield bytes.subarray(from, to);
    from = to;
  }
}

function recordOf(line) {
  const id = idOf(line);
  const since = asked.get(id);
  asked.delete(id);
  const record = JSON.stringify({
    time: Date.now(),
    type: "tool_call",
    request: id,
    duration: since === undefined ? null : performance.now() - since,
    bytes: line.length,
    after: last,
  });
  last = createHash("sha256").update(record).digest("hex");
  return `${record}${last}\n`;
}

process.stdin.on(
  "data",
  wholeLines((bytes) => {
    for (const line of linesOf(bytes)) asked.set(idOf(line), performance.now());
    child.stdin.write(bytes);
  }),
);
child.stdout.on(
  "data",
  wholeLines((bytes) => {
    let records = "";
    for (const line of linesOf(bytes)) records += recordOf(line);
    writeSync(file, records);
    process.stdout.write(bytes);
  }),
);
process.stdin.once("end", () => child.stdin.end());
child.once("exit", (code) => process.exit(code ?? 1));
