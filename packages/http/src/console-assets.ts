/** One built file of the console. */
export interface ConsoleAsset {
  /** Its media type, as `text/javascript; charset=utf-8`. */
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Whether its name changes with its content, so that it may be cached for good. */
  readonly immutable?: boolean | undefined;
}

/** The built files of the console; each is served at `assets/{name}`. */
export interface ConsoleAssets {
  /** The name of the module script that starts the console. */
  readonly script: string;
  /** Names of its stylesheets. */
  readonly styles?: readonly string[] | undefined;
  /** By name: one path segment, as `index-4f1c.js`. */
  readonly files: ReadonlyMap<string, ConsoleAsset>;
}
