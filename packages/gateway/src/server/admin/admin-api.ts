import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject, parseJson } from "@touchstone/core";
import type { GatewayConfig } from "../../config/config.ts";
import { DIRECTIONS, type Modes, type SettingsLevel } from "../../config/edit/modes.ts";
import type { Fleet } from "../../fleet/gateways.ts";
import { ActivityError } from "../../records/errors.ts";
import { sameSecret } from "../../transport/http/access.ts";
import { mediaType } from "../../transport/http/headers.ts";
import type { Logger } from "../../util/log.ts";
import { type Apply, ConfigEditor, type ConfigSource, NOT_EDITABLE } from "./config-editor.ts";
import { ContractFaults } from "./contract-faults.ts";
import { AdminError } from "./errors.ts";
import { bodyOf, notAllowed, send } from "./messages.ts";
import { type ModesChanged, readModeChange } from "./modes-body.ts";
import { modesOf } from "./modes-of.ts";
import { gatewayOpenapi } from "./openapi/document.ts";
import { type Resource, resourceOf } from "./route.ts";
import { type ConfiguredServer, detailOf, type ServerSummary, summaryOf } from "./servers.ts";
import { shownSettings } from "./settings.ts";
import type { SignIn } from "./sign-in.ts";
import { unlistedTools, unlistedWarning } from "./unlisted-tools.ts";
import { WriteAccess } from "./write-access.ts";

export interface AdminApiParts {
  /** The configuration that holds. */
  readonly config: () => GatewayConfig;
  /** What serves a server. */
  readonly served: (name: string) => ConfiguredServer["served"];
  /** Where the gateway listens. */
  readonly address: () => { readonly host: string; readonly port: number };
  /** The file that the configuration came from; without one nothing can be changed. */
  readonly source?: ConfigSource | undefined;
  readonly apply: Apply;
  /** Lets a browser in by a link. */
  readonly signIn: SignIn;
  /** The gateways that share the store; undefined where it is not shared. */
  readonly fleet: () => Promise<Fleet | undefined>;
  readonly log: Logger;
}

/**
 * What the console's pages Servers and Settings stand on, below `/api/v1`:
 *
 * - `GET servers`, `GET servers/{server}`, `GET settings`, `GET gateways`, `GET openapi.json`
 * - `POST sign-in` with `{"code"}`: a token for the code of a link; asks for no key
 * - `POST sign-in/codes` with the header `X-Touchstone-Local`: a code, for a command of the same user
 * - `PATCH modes`, `PATCH servers/{server}/modes`, `PATCH servers/{server}/tools/{tool}/modes`
 *
 * Who may read is for the listener to decide; a change asks for the API key or the printed token, and
 * for a body of `application/json`, which no page of another origin can send unasked (Fetch, CORS
 * protocol). Faults answer `{error, code}`, codes of {@link AdminError}.
 */
export class AdminApi {
  readonly #parts: AdminApiParts;
  readonly #editor: ConfigEditor;
  readonly #access: WriteAccess;
  readonly #faults: ContractFaults = new ContractFaults();
  readonly #startedAt: Date = new Date();

  constructor(parts: AdminApiParts) {
    this.#parts = parts;
    this.#editor = new ConfigEditor(parts.source, parts.apply);
    this.#access = new WriteAccess(parts.signIn);
  }

  /** What is to be seen of a server. Rejects with an AdminError for a name that no server has. */
  async summary(server: string): Promise<ServerSummary> {
    return summaryOf(this.#server(server), this.#faults);
  }

  /** Prints the token, once, where it is what a change asks for. */
  tellToken(): void {
    const needed = this.#parts.config().auth.apiKey === undefined;
    if (needed && this.#editor.file !== undefined) this.#access.tell(this.#parts.log);
  }

  /** Returns whether a request needs no API key: it brings a secret of its own. */
  isOpen({ method }: IncomingMessage, path: string): boolean {
    return method === "POST" && resourceOf(path)?.kind === "sign-in";
  }

  /**
   * Answers a request, where its path is one of the API's.
   * @param path of the request's target, percent-encoded, without the query
   * @returns undefined for another path; else it resolves when the answer has been handed over
   */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> | undefined {
    const resource = resourceOf(path);
    return resource && this.#answer(request, response, resource);
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    resource: Resource,
  ): Promise<void> {
    try {
      send(request, response, 200, await this.#of(request, resource));
    } catch (thrown) {
      const error = thrown instanceof AdminError ? thrown : this.#internal(thrown);
      const { message, code, status, detail } = error;
      // The rest of a body is read over and dropped, so that the client gets to read this.
      request.resume();
      const { faults, headers } = detail;
      const body = { error: message, code, ...(faults === undefined ? {} : { faults }) };
      send(request, response, status, body, headers);
    }
  }

  #internal(thrown: unknown): AdminError {
    const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    this.#parts.log.error("a request to the admin API failed", { reason });
    return new AdminError("INTERNAL", "This could not be answered; the gateway's log says why.");
  }

  #of(request: IncomingMessage, resource: Resource): Promise<unknown> {
    const { method = "" } = request;
    if (resource.kind === "unknown") {
      throw new AdminError("NOT_FOUND", "There is nothing at this address.");
    }
    if (resource.kind === "modes") {
      if (method !== "PATCH") throw notAllowed(method, "PATCH");
      return this.#change(request, resource.level);
    }
    if (resource.kind === "sign-in") {
      if (method !== "POST") throw notAllowed(method, "POST");
      return resource.what === "token" ? this.#exchange(request) : this.#issue(request);
    }
    if (method !== "GET" && method !== "HEAD") throw notAllowed(method, "GET, HEAD");
    return this.#read(resource);
  }

  async #exchange(request: IncomingMessage): Promise<{ readonly token: string }> {
    assertJson(request);
    const code = codeIn(await bodyOf(request));
    const token = code === undefined ? undefined : this.#parts.signIn.exchange(code);
    if (token !== undefined) return { token };
    throw new AdminError(
      "SIGN_IN_REFUSED",
      "This link has been used, or is older than 60 seconds. Run touchstone ui for a new one.",
    );
  }

