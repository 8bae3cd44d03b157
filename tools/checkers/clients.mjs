// The raw clients: they send the bytes that a case prescribes, and keep what arrives as bytes.
import { isModern } from "./cases.mjs";
import { Inbox, messageOf, onLines } from "./messages.mjs";

/** How long a gateway may take for one request, milliseconds. */
const LONGEST = 30_000;

/** Returns a client of a child over stdio. */
export function stdioClient(child) {
  const inbox = new Inbox();
  onLines(child.stdout, (line) => {
    if (line.length > 0) inbox.add(messageOf(line));
  });
  const client = { inbox, ended: false, isHttp: false };
  child.on("close", () => {
    client.ended = true;
    inbox.wake();
  });
  child.stdin.on("error", () => {});
  client.send = (bytes) => child.stdin.write(Buffer.concat([bytes, Buffer.from("\n")]));
  client.close = () => child.stdin.end();
  return client;
}

/** Returns a client of a Streamable HTTP endpoint. `headers` go with every request. */
export function httpClient(url, { revision, headers = {} }) {
  const inbox = new Inbox();
  const stop = new AbortController();
  const client = { inbox, ended: false, isHttp: true };
  const common = { accept: "application/json, text/event-stream", ...headers };
  let session;

  const version = () => (session === undefined && !isModern(revision) ? {} : sessionHeaders());
  const sessionHeaders = () => ({
    "mcp-protocol-version": revision,
    ...(session === undefined ? {} : { "mcp-session-id": session }),
  });
  const named = (text) => {
    if (!isModern(revision)) return {};
    const [, method] = /"method"\s*:\s*"([^"]*)"/.exec(text) ?? [];
    const [, name] =
      /"(?:name|uri)"\s*:\s*"([!-~]*?)"/.exec(text.replace(/"_meta":\{.*?\}\},/, "")) ?? [];
    return {
      ...(method === undefined ? {} : { "mcp-method": method }),
      ...(name === undefined || !/^(?:tools\/call|prompts\/get|resources\/read)$/.test(method ?? "")
        ? {}
        : { "mcp-name": name }),
    };
  };

  client.send = (bytes) => {
    const head = {
      ...common,
      "content-type": "application/json",
      ...version(),
      ...named(bytes.toString("utf8")),
    };
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(LONGEST)]);
    const post = async () => {
      const response = await fetch(url, { method: "POST", headers: head, body: bytes, signal });
      session = response.headers.get("mcp-session-id") ?? session;
      await read(response, inbox);
    };
    post().catch((error) => {
      client.failed = String(error?.cause?.message ?? error?.message ?? error);
      inbox.wake();
    });
  };
  /** Opens the stream of messages that belong to no request, as clients do after `initialize`. */
  client.listen = () => {
    const get = async () => {
      const response = await fetch(url, {
        headers: { ...common, ...sessionHeaders() },
        signal: stop.signal,
      });
      if (response.ok) await read(response, inbox);
      else await response.body?.cancel();
    };
    get().catch(() => {});
  };
  client.close = () => stop.abort();
  return client;
}

async function read(response, inbox) {
  const type = response.headers.get("content-type") ?? "";
  const { status } = response;
  if (!type.includes("text/event-stream")) {
    const bytes = Buffer.from(await response.arrayBuffer());
    if (bytes.length > 0 || status >= 400) inbox.add(messageOf(bytes, { status }));
    return;
  }
  let data = [];
  const line = (bytes) => {
    const cut = bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes;
    if (cut.length === 0) {
      // An event without data only names the place from which to resume.
      const whole = Buffer.concat(data);
      if (whole.length > 0) inbox.add(messageOf(whole, { status }));
      data = [];
    } else if (cut.subarray(0, 5).toString() === "data:") {
      data.push(cut.subarray(cut[5] === 32 ? 6 : 5));
    }
  };
  let rest = Buffer.alloc(0);
  for await (const chunk of response.body) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      line(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
  }
}
