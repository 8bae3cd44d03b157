import { INTEGER, object, type Row, SEARCH, STRING, WEATHER } from "./call.ts";

/** Missing and unknown names. */
export const NAMES: readonly Row[] = [
  ["no arguments", WEATHER, {}, ["Add /city", "required", "a string"]],
  [
    "several missing",
    object({ owner: STRING, repo: STRING, number: INTEGER }, ["owner", "repo", "number"]),
    { owner: "a" },
    ["/repo", "/number", "an integer"],
  ],
  [
    "missing deep down",
    object({ page: object({ size: INTEGER }, ["size"]) }),
    { page: {} },
    ["Add /page/size", "an integer"],
  ],
  [
    "missing enum",
    object({ unit: { enum: ["C", "F"] } }, ["unit"]),
    {},
    ["Add /unit", '"C"', '"F"'],
  ],
  [
    "missing date",
    object({ day: { type: "string", format: "date" } }, ["day"]),
    {},
    ["Add /day", '"date"'],
  ],
  ["misspelled name", WEATHER, { citty: "Oslo" }, ["Rename /citty", '"city"', "a string"], 250],
  ["misspelled optional", SEARCH, { query: "a", limt: 5 }, ["/limt", 'did you mean "limit"'], 250],
  [
    "camel for snake",
    object({ user_id: STRING }, ["user_id"]),
    { userId: "7" },
    ["Rename /userId", '"user_id"'],
  ],
  [
    "kebab for camel",
    object({ filePath: STRING }, ["filePath"]),
    { "file-path": "a" },
    ["Rename /file-path", '"filePath"'],
  ],
  [
    "misspelled in an open schema",
    object({ repository: STRING }, ["repository"], false),
    { repositry: "a" },
    ["Rename /repositry", '"repository"'],
  ],
  ["invented name", WEATHER, { city: "Oslo", verbose: true }, ["Remove /verbose", '"unit"']],
  ["invented name, none left", object({}), { x: 1 }, ["Remove /x", "not declared"]],
  [
    "names with a slash and a tilde",
    object({ "a/b": STRING, "c~d": INTEGER }, ["a/b"]),
    { "c~d": "x" },
    ["/a~1b", "/c~0d"],
  ],
  [
    "prototype names",
    object({ constructor: STRING }, ["constructor"]),
    {},
    ["Add /constructor", "a string"],
  ],
  ["dependent names", { dependentRequired: { card: ["cvc"] } }, { card: "x" }, ["Add /cvc"]],
];
