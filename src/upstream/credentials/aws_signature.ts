/**
 * AWS Signature Version 4: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
 * (2026-11-20).
 */

import { AwsV4Signer } from "aws4fetch";
import type { OutgoingRequest } from "../transport.ts";

/** A key pair, with a session token if it is temporary. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The service and region that a signature is valid for. */
export interface AwsScope {
  readonly service: string;
  readonly region: string;
}

/**
 * Adds the signature's headers to a request that is otherwise ready to be sent.
 *
 * @param now milliseconds since the Unix epoch
 */
export async function signAws(
  request: OutgoingRequest,
  keys: AwsKeys,
  { service, region }: AwsScope,
  now: number,
): Promise<OutgoingRequest> {
  const { body, method = "POST" } = request;
  if (body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new TypeError("A streamed body cannot be signed");
  }
  const signer = new AwsV4Signer({
    method,
    url: request.url,
    headers: signable(request.headers),
    ...(body !== undefined && { body: body as string | Uint8Array<ArrayBuffer> }),
    accessKeyId: keys.accessKeyId,
    secretAccessKey: keys.secretAccessKey,
    ...(keys.sessionToken && { sessionToken: keys.sessionToken }),
    service,
    region,
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
    allHeaders: true,
    cache: signingKeys,
  });
  const { headers } = await signer.sign();
  if (signingKeys.size > MAX_SIGNING_KEYS) signingKeys.clear();
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(headers) } };
}

/** Derived keys by day, region and key pair: deriving them takes most of a signature's time. */
const signingKeys = new Map<string, ArrayBuffer>();
/** The maximum number of cached keys. */
const MAX_SIGNING_KEYS = 64;

/** Only headers that proxies do not change are signed. */
function signable(headers: OutgoingRequest["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(content-type$|x-amz-)/i.test(name)),
  );
}
