// Runs cases through one checker: one start for each revision, a new session after a case that leaves it unusable, and
// for each case that has its own list of tools.
import { bytesOf, isModern } from "./cases.mjs";
import { until } from "./messages.mjs";
import { reasonIn } from "./reason.mjs";
import { isWorking, runCase } from "./run-case.mjs";
import { scriptedServer } from "./server.mjs";

/** How long a session may take to open, milliseconds. */
const OPEN = 60_000;

const isList = ({ exchange }) => exchange.length > 1 && exchange[0].text.includes('"tools/list"');

const CLIENT = '{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{"listChanged":true}}';

/** Makes the handshake of a revision and fetches the tools, unless the case has its own list. */
async function open(session, hasList) {
  const { client, revision } = session;
  const ask = async (id, method, params) => {
    const text = `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":{${params}}}`;
    client.send(bytesOf(text, revision));
    const found = () =>
      client.inbox.messages.find((one) => one.id === `"${id}"`) ??
      (client.ended || client.failed !== undefined
        ? { text: client.failed ?? "ended" }
        : undefined) ??
      client.inbox.messages.find((one) => one.status >= 400);
    const response = await until([client.inbox], found, OPEN);
    if (!response?.text.includes('"result"'))
      throw new Error(`${method}: ${shortened(response?.text ?? "no response")}`);
  };
  if (isModern(revision)) await ask("open-1", "server/discover", "$META");
  else {
    const info = '"clientInfo":{"name":"checkers","version":"1"}';
    const params = `"protocolVersion":"${revision}","capabilities":${CLIENT},${info}`;
    await ask("open-1", "initialize", params);
    client.send(Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}'));
    client.listen?.();
  }
  if (!hasList) {
    await ask("open-2", "tools/list", "$META");
    if (!(await isWorking(session))) throw new Error("a valid call does not come back");
  }
}

/**
 * Runs cases.
 * @param options `cache`, the folder of installed checkers; `stop`, an AbortSignal
 * @returns for each key of a case its outcome; `not run` with the reason if there is none
 */
export async function runCases(checker, cases, { cache, stop, report = () => {} }) {
  const outcomes = new Map();
  const revisions = [...new Set(cases.map(({ revision }) => revision))];
  for (const revision of revisions) {
    const some = cases.filter((entry) => entry.revision === revision);
    const sorted = [...some.filter((one) => !isList(one)), ...some.filter(isList)];
    await ofRevision(checker, revision, sorted, { cache, stop, report, outcomes });
  }
  return outcomes;
}

async function ofRevision(checker, revision, cases, { cache, stop, report, outcomes }) {
  const server = await scriptedServer();
  server.revision = revision;
  let run;
  let session;
  const end = async () => {
    session?.client.close();
    session = undefined;
    await run?.stop();
    run = undefined;
  };
  const fresh = async (hasList) => {
    session?.client.close();
    session = undefined;
    if (run?.isOnce || (run !== undefined && run.child.exitCode !== null)) await end();
    const isNew = run === undefined;
    try {
      run ??= await checker.start(server, { cache });
      const { prefix, grace, limit } = checker;
      session = { client: run.newClient(revision), server, revision, prefix, grace, limit };
      await open(session, hasList);
    } catch (error) {
      const words = session?.client.ended ? run.errors() : "";
      await end();
      if (isNew) throw new Error([error.message, reasonIn(words)].filter(Boolean).join("; "));
      // What blocks one session may block all of them.
      await fresh(hasList);
    }
  };
  let failures = 0;
  try {
    for (const entry of cases) {
      if (stop?.aborted) return;
      const hasList = isList(entry);
      if (hasList && checker.owns === "lists") {
        outcomes.set(entry.key, {
          kind: "not run",
          detail: "it keeps the lists of a server since its registration",
        });
        continue;
      }
      try {
        if (session === undefined || hasList) {
          if (hasList) listFor(server, entry);
          await fresh(hasList);
        }
        failures = 0;
      } catch (error) {
        const detail = `${error.message}`.replace(/\s+/g, " ").slice(0, 200);
        outcomes.set(entry.key, { kind: "not run", detail });
        failures += 1;
        report(`${checker.name}: ${entry.key}: not run: ${detail}`);
        // A checker that fails to open twice in a row does not support the revision, or does not start.
        if (failures < 2) continue;
        for (const other of cases)
          if (!outcomes.has(other.key)) outcomes.set(other.key, { kind: "not run", detail });
        return;
      }
      const { isBroken, ...outcome } = await runCase(entry, session);
      outcomes.set(entry.key, outcome);
      report(`${checker.name}: ${entry.key}: ${outcome.kind} ${outcome.detail ?? ""}`);
      if (isBroken || hasList || session.client.ended) {
        session.client.close();
        session = undefined;
      }
    }
  } finally {
    await end();
    server.close();
  }
}

/** Returns the message of an error response, or the start of another text. */
const shortened = (text) => /"message"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 160);

/** Makes the server send the list of a case also to a gateway that fetches the list while it opens. */
function listFor(server, { exchange, revision }) {
  server.take = (message) => {
    if (message.method !== "tools/list") return false;
    message.link.write(bytesOf(exchange[1].text, revision, { id: message.id }), true);
    return true;
  };
}
