export { type Catalogue, codeOf, docsOf, TouchstoneError } from "@touchstone/util/plain";
