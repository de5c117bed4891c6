/**
 * AWS Secrets Manager
 * (https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html, 2026-11-22).
 */

import { Buffer } from "node:buffer";
import { isText } from "../../../core/json/values.ts";
import { awsHost } from "../../../providers/shared/aws_hosts.ts";
import { fetchAwsCredentials } from "../aws/ambient.ts";
import { signAws } from "../aws_signature.ts";
import { unusable } from "../service_request.ts";
import type { ToSecretRequest } from "./secret_request.ts";

const SERVICE = "AWS Secrets Manager";

/** @param name the name or the ARN of a secret */
export const awsSecret: ToSecretRequest = async (name, env, deps) => {
  const [, own] = /^arn:[\w-]+:secretsmanager:([\w-]+):/.exec(name) ?? [];
  const region = own ?? env("AWS_REGION") ?? env("AWS_DEFAULT_REGION");
  if (region === undefined) throw unusable("the region is not known: set AWS_REGION");
  const keys = await fetchAwsCredentials({ options: { region }, env }, deps);
  const url = env("AWS_ENDPOINT_URL_SECRETS_MANAGER") ?? awsHost("secretsmanager", region);
  const headers = {
    "content-type": "application/x-amz-json-1.1",
    "x-amz-target": "secretsmanager.GetSecretValue",
  };
  const request = {
    url: `${url.replace(/\/+$/, "")}/`,
    headers,
    body: JSON.stringify({ SecretId: name }),
  };
  const scope = { service: "secretsmanager", region };
  const signed = await signAws(request, keys, scope, deps.clock.wallTime());
  return {
    request: { ...signed, service: SERVICE },
    read: ({ SecretBinary, SecretString }) =>
      isText(SecretString)
        ? SecretString
        : isText(SecretBinary)
        ? Buffer.from(SecretBinary, "base64").toString()
        : undefined,
    code: ({ __type: type }) => isText(type) ? type.slice(type.indexOf("#") + 1) : undefined,
  };
};
