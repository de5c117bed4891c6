import { generateKeyPairSync } from "node:crypto";

/** The token URL of Google. */
export const TOKEN_URI = "https://oauth2.googleapis.com/token";

let account: { json: string; publicKey: string } | undefined;

/** A service account with a generated key, in the format of Google's console. */
export function serviceAccount(): { readonly json: string; readonly publicKey: string } {
  account ??= create();
  return account;
}

function create(): { json: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const json = JSON.stringify({
    type: "service_account",
    project_id: "test-project",
    private_key_id: "test-key",
    private_key: privateKey,
    client_email: "sluice@test-project.iam.gserviceaccount.com",
    token_uri: TOKEN_URI,
  });
  return { json, publicKey };
}
