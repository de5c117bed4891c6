/** Charts. */

export { default } from "uplot";
