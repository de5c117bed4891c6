/** The reference of environment variables that the gateway and its commands read. */

/** Groups of variables, with what each does. */
export const VARIABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "The gateway": {
    SLUICE_API_KEY: "The service key, if `server.keys` is absent; the key of `sluice connect`",
    SLUICE_ADMIN_KEY:
      "The admin key, if `server.admin_keys` is absent; the key of `sluice keys` and `sluice usage`",
    SLUICE_CONFIG: "The configuration file, instead of `./config.yaml`; `--config` overrides it",
    SLUICE_HOST: "The address to listen on; `--host` overrides it",
    SLUICE_PORT: "The port to listen on; `--port` overrides it",
    SLUICE_LOG_FORMAT: "The format of the log, if `log.format` is absent",
    SLUICE_LOG_LEVEL: "The level of the log, if `log.level` is absent",
    SLUICE_WARM_UP: "`off` starts without a warm-up, if `server.warm_up` is absent",
    SLUICE_TARGET_STORE: "The store to which `sluice store migrate` writes",
    OTEL_DENO: "`true` exports traces; the other variables of OpenTelemetry apply",
    OTEL_METRICS_EXPORTER: "`none` exports only traces",
    DENO_CERT: "A PEM file with additional trusted certificates",
    DENO_USE_CGROUPS:
      "`1` derives the heap limit from the container's memory instead of the machine's",
    HTTP_PROXY: "The proxy for vendors with `http:` addresses",
    HTTPS_PROXY: "The proxy for vendors with `https:` addresses",
    ALL_PROXY: "The proxy for both, if the variable above is not set",
    NO_PROXY: "Hosts that are reached directly",
  },
  "Credentials of AWS": {
    AWS_ACCESS_KEY_ID: "The access key, with its secret",
    AWS_SECRET_ACCESS_KEY: "The secret of the access key",
    AWS_SESSION_TOKEN: "The session token of temporary keys",
    AWS_REGION: "The region, if the provider has none",
    AWS_DEFAULT_REGION: "The same, after `AWS_REGION`",
    AWS_PROFILE: "The profile in the shared files",
    AWS_CONFIG_FILE: "The shared configuration file",
    AWS_SHARED_CREDENTIALS_FILE: "The shared credentials file",
    AWS_WEB_IDENTITY_TOKEN_FILE: "The token file of a web identity, such as that of a pod",
    AWS_ROLE_ARN: "The role of the web identity",
    AWS_ROLE_SESSION_NAME: "The name of its session",
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "The path of the ECS credentials endpoint",
    AWS_CONTAINER_CREDENTIALS_FULL_URI: "The URL of the EKS credentials endpoint",
    AWS_CONTAINER_AUTHORIZATION_TOKEN: "The token for that address",
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "The file with the token for that address",
    AWS_EC2_METADATA_DISABLED: "`true` disables the EC2 metadata service",
    AWS_EC2_METADATA_SERVICE_ENDPOINT: "The address of the metadata service",
    AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: "`IPv6` uses its other address",
    AWS_ENDPOINT_URL: "The address of AWS services, for example for object storage",
    AWS_ENDPOINT_URL_S3: "The address of S3",
    AWS_ENDPOINT_URL_STS: "The address of STS",
    AWS_ENDPOINT_URL_SSO: "The address of SSO",
    AWS_ENDPOINT_URL_SECRETS_MANAGER: "The address of Secrets Manager",
  },
  "Credentials of Google": {
    GOOGLE_APPLICATION_CREDENTIALS: "The file of a service account or an external account",
    GOOGLE_CLOUD_PROJECT: "The project, if the provider has none",
    GCLOUD_PROJECT: "The same, after `GOOGLE_CLOUD_PROJECT`",
    GOOGLE_CLOUD_QUOTA_PROJECT: "The project to which requests are billed",
    CLOUDSDK_CONFIG: "The folder of gcloud's settings",
    GCE_METADATA_HOST: "The address of the metadata service",
    NO_GCE_CHECK: "`true` disables the metadata service",
  },
  "Credentials of Azure": {
    AZURE_TENANT_ID: "The tenant of a client secret or a workload identity",
    AZURE_CLIENT_ID: "The client ID, including that of a managed identity",
    AZURE_CLIENT_SECRET: "The client secret",
    AZURE_FEDERATED_TOKEN_FILE: "The token of a workload identity",
    AZURE_AUTHORITY_HOST: "The address of Entra ID",
    AZURE_POD_IDENTITY_AUTHORITY_HOST: "The address of the metadata service",
    IDENTITY_ENDPOINT: "The address of App Service's managed identity",
    IDENTITY_HEADER: "The secret of that address",
  },
  "Vault, for references to secrets": {
    VAULT_ADDR: "The address of the server",
    VAULT_NAMESPACE: "The namespace",
    VAULT_TOKEN: "The token",
    VAULT_TOKEN_FILE: "The file of the token",
    VAULT_CACERT: "The certificate of the server's CA",
    VAULT_ROLE: "The role of a login with a JWT",
    VAULT_ROLE_ID: "The role ID of a login with AppRole",
    VAULT_SECRET_ID: "The secret ID of AppRole",
    VAULT_SECRET_ID_FILE: "The file of the secret ID",
    VAULT_JWT_FILE: "The file of the JWT",
    VAULT_AUTH_MOUNT: "Where the login method is mounted",
  },
  "Where files of users are": {
    HOME: "The home folder on Linux and macOS",
    USERPROFILE: "The home folder on Windows",
    APPDATA: "The settings folder on Windows",
    XDG_CONFIG_HOME: "The settings folder on Linux; `sluice connect`",
    CLAUDE_CONFIG_DIR: "Claude Code's folder; `sluice connect`",
    CODEX_HOME: "Codex's folder; `sluice connect`",
    GEMINI_CLI_HOME: "Gemini CLI's folder; `sluice connect`",
    OPENCODE_CONFIG: "opencode's file; `sluice connect`",
  },
};

export function toEnvironmentMarkdown(): string {
  return Object.entries(VARIABLES).map(([title, variables]) =>
    [
      `## ${title}`,
      [
        "| variable | meaning |",
        "| --- | --- |",
        ...Object.entries(variables).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
      ].join("\n"),
    ].join("\n\n")
  ).join("\n\n");
}
