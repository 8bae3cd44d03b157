// Each probe reports whether an operation throws whose result is not used: a bundler may take it for pure.
type Probe = (value: never) => boolean;

const outcome =
  <Value>(probe: (value: Value) => void) =>
  (value: Value): boolean => {
    try {
      probe(value);
      return true;
    } catch {
      return false;
    }
  };

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isRead(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** By the name of the operation: the probe, a value that passes and a value that throws. */
export const PROBES: Readonly<Record<string, readonly [Probe, unknown, unknown]>> = {
  "decodeURIComponent in place": [decodes, "%41", "%"],
  "new RegExp in place": [isRead, "a", "("],
  decodeURIComponent: [outcome((text: string) => void decodeURIComponent(text)), "%41", "%"],
  decodeURI: [outcome((text: string) => void decodeURI(text)), "%41", "%"],
  encodeURIComponent: [outcome((text: string) => void encodeURIComponent(text)), "a", "\ud800"],
  RegExp: [outcome((pattern: string) => void RegExp(pattern, "u")), "a", "("],
  BigInt: [outcome((text: string) => void BigInt(text)), "1", "x"],
  "JSON.parse": [outcome((text: string) => void JSON.parse(text)), "{}", "{"],
  "JSON.stringify": [outcome((value: unknown) => void JSON.stringify(value)), 1, 1n],
  "new URL": [outcome((text: string) => void new URL(text)), "http://h/", "//"],
  "new TextDecoder": [outcome((label: string) => void new TextDecoder(label)), "utf-8", "none"],
  "new Uint8Array": [outcome((length: number) => void new Uint8Array(length)), 1, -1],
  "new Map": [outcome((entries: [1, 1][]) => void new Map(entries)), [], 1],
  "Symbol.for": [outcome((name: string) => void Symbol.for(name)), "a", Symbol.iterator],
  "String.fromCodePoint": [outcome((code: number) => void String.fromCodePoint(code)), 65, -1],
  "Math.abs": [outcome((number: number) => void Math.abs(number)), 1, 1n],
  "Object.keys": [outcome((value: object) => void Object.keys(value)), {}, null],
  "a member": [outcome((value: { a: { b: 1 } }) => void value.a.b), { a: {} }, {}],
  "what a template calls": [outcome((value: unknown) => void `${value}`), "a", Symbol.iterator],
  "what String calls": [outcome((value: unknown) => void String(value)), "a", { toString: null }],
  "what Number calls": [outcome((value: unknown) => void Number(value)), "a", Symbol.iterator],
  "what a comparison calls": [
    outcome((value: number) => void (value < 1)),
    1,
    {
      [Symbol.toPrimitive]: () => {
        throw new Error("asked");
      },
    },
  ],
  "a getter": [
    outcome((value: { member: unknown }) => void value.member),
    {},
    {
      get member() {
        throw new Error("read");
      },
    },
  ],
};
