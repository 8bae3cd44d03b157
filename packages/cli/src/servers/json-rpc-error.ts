import {
  encodeUtf8,
  isObject,
  jsonText,
  locatePointers,
  parseJson,
} from "@touchstone/core/advanced";

/** A server has responded to a request with a JSON-RPC error. */
export class JsonRpcResponseError extends Error {
  override readonly name: string = "JsonRpcResponseError";
  /** The JSON text of the code, as received. */
  readonly code: string;
  /** The JSON text of the error, as received. */
  readonly text: string;
  /** The JSON text of the error's `data`, as received; absent if it has none. */
  readonly data: string | undefined;

  /** @param text the JSON text of the error */
  constructor(text: string) {
    const parsed = parseJson(text);
    const value = parsed.ok ? parsed.value : undefined;
    const message = isObject(value) ? value["message"] : value;
    super(typeof message === "string" ? message : "(no message)");
    const bytes = encodeUtf8(text);
    const places = locatePointers(bytes, ["/code", "/data"]);
    const textAt = (pointer: string): string | undefined => {
      const place = places.get(pointer);
      return place?.found === true ? jsonText(bytes, place.value) : undefined;
    };
    this.code = textAt("/code") ?? "(no code)";
    this.data = textAt("/data");
    this.text = text;
  }
}
