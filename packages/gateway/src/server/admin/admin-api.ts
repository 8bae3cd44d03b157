import {
  type ApprovalStores,
  decideApproval,
  decisionText,
  listPins,
  pinDifference,
} from "@touchstone/records/approvals";
import { ActivityError } from "@touchstone/records/errors";
import {
  type Author,
  authorText,
  type ErasureRequest,
  type ErasureSubject,
  namesSubject,
  reasonField,
} from "@touchstone/records/plain";
import type {
  CallDetail,
  Erasure,
  PinWithDiff,
  Problem,
  ShownPin,
} from "@touchstone/records/schemas";
import type { Logger } from "@touchstone/util";
import type { GatewayConfig } from "../../config/config.ts";
import { DIRECTIONS, type Modes, type SettingsLevel } from "../../config/edit/modes.ts";
import type { Fleet } from "../../fleet/gateways.ts";
import { hasPinning } from "../../settings/validation.ts";
import type { ServerLog } from "../../transport/server-log.ts";
import { callerNamed } from "../access/rules.ts";
import type { ErasureBody, IgnoreBody, PinChoice } from "../api/admin-operations.ts";
import type { ShownServerLog } from "../api/operator-schemas.ts";
import type {
  ClientView,
  ConfigAction,
  ConfigEditResult,
  ConfigProposal,
  Gateways,
  ModesChanged,
  ModesToChange,
  ServerDetail,
  ServerSummary,
  ShownSettings,
} from "../api/schemas.ts";
import type { SignInCodes } from "../sign-in/codes.ts";
import { type EditResult, editOf } from "./actions.ts";
import { clientView } from "./client-view.ts";
import { type ApplyConfig, ConfigEditor, type ConfigSource, unknownEdit } from "./config-editor.ts";
import { ContractFaults } from "./contract-faults.ts";
import { AdminError } from "./errors.ts";
import { ignoreProblem, type ProblemDecisions, unignoreProblem } from "./ignored-problems.ts";
import { modesEdit, modesOf } from "./modes.ts";
import { shownLog } from "./server-log.ts";
import { type ConfiguredServer, serverDetail, serverSummary } from "./servers.ts";
import { mayEditServers, shownSettings } from "./settings.ts";
import { unlistedTools, unlistedWarning } from "./unlisted-tools.ts";

function subjectOf(caller: string | undefined, session: string | undefined): ErasureSubject {
  if (caller !== undefined && caller !== "" && session === undefined) return { caller };
  if (session !== undefined && session !== "" && caller === undefined) return { session };
  throw new AdminError("BAD_REQUEST", 'The body must have either "caller" or "session".');
}

/** Finds the call of a record. */
type FindCall = (id: string) => Promise<CallDetail | undefined>;

export interface AdminApiParts {
  /** The configuration in force. */
  readonly config: () => GatewayConfig;
  /** Returns the runtime of a server. */
  readonly served: (name: string) => ConfiguredServer["served"];
  /** Returns the log of a server. */
  readonly logOf: (name: string) => ServerLog;
  /** Where the gateway listens. */
  readonly address: () => { readonly host: string; readonly port: number };
  /** The file of the configuration; without one nothing can be changed. */
  readonly source?: ConfigSource | undefined;
  /** Why no file can be edited, and what to do. */
  readonly notEditable?: string | undefined;
  readonly apply: ApplyConfig;
  /** Issues and checks codes that sign a browser in. */
  readonly codes: SignInCodes;
  /** The stores of approvals, of ignored problems, and of their records. */
  readonly approvals: ApprovalStores & ProblemDecisions;
  /** Erases one person's data from the records. */
  readonly erase: (request: ErasureRequest) => Promise<Erasure>;
  /** The gateways that share the store; undefined if it is not shared. */
  readonly fleet: () => Promise<Fleet | undefined>;
  readonly log: Logger;
}

