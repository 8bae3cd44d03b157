import { closeSync, openSync, readSync } from "node:fs";
import { batchItems, type Frame, readFrame } from "@touchstone/protocol/advanced";
import { type RedactedText, visible } from "@touchstone/util";
import type { Era } from "../eras/era.ts";
import { ERAS, eraOfRequest } from "../eras/eras.ts";
import { CaptureError } from "../insight/capture/errors.ts";
import { readCaptureFile } from "../insight/capture/read-file.ts";
import { readCaptureLine } from "../insight/capture/read-line.ts";
import { KeyTable } from "./key-table.ts";
import { NumberList } from "./number-list.ts";
import { comparableParams, comparableText, requestKey } from "./request-key.ts";

/** How many names of servers an error lists. */
const MAX_NAMES = 20;
/** A longer line is skipped: the largest frame of a server, with every character escaped, would not fit into memory. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
/** A server's message of more bytes is read in outline. */
const OUTLINED_BYTES = 65_536;
/** How many requests of a kind are compared with one that was not recorded as it is. */
const MAX_COMPARED = 10_000;
/** How many lines are read before those that wait look again. */
const SLICE_LINES = 256;
const NONE = -1;

/** A request of a capture and its response, by its number in the order of the file. */
export type Exchange = number;

/** Where a message is in the file: its line, and its item of a batch. */
interface Place {
  readonly offset: number;
  readonly size: number;
  readonly item: number | undefined;
}

/** A message of a capture. */
export interface RecordedMessage {
  readonly frame: Frame;
  /** How many secrets were removed from its line. */
  readonly redactions: number;
}

/** What a capture lacks. */
export interface CaptureGaps {
  /** Lines that cannot be read, and the number of the first. */
  readonly malformed: number;
  readonly firstMalformed: number | undefined;
  /** Frames that were not written. */
  readonly lost: number;
  /** Requests without a response. */
  readonly unanswered: number;
}

interface OpenRequest {
  readonly exchange: Exchange;
  readonly tokenKey: string | undefined;
  readonly method: string;
}

interface OpenList {
  readonly pages: Place[];
}

/**
 * The exchanges of one server in a capture. Only keys and places in the file are kept in memory; messages are read from
 * the file when they are needed.
 */
export class Recordings {
  readonly #file: string;
  readonly #fd: number | undefined;
  #server: string | undefined;
  /** The first exchange with a key. */
  readonly #byKey: KeyTable = new KeyTable();
  /** The exchanges with other keys, by method and name. */
  readonly #byTarget: Map<string, Exchange[]> = new Map();
  readonly #requests = placeLists();
  readonly #responses = placeLists();
  /** The next exchange with the same key, and for the first one of a key also its last. */
  readonly #next = new NumberList(Int32Array);
  readonly #last = new NumberList(Int32Array);
  /** 1 for an exchange from 2026-07-28 on. */
  readonly #eras = new NumberList(Uint8Array);
  /** Whether secrets were removed from a request. */
  readonly #redactedRequests: Set<Exchange> = new Set();
  /** Whether secrets were removed from a response. */
  readonly #redactedResponses: Set<Exchange> = new Set();
  readonly #notifications: Map<Exchange, Place[]> = new Map();
  readonly #open: Map<string, Map<string, OpenRequest>> = new Map();
  readonly #openLists: Map<string, OpenList> = new Map();
  /** The first exchange of each different call of a tool. */
  readonly #calls = new NumberList(Int32Array);
  #callCount = 0;
  #toolPages: readonly Place[] = [];
  #gaps = { malformed: 0, firstMalformed: undefined as number | undefined, lost: 0, answered: 0 };
  #firstFault = "";
  #indexed: Promise<void> = Promise.resolve();
  #isIndexed = true;
  #isClosed = false;
  /** Resolves when more of the file has been read. */
  #more: Promise<void> | undefined;
  #wake: () => void = () => {};
  /** Removes secrets as a capture does. It takes long to load, and most captures lack none. */
  #redact: ((text: string) => RedactedText) | undefined;

  private constructor(file: string, fd?: number) {
    this.#file = file;
    this.#fd = fd;
  }

  /** Returns the recordings of a server of which nothing was recorded. */
  static none(server: string): Recordings {
    const recordings = new Recordings("");
    recordings.#server = server;
    return recordings;
  }

  /**
   * Begins to read a capture as a stream. See {@link indexed}.
   * @param server whose exchanges to keep; may be undefined if the capture has only one
   * @throws Error if the file cannot be read
   */
  static open(file: string, server: string | undefined): Recordings {
    const recordings = new Recordings(file, openSync(file, "r"));
    recordings.#indexed = recordings.#read(server);
    // Whoever needs the recordings waits for them, and so learns of an error.
    recordings.#indexed.catch(() => {});
    return recordings;
  }

