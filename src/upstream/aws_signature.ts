/** AWS Signature Version 4: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html (2026-11-20). */

import { AwsV4Signer } from "aws4fetch";
import type { SignedRequest } from "./transport.ts";

/** A key pair, and the token that comes with one that expires. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** What a signature holds for. */
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
  request: SignedRequest,
  keys: AwsKeys,
  { service, region }: AwsScope,
  now: number,
): Promise<SignedRequest> {
  const signer = new AwsV4Signer({
    method: "POST",
    url: request.url,
    headers: signable(request.headers),
    body: request.body,
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
  if (signingKeys.size > MOST_SIGNING_KEYS) signingKeys.clear();
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(headers) } };
}

/** What a day, a region and a pair of keys come to: most of a signature's cost. */
const signingKeys = new Map<string, ArrayBuffer>();
const MOST_SIGNING_KEYS = 64;

/** Headers that the network may change on the way are not signed. */
function signable(headers: SignedRequest["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(content-type$|x-amz-)/i.test(name)),
  );
}
