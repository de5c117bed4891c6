/** Reads secrets of secret managers, with the credentials of the machine. */

import { GatewayError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json/object.ts";
import { isText } from "../../../core/json/values.ts";
import {
  askService,
  readObject,
  refusedBy,
  toCode,
  unusable,
  withoutCredentials,
} from "../service_request.ts";
import { awsSecret } from "./aws_secret.ts";
import { azureSecret } from "./azure_secret.ts";
import { googleSecret } from "./google_secret.ts";
import type { Env, SecretDeps, ToSecretRequest } from "./secret_request.ts";
import { vaultSecret } from "./vault_secret.ts";

/** The secret managers by the names that references begin with. */
const MANAGERS: ReadonlyMap<string, ToSecretRequest> = new Map([
  ["aws-sm", awsSecret],
  ["gcp-sm", googleSecret],
  ["azure-kv", azureSecret],
  ["vault", vaultSecret],
]);

/** Whether a reference such as `vault:secret/data/x#key` names a secret manager and a secret. */
export function isSecretReference(reference: string): boolean {
  const { manager, name } = parse(reference);
  return MANAGERS.has(manager) && name !== "";
}

/** The parts of `manager:name#member`. */
function parse(reference: string) {
  const [, manager = "", name = "", member] = /^([a-z-]+):([^#]*)(?:#(.*))?$/s.exec(reference) ??
    [];
  return { manager, name, member };
}

/**
 * Reads a secret. After `#`, a reference may name a member of a secret that is a JSON object.
 *
 * @throws {GatewayError} with the reason, without the secret
 */
export async function readSecret(
  reference: string,
  env: Env,
  deps: SecretDeps,
): Promise<string> {
  const { manager, name, member } = parse(reference);
  const toRequest = MANAGERS.get(manager);
  if (toRequest === undefined) throw unusable(`there is no secret manager '${manager}'`);
  let { request, read, code, forget } = await toRequest(name, env, deps);
  let { ok, status, text } = await askService(request, deps);
  if (status === 403 && forget?.()) {
    ({ request, read, code } = await toRequest(name, env, deps));
    ({ ok, status, text } = await askService(request, deps));
  }
  const answer = readObject(text);
  if (!ok) throw refusedBy("the secret cannot be read", status, toCode(code(answer)));
  const secret = read(answer);
  if (secret === undefined) throw withoutCredentials(request.service);
  const value = (member === undefined ? secret : memberOf(secret, member)).replace(/[\r\n]+$/, "");
  if (value === "") throw unusable("the secret is empty");
  return value;
}

/** A member of a secret that is JSON. */
function memberOf(secret: string, name: string): string {
  let value: unknown;
  try {
    value = JSON.parse(secret);
  } catch {
    throw unusable("the secret is not JSON, so that it has no members");
  }
  const member = isObject(value) ? new Map(Object.entries(value)).get(name) : undefined;
  if (!isText(member)) throw unusable(`the secret has no text '${name}'`);
  return member;
}

/** The reason of a failure for the operator. */
export function reasonFor(thrown: unknown): string {
  if (thrown instanceof GatewayError) {
    return thrown.message.replace(/^Cannot get credentials: /, "");
  }
  throw thrown;
}
