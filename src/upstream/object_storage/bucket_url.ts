/** Reads the URL of a part of a bucket. */

import { GatewayError } from "../../core/errors.ts";
import type { BucketPlace } from "./s3_bucket.ts";

/** A part of a bucket. */
export interface BucketFolder extends BucketPlace {
  /** What the names of objects begin with; empty, or with a slash at its end. */
  readonly prefix: string;
}

/** What the URL of a bucket begins with. */
export const BUCKET_SCHEME = "s3://";
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html (2026-11-26) */
const BUCKET_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+(.*))?$/;
/** The region of servers that have none. */
const OTHER_REGION = "us-east-1";

/**
 * The region and the server are those of AWS's variables.
 *
 * @param endpoint takes precedence over the variable
 * @throws {GatewayError} `invalid_request`
 */
export function readBucketUrl(
  url: string,
  endpoint: string | undefined,
  env: (name: string) => string | undefined,
): BucketFolder {
  const [, bucket, path = ""] = BUCKET_URL.exec(url) ?? [];
  if (bucket === undefined) throw invalid(`The URL must be like '${BUCKET_SCHEME}BUCKET/PREFIX'`);
  const server = endpoint ?? env("AWS_ENDPOINT_URL_S3") ?? env("AWS_ENDPOINT_URL");
  if (server !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(server)) {
    throw invalid("The endpoint must be like 'https://HOST:PORT'");
  }
  const region = env("AWS_REGION") ?? env("AWS_DEFAULT_REGION") ??
    (server === undefined ? undefined : OTHER_REGION);
  if (region === undefined) throw invalid("The region is not known: set AWS_REGION");
  return { bucket, prefix: path.replace(/([^/])\/*$/, "$1/"), region, endpoint: server };
}

function invalid(message: string): GatewayError {
  return new GatewayError("invalid_request", message);
}
