/** The messages of a vendor's stream, independent of how they are framed on the wire. */

/** How a vendor frames its stream. */
export type Framing = "sse" | "ndjson" | "aws-event-stream";

/** One message of a stream. */
export interface Frame {
  /** The event's name, where the framing has one. */
  readonly event?: string | undefined;
  /** The text of the message, usually JSON. */
  readonly data: string;
  /**
   * True if the framing marks the message as a failure. Without `event`, the gateway could not read
   * the message.
   */
  readonly failed?: boolean;
}
