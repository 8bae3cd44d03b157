// WebAssembly exists in the runtimes that core supports, but not in TypeScript's "es2023" library. These lines only
// declare what is used.
interface Global {
  readonly value: number;
}

/** The exports of packages/core/assembly/index.ts: addresses and bounds, then functions. */
export interface ScannerExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly FOUND: Global;
  readonly IMAGES: Global;
  readonly IMAGES_END: Global;
  readonly MAX_LEVELS: Global;
  readonly MAX_PLAN_LEVELS: Global;
  readonly MAX_PLANNED: Global;
  readonly PLANS: Global;
  readonly PLANS_END: Global;
  readonly RESULT: Global;
  readonly TEXT: Global;
  readonly accept: (size: number, image: number) => number;
  readonly pad: (size: number) => void;
  readonly check: (
    size: number,
    maxDepth: number,
    wanted: number,
    plan: number,
    image: number,
    at: number,
    objectKeys: number,
    textKeys: number,
  ) => number;
  readonly locate: (size: number, plan: number) => number;
  readonly pass: (from: number, size: number, node: number, most: number) => number;
  readonly endQuoted: (from: number, size: number) => number;
  readonly endScalar: (from: number, size: number) => number;
  readonly endBase64: (from: number, size: number) => number;
  readonly begin: () => void;
  readonly walk: (from: number, size: number) => number;
  readonly nesting: () => number;
  readonly setMultiplier: (value: bigint) => void;
}

/** The part of the WebAssembly JavaScript Interface that is used. */
export interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) => { readonly exports: unknown };
}
