/**
 * Azure Key Vault
 * (https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret, 2026-11-22).
 */

import { isText, toObject } from "../../../core/json/values.ts";
import { fetchAzureToken } from "../azure/ambient.ts";
import { unusable } from "../service_request.ts";
import type { ToSecretRequest } from "./secret_request.ts";

const SERVICE = "Azure Key Vault";
const API_VERSION = "7.4";

/**
 * @param name `VAULT/SECRET`, or the URL of a secret, such as
 * `https://our.vault.azure.net/secrets/name`, both with the version at the end if it is not the
 * current one
 */
export const azureSecret: ToSecretRequest = async (name, env, deps) => {
  const [, vault, short] = /^([\w-]+)\/([\w-]+(?:\/\w+)?)$/.exec(name) ?? [];
  const url = vault === undefined ? name : `https://${vault}.vault.azure.net/secrets/${short}`;
  // The token is sent there, so it must be a vault of Azure.
  const [, domain] =
    /^https:\/\/[\w-]+\.(vault\.(?:azure\.net|azure\.cn|usgovcloudapi\.net))\/secrets\/[\w-]+(?:\/\w+)?$/
      .exec(url) ?? [];
  if (domain === undefined) throw unusable("write VAULT/SECRET, or the https URL of the secret");
  const resource = `https://${domain}`;
  const { text: token } = await fetchAzureToken({ options: {}, resource, env }, deps);
  return {
    request: {
      service: SERVICE,
      url: `${url}?api-version=${API_VERSION}`,
      method: "GET",
      headers: { authorization: `Bearer ${token}` },
    },
    read: ({ value }) => isText(value) ? value : undefined,
    code: ({ error }) => toObject(error).code,
  };
};
