export { type DescribedOperation, documentOf, jsonBody } from "./openapi.ts";
export { type Found, methodsOf, Router, type RouterRoute } from "./router.ts";
