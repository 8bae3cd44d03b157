import { request } from "node:http";

/** The response of a gateway. */
export interface Shown {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly cookies: readonly string[];
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The headers that the console sends with each request, as a browser on a loopback page does. */
export const FROM_CONSOLE: Readonly<Record<string, string>> = {
  "x-touchstone-console": "1",
  "sec-fetch-site": "same-origin",
};

/** Sends a request with any headers. */
export function send(
  base: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  body?: unknown,
): Promise<Shown> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const all = { ...json, ...headers } as Record<string, string>;
    const sent = request({ host: hostname, port, method, path, headers: all }, async (response) => {
      const parts: Buffer[] = [];
      const isStream = response.headers["content-type"]?.includes("event-stream") === true;
      if (isStream) response.destroy();
      else for await (const part of response) parts.push(part as Buffer);
      const isJson = /^application\/json(?:;|$)/.test(response.headers["content-type"] ?? "");
      const text = Buffer.concat(parts).toString();
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        cookies: response.headers["set-cookie"] ?? [],
        text,
        body: isJson && text.startsWith("{") ? JSON.parse(text) : {},
      });
    });
    sent.once("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A browser with the console open: keeps cookies, and sends the same headers as the console. */
export class Browser {
  readonly base: string;
  readonly #host: string;
  readonly #cookies: Map<string, string>;

  /** @param host what the browser sends as `Host`. Default: that of the gateway */
  constructor(base: string, host: string = new URL(base).host, cookies = new Map()) {
    this.base = base;
    this.#host = host;
    this.#cookies = cookies;
  }

  /** Returns the same browser at another gateway behind the same name. */
  at(base: string, host: string = this.#host): Browser {
    return new Browser(base, host, this.#cookies);
  }

  /** The `Cookie` header of the next request; empty without cookies. */
  get cookie(): string {
    return [...this.#cookies].map((pair) => pair.join("=")).join("; ");
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    const shown = await send(this.base, method, path, { ...this.#own(), ...headers }, body);
    for (const line of shown.cookies) this.#keep(line);
    return shown;
  }

  /** Signs in by `{ key }` or `{ code }`. */
  signIn(by: object, headers: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return this.send("POST", "/api/v1/session", by, headers);
  }

  /** Opens a stream. `ended` resolves when the gateway has ended it. */
  stream(path: string): Promise<{ readonly status: number; readonly ended: Promise<void> }> {
    const { hostname, port } = new URL(this.base);
    return new Promise((resolve, reject) => {
      const headers = { ...this.#own(), accept: "text/event-stream" };
      const sent = request({ host: hostname, port, path, headers }, (response) => {
        response.on("error", () => {});
        const ended = new Promise<void>((done) => response.once("close", () => done()));
        response.resume();
        resolve({ status: response.statusCode ?? 0, ended });
      });
      sent.once("error", reject);
      sent.end();
    });
  }

  #own(): Readonly<Record<string, string>> {
    const cookie: Record<string, string> = this.cookie === "" ? {} : { cookie: this.cookie };
    return { ...FROM_CONSOLE, host: this.#host, ...cookie };
  }

  #keep(line: string): void {
    const [pair = ""] = line.split(";");
    const mark = pair.indexOf("=");
    const [name, value] = [pair.slice(0, mark), pair.slice(mark + 1)];
    if (/max-age=0(?:;|$)/i.test(line)) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}

/** Returns the code of a link to the console. */
export const codeOf = (link: string): string => link.split("code=")[1] ?? "";