  /** Ends the reading, too. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  /**
   * Resolves when the whole file has been read. Until then, only {@link isKnown} is certain.
   * @throws CaptureError if the file is not a capture, or it is unclear which server is meant; Error if it cannot be read
   */
  get indexed(): Promise<void> {
    return this.#indexed;
  }

  get isIndexed(): boolean {
    return this.#isIndexed;
  }

  /**
   * Resolves when more of the file has been read.
   * @throws what {@link indexed} throws
   */
  async moreIndexed(): Promise<void> {
    this.#more ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([this.#more, this.#indexed]);
  }

  /** Returns whether the response to an exchange is known, so that the rest of the file does not change it. */
  isKnown(exchange: Exchange): boolean {
    return this.#responses.size.at(exchange) > 0;
  }

  /** Returns the next exchange with the same request; undefined if there is none so far. */
  following(exchange: Exchange): Exchange | undefined {
    const next = this.#next.at(exchange);
    return next === NONE ? undefined : next;
  }

  get server(): string {
    return this.#server ?? "";
  }

  /** How many requests have a response. */
  get exchanges(): number {
    return this.#gaps.answered;
  }

  get gaps(): CaptureGaps {
    const { malformed, firstMalformed, lost, answered } = this.#gaps;
    return { malformed, firstMalformed, lost, unanswered: this.#next.length - answered };
  }

  /** How many calls of tools were recorded, with those that are the same as another one. */
  get callCount(): number {
    return this.#callCount;
  }

  /** Returns the first exchange of each different call of a tool, in the order of the file. */
  *calls(): Generator<Exchange> {
    for (let at = 0; at < this.#calls.length; at += 1) yield this.#calls.at(at);
  }

  /** The exchanges whose responses lack secrets. */
  get redactedResponses(): Iterable<Exchange> {
    return this.#redactedResponses;
  }

  /** Returns the messages with the pages of the newest complete tool list; none if there is none. */
  toolPages(): readonly Frame[] {
    return this.#toolPages.map((place) => this.#message(place).frame);
  }

  /** Returns the first exchange of an era whose request is the same as this one; undefined if there is none. */
  find(era: Era, method: string, params: string): Exchange | undefined {
    return this.#byKey.get(requestKey(era, method, params));
  }

  /** Returns the exchanges with different requests of a method, and with the same name or URI; at most 10,000. */
  ofTarget(method: string, target: string | undefined): readonly Exchange[] {
    return this.#byTarget.get(targetKey(method, target)) ?? [];
  }

  hasMethod(method: string): boolean {
    return this.#byTarget.has(targetKey(method, undefined));
  }

  /** Returns the first exchange from here on, with the same request, that has a response; undefined if there is none. */
  answered(from: Exchange | undefined): Exchange | undefined {
    for (let at = from ?? NONE; at !== NONE; at = this.#next.at(at)) {
      if (this.#responses.size.at(at) > 0) return at;
    }
    return undefined;
  }

  /** Returns the exchange after this one with the same request and a response; undefined if it is the last. */
  after(exchange: Exchange): Exchange | undefined {
    return this.answered(this.#next.at(exchange));
  }

  /** Returns comparable params as the capture would have kept them; undefined if no request lacks secrets. */
  redacted(params: string): string | undefined {
    if (this.#redact === undefined) return undefined;
    const before = '{"params":';
    const { text, redactions } = this.#redact(`${before}${params}}`);
    return redactions === 0 ? params : comparableText(Buffer.from(text.slice(before.length, -1)));
  }

  era(exchange: Exchange): Era | undefined {
    return ERAS[this.#eras.at(exchange)];
  }

  isRequestRedacted(exchange: Exchange): boolean {
    return this.#redactedRequests.has(exchange);
  }

  request(exchange: Exchange): RecordedMessage {
    return this.#message(placeIn(this.#requests, exchange));
  }

  response(exchange: Exchange): RecordedMessage {
    return this.#message(placeIn(this.#responses, exchange));
  }

  /** Returns the notifications that came between the request and its response, in order. */
  notifications(exchange: Exchange): readonly Frame[] {
    const places = this.#notifications.get(exchange) ?? [];
    return places.map((place) => this.#message(place).frame);
  }

  #message({ offset, size, item }: Place): RecordedMessage {
    const bytes = Buffer.allocUnsafe(size);
    const read = this.#fd === undefined ? 0 : readSync(this.#fd, bytes, 0, size, offset);
    const line = readCaptureLine(bytes.subarray(0, read));
    if (!("kind" in line) || line.kind !== "frame") {
      throw new CaptureError("CAPTURE_INVALID", `${this.#file} has changed since it was read`);
    }
    const frame = readFrame(line.bytes);
    const { redactions } = line;
    if (item === undefined) return { frame, redactions };
    const range = [...batchItems(frame)][item];
    if (range === undefined) {
      throw new CaptureError("CAPTURE_INVALID", `${this.#file} has changed since it was read`);
    }
    return { frame: readFrame(line.bytes.subarray(range.start, range.end)), redactions };
  }

  async #read(wanted: string | undefined): Promise<void> {
    this.#isIndexed = false;
    const names = new Set<string>();
    for await (const { number, offset, size, line } of readCaptureFile(
      this.#file,
      MAX_LINE_BYTES,
    )) {
      if (this.#isClosed) throw new Error(`${this.#file} was closed before it was read`);
      if (number % SLICE_LINES === 0) this.#wakeAll();
      if (!("kind" in line)) {
        this.#malformed(number, line.fault);
        if (names.size === 0) this.#refuseOther();
        continue;
      }
      if (line.kind === "start") continue;
      if (line.kind === "lost") {
        this.#gaps.lost += line.lost.frames;
        continue;
      }
      const { server } = line.frame;
      if (names.size < MAX_NAMES) names.add(server);
      if (wanted === undefined && this.#server === undefined) this.#server = server;
      if (server !== (wanted ?? this.#server)) continue;
      this.#server = server;
      if (line.kind === "oversize") {
        this.#gaps.lost += 1;
        continue;
      }
      const { bytes, frame, redactions } = line;
      // Of what a server sent, only the envelope is needed now. Small messages are read faster as a whole.
      const outline = frame.from === "server" && bytes.length > OUTLINED_BYTES;
      const read = readFrame(bytes, { outline });
      this.#take(read, { offset, size, item: undefined }, { ...frame, redactions });
    }
    this.#open.clear();
    this.#openLists.clear();
    this.#checkServer(names, wanted);
    if (this.#redactedRequests.size > 0) {
      this.#redact = (await import("../insight/capture/redact-frame.ts")).redactFrame;
    }
    this.#isIndexed = true;
  }

  #wakeAll(): void {
    this.#more = undefined;
    this.#wake();
  }

  #malformed(number: number, fault: string): void {
    this.#gaps.malformed += 1;
    if (this.#gaps.firstMalformed !== undefined) return;
    this.#gaps.firstMalformed = number;
    this.#firstFault = fault;
  }

  /** @throws CaptureError if nothing but lines of other files was found at the beginning */
  #refuseOther(): void {
    if (this.#gaps.malformed < 10) return;
    const text = `line ${this.#gaps.firstMalformed} cannot be read: ${this.#firstFault}`;
    throw new CaptureError("CAPTURE_INVALID", `${this.#file}: not a capture: ${text}`);
  }

  #checkServer(names: ReadonlySet<string>, wanted: string | undefined): void {
    const listed = [...names].map((name) => visible(name, 100)).join(", ");
    if (names.size === 0) {
      const why =
        this.#gaps.firstMalformed === undefined
          ? "it has no frames"
          : `line ${this.#gaps.firstMalformed} cannot be read: ${this.#firstFault}`;
      throw new CaptureError("CAPTURE_INVALID", `${this.#file}: not a capture: ${why}`);
    }
    if (wanted !== undefined && this.#server !== wanted) {
      const text = `${this.#file}: no frames of a server "${visible(wanted, 100)}"; it has: ${listed}`;
      throw new CaptureError("CAPTURE_INVALID", text);
    }
    if (wanted === undefined && names.size > 1) {
      const text = `${this.#file}: has frames of several servers; choose one with --server: ${listed}`;
      throw new CaptureError("CAPTURE_INVALID", text);
    }
  }

  #take(frame: Frame, place: Place, about: About): void {
    if (frame.kind === "batch") {
      let item = 0;
      for (const { start, end } of batchItems(frame)) {
        this.#take(readFrame(frame.bytes.subarray(start, end)), { ...place, item }, about);
        item += 1;
      }
      return;
    }
    const { from, to } = about;
    if (from === "client" && frame.kind === "request") this.#takeRequest(frame, place, about);
    else if (from === "server" && to === "gateway") this.#takeList(frame, place, about);
    else if (from === "server") this.#takeFromServer(frame, place, about);
  }

  #takeRequest(frame: Frame, place: Place, { connection, redactions }: About): void {
    const { method, idKey } = frame;
    if (method === undefined || idKey === undefined) return;
    const exchange = this.#next.length;
    pushPlace(this.#requests, place);
    pushPlace(this.#responses, NOWHERE);
    this.#next.push(NONE);
    this.#last.push(exchange);
    const era = eraOfRequest(frame);
    this.#eras.push(ERAS.indexOf(era));
    if (redactions > 0) this.#redactedRequests.add(exchange);
    const key = requestKey(era, method, comparableParams(frame));
    const first = this.#byKey.get(key);
    if (method === "tools/call") {
      this.#callCount += 1;
      if (first === undefined) this.#calls.push(exchange);
    }
    if (first === undefined) {
      this.#byKey.add(key, exchange);
      this.#addTarget(targetKey(method, undefined), exchange);
      const target = frame.name ?? frame.uri;
      if (target !== undefined) this.#addTarget(targetKey(method, target), exchange);
    } else {
      this.#next.set(this.#last.at(first), exchange);
      this.#last.set(first, exchange);
    }
    const open = this.#open.get(connection) ?? new Map<string, OpenRequest>();
    this.#open.set(connection, open);
    open.set(idKey, { exchange, tokenKey: frame.progressTokenKey, method });
    if (method === "tools/list" && !frame.hasCursor) {
      this.#openLists.set(`client ${connection}`, { pages: [] });
    }
  }

  #addTarget(key: string, exchange: Exchange): void {
    const others = this.#byTarget.get(key);
    if (others === undefined) this.#byTarget.set(key, [exchange]);
    else if (others.length < MAX_COMPARED) others.push(exchange);
  }

  #takeFromServer(frame: Frame, place: Place, { connection, redactions }: About): void {
    const open = this.#open.get(connection);
    if (open === undefined) return;
    if (frame.kind === "notification") {
      this.#takeNotification(frame, place, open);
      return;
    }
    if ((frame.kind !== "response" && frame.kind !== "error") || frame.idKey === undefined) return;
    const request = open.get(frame.idKey);
    if (request === undefined) return;
    open.delete(frame.idKey);
    if (open.size === 0) this.#open.delete(connection);
    const { exchange, method } = request;
    setPlace(this.#responses, exchange, place);
    if (redactions > 0) this.#redactedResponses.add(exchange);
    this.#gaps.answered += 1;
    if (method === "tools/list") this.#addPage(`client ${connection}`, frame, place);
  }

  /** Keeps a notification with the request that it belongs to, if that is clear. */
  #takeNotification(frame: Frame, place: Place, open: ReadonlyMap<string, OpenRequest>): void {
    if (frame.subscriptionIdKey !== undefined) return;
    const isProgress = frame.method === "notifications/progress";
    let owner: OpenRequest | undefined;
    if (isProgress) {
      const key = frame.progressTokenKey;
      for (const one of open.values()) if (key !== undefined && one.tokenKey === key) owner = one;
    } else if (open.size === 1) [owner] = open.values();
    if (owner === undefined) return;
    const places = this.#notifications.get(owner.exchange) ?? [];
    places.push(place);
    this.#notifications.set(owner.exchange, places);
  }

  /** Takes a response to the gateway's own request for tools. */
  #takeList(frame: Frame, place: Place, { connection, answers }: About): void {
    if (answers === undefined || answers === "tools/list") {
      this.#addPage(`gateway ${connection}`, frame, place);
    }
  }

  #addPage(key: string, frame: Frame, place: Place): void {
    if (frame.range("/result/tools") === undefined) return;
    const { pages } = this.#openLists.get(key) ?? { pages: [] };
    pages.push(place);
    this.#openLists.set(key, { pages });
    if (frame.nextCursor !== undefined) return;
    this.#toolPages = pages;
    this.#openLists.delete(key);
  }
}

/** What a capture says of a frame. */
interface About {
  readonly from: "client" | "server" | "gateway";
  readonly to: "client" | "server" | "gateway";
  readonly connection: string;
  readonly answers?: string;
  readonly redactions: number;
}

function targetKey(method: string, target: string | undefined): string {
  return JSON.stringify([method, target]);
}

interface PlaceLists {
  readonly offset: NumberList;
  readonly size: NumberList;
  /** Items of batches, which are rare. */
  readonly items: Map<number, number>;
}

const NOWHERE: Place = { offset: 0, size: 0, item: undefined };

function placeLists(): PlaceLists {
  return {
    offset: new NumberList(Float64Array),
    size: new NumberList(Uint32Array),
    items: new Map(),
  };
}

function pushPlace(lists: PlaceLists, { offset, size, item }: Place): void {
  if (item !== undefined) lists.items.set(lists.offset.length, item);
  lists.offset.push(offset);
  lists.size.push(size);
}

function setPlace(lists: PlaceLists, index: number, { offset, size, item }: Place): void {
  if (item !== undefined) lists.items.set(index, item);
  lists.offset.set(index, offset);
  lists.size.set(index, size);
}

function placeIn({ offset, size, items }: PlaceLists, index: number): Place {
  return { offset: offset.at(index), size: size.at(index), item: items.get(index) };
}
