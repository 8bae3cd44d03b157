import { joinPointer } from "@touchstone/core/advanced";
import { type Path, pathKey, type ValueOffsets } from "./document.ts";
import { ConfigError, type ConfigFault, type ConfigFaultCode } from "./faults.ts";

/** How many faults to report at once. */
export const MAX_FAULTS = 100;

/** Faults of references, which leave a value unknown. */
const UNRESOLVED: ReadonlySet<ConfigFaultCode> = new Set([
  "UNSET_VARIABLE",
  "UNREADABLE_VARIABLE",
  "INVALID_VARIABLE",
]);

/** A text, or a function that makes it: texts of omitted faults are never made. */
type Message = string | (() => string);

interface Found {
  readonly code: ConfigFaultCode;
  readonly path: Path | string;
  readonly message: Message;
  readonly offset: number;
}

function byOffset(a: Found, b: Found): number {
  return a.offset < b.offset ? -1 : Number(a.offset > b.offset);
}

/** Collects the faults of one text and turns offsets into lines and columns. */
export class FaultList {
  readonly #file: string;
  readonly #lineStarts: readonly number[];
  readonly #places: ReadonlyMap<string, ValueOffsets>;
  #found: Found[] = [];
  /** The files that the text names by `${file:PATH}`, for {@link ConfigError.secretFiles}. */
  secretFiles: readonly string[] | undefined;
  /** Values with an unresolved variable: nothing else can be checked about them. */
  readonly #unresolved = new Set<string>();

  constructor(file: string, text: string, places: ReadonlyMap<string, ValueOffsets> = new Map()) {
    this.#file = file;
    this.#places = places;
    this.#lineStarts = [
      0,
      ...Array.from(text.matchAll(/\r\n|\r|\n/g), (m) => m.index + m[0].length),
    ];
  }

  /** At an offset of the text. */
  addAt(code: ConfigFaultCode, offset: number, path: Path, message: Message): void {
    const about = pathKey(path);
    if (UNRESOLVED.has(code)) this.#unresolved.add(about);
    else if (this.#unresolved.has(about)) return;
    this.#found.push({ code, path, message, offset });
  }

  /** At the value of the path, or at its key; if neither is in the text, at the closest value around it. */
  add(code: ConfigFaultCode, path: Path, message: Message, at: "key" | "value" = "value"): void {
    let place: ValueOffsets | undefined;
    for (let length = path.length; place === undefined && length >= 0; length -= 1) {
      place = this.#places.get(pathKey(path.slice(0, length)));
    }
    const offset = (at === "key" ? place?.key : undefined) ?? place?.value ?? 0;
    this.addAt(code, offset, path, message);
  }

  /** A fault of an option, which has no place in the text. */
  addOption(code: ConfigFaultCode, option: string, message: string): void {
    this.#found.push({ code, path: option, message, offset: Number.POSITIVE_INFINITY });
  }

  /**
   * Removes faults from the list, so that they are not thrown.
   *
   * @param ownerOf returns whose fault one is; undefined for those that stay
   * @returns the faults by owner, in the order of the text; at most 100 of each
   */
  takeOut(
    ownerOf: (path: Path, code: ConfigFaultCode) => string | undefined,
  ): ReadonlyMap<string, readonly ConfigFault[]> {
    const taken = new Map<string, ConfigFault[]>();
    const kept: Found[] = [];
    for (const found of this.#found.toSorted(byOffset)) {
      const owner = typeof found.path === "string" ? undefined : ownerOf(found.path, found.code);
      if (owner === undefined) {
        kept.push(found);
        continue;
      }
      const own = taken.get(owner) ?? [];
      // Nobody reads more faults than this to the end.
      if (own.length < MAX_FAULTS) own.push(this.#faultOf(found));
      taken.set(owner, own);
    }
    this.#found = kept;
    return taken;
  }

  /** @throws {ConfigError} with what was found, in the order of the text */
  throwIfAny(): void {
    if (this.#found.length > 0) this.fail();
  }

  fail(): never {
    const sorted = this.#found.toSorted(byOffset);
    const faults = sorted.slice(0, MAX_FAULTS).map((found) => this.#faultOf(found));
    const { secretFiles } = this;
    throw new ConfigError(faults, sorted.length - faults.length, { secretFiles });
  }

  #faultOf({ code, path, message, offset }: Found): ConfigFault {
    const text = typeof message === "string" ? message : message();
    if (typeof path === "string") return { code, file: "command line", path, message: text };
    const [line, column] = this.#lineAndColumn(offset);
    const pointer = path.reduce<string>(joinPointer, "");
    return { code, file: this.#file, line, column, path: pointer, message: text };
  }

  #lineAndColumn(offset: number): readonly [line: number, column: number] {
    let low = 0;
    let high = this.#lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return [low + 1, offset - (this.#lineStarts[low] ?? 0) + 1];
  }
}
