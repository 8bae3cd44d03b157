/** How often the state of servers is asked for while somebody looks on, in milliseconds. */
export const REFRESH_MS = 5000;
