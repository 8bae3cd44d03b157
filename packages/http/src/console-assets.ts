/** One built file of the console. */
export interface ConsoleAsset {
  /** Its media type, such as `text/javascript; charset=utf-8`. */
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The body compressed with gzip (RFC 1952), for clients that accept it. */
  readonly gzip?: Uint8Array<ArrayBuffer> | undefined;
  /** Whether its name changes with its content, so that it may be cached permanently. */
  readonly immutable?: boolean | undefined;
}

/** The built files of the console; each is served at `assets/{name}`. */
export interface ConsoleAssets {
  /** The name of the module script that starts the console. */
  readonly script: string;
  /** Names of its stylesheets. */
  readonly styles?: readonly string[] | undefined;
  /** Names of the fonts that the first view uses. */
  readonly fonts?: readonly string[] | undefined;
  /** The name of the page's icon. */
  readonly icon?: string | undefined;
  /** The files by name. A name is one path segment, such as `index-4f1c.js`. */
  readonly files: ReadonlyMap<string, ConsoleAsset>;
}
