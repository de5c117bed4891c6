/** The output of `sluice init`. */

/**
 * The default config.yaml for other folders, since the path of its schema exists only in the
 * repository.
 */
export function toInitialConfig(text: string): string {
  return text.replace(/^# yaml-language-server: .*$/m, INITIAL_SCHEMA);
}

const INITIAL_SCHEMA = `# yaml-language-server: $schema=./config.schema.json
# For validation and completion in editors: sluice schema > config.schema.json`;
