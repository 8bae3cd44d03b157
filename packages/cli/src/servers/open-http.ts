import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { HttpUpstream } from "@touchstone/gateway/config";
import { DISCOVER_MS, openEra } from "@touchstone/gateway/open-era";
import type { ExactCalls } from "./exact-call.ts";
import { patientProbe } from "./handshake.ts";
import { HttpTransport } from "./http-transport.ts";
import {
  type ConnectOptions,
  closed,
  connected,
  type Mode,
  makeClient,
  type Opened,
} from "./opened.ts";
import { reachError } from "./reach-error.ts";

/**
 * Connects to a server behind a URL: as older servers know it as well where it is slow to say that it speaks the
 * latest revision.
 * @throws Error where it cannot be reached, or does not answer in time
 */
export async function openHttp(
  { url, headers }: HttpUpstream,
  { timeout, env, version, stop }: ConnectOptions,
  exact: ExactCalls,
): Promise<Opened> {
  const options = { headers, fetch: await throughProxy(url, env), exact };
  const begun: Opened[] = [];
  const open = (mode: Mode, transport: HttpTransport, limit: number): Promise<Opened> => {
    const client = makeClient(version, mode);
    begun.push({ client, transport });
    return connected(client, transport, stop, () =>
      client.connect(transport, { timeout: limit }),
    ).catch((error: unknown) => {
      throw transport.fault ?? error;
    });
  };

  const patience = Math.min(DISCOVER_MS, patientProbe(timeout).timeoutMs);
  // A server that has answered has the whole time for the next answer.
  let left = timeout - patience;
  const discover = async (): Promise<Opened | undefined> => {
    const transport = new FirstQuestion(new URL(url), options);
    try {
      return await open("auto", transport, timeout);
    } catch (error) {
      if (!transport.isOld) throw error;
      left = timeout;
      return undefined;
    }
  };
  const initialize = (): Promise<Opened> =>
    open("legacy", new HttpTransport(new URL(url), options), left);

  let opened: Opened | undefined;
  try {
    opened = await openEra({ discover, initialize, patience }, stop);
    return opened;
  } catch (error) {
    throw reachError(error);
  } finally {
    const others = begun.filter(({ transport }) => transport !== opened?.transport);
    await Promise.all(others.map(closed));
  }
}

/** A transport that goes no further than to the question which revisions a server has. */
class FirstQuestion extends HttpTransport {
  #isOld = false;

  /** Whether the server's answer was that of an older one. */
  get isOld(): boolean {
    return this.#isOld;
  }

  override async send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options?: Parameters<HttpTransport["send"]>[1],
  ): Promise<void> {
    if ("method" in message && message.method === "initialize") {
      this.#isOld = true;
      throw new Error("it does not speak the latest revision");
    }
    return super.send(message, options);
  }
}

/** The gateway, which knows of proxies, is loaded only where the environment names one. */
async function throughProxy(url: string, env: ConnectOptions["env"]): Promise<typeof fetch> {
  if (!Object.keys(env).some((name) => /^https?_proxy$/i.test(name))) return fetch;
  const { proxiedFetch } = await import("@touchstone/gateway");
  return proxiedFetch(url, env) ?? fetch;
}
