/**
 * Folders with files at the root of a host, on Linux, macOS and in container images. Anything else that begins with a
 * slash may be a JSON Pointer or a route.
 */
const KNOWN = [
  ...["app", "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "media", "mnt", "nix"],
  ...["opt", "proc", "root", "run", "sbin", "snap", "srv", "sys", "tmp", "usr", "usr/src", "var"],
  ...["Applications", "Library", "Network", "System", "Users", "Volumes", "private"],
  ...["workspace", "workspaces"],
];

/** What a Node-like runtime reports about itself. */
interface Host {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly argv?: readonly string[];
  cwd?(): string;
}

/**
 * Returns the folders of the process, as far as the runtime reports them: its working directory, its program, its
 * user.
 */
export function ownFolders(): readonly string[] {
  const { process: host } = globalThis as { readonly process?: Host };
  const ask: readonly (() => string | undefined)[] = [
    () => host?.cwd?.(),
    () => host?.argv?.[1]?.replace(/\/[^/]*$/, ""),
    () => host?.env?.["HOME"],
    () => host?.env?.["TMPDIR"],
  ];
  return ask.flatMap((folder) => {
    try {
      return folder() ?? [];
    } catch {
      // A working directory may be gone, and a runtime may refuse to report it.
      return [];
    }
  });
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/**
 * Source of an expression for the start of a host path, after its first slash.
 * @param own absolute paths of folders; those that are not POSIX paths are left out
 */
export function hostRoots(own: readonly string[]): string {
  // If a number follows one of these names, the text is a JSON Pointer with an index, and not a path. `/proc`, whose
  // folders have numbers, is the exception.
  const known = String.raw`(?:${KNOWN.join("|")})\\?\/+(?!\d+(?![\w-]|\.\w))|proc\/\d`;
  const folders = own
    .map((folder) => folder.replace(/^\/+|\/+$/g, (_, at: number) => (at === 0 ? "/" : "")))
    .filter((folder) => /^\/[^/]/.test(folder))
    .map(
      (folder) => escaped(folder.slice(1)) + (folder.includes("/", 1) ? "(?![\\w-])" : "(?=\\/)"),
    );
  return `(?:${[...new Set(folders), known].join("|")})`;
}
