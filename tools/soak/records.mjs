// Compares the records of a soak with the requests in its ledger.
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expected, isTagged } from "./actions.mjs";
import { describe } from "./ledger.mjs";
import { runTouchstone } from "./processes.mjs";

const TAG = /"tag": ?"(k[0-9a-z]+)"/;
/** Largest difference between the clock of a record and that of its commit, in milliseconds. */
const MARGIN_MS = 10_000;

/** Verifies every chain, and reads all records: those of calls by tag, decisions by request. */
export async function readRecords(dataDir, directory, ledger) {
  const verified = await runTouchstone(["activity", "verify", "--data-dir", dataDir]);
  if (verified.code !== 0) {
    ledger.fault(
      "chain",
      `activity verify ended with ${verified.code}: ${verified.stdout.slice(0, 2000)}`,
    );
  }
  const file = join(directory, "records.jsonl");
  const out = ["-o", "jsonl", "--out", file, "--data-dir", dataDir];
  const exported = await runTouchstone(["activity", "export", ...out]);
  if (exported.code !== 0) throw new Error(`activity export: ${exported.stderr}`);
  const records = { calls: new Map(), decisions: new Map(), times: new Map(), all: 0 };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    take(JSON.parse(line), records, ledger);
  }
  return { ...records, verified: verified.stdout.trim() };
}

function take({ id, time, type, request_id, arguments: args, ...record }, records, ledger) {
  records.all += 1;
  records.times.set(id, Date.parse(time));
  if (type === "policy_decision") {
    const { direction, decision, server, reason } = record;
    const of = records.decisions.get(request_id) ?? [];
    records.decisions.set(request_id, [...of, { direction, decision, server, reason }]);
  }
  if (type !== "tool_call") return;
  // A call over the size limit, whose arguments were never read.
  if (record.status === "rejected" && record.outcome === "guard") return;
  const tag = TAG.exec(args ?? "")?.[1];
  if (tag === undefined) {
    ledger.fault(
      "record of no call",
      `${record.server} ${record.tool} ${id}: ${String(args).slice(0, 100)}`,
    );
    return;
  }
  records.calls.set(tag, [...(records.calls.get(tag) ?? []), { ...record, request_id }]);
}

/** Reports to the ledger each call whose records are not as expected. */
export function compareRecords(ledger, { calls, decisions }) {
  const linked = new Set();
  for (const entry of ledger.entries.filter(({ action }) => isTagged(action))) {
    const own = calls.get(entry.tag) ?? [];
    for (const { request_id } of own) linked.add(request_id);
    const made = own.flatMap(({ request_id }) => decisions.get(request_id) ?? []);
    const wrong = wrongOf(entry, own, made);
    if (wrong !== undefined) ledger.fault("records", `${describe(entry)}: ${wrong}`);
  }
  const loose = [...decisions].flatMap(([id, made]) => (linked.has(id) ? [] : made));
  const { least, most } = ledger.unlinked;
  if (loose.length < least || loose.length > most) {
    const told = `${loose.length} decisions about messages that are not calls, wanted ${least} to ${most}`;
    ledger.fault("records", `${told}: ${tally(loose)}`);
  }
  return { linked: linked.size, loose: loose.length };
}

function wrongOf(entry, own, made) {
  const { state, action, settings, peer, answer } = entry;
  if (own.length > 1) return `${own.length} records of one call`;
  const seen = new Map();
  for (const { direction, decision } of made) {
    if (seen.has(direction)) return `two decisions about its ${direction}`;
    seen.set(direction, decision);
  }
  const certain = state === "answered" && !(peer.crashes && answer === "error");
  if (certain && own.length === 0) return "no record of the call";
  const wanted = [...settings].map((one) => expected(action, one));
  const fits = wanted.some((one) => {
    if (certain && one.answer !== answer) return false;
    const directions = Object.entries(one.decisions);
    const known = [...seen].every(([direction, decision]) => one.decisions[direction] === decision);
    return known && (!certain || directions.length === seen.size);
  });
  if (fits) return undefined;
  const text = (map) => JSON.stringify(Object.fromEntries(map));
  return `decisions ${text(seen)}, wanted ${wanted.map((one) => text(Object.entries(one.decisions))).join(" or ")}`;
}

function tally(decisions) {
  const counts = new Map();
  for (const { server, decision, reason } of decisions) {
    const key = `${server} ${decision} ${String(reason).slice(0, 60)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => `${count} × ${key}`).join("; ");
}

/** Checks that live events delivered each record once: all between the first that arrived and the last. */
export function compareEvents(ledger, { times }, seen) {
  const once = new Set(seen);
  if (once.size < seen.length) ledger.fault("events", `${seen.length - once.size} came twice`);
  if (seen.length === 0) return;
  // A loop, because there may be more ids than a function call accepts arguments.
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const id of seen) {
    const time = times.get(id);
    if (time === undefined) ledger.fault("events", `${id} is not a record`);
    else {
      first = Math.min(first, time);
      last = Math.max(last, time);
    }
  }
  const due = [...times].filter(([, time]) => time > first + MARGIN_MS && time < last - MARGIN_MS);
  const missed = due.filter(([id]) => !once.has(id));
  if (missed.length > 0) ledger.fault("events", `${missed.length} of ${due.length} did not come`);
}
