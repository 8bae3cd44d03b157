import { parseConfig } from "../../../../config/load.ts";
import { startTestGateway, type TestGateway } from "../../../../testing/gateway.ts";
import type { Browser } from "./browser.ts";

/** A gateway with `auth.oidc`, as a browser sees it. */
export interface Site {
  readonly origin: string;
  readonly port: number;
  /** What was logged. */
  readonly lines: string[];
  records: TestGateway["records"];
  /** Takes another file. */
  reload(file: object): Promise<unknown>;
  /** Returns the person who is signed in according to the gateway. */
  session(browser: Browser): Promise<unknown>;
  close(): Promise<void>;
}

export async function startSite(file: object, port: number): Promise<Site> {
  const listening = { listen: { address: `127.0.0.1:${port}` } };
  const { gateway, lines, records, close } = await startTestGateway({ ...listening, ...file });
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    port,
    lines,
    records,
    close,
    reload: (next) =>
      gateway.reload(
        parseConfig(JSON.stringify({ ...listening, ...next }), {
          file: "touchstone.json",
          env: {},
        }),
      ),
    async session(browser) {
      const headers = { "x-touchstone-console": "1" };
      const response = await browser.visit(`${origin}/api/v1/session`, { headers });
      return response.json();
    },
  };
}

/** Returns where a sign-in begins. */
export function begin({ origin }: Pick<Site, "origin">, provider: string, view = "#/"): string {
  return `${origin}/api/v1/sign-in/oidc/${provider}?return_to=${encodeURIComponent(view)}`;
}

export const callbackOf = ({ origin }: Pick<Site, "origin">, provider: string): string =>
  `${origin}/api/v1/sign-in/oidc/${provider}/callback`;
