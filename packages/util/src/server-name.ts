import { basename } from "node:path";

/**
 * Programs that run another program, and their options with a value. `code`: the value is itself the program, which
 * has no name.
 */
interface Launcher {
  readonly values: ReadonlySet<string>;
  readonly code: ReadonlySet<string>;
  /** The value is the package to run. */
  readonly named: ReadonlySet<string>;
}

function launcher(values: string, code = "", named = ""): Launcher {
  const set = (words: string): ReadonlySet<string> => new Set(words.split(" ").filter(Boolean));
  return { values: set(values), code: set(code), named: set(named) };
}

const NODE = launcher(
  "-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --title --stack-trace-limit --inspect-port",
  "-e --eval -p --print -pe",
);
const NPX = launcher(
  "-w --workspace --registry --cache --userconfig --prefix --loglevel",
  "-c --call",
  "-p --package",
);
const PYTHON = launcher("-W -X --check-hash-based-pycs", "-c", "-m");
const UV = launcher(
  "--with --with-editable --with-requirements -p --python --directory --project --env-file --index --default-index -i --index-url --extra-index-url -f --find-links --cache-dir --config-file --extra --group --no-group --package",
  "-c",
  "--from -m --module",
);
const PYTHON_MCP = launcher(
  "-t --transport --host -p --port --path -l --log-level --python --with --with-editable --with-requirements --project",
);
const BUN = launcher(
  "-r --preload --require --import --env-file --cwd -c --config -p --package -d --define",
  "-e --eval --print",
);
const DENO = launcher("-c --config --import-map --location --seed --cert --env", "eval");
const PNPM = launcher("-C --dir --filter -F --registry", "-c --shell-mode", "--package");
const DOCKER = launcher(
  "-a --attach -c --cpu-shares -e --env-file -h --hostname -l --label -m --memory -p --publish -u --user -v --volume -w --workdir -H --host --add-host --annotation --cap-add --cap-drop --config --context --cpus --cpuset-cpus --device --dns --entrypoint --expose --gpus --ip --ipc --label-file --link --log-driver --log-level --log-opt --mac-address --memory-swap --mount --name --net --network --network-alias --pid --pids-limit --platform --pull --restart --runtime --secret --security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit --userns --uts --volume-driver --volumes-from",
);

const LAUNCHERS: ReadonlyMap<string, Launcher> = new Map([
  ["bun", BUN],
  ["bunx", BUN],
  ["deno", DENO],
  ["docker", DOCKER],
  ["fastmcp", PYTHON_MCP],
  ["mcp", PYTHON_MCP],
  ["node", NODE],
  ["npx", NPX],
  ["pdm", launcher("-p --project")],
  ["pipx", launcher("--python --index-url -i --pip-args", "", "--spec")],
  ["pnpm", PNPM],
  ["podman", DOCKER],
  ["poetry", launcher("-C --directory -P --project")],
  ["python", PYTHON],
  ["uv", UV],
  ["uvx", UV],
  ["yarn", launcher("--cwd", "", "-p --package")],
]);
const SUBCOMMANDS: ReadonlySet<string> = new Set(["container", "dlx", "exec", "run", "tool", "x"]);

/** Long options of all launchers whose value may be a secret. */
const ALWAYS_VALUES: ReadonlySet<string> = new Set(["--env", "--header", "--token"]);

/** File and folder names that do not describe the server in them. */
const NAMELESS: ReadonlySet<string> = new Set([
  "bin",
  "build",
  "dist",
  "index",
  "main",
  "server",
  "src",
]);

/** Names appear in records, so nothing else of a command line may become one. */
const NAME = /^[A-Za-z0-9@._-]+$/;

/**
 * Returns a name for a server without one: the package or file that a launcher starts, else the command, without
 * directory, version and extension. Values of the launchers' known options, code, and texts with characters other
 * than `A-Z a-z 0-9 @ . _ -` never become one.
 */
export function defaultServerName(command: string, args: readonly string[]): string {
  const program = basename(command).replace(/\.(cmd|exe)$/i, "");
  const behind = program.toLowerCase() === "cmd" ? behindCmd(args) : undefined;
  if (behind) return defaultServerName(...behind);
  const known = launcherOf(program, args);
  const target = known && targetOf(known, args);
  return [target, program].map((name) => name && shortName(name)).find(Boolean) ?? "server";
}

function launcherOf(program: string, args: readonly string[]): Launcher | undefined {
  const name = program.toLowerCase().replace(/^python[\d.]+$/, "python");
  const known = LAUNCHERS.get(name);
  // These programs have other subcommands as well, and other programs may have the same names.
  return known === PYTHON_MCP && args[0] !== "run" ? undefined : known;
}

/** Returns the command that Windows' `cmd` is told to run, as in `cmd /c npx -y weather`. */
function behindCmd(args: readonly string[]): [string, readonly string[]] | undefined {
  const at = args.findIndex((arg) => /^\/[ck]$/i.test(arg));
  const [command, ...rest] = at < 0 ? [] : args.slice(at + 1);
  if (command === undefined || command.startsWith("/") || /^cmd(\.exe)?$/i.test(command))
    return undefined;
  const [program = "", ...words] = command.split(" ");
  return rest.length === 0 && launcherOf(program, words) ? [program, words] : [command, rest];
}

/** Returns the program that a launcher starts, through any number of launchers. */
function targetOf({ values, code, named }: Launcher, args: readonly string[]): string | undefined {
  let packaged: string | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    const [option = "", value] = splitOption(arg);
    if (code.has(option)) return packaged;
    if (named.has(option)) {
      packaged ??= value ?? args[at + 1];
      if (value === undefined) at += 1;
    } else if (values.has(option) || ALWAYS_VALUES.has(option)) {
      if (value === undefined) at += 1;
    } else if (!arg.startsWith("-") && !SUBCOMMANDS.has(arg)) {
      const rest = args.slice(at + 1);
      // If such a program runs another, as in `uv run python weather.py`, its own name would be the same for all
      // servers.
      const runsAnother = launcherOf(shortName(packaged ?? arg) ?? "", rest) !== undefined;
      return runsAnother ? defaultServerName(arg, rest) : (packaged ?? arg);
    }
  }
  return packaged;
}

/** Returns an option and the value that is joined to it by `=`. */
function splitOption(arg: string): readonly [string, string?] {
  const equals = arg.startsWith("-") ? arg.indexOf("=") : -1;
  return equals < 0 ? [arg] : [arg.slice(0, equals), arg.slice(equals + 1)];
}

function shortName(target: string): string | undefined {
  const parts = target
    .replace(/(?<=.)@[^@/\\]*$/, "")
    .replace(/(?<=\w)(\[[\w,-]*\])?([<>=~!]=.*)?$/, "")
    .replace(/(?<=.):[\w.-]+$/, "")
    .replace(/\.(mjs|cjs|js|ts|py)$/, "")
    .split(/[/\\]/)
    .filter((part) => part !== "" && part !== "." && part !== "..");
  const name = parts.findLast((part) => !NAMELESS.has(part)) ?? parts.at(-1);
  return name !== undefined && NAME.test(name) ? name : undefined;
}
