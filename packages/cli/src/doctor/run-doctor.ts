import { availableParallelism } from "node:os";
import type { UnmatchedPattern } from "@touchstone/gateway/config";
import { NO_PAUSES } from "@touchstone/gateway/pause";
import { plural } from "@touchstone/util/plural";
import { withApprovedConfig } from "../config-file/approve-config.ts";
import {
  configurationFiles,
  configuredGateway,
  namedServer,
  type ReachableServer,
  reachableServer,
} from "../config-file/configured.ts";
import { noConfig } from "../config-file/default-config.ts";
import { reportSkippedServers, skipReason } from "../config-file/skipped-servers.ts";
import { CliExit, EXIT_FINDINGS } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { shortKeyText } from "../key/short-key.ts";
import type { ServeOptions } from "../options/common-options.ts";
import { findDataDir } from "../options/data-dir.ts";
import { typedCommand } from "../own-package.ts";
import { readPausesWithWarning } from "../pause/run-pause.ts";
import { stillBlockingDuringPause } from "../pause/still-blocking.ts";
import { pausesOf, pausesText } from "../pause/text.ts";
import { mapConcurrently } from "../servers/concurrency.ts";
import { runStoppable } from "../servers/stoppable.ts";
import { Progress } from "../terminal/progress.ts";
import { safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import type { ServerExamination } from "./examine.ts";
import { examineFleet, fleetText, fleetTrouble } from "./fleet.ts";
import { examineMachine } from "./machine.ts";
import { machineNextSteps, machineText, machineTrouble } from "./machine-text.ts";
import { examinePins, pinsText } from "./pins.ts";
import { checkRequirement, requirementExit, requirementOf, requirementsText } from "./require.ts";
import { examineTelemetry, telemetryText } from "./telemetry.ts";
import { examinationText, unmatchedText } from "./text.ts";
import { examineEntry } from "./wrapped-entry.ts";

export interface DoctorOptions extends ServeOptions {
  readonly output: "pretty" | "json";
  /** Seconds. */
  readonly timeout: number;
  /** The requirements on the command line. */
  readonly require?: readonly string[];
}

/** How many servers to start together: most of them take a second or two of processor time. */
const AT_ONCE = Math.min(4, availableParallelism());

/**
 * Checks every enabled server, or a named one, a few at the same time, and reports in their order what the gateway
 * would do. With a PostgreSQL store, also checks the gateways that share it. With requirements it only asks the
 * servers that these name, and only these affect the exit status.
 * @throws CliExit 1 if a server is unreachable or left out, a contract cannot be used, a gateway has another
 *   configuration, or packages for telemetry are missing; 4, 5 or 6 by the reason of an unmet requirement; 128 plus a
 *   signal's number if one ended it
 *
 * Without a configuration it reports the facts about this machine, and starts no server.
 */
export async function runDoctor(
  name: string | undefined,
  given: DoctorOptions,
  io: ProcessIo & { readonly version: string },
): Promise<void> {
  const options = await withApprovedConfig(given, io);
  if (configurationFiles(options).length === 0) {
    if (name !== undefined || options.require !== undefined) throw noConfig("doctor", io.env);
    return runWithoutConfig(options, io);
  }
  const config = configuredGateway(options, io.env);
  const names = [...config.servers, ...config.leftOut].map((server) => server.name);
  const required = options.require?.map((text) => requirementOf(text, names));
  // A disabled server is only asked if it is named and could run.
  const asked = (
    name === undefined
      ? config.servers.filter(({ disabled }) => !disabled)
      : [namedServer(config, name)]
  )
    .filter((each) => required?.some(({ server }) => server === each.name) ?? true)
    .map(reachableServer);
  const isWhole = name === undefined && required === undefined;
  const leftOut = isWhole ? config.leftOut : [];
  // The user's file may only contain settings for `touchstone wrap`, and so no server that could be started.
  const isFound = given.config === undefined && given.servers === undefined;
  const isEmpty = config.servers.every(({ upstream }) => upstream.type === "wrap");
  const machine = isWhole && isFound && isEmpty ? await examineMachine(options, io) : undefined;
  if (machine !== undefined && options.output === "pretty") io.stdout.write(machineText(machine));
  const found: ServerExamination[] = [];
  const progress = new Progress(io);
  const tell = (): void =>
    progress.show(`${found.length} of ${plural(asked.length, "server")} asked`);
  await runStoppable(io.signals, async (stop) => {
    const timeout = options.timeout * 1000;
    const maxTools = config.limits.tools;
    const asking = {
      timeout,
      env: io.env,
      version: io.version,
      stop,
      maxTools,
      hashes: required !== undefined,
    };
    const withPreset = (server: ReachableServer): ReachableServer =>
      config.preset === undefined ? server : { preset: config.preset, ...server };
    const examinations = mapConcurrently(AT_ONCE, asked, (server) =>
      examineEntry(withPreset(server), options, asking),
    );
    for (const examining of examinations) {
      tell();
      const examination = await examining;
      progress.clear();
      if (stop.aborted) return;
      found.push(examination);
      if (options.output === "pretty") io.stdout.write(examinationText(examination));
    }
  }).finally(() => progress.clear());
  if (isWhole && options.output === "pretty") {
    for (const { name: server, upstream } of config.servers.filter(({ disabled }) => disabled)) {
      const why = upstream.type === "wrap" ? "settings for touchstone wrap" : "disabled";
      io.stdout.write(`${safeText(server)}: ${why}, not examined\n`);
    }
    if (config.servers.length + leftOut.length === 0) {
      io.stdout.write("the configuration has no servers, so none was examined\n");
    }
  }
  if (options.output === "pretty") {
    reportSkippedServers(
      leftOut,
      (server, why) => io.stdout.write(`${safeText(server.name)}: skipped: ${safeText(why)}\n`),
      (more) => io.stdout.write(`and ${more} more are skipped\n`),
    );
  }
  const shortKeys = isWhole ? (config.shortKeys ?? []) : [];
  if (options.output === "pretty") {
    for (const key of shortKeys) io.stdout.write(`warning: ${shortKeyText(key)}\n`);
  }
  const unmatched = name === undefined ? unmatchedAtTop(found) : [];
  if (options.output === "pretty") {
    for (const { setting, pattern } of unmatched) {
      io.stdout.write(`${unmatchedText(setting, pattern)} of any server\n`);
    }
  }
  const dataDir = findDataDir(options, io.env);
  const pauses = dataDir === undefined ? NO_PAUSES : readPausesWithWarning(dataDir, io);
  const isPaused = pauses.all !== undefined || pauses.servers.size > 0;
  if (dataDir !== undefined && isPaused && options.output === "pretty") {
    const known = options.config === undefined ? undefined : { file: options.config, config };
    io.stdout.write(pausesText(pauses, dataDir, io.now(), stillBlockingDuringPause(known)));
  }
  const pins = isWhole ? await examinePins(config, dataDir) : undefined;
  if (pins !== undefined && options.output === "pretty") io.stdout.write(pinsText(pins));
  const fleet = isWhole ? await examineFleet(config) : undefined;
  if (fleet !== undefined && options.output === "pretty") io.stdout.write(fleetText(fleet));
  const telemetry = isWhole ? await examineTelemetry(config, io.env) : undefined;
  if (telemetry !== undefined && options.output === "pretty") {
    io.stdout.write(telemetryText(telemetry));
  }
  if (machine !== undefined && options.output === "pretty") {
    io.stdout.write(machineNextSteps(machine, typedCommand(io.env)));
  }
  const checks = required?.map((one) =>
    checkRequirement(
      one,
      found.find(({ server }) => server === one.server),
    ),
  );
  if (checks !== undefined && options.output === "pretty") {
    io.stdout.write(requirementsText(checks));
  }
  if (options.output === "json") {
    const out = leftOut.map((server) => ({ server: server.name, reason: skipReason(server) }));
    const more = {
      ...(machine === undefined ? {} : { machine }),
      ...(out.length === 0 ? {} : { leftOut: out }),
      ...(shortKeys.length === 0 ? {} : { shortKeys }),
      ...(fleet === undefined ? {} : { fleet }),
      ...(telemetry === undefined ? {} : { telemetry }),
      ...(unmatched.length === 0 ? {} : { unmatched }),
      ...(pins === undefined ? {} : { pins }),
      ...(isPaused ? { paused: pausesOf(pauses) } : {}),
      ...(checks === undefined ? {} : { required: checks }),
    };
    const servers = found.map(({ hashes, ...server }) =>
      hashes === undefined ? server : { ...server, hashes: Object.fromEntries(hashes) },
    );
    io.stdout.write(terminalJson({ servers, ...more }, "lines"));
  }
  if (checks !== undefined) {
    const failure = requirementExit(checks);
    if (failure !== undefined) throw failure;
    return;
  }
  const out = leftOut.length === 0 ? "" : `${plural(leftOut.length, "server")} skipped`;
  const lacks = telemetry?.refuses ? "packages for telemetry are not installed" : "";
  const here = machine && machineTrouble(machine);
  const trouble = [here, serverTrouble(found), out, fleet && fleetTrouble(fleet), lacks].filter(
    Boolean,
  );
  if (trouble.length > 0) throw new CliExit(EXIT_FINDINGS, trouble.join("; "));
}

/** Returns the patterns of the top level that match no tool of any server; none if some server returned no list. */
function unmatchedAtTop(found: readonly ServerExamination[]): readonly UnmatchedPattern[] {
  if (found.some(({ tools }) => tools === undefined)) return [];
  const [first, ...others] = found.map(({ policy }) =>
    (policy?.unmatched ?? []).filter(({ level }) => level === "top"),
  );
  const isIn = (all: readonly UnmatchedPattern[], { setting, pattern }: UnmatchedPattern) =>
    all.some((other) => other.setting === setting && other.pattern === pattern);
  return (first ?? []).filter((each) => others.every((all) => isIn(all, each)));
}

function serverTrouble(found: readonly ServerExamination[]): string | undefined {
  const trouble = found.filter(
    ({ reachable, broken, listFails, findings = [] }) =>
      !reachable || listFails === true || broken.length > 0 || findings.length > 0,
  );
  if (trouble.length === 0) return undefined;
  const names = trouble.map(({ server }) => server).join(", ");
  return `${trouble.length} of ${found.length} with findings: ${names}`;
}

/**
 * Reports the facts about this machine, without starting any server.
 * @throws CliExit 1 if it finds a fault
 */
async function runWithoutConfig(
  options: DoctorOptions,
  io: ProcessIo & { readonly version: string },
): Promise<void> {
  const machine = await examineMachine(options, io);
  const isText = options.output === "pretty";
  io.stdout.write(isText ? machineText(machine) : terminalJson({ machine }, "lines"));
  if (isText) io.stdout.write(machineNextSteps(machine, typedCommand(io.env)));
  const trouble = machineTrouble(machine);
  if (trouble !== undefined) throw new CliExit(EXIT_FINDINGS, trouble);
}