/** Servers, settings and sign-in: the data for the console's pages. All methods throw an AdminError. */
export class AdminApi {
  readonly #parts: AdminApiParts;
  readonly #editor: ConfigEditor;
  readonly #faults: ContractFaults = new ContractFaults();
  readonly #startedAt: Date = new Date();

  constructor(parts: AdminApiParts) {
    this.#parts = parts;
    this.#editor = new ConfigEditor(parts.source, parts.apply, parts.notEditable);
  }

  /** Returns whether the operator needs a token: something can be changed, and there is no `auth.admin_key`. */
  get needsToken(): boolean {
    const { auth, servers } = this.#parts.config();
    const changes =
      this.#editor.file !== undefined || servers.some(({ settings }) => hasPinning(settings));
    return auth.adminKey === undefined && changes;
  }

  /** Returns the summaries of all configured servers. */
  servers(): Promise<readonly ServerSummary[]> {
    const { auth, servers } = this.#parts.config();
    const once = this.#faults.once();
    return Promise.all(servers.map(({ name }) => serverSummary(this.#server(name), once, auth)));
  }

  /** Returns the summary of a server. */
  async summary(server: string): Promise<ServerSummary> {
    return serverSummary(this.#server(server), this.#faults.once(), this.#parts.config().auth);
  }

  /** Returns the details of a server and of each of its tools. */
  async server(name: string): Promise<ServerDetail> {
    const { auth } = this.#parts.config();
    return serverDetail(this.#server(name), this.#faults, this.#editor.written(), auth);
  }

  /** Returns the last lines of a server's log after a cursor. */
  serverLog(name: string, after: string | undefined): Promise<ShownServerLog> {
    return shownLog(this.#server(name).config, this.#parts.logOf(name), after);
  }

  /** Returns a server's list of tools as a client of a caller sees it. */
  async clientView(
    name: string,
    given: Readonly<Partial<Record<"client" | "caller" | "tool", string>>>,
  ): Promise<ClientView> {
    const { served } = this.#server(name);
    const found =
      given.caller === undefined ? undefined : callerNamed(this.#parts.config(), given.caller);
    if (given.caller !== undefined && found === undefined) {
      const caller = JSON.stringify(given.caller);
      throw new AdminError("NOT_FOUND", `No key of auth.keys has the name ${caller}.`);
    }
    if (served === undefined || found?.servers?.has(name) === false) {
      const why = served === undefined ? "is not served here" : "is not for this caller";
      throw new AdminError("NOT_FOUND", `The server ${JSON.stringify(name)} ${why}.`);
    }
    const look = served.runtime.lookAt({ client: given.client, caller: found?.caller });
    return clientView(look, given.tool);
  }

  /** Returns the settings in force, without secrets. */
  settings(): ShownSettings {
    const { config, address } = this.#parts;
    return shownSettings(config(), {
      address: address(),
      startedAt: this.#startedAt,
      now: new Date(),
      file: this.#editor.file,
      notEditable: this.#editor.notEditable,
      own: this.#editor.written().at({}),
    });
  }

  /** Returns the known declarations of servers. */
  pins(scope: { readonly server?: string; readonly state?: string }): Promise<readonly ShownPin[]> {
    return listPins(this.#parts.approvals.pins, scope);
  }

  /** Returns a declaration, and its changes since an earlier one with its name was approved. */
  async pin({
    server = "",
    kind = "tool",
    name = "",
    hash,
  }: Readonly<Partial<Record<"server" | "kind" | "name" | "hash", string>>>): Promise<PinWithDiff> {
    const { pins: store } = this.#parts.approvals;
    const pins = await listPins(store, { server });
    const found = pins.find((pin) => pin.hash === hash && pin.kind === kind && pin.name === name);
    if (found === undefined) {
      throw new AdminError("NOT_FOUND", "No such declaration of this server is known.");
    }
    const difference = await pinDifference(store, server, found);
    return { ...found, diff: difference?.diff ?? null, changed: difference?.changed ?? null };
  }

  /** Approves or revokes a declaration, exactly the one with this hash. */
  async decidePin(
    author: Author,
    state: "approved" | "revoked",
    { server, kind, name, hash }: PinChoice,
  ): Promise<readonly ShownPin[]> {
    const meant = { server, kind, name, hash, author };
    const decided = await decideApproval(this.#parts.approvals, {
      ...meant,
      state,
      source: "gateway",
    });
    if (decided.ok) {
      const reason = decided.pins.map((pin) => decisionText(pin, state)).join("; ");
      const fields = { by: authorText(author), ...reasonField(author) };
      this.#parts.log.info(`${server}: ${reason}`, fields);
      return decided.pins;
    }
    throw new AdminError("NOT_FOUND", decided.message);
  }

  /** Ignores a problem until a given time. */
  ignoreProblem(author: Author, problem: Problem, body: IgnoreBody): Promise<void> {
    return ignoreProblem(this.#parts.approvals, this.#parts.log, { problem, author, body });
  }

  /** Shows an ignored problem again. */
  unignoreProblem(author: Author, problem: Problem): Promise<void> {
    return unignoreProblem(this.#parts.approvals, this.#parts.log, { problem, author });
  }

  /** Erases what records have about a caller or a session, or counts it. */
  async erase(
    author: Author,
    { caller, session, reason, dry_run: dryRun = false, confirm = false }: ErasureBody,
  ): Promise<Erasure> {
    const subject = subjectOf(caller, session);
    if (dryRun === confirm) {
      throw new AdminError(
        "BAD_REQUEST",
        'An erasure cannot be undone. Send "dry_run": true to count what it would erase, or "confirm": true to erase it.',
      );
    }
    if (reason !== undefined && namesSubject(reason, subject)) {
      throw new AdminError(
        "BAD_REQUEST",
        "The reason is recorded, so it must not name the caller or session.",
      );
    }
    const done = await this.#parts.erase({ subject, dryRun, author, source: "gateway" });
    if (done.erasure !== null) {
      this.#parts.log.info(`erased what ${done.records} records had about one person`, {
        by: authorText(author),
        erasure: done.erasure,
      });
    }
    return done;
  }

  /** Returns the gateways that share the store. */
  async gateways(): Promise<Gateways> {
    try {
      const known = await this.#parts.fleet();
      return known === undefined ? { shared: false, gateways: [] } : { shared: true, ...known };
    } catch (error) {
      if (!(error instanceof ActivityError)) throw error;
      throw new AdminError("STORE_UNREACHABLE", error.message);
    }
  }

  /** Returns a token for the code of a link, and uses the code up. */
  exchange(code: string): { readonly token: string } {
    const token = this.#parts.codes.exchange(code);
    if (token === undefined) throw linkRefusedError();
    return { token };
  }

  /** Returns the change that an action would make to the file, or the text to write by hand. */
  async propose(action: ConfigAction, find: FindCall): Promise<ConfigProposal> {
    const edit = await editOf(action, find);
    this.#checkEdit(edit);
    return this.#editor.propose(edit, await this.#blocked(edit));
  }

  /** Performs an action, if the file is still the one for which it was proposed. */
  async edit(
    author: Author,
    { action, hash }: { readonly action: ConfigAction; readonly hash: string },
    find: FindCall,
  ): Promise<ConfigEditResult> {
    this.#editor.editable();
    const edit = await editOf(action, find);
    this.#checkEdit(edit);
    await this.#checkWritable(edit);
    return this.#editor.apply(edit, hash, author);
  }

  /** Undoes an edit. */
  async undo(author: Author, id: string): Promise<ConfigEditResult> {
    this.#editor.editable();
    const edit = this.#editor.done(id);
    if (edit === undefined) throw unknownEdit();
    this.#checkEdit(edit);
    const blocked = await this.#blocked(edit);
    if (blocked !== undefined) throw new AdminError("NOT_EDITABLE", blocked);
    return this.#editor.undo(id, author);
  }

  /** Throws if an edit changes servers, and the configuration does not let them be changed over HTTP. */
  #checkEdit({ changesServer }: EditResult): void {
    if (changesServer !== true || mayEditServers(this.#parts.config())) return;
    throw new AdminError(
      "SERVERS_LOCKED",
      "Servers cannot be changed over HTTP. Set http.edit_servers to true in the file, or change the file.",
    );
  }

  /** @throws {AdminError} `NOT_EDITABLE`, with the lines to write by hand, if the file must not be written */
  async #checkWritable(edit: EditResult): Promise<void> {
    const blocked = await this.#blocked(edit);
    if (blocked === undefined) return;
    const { paste } = this.#editor.propose(edit, blocked);
    throw new AdminError("NOT_EDITABLE", blocked, { more: { paste } });
  }

  /** Returns why the file must not be written for an edit; undefined if it may. */
  async #blocked({ servers = [], changesServer }: EditResult): Promise<string | undefined> {
    const { config, fleet, source } = this.#parts;
    const known = new Set(config().servers.map(({ name }) => name));
    const other = servers.find((server) => !known.has(server));
    if (other !== undefined && changesServer !== true && source?.wraps !== true) {
      return `${JSON.stringify(other)} is not served here: a client runs it with touchstone wrap, which reads the user's own file. Add these lines there.`;
    }
    const shared = await fleet().catch(() => "unknown" as const);
    if (shared === "unknown") {
      return "The store that gateways share does not respond, so it is unknown whether others use it. Try again, or change the file of each.";
    }
    return (shared?.gateways.length ?? 0) > 1
      ? "Several gateways share the records, each with its own file. Change the file of each."
      : undefined;
  }

  /**
   * Changes modes in the file and applies it.
   * @param read returns the change; called once the server is known to exist
   */
  async changeModes(
    author: (reason: string | undefined) => Author,
    level: SettingsLevel,
    read: () => Promise<ModesToChange>,
  ): Promise<ModesChanged> {
    this.#editor.editable();
    if (level.server !== undefined) this.#server(level.server);
    const { reason, ...change } = await read();
    const edit = modesEdit(level, change);
    await this.#checkWritable(edit);
    const changes = await this.#editor.changeModes(level, edit, author(reason));
    const modes = this.#modes(level);
    const overridden = DIRECTIONS.filter((direction) => {
      const mode = change[direction];
      return mode !== undefined && mode !== null && mode !== modes[direction];
    });
    return { modes, overridden, changes, ...this.#unlisted(level) };
  }

  #server(name: string): ConfiguredServer {
    const { config: holds, served } = this.#parts;
    const config = holds().servers.find((server) => server.name === name);
    if (config !== undefined) return { config, served: served(name) };
    throw new AdminError("NOT_FOUND", `No server is named ${JSON.stringify(name)}.`);
  }

  /** A tool may be listed later, so settings for an unlisted one are accepted, and the response says so. */
  #unlisted({ server, tool }: SettingsLevel): Pick<ModesChanged, "warning"> {
    if (server === undefined || tool === undefined) return {};
    const { config, served } = this.#server(server);
    const known = served?.runtime.catalogue.all();
    const unlisted = unlistedTools(config, known, this.#editor.written());
    const found = unlisted.find((one) => one.tool === tool);
    return found === undefined ? {} : { warning: unlistedWarning(server, found) };
  }

  /** Returns the modes in force at a level. */
  #modes({ server, tool }: SettingsLevel): Modes {
    if (server === undefined) return modesOf(this.#parts.config().settings);
    const { settings, tools } = this.#server(server).config;
    return modesOf((tool === undefined ? undefined : tools.get(tool)) ?? settings);
  }
}

/** Returns the error for a link that does not sign in. */
export function linkRefusedError(): AdminError {
  return new AdminError(
    "SIGN_IN_REFUSED",
    "This link has been used, or is older than 60 seconds. Run touchstone ui for a new one.",
  );
}