  async #issue({ headers }: IncomingMessage): Promise<{ readonly code: string }> {
    const { signIn } = this.#parts;
    const given = headers["x-touchstone-local"];
    if (typeof given === "string" && sameSecret(given, signIn.localSecret)) {
      return { code: signIn.issue() };
    }
    throw new AdminError(
      "SIGN_IN_REFUSED",
      "Only a command of the user who runs the gateway may ask for a code.",
    );
  }

  async #read(
    resource: Exclude<Resource, { kind: "modes" | "unknown" | "sign-in" }>,
  ): Promise<unknown> {
    const { config, address } = this.#parts;
    const { servers } = config();
    switch (resource.kind) {
      case "servers":
        return Promise.all(servers.map(({ name }) => summaryOf(this.#server(name), this.#faults)));
      case "server":
        return detailOf(this.#server(resource.server), this.#faults, this.#editor.written());
      case "openapi":
        return gatewayOpenapi();
      case "gateways":
        return { shared: false, ...(await sharedFleet(this.#parts.fleet)) };
      case "settings":
        return shownSettings(config(), {
          address: address(),
          startedAt: this.#startedAt,
          now: new Date(),
          file: this.#editor.file,
          notEditable: NOT_EDITABLE,
          own: this.#editor.written().at({}),
        });
    }
  }

  #server(name: string): ConfiguredServer {
    const { config: holds, served } = this.#parts;
    const config = holds().servers.find((server) => server.name === name);
    if (config !== undefined) return { config, served: served(name) };
    throw new AdminError("NOT_FOUND", `No server is named ${JSON.stringify(name)}.`);
  }

  async #change(request: IncomingMessage, level: SettingsLevel): Promise<ModesChanged> {
    if (this.#editor.file === undefined) throw new AdminError("NOT_EDITABLE", NOT_EDITABLE);
    this.#access.check(request.headers, this.#parts.config().auth.apiKey);
    assertJson(request);
    if (level.server !== undefined) this.#server(level.server);
    const change = readModeChange(await bodyOf(request));
    const changes = await this.#editor.changeModes(level, change);
    if (changes.length > 0) {
      this.#parts.log.info(
        `the configuration was changed over the admin API: ${changes.join("; ")}`,
      );
    }
    const modes = this.#modes(level);
    const overridden = DIRECTIONS.filter((direction) => {
      const mode = change[direction];
      return mode !== undefined && mode !== null && mode !== modes[direction];
    });
    return { modes, overridden, changes, ...this.#unlisted(level) };
  }

  /** A tool may be listed later, so settings for one that is not are taken, and this is told. */
  #unlisted({ server, tool }: SettingsLevel): Pick<ModesChanged, "warning"> {
    if (server === undefined || tool === undefined) return {};
    const { config, served } = this.#server(server);
    const known = served?.runtime.catalogue.all();
    const unlisted = unlistedTools(config, known, this.#editor.written());
    const found = unlisted.find((one) => one.tool === tool);
    return found === undefined ? {} : { warning: unlistedWarning(server, found) };
  }

  /** The modes that hold at a level. */
  #modes({ server, tool }: SettingsLevel): Modes {
    if (server === undefined) return modesOf(this.#parts.config().settings);
    const { settings, tools } = this.#server(server).config;
    return modesOf((tool === undefined ? undefined : tools.get(tool)) ?? settings);
  }
}

/** @throws AdminError unless the body is JSON, which no page of another origin can send unasked */
function assertJson({ headers }: IncomingMessage): void {
  if (mediaType(headers["content-type"]) === "application/json") return;
  throw new AdminError("UNSUPPORTED_TYPE", "The body must be application/json.");
}

function codeIn(body: Uint8Array): string | undefined {
  const parsed = parseJson(body);
  const code = parsed.ok && isObject(parsed.value) ? parsed.value["code"] : undefined;
  return typeof code === "string" ? code : undefined;
}

/** @throws AdminError where the store does not answer */
async function sharedFleet(fleet: AdminApiParts["fleet"]): Promise<object> {
  try {
    const known = await fleet();
    return known === undefined ? { gateways: [] } : { shared: true, ...known };
  } catch (error) {
    if (!(error instanceof ActivityError)) throw error;
    throw new AdminError("STORE_UNREACHABLE", error.message);
  }
}
