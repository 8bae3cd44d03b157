import { type KnownGateway, readGateways } from "@touchstone/gateway";
import {
  type ActivityReader,
  openPlace,
  type VerifyReport,
  verifyActivity,
} from "@touchstone/gateway/activity";
import { type Backend, startBalancer } from "./balancer.ts";
import { fleetFiles, type Served, startServe, startUpstream } from "./processes.ts";
import { connectCaller, type Generation, type SdkCaller } from "./sdk-callers.ts";

export interface FleetRound {
  readonly gateways: number;
  /** Number of official clients of each generation, each with one open call. */
  readonly clients: number;
  /** Responses before one gateway is killed. */
  readonly before: number;
  /** Responses after that. */
  readonly after: number;
}

/** A call and its result, as its client saw it. */
export interface SeenCall {
  readonly generation: Generation;
  readonly tool: string;
  readonly text: string;
  /** Why it has no response; undefined if it has one. */
  readonly failure: string | undefined;
  /** How often the balancer sent it. */
  readonly attempts: number;
  /** How often the server ran it. */
  readonly ran: number;
  /** How many records of type `tool_call` it has. */
  readonly records: number;
}

export interface FleetOutcome {
  readonly calls: readonly SeenCall[];
  /** Requests that the balancer sent a second time. */
  readonly retried: number;
  readonly report: VerifyReport;
  /** The gateways that are still listed after the others were stopped gracefully. */
  readonly left: readonly KnownGateway[];
}

/** Tools that may run twice, according to the server (`readOnlyHint`, `idempotentHint`). */
export const SAFE_TOOLS: ReadonlySet<string> = new Set(["look", "put"]);
const TOOLS = ["look", "send", "put"];
const UPSTREAM_MS = 5;

/**
 * Puts load on gateways behind a balancer, kills one of them with SIGKILL during calls, and returns what the clients
 * saw and what was recorded.
 * @param store URL of an empty PostgreSQL database
 */
export async function killGatewayUnderLoad(
  store: string,
  round: FleetRound,
): Promise<FleetOutcome> {
  const upstream = await startUpstream(UPSTREAM_MS);
  const files = fleetFiles(store, upstream.url, bodies(store));
  const serving: Served[] = [];
  try {
    const starts = Array.from({ length: round.gateways }, () => startServe(files, "strict"));
    serving.push(...(await Promise.all(starts)));
    const urls = serving.map(({ url }) => url);
    const load = new Load(round, serving);
    const balancer = await startBalancer(urls, { safeTools: SAFE_TOOLS, sent: load.sent });
    const seen = await load.run(balancer.url);
    await Promise.all(serving.map(({ end }) => end("SIGTERM")));
    const ran = (await (await fetch(new URL("/ran", upstream.url))).json()) as [string, number][];
    await balancer.close();
    const reader = await openPlace({ url: store }).reader();
    const records = await recordsByText(reader);
    const report = await verifyActivity(reader);
    await reader.close();
    const times = new Map(ran);
    const calls = seen.map((call) => ({
      ...call,
      attempts: balancer.attempts.get(call.text) ?? 0,
      ran: times.get(`${call.tool} ${call.text}`) ?? 0,
      records: records.get(call.text) ?? 0,
    }));
    const left = await readGateways(store);
    return { calls, retried: balancer.retried, report, left };
  } finally {
    await Promise.all([...serving, upstream].map(({ end }) => end("SIGKILL")));
    files.remove();
  }
}

/** The record of a call is found by the call's text. */
function bodies(store: string): object {
  return { activity: { store, bodies: true } };
}

type Ended = Pick<SeenCall, "generation" | "tool" | "text" | "failure">;

/**
 * Clients that call one tool after another, until one gateway is killed and the same number of further calls is done.
 */
class Load {
  readonly #round: FleetRound;
  readonly #victim: Served | undefined;
  readonly #seen: Ended[] = [];
  #goal = Number.POSITIVE_INFINITY;
  #killed: Promise<void> | undefined;

  constructor(round: FleetRound, serving: readonly Served[]) {
    this.#round = round;
    this.#victim = serving[0];
  }

  /** Kills the first gateway during a call that must be sent again. */
  readonly sent = ({ url }: Backend): void => {
    const { before, after } = this.#round;
    if (this.#killed || this.#seen.length < before || url !== this.#victim?.url) return;
    this.#goal = this.#seen.length + after;
    this.#killed = this.#victim.end("SIGKILL");
  };

  async run(url: string): Promise<readonly Ended[]> {
    const callers = await Promise.all(
      Array.from({ length: this.#round.clients * 2 }, (_, at) =>
        connectCaller(url, at % 2 === 0 ? "2026-07-28" : "2025-11-25"),
      ),
    );
    await Promise.all(callers.map((client, at) => this.#call(client, at)));
    await this.#killed;
    await Promise.all(callers.map((client) => client.close()));
    return this.#seen;
  }

  async #call(client: SdkCaller, at: number): Promise<void> {
    const { generation } = client;
    for (let count = at; this.#seen.length < this.#goal; count += 1) {
      const tool = TOOLS[count % TOOLS.length] ?? "look";
      const text = `call ${count} of client ${at} (${generation})`;
      const failure = await failureOf(client.call(tool, text), text);
      this.#seen.push({ generation, tool, text, failure });
    }
    // A session of the killed gateway continues at another one.
    if ((await client.list()) !== TOOLS.length) throw new Error("a list is not whole");
  }
}

async function failureOf(pending: Promise<string>, text: string): Promise<string | undefined> {
  try {
    const echo = await pending;
    return echo === text ? undefined : `another answer: ${echo}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the number of records of type `tool_call`, by the `text` of the arguments. */
export async function recordsByText(reader: ActivityReader): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let after: string | undefined;
  for (;;) {
    const records = await reader.scan({ types: ["tool_call"] }, { after, limit: 1000 });
    for (const record of records) {
      const { text } = JSON.parse(record.arguments ?? "{}") as { readonly text?: string };
      counts.set(text ?? "", (counts.get(text ?? "") ?? 0) + 1);
    }
    after = records.at(-1)?.id;
    if (after === undefined) return counts;
  }
}
