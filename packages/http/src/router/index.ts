export { type Described, documentOf, jsonBody } from "./openapi.ts";
export { type Found, methodsOf, type Routed, Router } from "./router.ts";
