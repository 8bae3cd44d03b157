export { type About, type Described, documentOf, jsonBody } from "./openapi.ts";
export { type Found, methodsOf, type Routed, Router, templateAs } from "./router.ts";
