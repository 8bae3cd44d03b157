/** Interval at which the state of servers is requested while the page is in view, in milliseconds. */
export const REFRESH_MS = 5000;
