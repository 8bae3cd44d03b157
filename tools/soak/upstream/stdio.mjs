// The soak's server over stdio: `node stdio.mjs --run NAME`. The argument only marks the process, so that the soak can
// see whether any of them is left.
import { rawAt } from "../../../examples/faulty-server/raw-json.mjs";
import { frameSplitter } from "../../../examples/faulty-server/rpc.mjs";
import { answer, NoAnswer } from "./answer.mjs";

const CRASHED = 3;
const write = (text) => process.stdout.write(`${text}\n`);
/** Requests that can be cancelled, by the text of the id. */
const underWay = new Map();
let ended = false;

/** Exits when nothing is in progress: pending requests get their responses first. */
function leave() {
  if (underWay.size === 0) process.stdout.end(() => process.exit(0));
}

async function one(text, message) {
  if (message.method === "notifications/cancelled") {
    underWay.get(JSON.stringify(message.params?.requestId))?.abort();
    return undefined;
  }
  if (message.method === undefined || message.id === undefined) return undefined;
  const key = JSON.stringify(message.id);
  const cancel = new AbortController();
  underWay.set(key, cancel);
  try {
    return await answer(text, message, { notify: write, noise: write, cancelled: cancel.signal });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    if (error.crash) process.exit(CRASHED);
    return error.broken;
  } finally {
    if (underWay.get(key) === cancel) underWay.delete(key);
    if (ended) setImmediate(leave);
  }
}

async function take(frame) {
  const text = frame.toString("utf8");
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return write('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}');
  }
  if (!Array.isArray(message)) {
    const said = await one(text, message);
    return said === undefined ? undefined : write(said);
  }
  const all = await Promise.all(message.map((item, at) => one(rawAt(text, [at]), item)));
  const said = all.filter((item) => item !== undefined);
  if (said.length > 0) write(`[${said.join(",")}]`);
}

process.stdout.on("error", () => process.exit(0));
process.stdin.on(
  "data",
  frameSplitter(
    (frame) => void take(frame),
    () => {},
  ),
);
process.stdin.on("end", () => {
  ended = true;
  leave();
});
